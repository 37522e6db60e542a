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
from proofwalk.agent.page.words import Match, match_value, normalise
from proofwalk.agent.policies.literal import (
    choices,
    fields,
    files,
    findings,
    made_values,
    needs,
    prepared_things,
    searches,
    seek,
)
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled
from proofwalk.agent.reading.intents import (
    BOTH_BOXES,
    SEARCH,
    TYPED,
    Intent,
    IntentKind,
    ScopeKind,
)
from proofwalk.console.actions import Click, SetChecked, SetSlider, Type
from proofwalk.console.observation import Element, Observation, State

_OFF = frozenset({"off", "no", "false", "disabled", "disable", "close", "closed", "unselected"})
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
    intent = _of_its_list(scene, intent)
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
        if _rows_match(scene, intent):
            yield from _tick_row(scene, intent)
            return
        # `Select the environment`: a part of the page, and no field.
        meant = fields.meant_by_words(scene, intent)
        if not meant and (yield from prepared_things.choose_by_name(scene, intent)):
            return
    yield from _fill_named(scene, intent)


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
    found = yield from fields.find(scene, intent)
    if found is not None:
        yield from fill(scene, intent, found)


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


def _rows_match(scene: DocumentScene, intent: Intent) -> bool:
    return bool(page_rows.rows(scene.page)) and any(
        element.role == "checkbox" and element.row for element in scene.page.elements
    )


def _tick_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    yield from needs.locate(scene, intent)
    box = next(
        (
            element
            for element in scene.page.elements
            if element.row == scene.row and element.role == "checkbox"
        ),
        None,
    )
    if box is None:
        scene.give_up(intent)
    yield from scene.act("I tick the row.", SetChecked(id=box.mark, checked=True))


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
            yield from choices.pick_option(scene, intent, found)
        case "slider":
            number = re.search(r"\d+(?:\.\d+)?", value or "")
            if number:
                yield from scene.act(
                    f"I move “{label}” to {number.group()}.",
                    SetSlider(id=found.first.mark, value=float(number.group())),
                )
        case _:
            yield from _type(scene, intent, found, label)


def _tick(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    """Set a switch or a check box. Of several check boxes under one label, tick the one
    that the value names."""
    value = intent.value
    group = [one.first for one in fields.named(scene, intent) if one.role == found.role]
    if value is None or len(group) < 2:
        yield from _switch(scene, found.first, value is None or normalise(value) not in _OFF)
        return
    named = grounding.options(group, value)
    if not named:
        raise findings.wrong_value(scene, intent, found.label, value, [one.name for one in group])
    yield from _switch(scene, named[0], True)


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


def check(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Tick a check box or turn a switch, which the sentence names by its text or its
    field."""
    if intent.noun == BOTH_BOXES:
        yield from _tick_both(scene)
        return
    if not intent.path:
        intent = _of_the_thing(scene, intent)
    element = page_fields.checkable(scene.page, intent.label)
    if element is None:
        yield from scene.settle()
        yield from scene.pause(f"I do not see “{intent.label}” yet; I wait.", 3, intent.label)
        element = page_fields.checkable(scene.page, intent.label)
    if element is None:
        found = page_fields.fields(scene.page, intent.label, scene.place(intent))
        if len(found) == 1 and found[0].role in ("radio", "combobox"):
            wanted = (
                ("enable", "enabled", "on", "yes")
                if intent.checked
                else ("disable", "disabled", "off", "no")
            )
            names = [element.name for element in found[0].elements]
            value = next((name for name in names if normalise(name) in wanted), None)
            if value:
                yield from choices.pick_radio(scene, _valued(intent, value), found[0])
                return
        element = yield from seek.control(scene, intent, intent.label)
        yield from seek.press(scene, intent, element, f"I click “{intent.label}”.")
        return
    yield from _switch(scene, element, intent.checked)


def _tick_both(scene: DocumentScene) -> Script[None]:
    """Tick the two check boxes in front. Raises `Stuck` if there are not two."""
    boxes = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if one.role == "checkbox" and not one.row
    ]
    if len(boxes) != 2:
        raise Stuck(f"the document speaks of two check boxes, and there are {len(boxes)}")
    for box in boxes:
        here = grounding.same(scene.page, box)
        if here is not None:
            yield from _switch(scene, here, checked=True)


def _of_the_thing(scene: DocumentScene, intent: Intent) -> Intent:
    """Name the switch of a thing that is described: `toggle the environment you want to
    enable` names it as META does."""
    names = needs.bound(scene, intent)
    there = [name for name in names if page_fields.checkable(scene.page, name) is not None]
    if not there:
        raise Stuck(f"no switch here is called as {intent.phrase} is")
    return replace(intent, path=(there[0],))


def _valued(intent: Intent, value: str) -> Intent:
    return replace(intent, kind=IntentKind.SET, value=value)


def _switch(scene: DocumentScene, element: Element, checked: bool) -> Script[None]:
    if (State.CHECKED in element.states) == checked:
        return
    verb = "on" if checked else "off"
    name = element.name or element.label
    past = yield from scene.act(
        f"I turn “{name}” {verb}.", SetChecked(id=element.mark, checked=checked)
    )
    if not past.ok:
        again = next(
            (one for one in scene.page.elements if one.identity == element.identity), element
        )
        yield from scene.act(f"I turn “{name}” {verb} by a click.", Click(id=again.mark))
        now = grounding.same(scene.page, element)
        if now is not None and (State.CHECKED in now.states) != checked:
            raise Stuck(f"“{name}” does not turn {verb}: {past.result}")
