"""Boxes, small squares and lines in a picture of a page.

A control is a rectangle of one colour with an edge around it, whether a border or the
end of its fill. So edges are marked (colour range within 3x3 pixels), the flat regions
between them are labelled, and a region counts as a box when it reaches along all four
sides of its bounding box; words inside are holes in it. A checkbox is too small for
that: there the edge itself is a connected square. Straight lines are long runs of edge
whose colour does not change along them, which text has none of. A caret is small ink,
wider than high, at the right end of a box; it is taken out of the ink before any text
is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from proofwalk.console.observation import Box
from proofwalk.pixels.ocr import not_installed
from proofwalk.pixels.reading import Mask, Pixels

_EDGE, _COLOR_EDGE, _INK = 12, 48, 26
"""Range of brightness, and of any channel (of 255), that is an edge, and the brightness
that is ink: a disabled button's border is as light as that, and JPEG at quality 95
leaves less on a flat fill. It halves the resolution of colour, which spills further."""
_SIDE = 0.6
"""Share of each side that a region must reach along; rounded corners take the rest."""
_LEAST, _MOST = (14, 9), (960, 170)
_SQUARE = (12, 26)
_LINE = 28
_FRAME = 2
"""Pixels between the flat inside of a box and the outer rim of its border."""

Color = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class Rect:
    """A rectangle of one colour."""

    box: Box
    """With its border."""
    fill: Color
    around: Color
    """Colour outside it."""

    caret: bool = False
    """Whether a small arrow stands at its right end."""

    @property
    def filled(self) -> bool:
        """Whether it has a colour of its own, rather than a border alone."""
        return distance(self.fill, self.around) > 10


@dataclass(frozen=True, kw_only=True)
class Square:
    """A small square, as of a checkbox."""

    box: Box
    inked: bool
    """Whether something stands in it."""


@dataclass(frozen=True, kw_only=True)
class Shapes:
    """What a picture consists of, apart from text."""

    rects: tuple[Rect, ...]
    squares: tuple[Square, ...]
    across: Mask
    """Pixels of horizontal straight lines."""
    ink: Mask
    """Edges that belong to no box and no straight line: text, icons."""


def distance(one: Color, other: Color) -> int:
    """Largest difference in a channel."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _cv2() -> Any:
    try:
        import cv2
    except ImportError as error:
        raise not_installed("opencv-python-headless") from error
    return cv2


def part(box: Box, shape: tuple[int, ...], grow: int = 0) -> tuple[slice, slice]:
    """Rows and columns of a box, within the picture."""
    top, bottom = max(round(box.y) - grow, 0), min(round(box.y + box.height) + grow, shape[0])
    left, right = max(round(box.x) - grow, 0), min(round(box.x + box.width) + grow, shape[1])
    return slice(top, max(bottom, top)), slice(left, max(right, left))


def _color(pixels: Pixels) -> Color:
    if not len(pixels):
        return (255, 255, 255)
    red, green, blue = (int(value) for value in np.median(pixels.reshape(-1, 3), axis=0))
    return red, green, blue


def _around(image: Pixels, box: Box) -> Color:
    """Colour of a ring three pixels outside; what is cut off by the picture's edge is
    left out."""
    rows, columns = part(box, image.shape, 4)
    strips = [
        image[rows.start, columns],
        image[rows.stop - 1, columns],
        image[rows, columns.start],
        image[rows, columns.stop - 1],
    ]
    return _color(np.concatenate(strips))


def find_shapes(image: Pixels) -> Shapes:
    """The rectangles, squares and lines of a picture."""
    cv2 = _cv2()
    kernel = np.ones((3, 3), np.uint8)
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    bright = cv2.subtract(cv2.dilate(gray, kernel), cv2.erode(gray, kernel))
    colored = cv2.subtract(cv2.dilate(image, kernel), cv2.erode(image, kernel)).max(axis=2)
    edges = ((bright > _EDGE) | (colored > _COLOR_EDGE)).astype(np.uint8)
    flat, upright = np.ones((1, 3), np.uint8), np.ones((3, 1), np.uint8)
    along_x = cv2.subtract(cv2.dilate(gray, flat), cv2.erode(gray, flat)) > _EDGE
    along_y = cv2.subtract(cv2.dilate(gray, upright), cv2.erode(gray, upright)) > _EDGE
    across = _opened(cv2, along_y & ~along_x, np.ones((1, _LINE), np.uint8))
    upright_lines = _opened(cv2, along_x & ~along_y, np.ones((_LINE, 1), np.uint8))
    rects = _rects(cv2, image, edges)
    squares = _squares(cv2, image, edges)
    ink = ((bright > _INK) | (colored > _COLOR_EDGE)) & ~across & ~upright_lines
    for box in [*(rect.box for rect in rects), *(square.box for square in squares)]:
        rows, columns = part(box, ink.shape, 1)
        inner = (
            slice(rows.start + 5, max(rows.stop - 5, rows.start + 5)),
            slice(columns.start + 5, max(columns.stop - 5, columns.start + 5)),
        )
        kept = ink[inner].copy()
        ink[rows, columns] = False
        ink[inner] = kept
    for square in squares:
        ink[part(square.box, ink.shape, 2)] = False
    rects = tuple(replace(rect, caret=_take_caret(ink, rect.box)) for rect in rects)
    return Shapes(rects=rects, squares=squares, across=across, ink=ink)


def _opened(cv2: Any, mask: Any, kernel: Any) -> Mask:
    opened: Mask = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, kernel).astype(bool)
    return opened


def _take_caret(ink: Mask, box: Box) -> bool:
    """Whether the last ink in a box is a caret, which is then wiped out."""
    if box.width < 36 or not 16 <= box.height <= 48:
        return False
    rows, columns = part(
        Box(x=box.x + 3, y=box.y + 3, width=box.width - 6, height=box.height - 6), ink.shape
    )
    inside = ink[rows, columns]
    filled = np.flatnonzero(inside.any(axis=0))
    if not len(filled) or filled[-1] < inside.shape[1] - 18:
        return False
    breaks = np.flatnonzero(np.diff(filled) > 2)
    start = int(filled[breaks[-1] + 1]) if len(breaks) else int(filled[0])
    last = inside[:, start:]
    levels = np.flatnonzero(last.any(axis=1))
    wide, high = int(filled[-1]) - start + 1, int(levels[-1] - levels[0]) + 1
    centered = abs((levels[0] + levels[-1]) / 2 - inside.shape[0] / 2) <= 4
    if not (6 <= wide <= 18 and 4 <= high <= 12 and wide > high and centered):
        return False
    ink[rows, columns.start + start : columns.stop] = False
    return True


def _rects(cv2: Any, image: Pixels, edges: Any) -> tuple[Rect, ...]:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(1 - edges, connectivity=4)
    wide, high = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    likely = (wide >= _LEAST[0]) & (wide <= _MOST[0]) & (high >= _LEAST[1]) & (high <= _MOST[1])
    found = []
    for number in np.flatnonzero(likely):
        left, top, width, height = (int(value) for value in stats[number, :4])
        inside = labels[top : top + height, left : left + width] == number
        sides = (inside[0], inside[-1], inside[:, 0], inside[:, -1])
        if number == 0 or min(float(side.mean()) for side in sides) < _SIDE:
            continue
        box = Box(
            x=left - _FRAME, y=top - _FRAME, width=width + 2 * _FRAME, height=height + 2 * _FRAME
        )
        fill = _color(image[top : top + height, left : left + width][inside])
        found.append(Rect(box=box, fill=fill, around=_around(image, box)))
    return tuple(sorted(found, key=lambda rect: (rect.box.y, rect.box.x)))


def _squares(cv2: Any, image: Pixels, edges: Any) -> tuple[Square, ...]:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
    wide, high = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    least, most = _SQUARE
    likely = (
        (wide >= least)
        & (wide <= most)
        & (high >= least)
        & (high <= most)
        & (abs(wide - high) <= 2)
    )
    found = []
    for number in np.flatnonzero(likely):
        left, top, width, height = (int(value) for value in stats[number, :4])
        drawn = labels[top : top + height, left : left + width] == number
        # The outermost row holds less where corners are round; more rows would let
        # circles in, less of them letters.
        sides = (
            drawn[:2].mean(axis=1),
            drawn[-2:].mean(axis=1),
            drawn[:, :2].mean(axis=0),
            drawn[:, -2:].mean(axis=0),
        )
        if min(float(side.max()) for side in sides) < 0.88:
            continue
        box = Box(x=left + 1, y=top + 1, width=width - 2, height=height - 2)
        rim = max(width // 4, 3)
        inner = (
            image[top + rim : top + height - rim, left + rim : left + width - rim]
            .reshape(-1, 3)
            .astype(np.int16)
        )
        if not inner.size:
            continue
        apart = np.abs(inner - np.array(_around(image, box), dtype=np.int16)).max(axis=1) > 60
        found.append(Square(box=box, inked=float(apart.mean()) > 0.12))
    return tuple(found)
