"""Filling fields.

`set_field` brings the named field to the named value, whatever control it is. Without a
value, what is there is left, and an empty field gets its first enabled choice. What a
form says to a click is read in `complaints`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import form_messages, grounding
from proofwalk.agent.page.grounding import TEXT_ROLES, Field
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, match_value, normalise
from proofwalk.agent.policies.literal import choices, findings, needs, searches, seek
from proofwalk.agent.policies.literal.assignments import TAG_KEY
from proofwalk.agent.policies.literal.intents import SEARCH, Intent, IntentKind, ScopeKind
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled, Skipped
from proofwalk.console.actions import Click, Scroll, SetChecked, SetSlider, Type, Upload
from proofwalk.console.observation import Element, Observation, State

_OFF = frozenset({"off", "no", "false", "disabled", "disable", "close", "closed", "unselected"})
_TAKES_FILES = re.compile(r"\b(?:upload|browse|(?:select|choose) (?:a )?files?)\b", re.I)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_COUNTED = re.compile(
    r"\b(?:threshold|number"
    r" of|count|size|weight|time-?out|interval|period|ttl|limit|after|days?|hours?|minutes?|seconds?|percent(?:age)?)\b"
)
_ANY_WORD = re.compile(
    r"\b(?:name|family|title|alias|description|remarks?|comment|notes?|purpose)\b"
)
_CONFIRM = re.compile(
    r"\b(?:enter|type|input)\s+[“\"'`]?(?P<what>[^“”\"'`]+?)[”\"'`]?\s+to confirm", re.I
)


def has_form(page: Observation) -> bool:
    """Whether there is anything to fill in front."""
    return any(found.role not in ("checkbox", "searchbox") for found in grounding.all_fields(page))


def working(page: Observation) -> bool:
    """Whether a form is open: a dialog, or a page that demands fields. A list with its
    filters is none."""
    return bool(page.modal) or any(
        State.REQUIRED in element.states and not element.row
        for found in grounding.all_fields(page)
        for element in found.elements
    )


def set_field(scene: DocumentScene, intent: Intent) -> Script[None]:
    if intent.value is None and intent.phrase:
        intent = replace(intent, value=_bound_value(scene, intent))
    if intent.path == (SEARCH,) and not _fields(scene, intent):
        yield from searches.search(scene, intent)
        return
    intent = _of_its_list(scene, intent)
    if not intent.path:
        entry = _fresh_entry(scene)
        if entry is not None:
            yield from _type(scene, intent, entry, entry.label)
            return
        yield from choices.pick_by_name(scene, intent)
        return
    loose = intent.noun == "words"
    if loose and intent.value is None and not _fields(scene, intent) and _rows_match(scene, intent):
        yield from _tick_row(scene, intent)
        return
    found = yield from _field(scene, intent)
    if found is None:
        return
    yield from fill(scene, intent, found)


def _of_its_list(scene: DocumentScene, intent: Intent) -> Intent:
    """`From the **Encryption Key** list, select the key of your department`: the list
    is the field, where there is one of this name."""
    place = intent.scope(ScopeKind.SECTION)
    if place is None or not place.label or (intent.path and intent.noun != "words"):
        return intent
    named = grounding.fields(scene.page, place.label, scene.place(intent))
    return replace(intent, path=(place.label,), noun="") if named else intent


def _fresh_entry(scene: DocumentScene) -> Field | None:
    """The one empty text field that the last click made: `click **Add** and enter …`
    means it."""
    fresh = [found for found in grounding.all_fields(scene.page) if found.first.new]
    return fresh[0] if len(fresh) == 1 and fresh[0].role in TEXT_ROLES and fresh[0].empty else None


def _fields(scene: DocumentScene, intent: Intent) -> list[Field]:
    place = scene.place(intent)
    return grounding.fields(scene.page, intent.label, place, by_words=intent.noun == "words")


def _rows_match(scene: DocumentScene, intent: Intent) -> bool:
    return bool(grounding.rows(scene.page)) and any(
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
    if box is not None:
        yield from scene.act("I tick the row.", SetChecked(id=box.mark, checked=True))


def _field(scene: DocumentScene, intent: Intent) -> Script[Field | None]:
    """The field of an intent, looked for everywhere; None when the sentence only hints
    at it."""
    found = _fields(scene, intent)
    loose = intent.noun == "words"
    if found and intent.noun == "entry" and not any(one.empty for one in found):
        found = (yield from _added(scene, intent)) or found
    if not found:
        yield from scene.settle()
        found = _fields(scene, intent)
    if not found and not (loose and intent.value is None):
        yield from scene.pause(
            f"I do not see the field “{intent.label}” yet; I wait.", 3, intent.label
        )
        found = _fields(scene, intent)
    if (
        not found
        and loose
        and intent.value is not None
        and normalise(intent.value) == normalise(scene.memory.row_value)
    ):
        found = [
            one
            for one in grounding.all_fields(scene.page)
            if one.role in TEXT_ROLES and one.first.container
        ]
    if not found and loose and intent.value is None and scene.page.modal:
        prompts = [one for one in grounding.all_fields(scene.page) if one.role in TEXT_ROLES]
        found = [
            one
            for one in prompts
            if _CONFIRM.search(f"{one.label} {one.first.name} {one.first.placeholder}")
        ]
    if not found and loose and normalise(intent.label) == "slider":
        found = [one for one in grounding.all_fields(scene.page) if one.role == "slider"]
    if not found and loose:
        found = _only_empty_text(scene) if intent.value is not None else []
        if not found and intent.chosen and has_form(scene.page):
            scene.pass_over(intent, why="what to choose is left open, and no field has this name")
            return None
        if not found:
            scene.give_up(intent)
    if not found and intent.value is not None:
        found = yield from _added(scene, intent)
    if not found and intent.value is not None:
        clicked = yield from choices.click_named(scene, intent)
        if clicked:
            return None
    if not found:
        place = scene.place(intent)
        opened = [
            element
            for element in grounding.reachable(scene.page, scene.page.elements)
            if State.COLLAPSED in element.states
            and element.role != "combobox"
            and not element.row
            and not grounding.in_navigation(scene.page, element)
            and not grounding.in_top_bar(element)
        ]
        for element in opened[:3]:
            yield from scene.act(
                f"“{intent.label}” may be in the collapsed “{element.name}”.",
                Click(id=element.mark),
            )
            found = grounding.fields(scene.page, intent.label, place)
            if found:
                break
    if not found:
        found = yield from _scrolled(scene, intent)
    if not found:
        if intent.optional or intent.conditional:
            raise Skipped
        if any(
            run.role == "label" and match(intent.label, run.text) is not Match.NONE
            for run in scene.page.texts
        ):
            raise Stuck(f"“{intent.label}” is there, and I do not know how it is filled")
        raise findings.no_field(scene, intent, intent.label)
    return _unambiguous(scene, intent, found)


def look_for(scene: DocumentScene, intent: Intent) -> Script[Field | None]:
    """The field, if it is or comes in sight; nothing is opened or filled for it."""
    found = _fields(scene, intent)
    if not found:
        yield from scene.settle()
        found = _fields(scene, intent)
    if not found:
        yield from scene.pause(
            f"I do not see the field “{intent.label}” yet; I wait.", 3, intent.label
        )
        found = _fields(scene, intent) or (yield from _scrolled(scene, intent))
    return found[0] if found else None


def _added(scene: DocumentScene, intent: Intent) -> Script[list[Field]]:
    """A list of entries that begins empty: its label has an *Add* button beside it,
    which makes a text field; tags have *Add Tag*."""
    adders = grounding.beside(
        scene.page,
        intent.label,
        lambda one: (
            one.role == "button" and bool(re.match(r"(?:add|\+)(?:\b|$)", normalise(one.name)))
        ),
    )
    if not adders and intent.label == TAG_KEY:
        adders = grounding.controls(scene.page, "Add Tag", scene.place(intent))
    if adders:
        before = scene.page
        yield from seek.press(
            scene, intent, adders[0], f"“{intent.label}” is a list; I add an entry."
        )
        fresh = [element for element in scene.appeared(before) if element.role in TEXT_ROLES]
        if fresh:
            return (
                _fields(scene, intent)
                if intent.label == TAG_KEY
                else [Field(label=intent.label, elements=(fresh[0],))]
            )
    return []


def _scrolled(scene: DocumentScene, intent: Intent) -> Script[list[Field]]:
    height = scene.page.viewport[1]
    for _ in range(6):
        _, offset, _, total = scene.page.scroll
        if offset + height >= total - 4:
            return []
        yield from scene.act(
            f"“{intent.label}” may be further down; I scroll.", Scroll(dy=height * 0.8)
        )
        found = _fields(scene, intent)
        if found:
            return found
    return []


def _only_empty_text(scene: DocumentScene) -> list[Field]:
    """The one empty text field of an open dialog: "enter the name" can only mean it."""
    front = [
        found
        for found in grounding.all_fields(scene.page)
        if found.role in TEXT_ROLES and found.empty
    ]
    return front if len(front) == 1 and scene.page.modal else []


def _unambiguous(scene: DocumentScene, intent: Intent, found: list[Field]) -> Field:
    if len(found) == 1:
        return found[0]
    same_place = (
        len({(one.first.container, one.first.row.split(" | ", 1)[0]) for one in found}) == 1
    )
    if same_place or intent.noun == "words" or all(one.role in TEXT_ROLES for one in found):
        return next((one for one in found if one.empty), found[0])
    raise findings.ambiguous(intent, intent.label, [one.first for one in found])


def fill(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    """Bring a field to the intent's value."""
    label = found.label or intent.label
    if all(State.DISABLED in element.states for element in found.elements):
        yield from scene.pause(f"“{label}” is disabled; I wait.", 5)
        again = _fields(scene, intent)
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
            raise findings.disabled(found.first)
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
    """A switch, a check box, or the one of several check boxes under a label that the
    value names."""
    value = intent.value
    group = [one.first for one in _fields(scene, intent) if one.role == found.role]
    if value is None or len(group) < 2:
        yield from _switch(scene, found.first, value is None or normalise(value) not in _OFF)
        return
    named = grounding.options(group, value)
    if not named:
        raise findings.wrong_value(scene, intent, found.label, value, [one.name for one in group])
    yield from _switch(scene, named[0], True)


def _bound_value(scene: DocumentScene, intent: Intent) -> str | None:
    """`the name of the instance` → the provisioned name, when a bind has just this
    phrase."""
    wanted = normalise(intent.phrase)
    return next(
        (
            value
            for key, value in scene.turn.task.binds.items()
            if wanted and re.match(rf"{re.escape(normalise(key))}\b", wanted)
        ),
        None,
    )


def _type(scene: DocumentScene, intent: Intent, found: Field, label: str) -> Script[None]:
    value = intent.value
    if value is None:
        if not found.empty:
            return
        value = _invented(scene, found, label)
        if not value:
            scene.give_up(intent)
    if re.search(r"\bname\b", normalise(label)) and value not in scene.memory.names:
        scene.memory.names.append(value)
    if normalise(found.first.value) == normalise(value):
        return
    text = value
    if _is_number(found):
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
        again = grounding.fields(
            scene.page, intent.label, scene.place(intent), by_words=intent.noun == "words"
        ) or [found]
        past = yield from scene.act(
            f"I enter “{text}” as “{label}”.", Type(id=again[0].first.mark, text=text)
        )
        if not past.ok:
            raise Stuck(f"“{label}” could not be filled: {past.result}")


def _invented(scene: DocumentScene, found: Field, label: str) -> str:
    """A value for a field that the document leaves to the reader: the text to confirm
    with, a number (the first that the field itself shows), or a plain word where any
    word will do."""
    front = [run.text for run in scene.page.texts if not scene.page.modal or run.container]
    for text in [found.first.placeholder, found.label, found.first.name, found.first.hint, *front]:
        asked = _CONFIRM.search(text)
        if asked and not re.match(r"the\b", asked.group("what"), re.I):
            return asked.group("what").strip()
    if scene.page.modal and scene.memory.row_value and re.search(r"confirm", " ".join(front), re.I):
        return scene.memory.row_value
    if _is_number(found) or _COUNTED.search(normalise(label)):
        told = _NUMBER.search(f"{found.first.placeholder} {found.first.hint}")
        return told.group() if told else "1"
    return "proofwalk-example" if _ANY_WORD.search(normalise(label)) else ""


def _is_number(found: Field) -> bool:
    return found.role == "spinbutton" or found.first.input_type == "number"


def check(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Tick a check box or turn a switch, which the sentence names by its text or its
    field."""
    element = grounding.checkable(scene.page, intent.label)
    if element is None:
        yield from scene.settle()
        yield from scene.pause(f"I do not see “{intent.label}” yet; I wait.", 3, intent.label)
        element = grounding.checkable(scene.page, intent.label)
    if element is None:
        found = grounding.fields(scene.page, intent.label, scene.place(intent))
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


def upload(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Put a file of the episode's folder into the file input, or into the one that a
    button like *Upload File* stands for."""
    place = intent.scope(ScopeKind.FIELD)
    label = intent.label or (place.label if place else "")
    front = grounding.reachable(scene.page, scene.page.elements)
    takers = [element for element in front if element.input_type == "file"]
    takers = takers or [
        element
        for element in front
        if element.role == "button" and _TAKES_FILES.search(element.name)
    ]
    named = [
        element for element in takers if match(label, element.label) is not Match.NONE
    ] or takers
    if not named or intent.value is None:
        raise Stuck(f"nothing here takes {intent.value or 'a file'}")
    past = yield from scene.act(
        f"I upload {intent.value}.", Upload(id=named[0].mark, file=intent.value)
    )
    if not past.ok:
        raise Stuck(f"“{intent.value}” could not be uploaded: {past.result}")
