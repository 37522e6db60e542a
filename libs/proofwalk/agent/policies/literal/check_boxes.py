"""Ticks check boxes and turns switches: by their text, their field, or the column of a
row."""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page import grounding, page_fields, page_rows, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, normalise
from proofwalk.agent.policies.literal import choices, needs, seek
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import BOTH_BOXES, Intent, IntentKind
from proofwalk.console.actions import Click, SetChecked
from proofwalk.console.observation import Element, State

_BOX = re.compile(r"\bcheck ?box(?:es)?\b", re.I)


def check(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Tick a check box or turn a switch, which the sentence names by its text or its
    field."""
    if intent.noun == BOTH_BOXES:
        yield from _tick_both(scene)
        return
    if not intent.path:
        intent = _of_the_thing(scene, intent)
    element = (
        _in_the_row(scene, intent)
        or page_fields.checkable(scene.page, intent.label)
        or _of_its_row(scene, intent)
    )
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
    yield from switch(scene, element, intent.checked)


def _in_the_row(scene: DocumentScene, intent: Intent) -> Element | None:
    """Return the switch of the row that was just found, in the column that the sentence
    names: `In the row of the pump, turn on the switch in the **Open** column`."""
    if not scene.row or intent.origin != scene.memory.row_origin:
        return None
    found = [
        one
        for one in scene.page.elements
        if one.row == scene.row
        and one.role in ("checkbox", "switch")
        and match(intent.label, one.column) is not Match.NONE
    ]
    return found[0] if len(found) == 1 else None


def _of_its_row(scene: DocumentScene, intent: Intent) -> Element | None:
    """Return the box that marks the row of a thing: `Select the check box next to
    **Otter**`."""
    if not _BOX.search(intent.origin.sentence):
        return None
    return page_rows.row_box(scene.page, page_rows.row_with(scene.page, intent.label))


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
            yield from switch(scene, here, checked=True)


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


def switch(scene: DocumentScene, element: Element, checked: bool) -> Script[None]:
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
