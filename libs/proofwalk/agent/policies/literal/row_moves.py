"""Moves in a row of a list: opening it, and selecting it."""

from __future__ import annotations

import re

from proofwalk.agent.page import grounding, page_rows, places, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import contains, normalise
from proofwalk.agent.policies.literal import (
    findings,
    needs,
    prepared_things,
    seek,
)
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import THING, Intent
from proofwalk.console.actions import Hover, SetChecked
from proofwalk.console.observation import Element, Observation, State

_THE_BOX = re.compile(r"the check ?box(?: to (?:confirm|agree|acknowledge|accept)\b.*)?", re.I)
_BOX = re.compile(r"\bcheck ?box\b", re.I)


def open_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    if intent.noun == THING and (yield from prepared_things.open_by_name(scene, intent)):
        return
    if not scene.row or (intent.phrase and not normalise(intent.phrase).startswith("it")):
        yield from needs.locate(scene, intent)
    own = [
        one
        for one in scene.page.elements
        if intent.path and one.row == scene.row and one.role == "link" and one.name == intent.label
    ]
    link = own[0] if own else page_rows.row_link(scene.page, scene.row)
    link = link or page_rows.row_cell(scene.page, scene.row)
    if link is None:
        raise findings.no_control(scene, intent, intent.phrase or "ID")
    before = scene.page
    yield from seek.press(scene, intent, link, f"I open “{link.name}”.")
    if scene.page.url == before.url and not scene.appeared(before):
        raise Stuck(f"“{link.name}” was clicked, and nothing opened")


def names_row(scene: DocumentScene, name: str) -> bool:
    """True if a name is that of a thing that was prepared or made, which one row of the
    list shows and no control is called by. In a window, a list may offer it."""
    if scene.page.modal:
        return False
    known = {*scene.turn.task.binds.values(), *scene.memory.names}
    if name not in known or grounding.controls(scene.page, name, places.Place()):
        return False
    return sum(contains(row, name) for row in page_rows.rows(scene.page)) == 1


def point_at(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Point at the row that the sentence describes, so that it shows what it offers."""
    shown = yield from shown_of_row(scene, intent)
    yield from scene.act(f"I point at {intent.phrase}.", Hover(id=shown.mark))


def shown_of_row(scene: DocumentScene, intent: Intent) -> Script[Element]:
    """Find the row that the sentence describes; its link, else its first control."""
    yield from needs.locate(scene, intent)
    inside = [element for element in scene.page.elements if element.row == scene.row]
    shown = page_rows.row_link(scene.page, scene.row) or next(iter(inside), None)
    if shown is None:
        raise Stuck(f"the row of {intent.phrase} shows nothing to point at")
    return shown


def locate(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Find what the next act is done in: a row, or a section with a head of its own."""
    if not intent.path and (yield from prepared_things.select_by_name(scene, intent, opens=False)):
        return
    yield from needs.locate(scene, intent)


def select_row(scene: DocumentScene, intent: Intent) -> Script[None]:
    lone = _lone_box(scene.page) if scene.page.modal and _THE_BOX.fullmatch(intent.phrase) else None
    if lone is not None:
        # "Read the notice, select the check box, and click OK": there is one, and it is
        # of no row.
        yield from scene.act(
            "I tick the dialog's check box.", SetChecked(id=lone.mark, checked=True)
        )
        return
    if (yield from prepared_things.select_by_name(scene, intent)):
        return
    yield from needs.locate(scene, intent)
    inside = [element for element in scene.page.elements if element.row == scene.row]
    box = next((element for element in inside if element.role in ("checkbox", "radio")), None)
    if box is None and _BOX.search(intent.phrase):
        raise findings.no_control(scene, intent, "check box")
    cell = page_rows.row_cell(scene.page, scene.row)
    if box is None and cell is not None:
        if State.SELECTED not in cell.states:
            yield from seek.press(scene, intent, cell, "I click the row.")
        # What comes next is done above the table as often as in the row.
        scene.memory.row_origin = None
        return
    if box is None:
        # What comes next is done in the row, or on the page that its link leads to.
        link = page_rows.row_link(scene.page, scene.row)
        if link is not None and not any(element.role == "button" for element in inside):
            yield from seek.press(scene, intent, link, f"I open “{link.name}”.")
        return
    yield from scene.act("I tick the row.", SetChecked(id=box.mark, checked=True))


def _lone_box(page: Observation) -> Element | None:
    boxes = [one for one in regions.reachable(page, page.elements) if one.role == "checkbox"]
    return boxes[0] if len(boxes) == 1 and not boxes[0].row else None
