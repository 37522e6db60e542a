"""Boxes of a page: words in the middle make a button; words at the left, or none,
between a light frame make a field, and with ink at its right end a combobox."""

from __future__ import annotations

from proofwalk.console.observation import Box, State
from proofwalk.pixels.layout_page import (
    LayoutPage,
    joined,
    overlap,
    plain_label,
    reading_place,
    text_of,
)
from proofwalk.pixels.links import is_blueish
from proofwalk.pixels.reading import Control, Line
from proofwalk.pixels.ruled_cells import cells_of
from proofwalk.pixels.shapes import Rect, part

CONTROL_HEIGHT = 60
_LABEL_GAP, _ABOVE_GAP = 180, 26
_LIGHT, _GREY = 225, 105


def read_boxes(page: LayoutPage) -> None:
    rects = list(page.shapes.rects)
    cells = cells_of(rects)
    for number, rect in enumerate(rects):
        if number in cells or any(
            other is not rect and _within(other.box, rect.box) for other in rects
        ):
            continue
        inside = sorted(
            (line for line in page.free if rect.box.contains(line.box)),
            key=lambda line: reading_place(line.box),
        )
        control = _control(page, rect, inside)
        if control is not None:
            page.claim(inside)
            page.controls.append(control)


def _within(inner: Box, outer: Box) -> bool:
    return (
        inner.x >= outer.x - 1
        and inner.y >= outer.y - 1
        and inner.x + inner.width <= outer.x + outer.width + 1
        and inner.y + inner.height <= outer.y + outer.height + 1
        and inner.width * inner.height < 0.9 * outer.width * outer.height
    )


def _control(page: LayoutPage, rect: Rect, inside: list[Line]) -> Control | None:
    box, words = rect.box, text_of(inside)
    light = min(rect.fill) >= _LIGHT
    label = _label(page, box, inside)
    if not inside:
        empty = _ink_share(page, box) < 0.01
        if (
            light
            and box.width >= 36
            and box.height >= 16
            and empty
            and (box.height <= CONTROL_HEIGHT or label)
        ):
            return Control(
                role="combobox" if rect.caret else "textbox",
                name=label,
                label=label,
                box=box,
                shows=label,
            )
        if 16 <= box.height <= 44 and box.width <= 48 and not empty:
            return Control(role="button", name="", box=box)
        return None
    if box.height > CONTROL_HEIGHT:
        if light and not rect.filled and label and len(inside) <= 8:
            return _field(page, "textbox", box, inside, label)
        return None
    if len(inside) > 2:
        return None
    text = joined(*(line.box for line in inside))
    left, right = text.x - box.x, box.x + box.width - text.x - text.width
    centered = abs(left - right) <= max(6.0, 0.1 * box.width)
    if rect.caret and light and left <= 18:
        return _field(page, "combobox", box, inside, label)
    if light and left <= 18 and right > 10 and not centered:
        return _field(page, "textbox", box, inside, label)
    if (
        light
        and not rect.filled
        and box.width >= 160
        and text.width > 0.6 * box.width
        and _grey(page, inside[0])
    ):
        return _field(page, "textbox", box, inside, label)
    if centered or rect.filled:
        states = (
            frozenset({State.DISABLED})
            if light and rect.filled and _grey(page, inside[0])
            else frozenset()
        )
        return Control(role="button", name=words, box=box, states=states, shows=words)
    return None


def _field(page: LayoutPage, role: str, box: Box, inside: list[Line], label: str) -> Control:
    words = text_of(inside)
    grey = _grey(page, inside[0])
    return Control(
        role=role,
        name=label or (words if grey else ""),
        label=label,
        value="" if grey else words,
        placeholder=words if grey else "",
        box=box,
        shows=f"{label} {words}",
    )


def _grey(page: LayoutPage, line: Line) -> bool:
    _, ink = page.ink(line)
    return min(ink) >= _GREY and max(ink) - min(ink) <= 40


def _ink_share(page: LayoutPage, box: Box) -> float:
    """Share of a box, less its border, that is ink."""
    inner = Box(
        x=box.x + 4, y=box.y + 4, width=max(box.width - 8, 0), height=max(box.height - 8, 0)
    )
    rows, columns = part(inner, page.shapes.ink.shape)
    ink = page.shapes.ink[rows, columns]
    return float(ink.mean()) if ink.size else 0.0


def _label(page: LayoutPage, box: Box, inside: list[Line]) -> str:
    """The words left of a box on its line, with no other box between; or close above
    its left end."""
    shapes, lines = page.shapes, [line for line in page.free if not is_blueish(page, line)]
    beside = [
        line
        for line in lines
        if line not in inside
        and 0 <= box.x - (line.box.x + line.box.width) <= _LABEL_GAP
        and overlap(line.box, box) > 0.6 * line.box.height
        and box.height <= CONTROL_HEIGHT
    ]
    nearest = max(beside, key=lambda line: line.box.x, default=None)
    if nearest is not None:
        end = nearest.box.x + nearest.box.width
        between = any(
            end <= r.box.x + r.box.width / 2 <= box.x and overlap(r.box, box) > 0
            for r in shapes.rects
        )
        boxed = any(
            r.box.contains(nearest.box) and r.box.height <= CONTROL_HEIGHT and r.box.width < 400
            for r in shapes.rects
        )
        if not between and not boxed:
            return plain_label(nearest.text)
    above = [
        line
        for line in lines
        if line not in inside
        and 0 <= box.y - (line.box.y + line.box.height) <= _ABOVE_GAP
        and abs(line.box.x - box.x) <= 16
        and not any(
            r.box.contains(line.box) and r.box.height <= CONTROL_HEIGHT for r in shapes.rects
        )
    ]
    closest = max(above, key=lambda line: line.box.y, default=None)
    return plain_label(closest.text) if closest else ""
