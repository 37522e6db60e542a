"""Fills fields.

`set_field` brings the named field, which `fields` finds, to the named value, whatever
control it is. Without a value, a filled field stays as it is, and an empty one gets its
first enabled choice. `complaints` reads what a form answers to a click.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import form_messages, grounding, page_fields, page_rows, regions
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, match_value, normalise
from proofwalk.agent.policies.literal import (
    check_boxes,
    choices,
    fields,
    files,
    findings,
    headed,
    made_values,
    needs,
    option_lists,
    prepared_things,
    searches,
    units,
)
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled
from proofwalk.agent.reading.intents import (
    SEARCH,
    TYPED,
    Intent,
    ScopeKind,
)
from proofwalk.console.actions import SetSlider, Type
from proofwalk.console.observation import Observation, State

_OFF = frozenset(
    {
        "off",
        "no",
        "false",
        "disabled",
        "disable",
        "close",
        "closed",
        "unselected",
        "not selected",
        "not checked",
        "not enabled",
        "not ticked",
        "deselected",
        "unchecked",
        "unticked",
        "cleared",
        "clear",
    }
)
_KIND = re.compile(r"\bthe (?P<kind>[a-z]+(?: [a-z]+)?) [`“\"*]*$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ENTER = r"\b(?:enter|type|specify|provide|input) |输入|填写"


def working(page: Observation) -> bool:
    """Return True if a form is open: a dialog, or a page with required fields. A list
    with its filters is none."""
    return bool(page.modal) or any(
        State.REQUIRED in element.states and not element.row
        for found in page_fields.all_fields(page)
        for element in found.elements
    )


def set_field(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Bring a field to what the intent says. Words that name no field may be typed."""
    if intent.noun == TYPED:
        if (yield from _type_words(scene, intent)):
            return
        intent = replace(intent, value=None, noun="words" if intent.phrase else "")
    yield from _set_field(scene, intent)


def _set_field(scene: DocumentScene, intent: Intent) -> Script[None]:
    if intent.value is None and intent.phrase:
        intent = replace(intent, value=_bound_value(scene, intent))
    if intent.path == (SEARCH,) and not fields.named(scene, intent):
        yield from searches.search(scene, intent)
        return
    intent = _of_its_kind(scene, _of_its_list(scene, intent))
    if not intent.path:
        entry = fields.fresh_entry(scene)
        if entry is not None:
            yield from _type(scene, intent, entry, entry.label)
            return
        yield from choices.pick_by_name(scene, intent)
        return
    loose = intent.noun == "words"
    if loose and intent.value is None:
        yield from _await_choice(scene, intent)
    if loose and intent.value is None and not fields.named(scene, intent):
        if _has_marks(scene):
            yield from _tick_row(scene, intent)
            return
        # `Select the environment`: a part of the page, and no field.
        meant = fields.meant_by_words(scene, intent)
        if not meant and (yield from prepared_things.choose_by_name(scene, intent)):
            return
        if not meant and (yield from _lacks_any_field(scene, intent)):
            raise findings.no_field(scene, intent, intent.phrase or intent.label)
    yield from _fill_named(scene, intent)


def chosen_by_name(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Choose what META names, where no field takes it: `select the collection`."""
    if (
        intent.value is not None
        or intent.noun != "words"
        or fields.named(scene, intent)
        or not _bound_value(scene, intent)
    ):
        return False
    return (yield from prepared_things.choose_by_name(scene, intent))


def _lacks_any_field(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """True if something is to be entered in a window that takes nothing at all."""
    named = intent.scope(ScopeKind.DIALOG) is not None and scene.page.modal
    if not named or not re.search(_ENTER, intent.origin.sentence, re.I):
        return False
    if page_fields.all_fields(scene.page):
        return False
    yield from scene.pause("I do not see where anything can be entered; I wait.", 3)
    return bool(scene.page.modal) and not page_fields.all_fields(scene.page)


def _type_words(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Type words into the field that they can only be meant for. Return False where a
    label may be a field's: one is called so, or none asks for these words. A document
    that names no field blames nobody where there is none."""
    words = intent.value or intent.label
    if intent.path:
        field = None if fields.named(scene, intent) else fields.asking_for(scene, words)
        if field is None:
            return False
    else:
        field = fields.fresh_entry(scene) or fields.meant_by_typing(scene, words)
        if field is None:
            yield from scene.pause(f"I do not see where “{words}” is to be typed; I wait.", 3)
            field = fields.meant_by_typing(scene, words)
        if field is None and (yield from _lacks_any_field(scene, intent)):
            raise findings.no_field(scene, intent, words)
        if field is None:
            scene.give_up(intent)
    asked = fields.other_words(scene, field, words)
    if asked:
        raise findings.wrong_value(scene, intent, field.label, words, [asked])
    yield from _type(scene, replace(intent, value=words, noun=""), field, field.label)
    return True


def _fill_named(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Fill the field that has the intent's name, which may take a file."""
    if intent.value is not None and not fields.named(scene, intent):
        file_input = files.taker(scene, intent.label)
        if file_input is not None:
            yield from files.hand_over(scene, file_input, intent.value)
            return
    if (yield from _marks_under_a_title(scene, intent)):
        return
    if (yield from _entry_under_a_head(scene, intent)):
        return
    found = yield from fields.find(scene, intent)
    if found is not None:
        yield from fill(scene, intent, found)


def _entry_under_a_head(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """`Under **Settings**, select **Identity**`, where no field is called so. Return
    False for a field."""
    under = intent.scope(ScopeKind.FIELD)
    if under is None or not intent.value or fields.named(scene, intent):
        return False
    return (yield from headed.choose_entry(scene, intent, intent.label, intent.value))


def _marks_under_a_title(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Mark the box or dot that has the value's name, where the field's name is the
    title of a part: `Under **Actions**, select **Move**`. Return False for a field."""
    value = intent.value or ""
    if not value or fields.named(scene, intent) or not grounding.titled(scene.page, intent.label):
        return False
    marked = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if one.role in ("checkbox", "radio", "switch") and match(value, one.name) is not Match.NONE
    ]
    if len(marked) != 1:
        return False
    if State.CHECKED not in marked[0].states:
        yield from choices.mark(scene, marked[0], f"I select “{value}”.")
    return True


def _await_choice(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Wait for a thing that was prepared, where the page has neither it nor a field,
    and no form is open: a list may be loading."""
    names = needs.bound(scene, intent, of_sentence=False)
    if not names or working(scene.page) or fields.named(scene, intent):
        return
    yield from scene.await_page(
        f"I wait for “{names[0]}”.",
        lambda page: grounding.seen(page, names[0]) or bool(fields.named(scene, intent)),
        text=names[0],
        times=1,
    )


def _of_its_list(scene: DocumentScene, intent: Intent) -> Intent:
    """Take a named list as the field, if there is one: `From the **Encryption Key**
    list, select the key of your department`."""
    place = intent.scope(ScopeKind.SECTION)
    if place is None or not place.label or (intent.path and intent.noun != "words"):
        return intent
    named = page_fields.fields(scene.page, place.label, scene.place(intent))
    return replace(intent, path=(place.label,), noun="") if named else intent


def _of_its_kind(scene: DocumentScene, intent: Intent) -> Intent:
    """Take the field whose name stands before a value: `Select the time zone
    **Lisbon**`."""
    if intent.path or not intent.value:
        return intent
    before = intent.origin.sentence.partition(intent.value)[0]
    told = _KIND.search(before)
    kind = told["kind"] if told else ""
    for words in (kind, kind.rpartition(" ")[2]):
        named = page_fields.fields(scene.page, words, scene.place(intent)) if words else []
        if named and all(one.role in ("combobox", "radio", "listbox") for one in named):
            return replace(intent, path=(words,), noun="words")
    return intent


def _has_marks(scene: DocumentScene) -> bool:
    """True if rows of the page can be marked by a box or a dot."""
    shown = page_rows.rows(scene.page)
    return any(page_rows.row_box(scene.page, row) is not None for row in shown)


def _tick_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    yield from needs.locate(scene, intent)
    box = page_rows.row_box(scene.page, scene.row)
    if box is None:
        scene.give_up(intent)
    yield from choices.mark(scene, box, "I tick the row.")


def fill(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    """Bring a field to the intent's value."""
    label = found.label or intent.label
    if all(State.DISABLED in element.states for element in found.elements):
        yield from scene.pause(f"“{label}” is disabled; I wait.", 5)
        again = fields.named(scene, intent)
        found = again[0] if again else found
        if (
            all(
                State.DISABLED in element.states or State.READONLY in element.states
                for element in found.elements
            )
            and found.role != "combobox"
        ):
            if intent.value is None or any(
                match_value(intent.value, element.value) is not Match.NONE
                for element in found.elements
            ):
                return
            raise (yield from findings.disabled(scene, found.first))
    value = intent.value
    if value is not None:
        scene.memory.filled.append(Filled(label=label, value=value, origin=intent.origin))
    match found.role:
        case "radio":
            yield from choices.pick_radio(scene, intent, found)
        case "checkbox" | "switch":
            yield from _tick(scene, intent, found)
        case "combobox" | "listbox":
            entry = intent.noun == "entry" and bool(value) and found.first.tag != "select"
            pick = choices.add_entry if entry else choices.pick_option
            yield from pick(scene, intent, found)
        case "slider":
            number = re.search(r"\d+(?:\.\d+)?", value or "")
            if number:
                yield from scene.act(
                    f"I move “{label}” to {number.group()}.",
                    SetSlider(id=found.first.mark, value=float(number.group())),
                )
        case _:
            yield from _type(scene, (yield from _in_its_unit(scene, intent, found)), found, label)


def _in_its_unit(scene: DocumentScene, intent: Intent, found: Field) -> Script[Intent]:
    """Choose the unit that the value has in the list beside the field, and return the
    intent with the number alone; unchanged without either."""
    number, unit = units.parted(intent.value or "")
    beside = units.list_beside(scene, found) if unit else None
    if beside is None:
        return intent
    yield from choices.pick_option(scene, replace(intent, value=unit), beside)
    return replace(intent, value=number)


def _tick(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    """Set a switch or a check box. Of several check boxes under one label, tick the one
    that the value names."""
    value = intent.value
    group = [one.first for one in fields.named(scene, intent) if one.role == found.role]
    if value is None or len(group) < 2:
        yield from check_boxes.switch(
            scene, found.first, value is None or normalise(value) not in _OFF
        )
        return
    named = grounding.options(group, value)
    several = [] if named else option_lists.each_of(group, value)
    if not named and not several:
        raise findings.wrong_value(scene, intent, found.label, value, [one.name for one in group])
    for one in several or named[:1]:
        yield from check_boxes.switch(scene, grounding.same(scene.page, one) or one, True)


def _bound_value(scene: DocumentScene, intent: Intent) -> str | None:
    """Return the provisioned value of a bind whose phrase begins the intent's, an
    article aside: `the name of the instance`. None without one."""
    wanted = normalise(intent.phrase)
    return next(
        (
            value
            for key, value in scene.turn.task.binds.items()
            if wanted and re.match(rf"(?:(?:the|an?|your) )?{re.escape(normalise(key))}\b", wanted)
        ),
        None,
    )


def _provisioned(scene: DocumentScene, intent: Intent, label: str) -> str:
    """Return the provisioned value of a field that the document leaves open: of a bind
    that is called as the field is, else of the longest whose phrase the sentence says
    to enter. Empty without one."""
    sentence = normalise(intent.origin.sentence)
    binds = {normalise(key): value for key, value in scene.turn.task.binds.items()}
    phrases = [key for key in binds if re.search(rf"(?:{_ENTER}){re.escape(key)}(?!\w)", sentence)]
    phrase = normalise(label) if normalise(label) in binds else max(phrases, key=len, default="")
    return binds.get(phrase, "")


def _type(scene: DocumentScene, intent: Intent, found: Field, label: str) -> Script[None]:
    value = intent.value
    if value is None:
        if not found.empty:
            return
        value = _provisioned(scene, intent, label) or made_values.made_for(
            scene, found, label, phrase=intent.phrase
        )
        if not value:
            scene.give_up(intent)
    if re.search(r"\bname\b", normalise(label)) and value not in scene.memory.names:
        scene.memory.names.append(value)
    if normalise(found.first.value) == normalise(value):
        return
    text = value
    if made_values.is_number(found):
        number = _NUMBER.match(value)
        text = number.group() if number else value
    before = scene.page
    past = yield from scene.act(
        f"I enter “{text}” as “{label}”.", Type(id=found.first.mark, text=text)
    )
    scene.memory.warned.pop(label, None)
    scene.memory.warned.update(
        pair for pair in form_messages.messages(scene.page, before) if pair[0] == label
    )
    if not past.ok:
        yield from scene.pause(f"Typing did not work ({past.result}); I wait and try again.", 3)
        again = page_fields.fields(
            scene.page, intent.label, scene.place(intent), by_words=intent.noun == "words"
        ) or [found]
        past = yield from scene.act(
            f"I enter “{text}” as “{label}”.", Type(id=again[0].first.mark, text=text)
        )
        if not past.ok:
            raise Stuck(f"“{label}” could not be filled: {past.result}")
