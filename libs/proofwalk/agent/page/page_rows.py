"""Rows of the lists on a page."""

from __future__ import annotations

import re

from proofwalk.agent.page.words import (
    Match,
    contains,
    match,
    normalise,
)
from proofwalk.console.observation import Element, Observation


def rows(observation: Observation) -> list[str]:
    """Return the texts of the rows on the page, top to bottom, without heads and empty
    rows."""
    boxed = [(element.box.y, element.row) for element in observation.elements if element.row]
    boxed += [
        (text.box.y, text.row)
        for text in observation.texts
        if text.row and text.role != "columnheader"
    ]
    heads = {normalise(text.text) for text in observation.texts if text.role == "columnheader"}
    heads |= {normalise(element.name) for element in observation.elements if is_head(element)}
    found = dict.fromkeys(row for _, row in sorted(boxed))
    return [
        row
        for row in found
        if not _is_empty_row(row)
        and not all(normalise(cell) in heads for cell in row.split(" | ") if cell.strip())
    ]


def is_head(element: Element) -> bool:
    """True for the head of a column that answers a press."""
    return bool(element.row) and element.name == element.column


def _is_empty_row(row: str) -> bool:
    return normalise(row) in (
        "no data",
        "no data available",
        "no data available.",
        "no records",
        "empty",
        "暂无数据",
        "没有数据",
        "无数据",
    )


def row_with(observation: Observation, value: str) -> str:
    """Return the first row that contains a value; empty if none does."""
    return next((row for row in rows(observation) if contains(row, value)), "")


def row_box(observation: Observation, row: str) -> Element | None:
    """Return the box or dot that marks a row; None without one, or without a row. Of
    several it is the one without a name: the others turn something of the row on."""
    marks = ("checkbox", "radio")
    boxes = [one for one in observation.elements if one.role in marks and one.row == row]
    if len(boxes) > 1:
        boxes = [one for one in boxes if not (one.name or one.label or one.column)]
    return boxes[0] if row and len(boxes) == 1 else None


_UNFOLDS = re.compile(r"^(?:expand|collapse|unfold|fold|toggle)\b|^▾$|^(?:展开|收起|折叠)", re.I)
_ACTIONS = ("Actions", "操作")
"""Heads of the column of what can be done with a row."""


def row_link(observation: Observation, row: str) -> Element | None:
    """Return the link that opens a row: its leftmost link outside of the *Actions*
    column. What only unfolds the row opens nothing."""
    links = [
        element
        for element in observation.elements
        if element.row == row
        and (element.role == "link" or element.tag == "a")
        and all(match(head, element.column) is Match.NONE for head in _ACTIONS)
        and not _UNFOLDS.search(element.name)
    ]
    return min(links, key=lambda element: element.box.x, default=None)


def row_cell(observation: Observation, row: str) -> Element | None:
    """Return what is pressed of a row that is pressed as a whole."""
    inside = [one for one in observation.elements if one.row == row and row]
    return next((one for one in inside if one.role == "cell" and one.name), None)
