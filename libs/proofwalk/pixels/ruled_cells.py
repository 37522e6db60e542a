"""Cells of ruled tables, which look like fields: boxes of the same height beside
them and of the same width above or below tell them apart."""

from __future__ import annotations

from proofwalk.pixels.shapes import Rect

_TOUCH = 3
"""How far apart the sides of neighbouring cells may lie; they share a border."""


def cells_of(rects: list[Rect]) -> set[int]:
    """Indices of the rectangles that are cells of a ruled table."""

    def touch(end: float, start: float) -> bool:
        return abs(start - end) <= _TOUCH

    found = set()
    for number, rect in enumerate(rects):
        box = rect.box
        beside = above = False
        for other in rects:
            if other is rect:
                continue
            b = other.box
            if abs(b.y - box.y) <= 2 and abs(b.height - box.height) <= 2:
                beside = beside or touch(box.x + box.width, b.x) or touch(b.x + b.width, box.x)
            if abs(b.x - box.x) <= 2 and abs(b.width - box.width) <= 2:
                above = above or touch(box.y + box.height, b.y) or touch(b.y + b.height, box.y)
        if beside and above:
            found.add(number)
    return found
