"""The move of a script that reads a value off the page, for the answer at its end: the
cell of a row, or what stands beside a label of a detail page."""

from __future__ import annotations

from collections.abc import Callable

from proofwalk.agent.page import regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match
from proofwalk.agent.policies.scripted import script
from proofwalk.agent.policies.scripted.rows import found_row
from proofwalk.agent.policies.scripted.stage import Stage
from proofwalk.console.observation import Box, Observation

_LINE_PIXELS = 14
"""How far the middles of a label and its value may be apart."""
_LOOKS = 6


def read(stage: Stage, place: script.ReadPlace) -> Script[None]:
    """Keep what the page shows as a field of the answer. Raises `Stuck`."""
    if place.row:
        row = yield from found_row(stage, place.row)
        value = yield from _seen(stage, lambda page: cell(page, row, place.column))
    else:
        value = yield from _seen(stage, lambda page: beside(page, place.label))
    if not value:
        raise Stuck(f"the page shows no “{place.column or place.label}” to read")
    stage.where.answer[place.name] = value


def _seen(stage: Stage, find: Callable[[Observation], str]) -> Script[str]:
    yield from stage.settle()
    for _ in range(_LOOKS):
        value = find(stage.page)
        if value:
            return value
        yield from stage.pause("I do not see what I am to read yet; I wait.", 2)
    return ""


def cell(page: Observation, row: str, column: str) -> str:
    """Return the text of a row's cell under a column's header; empty if there is
    none."""
    found = [
        (one.box, one.text)
        for one in page.texts
        if one.row == row and one.role != "columnheader" and _is(column, one.column)
    ]
    found += [
        (one.box, one.name) for one in page.elements if one.row == row and _is(column, one.column)
    ]
    return " ".join(text for _, text in sorted(found, key=lambda one: (one[0].y, one[0].x)))


def beside(page: Observation, label: str) -> str:
    """Return the text to the right of a label on its line; empty if there is none."""
    texts = [(one.box, one.text) for one in regions.texts_in_front(page) if not one.row]
    shown = texts + [
        (one.box, one.name) for one in regions.reachable(page, page.elements) if not one.row
    ]
    for at, text in texts:
        if not _is(label, text):
            continue
        right = [(box, told) for box, told in shown if _same_line(at, box) and box.x > at.x]
        if right:
            return min(right, key=lambda one: one[0].x)[1]
    return ""


def _is(label: str, text: str) -> bool:
    return match(label, text) is Match.EXACT


def _same_line(one: Box, other: Box) -> bool:
    return abs(one.center[1] - other.center[1]) <= _LINE_PIXELS
