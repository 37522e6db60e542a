"""Checkboxes of a page: a small square, its label right of it."""

from __future__ import annotations

from proofwalk.console.observation import State
from proofwalk.pixels.layout_page import LayoutPage, overlap
from proofwalk.pixels.reading import Control


def read_checkboxes(page: LayoutPage) -> None:
    for square in page.shapes.squares:
        box = square.box
        if any(line.box.contains(box) and box.x > line.box.x + 3 for line in page.free):
            continue  # a glyph: 口, □
        beside = [
            line
            for line in page.free
            if 0 <= line.box.x - (box.x + box.width) <= 16
            and overlap(line.box, box) > 0.4 * min(box.height, line.box.height)
        ]
        label = min(beside, key=lambda line: line.box.x, default=None)
        page.claim([label] if label else [])
        states = frozenset({State.CHECKED}) if square.inked else frozenset()
        text = label.text if label else ""
        page.controls.append(
            Control(role="checkbox", name=text, box=box, states=states, shows=text)
        )
