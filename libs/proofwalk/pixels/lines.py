"""Lines of text, each within one control or column, with a box that is tight around its
ink.

The text finder's boxes are generous, and one may reach over two buttons. So its box is
shrunk to the ink in it, cut where a box's side stands or where the gap is wider than a
line is high, and what it missed inside a box of control size is added. Only then is
anything read.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from proofwalk.console.observation import Box
from proofwalk.pixels.reading import Line, Mask, Pixels, TextEngine
from proofwalk.pixels.shapes import Rect, Shapes, part

_SURE = 0.5
_PAD = (4, 3)
"""Pixels left and right, above and below, that a crop shows beside the ink."""
_TALLEST = 40
_BAR, _BAR_GAP = 3, 4
"""Width of a bar between two words, and the room on either side of it, which no letter
has."""
_STRAY = "□☐☑|· "
"""What a checkbox or a border at the start of a line is read as."""


def _any(mask: Mask, axis: int) -> Mask:
    return np.asarray(mask.any(axis=axis))


def _runs(filled: Mask, gap: int) -> list[tuple[int, int]]:
    """Stretches of True, joined over gaps of at most `gap`."""
    places = np.flatnonzero(filled)
    if not len(places):
        return []
    breaks = np.flatnonzero(np.diff(places) > gap + 1)
    starts, ends = [places[0], *places[breaks + 1]], [*places[breaks], places[-1]]
    return [(int(start), int(end) + 1) for start, end in zip(starts, ends, strict=True)]


def _tight(shapes: Shapes, found: Box, sides: Iterable[float]) -> list[Box]:
    """The ink in a generous box, cut at the sides of controls and at wide gaps."""
    rows, columns = part(found, shapes.ink.shape)
    ink = shapes.ink[rows, columns]
    levels = _runs(_any(ink, 1), 1)
    if not levels:
        return []
    # The finder centres its box on the line: what lies at its rim belongs to the
    # neighbours.
    middle = ink.shape[0] / 2
    top, bottom = min(
        levels,
        key=lambda level: (
            0
            if level[0] <= middle < level[1]
            else min(abs(level[0] - middle), abs(level[1] - middle))
        ),
    )
    for start, end in levels:
        if end <= top and top - end <= 2 and bottom - start <= _TALLEST:
            top = start
        elif start >= bottom and start - bottom <= 2 and end - top <= _TALLEST:
            bottom = end
    high = bottom - top
    filled = _any(ink[top:bottom], 0)
    cuts = [
        0,
        *sorted(
            round(side) - columns.start
            for side in sides
            if columns.start + 2 < side < columns.stop - 2
        ),
        len(filled),
    ]
    boxes = []
    for start, end in itertools.pairwise(cuts):
        for left, right in _pieces(filled[start:end], max(round(high * 0.9), 9)):
            inner = _any(ink[top:bottom, start + left : start + right], 1)
            first, last = int(np.argmax(inner)), len(inner) - int(np.argmax(inner[::-1]))
            if right - left >= 3 and last - first >= 4:
                boxes.append(
                    Box(
                        x=columns.start + start + left,
                        y=rows.start + top + first,
                        width=right - left,
                        height=last - first,
                    )
                )
    return boxes


def _pieces(filled: Mask, gap: int) -> list[tuple[int, int]]:
    """Stretches without wide gaps, cut at thin strokes that stand alone: the bars
    between the actions of a row."""
    pieces: list[tuple[int, int]] = []
    for left, right in _runs(filled, gap):
        parts = _runs(filled[left:right], _BAR_GAP)
        start = left
        for first, last in parts:
            if last - first <= _BAR and first > 0 and left + last < right:
                pieces.append((start, left + first))
                start = left + last
        pieces.append((start, right))
    return [(left + int(np.argmax(filled[left:right])), right) for left, right in pieces]


def _missed(shapes: Shapes, rects: Iterable[Rect], boxes: list[Box]) -> list[Box]:
    """Ink inside boxes of control size where the finder saw no line."""
    more = []
    for rect in rects:
        box = rect.box
        if box.height > 60 or any(box.contains(line) for line in boxes):
            continue
        inside = Box(x=box.x + 4, y=box.y + 4, width=box.width - 8, height=box.height - 8)
        rows, columns = part(inside, shapes.ink.shape)
        ink = shapes.ink[rows, columns]
        levels = _runs(_any(ink, 1), 3)
        if len(levels) == 1 and 6 <= levels[0][1] - levels[0][0] <= _TALLEST:
            more += _tight(
                shapes,
                Box(
                    x=columns.start,
                    y=rows.start + levels[0][0],
                    width=inside.width,
                    height=levels[0][1] - levels[0][0],
                ),
                (),
            )
    return more


def find_lines(image: Pixels, shapes: Shapes, engine: TextEngine) -> list[Line]:
    """The lines of the picture in reading order."""
    boxes: list[Box] = []
    for found in engine.find(image):
        middle = found.y + found.height / 2
        sides = [
            side
            for box in [
                *(rect.box for rect in shapes.rects),
                *(square.box for square in shapes.squares),
            ]
            if box.y <= middle <= box.y + box.height
            for side in (box.x, box.x + box.width)
        ]
        boxes += [
            box
            for box in _tight(shapes, found, sides)
            if not any(_same(box, other) for other in boxes)
        ]
    boxes += _missed(shapes, shapes.rects, boxes)
    crops = []
    for box in boxes:
        rows, columns = part(
            Box(
                x=box.x - _PAD[0],
                y=box.y - _PAD[1],
                width=box.width + 2 * _PAD[0],
                height=box.height + 2 * _PAD[1],
            ),
            image.shape,
        )
        crops.append(image[rows, columns])
    lines = []
    for box, (text, sure) in zip(boxes, engine.read(crops), strict=True):
        text = text.lstrip(_STRAY).strip("| ")
        if sure >= _SURE and (len(text) > 1 or text.isalnum()):
            lines.append(Line(text=text, box=box))
    return sorted(lines, key=lambda line: (line.box.y, line.box.x))


def _same(one: Box, other: Box) -> bool:
    """Whether two boxes show the same ink."""
    wide = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    high = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return (
        wide > 0
        and high > 0
        and wide * high > 0.5 * min(one.width * one.height, other.width * other.height)
    )
