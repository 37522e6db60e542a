"""Chooses among options: radio groups, drop-down lists, and choices that the sentence
names without their field.

A drop-down list is opened, its options are read, and only an option that answers the
value is clicked; when there is none after waiting and scrolling, the value is wrong,
and the options are the candidates. A list without any option is a missing resource.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import grounding, page_fields, page_rows, regions, wording
from proofwalk.agent.page.console_words import PAGES
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, match_value, normalise
from proofwalk.agent.policies.literal import (
    findings,
    list_pages,
    near_choices,
    needs,
    option_lists,
    seek,
    titled,
    told_choices,
    units,
)
from proofwalk.agent.policies.literal.row_words import ROUND_BUTTON
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled, Replay, Skipped
from proofwalk.agent.policies.literal.typed_choices import type_in
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.console.actions import Click, Press, Select, SetChecked, Type
from proofwalk.console.observation import Element, State

_LISTS_READ = 6
"""How many drop-down lists are read for a value that one of them already has."""
_DOT = re.compile(rf"\b{ROUND_BUTTON}", re.I)
_LISTS_TRIED = 4
"""How many drop-down lists are opened for a value that has no field."""


def pick_radio(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    enabled = [element for element in found.elements if State.DISABLED not in element.states]
    if intent.value is None:
        if found.empty and enabled:
            yield from scene.act(
                f"The document leaves “{found.label}” open; I take the first choice.",
                Click(id=enabled[0].mark),
            )
        return
    chosen = grounding.options(found.elements, intent.value)
    if not chosen:
        raise findings.wrong_value(
            scene, intent, found.label, intent.value, [element.name for element in found.elements]
        )
    if len({normalise(one.name) for one in chosen}) > 1:
        raise findings.ambiguous(intent, intent.value, chosen)
    element = chosen[0]
    if State.CHECKED in element.states:
        return
    if State.DISABLED in element.states:
        raise (yield from findings.disabled(scene, element))
    yield from seek.press(scene, intent, element, f"I choose “{intent.value}” for “{found.label}”.")


def pick_option(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    box, value = found.first, intent.value
    if value is not None and match_value(value, box.value) is not Match.NONE:
        return
    if value is None and not found.empty:
        return
    label = found.label or intent.label
    if box.tag == "select":
        yield from _pick_native(scene, intent, box, label)
        return
    names: list[str] = []
    for attempt in range(3):
        offered = yield from option_lists.open_list(scene, box, label)
        if value is None:
            chosen = _left_to_reader(scene, intent, offered)
        else:
            chosen = grounding.options(offered, value)
            if not chosen and offered:
                chosen = yield from option_lists.search_list(scene, intent, box, value, offered)
        several = option_lists.each_of(offered, value) if value and not chosen else []
        if several:
            yield from near_choices.pick_each(scene, intent, several, box, label)
            return
        if value is not None and len({normalise(one.name) for one in chosen}) > 1:
            raise findings.ambiguous(intent, value, chosen)
        if chosen:
            if State.DISABLED in chosen[0].states:
                raise (yield from findings.disabled(scene, chosen[0]))
            name = chosen[0].name
            yield from seek.press(scene, intent, chosen[0], f"I choose “{name}” for “{label}”.")
            yield from option_lists.shut_list(scene, box, label)
            return
        # A list that was searched in vain may stay narrowed to nothing: what it once
        # offered counts.
        names = [one.name for one in offered] or names
        yield from option_lists.close_list(scene, box, "I close the list.")
        if attempt and (value is not None or not names):
            other = findings.changed_default(scene)
            if other is not None:
                raise other
        if names and value is not None and attempt:
            if (yield from near_choices.press_beside(scene, intent)):
                return
            raise findings.wrong_value(scene, intent, label, value, names)
        if not names and attempt:
            if value and (yield from type_in(scene, box, label, value)):
                return
            raise (yield from _ask_for(scene, intent, label))
        yield from scene.pause(f"“{label}” does not offer it yet; I wait and look again.", 3)
        again = page_fields.fields(
            scene.page, intent.label, scene.place(intent), by_words=intent.noun == "words"
        )
        if not again:
            raise Stuck(f"“{label}” is gone while I choose from it")
        box = again[0].first
    raise Stuck(wording.nothing_to_choose(label))


def add_entry(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    """Add a value to a field that holds several: one that its list offers, or words
    that are typed into it."""
    label, value = found.label or intent.label, intent.value or ""
    offered = yield from option_lists.open_list(scene, found.first, label)
    chosen = [one for one in offered if match_value(value, one.name) is Match.EXACT]
    if chosen:
        if State.SELECTED not in chosen[0].states:
            told = f"I choose “{value}” for “{label}”."
            yield from seek.press(scene, intent, chosen[0], told)
        yield from option_lists.shut_list(scene, found.first, label)
        return
    box = grounding.same(scene.page, found.first) or found.first
    past = yield from scene.act(f"I enter “{value}” in “{label}”.", Type(id=box.mark, text=value))
    if not past.ok:
        yield from pick_option(scene, intent, found)
        return
    if not _is_sent(scene, intent):
        yield from scene.act(f"I add “{value}” with Enter.", Press(key="Enter"))


def _is_sent(scene: DocumentScene, intent: Intent) -> bool:
    """True if the document itself presses a key behind the value."""
    told = scene.ledger.reading.intents
    at = next((at for at, one in enumerate(told) if one is intent), len(told))
    return any(one.noun == "key" for one in told[at + 1 : at + 2])


def _pick_native(scene: DocumentScene, intent: Intent, box: Element, label: str) -> Script[None]:
    """Choose from a list that the browser itself draws. Its options are no elements of
    the page; a refused choice returns them."""
    # Without any name to try, the field's own is one that no list offers.
    wanted = (
        [intent.value]
        if intent.value is not None
        else [*needs.bound(scene, intent), *_own_names(scene), label]
    )
    for attempt in range(3):
        offered: tuple[str, ...] = ()
        for name in wanted:
            past = yield from scene.act(
                f"I choose “{name}” for “{label}”.", Select(id=box.mark, option=name)
            )
            if past.ok:
                yield from scene.settle()
                return
            offered = tuple(option for option in past.options if option.strip())
            near = [option for option in offered if match_value(name, option) is not Match.NONE]
            if not near and intent.value is None:
                near = list(offered[:1]) if name == wanted[-1] else []
            if len(near) == 1:
                past = yield from scene.act(
                    f"I choose “{near[0]}” for “{label}”.", Select(id=box.mark, option=near[0])
                )
                if past.ok:
                    yield from scene.settle()
                    return
            if len(near) > 1:
                raise Stuck(f"“{name}” could be any of {', '.join(f'“{one}”' for one in near[:4])}")
        if offered and intent.value is not None and attempt:
            raise findings.wrong_value(scene, intent, label, intent.value, list(offered))
        if not offered and attempt:
            raise (yield from _ask_for(scene, intent, label))
        yield from scene.pause(f"“{label}” does not offer it yet; I wait and look again.", 3)
        box = grounding.same(scene.page, box) or box
    raise Stuck(wording.nothing_to_choose(label))


def _left_to_reader(scene: DocumentScene, intent: Intent, offered: list[Element]) -> list[Element]:
    """Return the option that META or the walk has a name for, else the first."""
    wanted = [
        one for bind in needs.bound(scene, intent) for one in grounding.options(offered, bind)
    ]
    wanted += [one for name in _own_names(scene) for one in grounding.options(offered, name)]
    enabled = [one for one in offered if State.DISABLED not in one.states]
    return wanted[:1] or enabled[:1]


def _ask_for(scene: DocumentScene, intent: Intent, label: str) -> Script[Replay | Stuck]:
    """Ask for what an empty list lacks. Return what to raise then."""
    asked = yield from needs.ask(scene, intent, reload=False)
    return Replay() if asked else Stuck(wording.nothing_to_choose(label))


def _own_names(scene: DocumentScene) -> list[str]:
    return [*needs.reported_names(scene), *reversed(scene.memory.names)]


def pick_by_name(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Choose by the choice's own name where the field is not named: `Select **Hangzhou
    Zone H**`. Drop-down lists are tried one by one."""
    value = intent.value or ""
    if (yield from _pick_on_show(scene, intent)):
        return
    boxes = [
        field
        for field in page_fields.all_fields(scene.page)
        if field.role == "combobox"
        and not field.first.row
        and not PAGES.fullmatch(normalise(field.label))
    ]
    if any(match_value(value, box.first.value) is not Match.NONE for box in boxes[:_LISTS_READ]):
        return
    if (yield from list_pages.find(scene, intent, [value])):
        yield from _pick_on_show(scene, intent)
        return
    names: list[str] = []
    entered = scene.memory.entered
    unit = units.of_last_filled(scene)
    beside = unit.first.identity if unit is not None else ""
    order = sorted(
        boxes,
        key=lambda one: (
            one.first.identity != entered,
            one.first.identity != beside,
            not one.empty,
        ),
    )
    for field in order[:_LISTS_TRIED]:
        offered = yield from _try_list(scene, intent, field)
        if offered is None:
            return
        names += offered
    if intent.optional or intent.conditional:
        raise Skipped
    if boxes and (yield from click_named(scene, intent)):
        return  # An open list lay over it.
    if (yield from near_choices.pick_otherwise(scene, intent, value)):
        return
    names += [
        element.name
        for element in regions.reachable(scene.page, scene.page.elements)
        if element.role in ("radio", "checkbox", "option")
    ]
    if names and not any(match(value, name) is not Match.NONE for name in names):
        raise findings.wrong_value(scene, intent, "", value, names)
    element = yield from seek.control(scene, intent, value)
    yield from seek.press(scene, intent, element, f"I click “{value}”.")


def _pick_on_show(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Click what has the value's name, or fill the field with that name; wait once for
    either. Return True if there was one."""
    value = intent.value or ""
    if (yield from click_named(scene, intent)):
        return True
    place = scene.place(intent)
    fields = page_fields.fields(scene.page, value, place)
    if len(fields) == 1:
        yield from pick_any(scene, intent, fields[0])
        return True
    yield from scene.pause(f"I do not see “{value}” yet; I wait.", 3, value)
    if (yield from click_named(scene, intent)):
        return True
    fields = page_fields.fields(scene.page, value, place)
    if fields:
        yield from pick_any(scene, intent, fields[0])
    return bool(fields)


def _try_list(scene: DocumentScene, intent: Intent, field: Field) -> Script[list[str] | None]:
    """Choose the value in a drop-down list. Return what the list offers instead, or
    None if the value was chosen."""
    box = grounding.same(scene.page, field.first)
    if box is None or State.DISABLED in box.states:
        return []
    value = intent.value or ""
    choice = Filled(label=field.label, value=value, origin=intent.origin)
    if box.tag == "select":
        past = yield from scene.act(
            f"I try “{value}” in “{field.label}”.", Select(id=box.mark, option=value)
        )
        if past.ok:
            scene.memory.filled.append(choice)
            yield from scene.settle()
            return None
        return [option for option in past.options if option.strip()]
    offered = yield from option_lists.open_list(scene, box, field.label)
    chosen = grounding.options(offered, value)
    if chosen:
        scene.memory.filled.append(choice)
        yield from seek.press(scene, intent, chosen[0], f"I choose “{value}” for “{field.label}”.")
        return None
    yield from option_lists.close_list(scene, box, "It is not in this list; I close it.")
    return [element.name for element in offered]


def pick_any(scene: DocumentScene, intent: Intent, found: Field) -> Script[None]:
    """Fill a field that is named without a value: keep what is there, or take the first
    choice."""
    open_intent = replace(intent, path=(found.label,), value=None)
    if found.role == "radio":
        yield from pick_radio(scene, open_intent, found)
    elif found.role == "combobox":
        yield from pick_option(scene, open_intent, found)
    elif found.role in ("checkbox", "switch") and State.CHECKED not in found.first.states:
        yield from scene.act(
            f"I tick “{found.label}”.", SetChecked(id=found.first.mark, checked=True)
        )


def click_named(scene: DocumentScene, intent: Intent) -> Script[bool]:
    """Click the one choice, tab, entry or button with the value's name. Return False if
    there is none."""
    value = intent.value or ""
    front = regions.reachable(scene.page, scene.page.elements)
    marked = [
        one
        for one in front
        if one.role in ("radio", "checkbox", "switch")
        and match_value(value, one.name) is not Match.NONE
    ]
    if not marked:
        marked = [
            one
            for one in front
            if one.role in ("checkbox", "switch") and match(value, one.label) is not Match.NONE
        ]
    if marked:
        if State.CHECKED not in marked[0].states:
            yield from mark(scene, marked[0], f"I select “{value}”.")
        return True
    found = grounding.controls(scene.page, value, scene.place(intent))
    found = [one for one in found if not regions.in_navigation(scene.page, one) or intent.path]
    found = titled.of_its_title(scene, intent, found) if len(found) > 1 else found
    found = seek.without_its_tab(found)
    if len(found) > 1:
        raise findings.ambiguous(intent, value, found)
    found = found or told_choices.cards(scene.page, value)
    by_its_dot = not found and _DOT.search(intent.origin.sentence) is not None
    row = found[0].row if found else page_rows.row_with(scene.page, value) if by_its_dot else ""
    box = page_rows.row_box(scene.page, row)
    if box is not None and (not found or _goes_on_here(scene, intent)):
        yield from mark(scene, box, f"I tick the row of “{value}”.")
        return True
    if not found:
        return False
    yield from seek.press(scene, intent, found[0], f"I choose “{value}”.")
    return True


def mark(scene: DocumentScene, element: Element, thought: str) -> Script[None]:
    """Tick a box or choose a dot."""
    dot = element.role == "radio"
    press = Click(id=element.mark) if dot else SetChecked(id=element.mark, checked=True)
    yield from scene.act(thought, press)


def _goes_on_here(scene: DocumentScene, intent: Intent) -> bool:
    """Whether rows are marked and none is opened: the sentence selects several, or goes
    on with a control of this page (`select `a` and click **Edit**`)."""
    said = [
        one for one in scene.ledger.reading.intents if one.origin.sentence == intent.origin.sentence
    ]
    rows = [one for one in said if one.kind is IntentKind.SET and not one.path and one.value]
    several = [one for one in rows if page_rows.row_with(scene.page, one.value or "")]
    return len(several) > 1 or any(
        one.kind is IntentKind.CLICK
        and one.path
        and grounding.controls(scene.page, one.path[0], scene.place(one))
        for one in said
    )
