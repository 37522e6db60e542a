"""Roles from layout: what a person would take a box, a colour, or a place beside a word
for.

In this order, each taking its words away from the next: checkboxes (a small square, its
label right of it), boxes (words in the middle make a button; words at the left, or
none, between a light frame make a field, and with ink at its right end a combobox),
tabs (a row of words of which one has a bar under it), links (blue or underlined words),
menu items (a column of short words at an even pitch). Short words that are neither in a
table nor a label may be anything, and get a mark as `text`; what is left is told
without one. Words that stand in rows with common columns are table rows. Cells of a
ruled table look like fields and are told by their neighbours: boxes of the same height
beside them and of the same width above or below.

These are guesses. A control that shows no edge and no colour is not seen, and a field
without a label beside it has only what it shows.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.pixels.boxes import read_boxes
from proofwalk.pixels.checkboxes import read_checkboxes
from proofwalk.pixels.layout_page import LayoutPage, reading_place
from proofwalk.pixels.lines import find_lines
from proofwalk.pixels.links import read_links
from proofwalk.pixels.menus import read_menus, read_short_texts
from proofwalk.pixels.reading import PixelReading, Pixels, TextEngine, Words
from proofwalk.pixels.shapes import find_shapes
from proofwalk.pixels.table_rows import find_rows, row_of
from proofwalk.pixels.tabs import read_tabs


class LayoutReader:
    """`PixelReader` of shapes, a text engine, and the rules above."""

    def __init__(self, engine: TextEngine) -> None:
        self._engine = engine

    def read(self, image: Pixels) -> PixelReading:
        """Controls and texts of the picture."""
        shapes = find_shapes(image)
        lines = find_lines(image, shapes, self._engine)
        page = LayoutPage(image=image, shapes=shapes, free=list(lines))
        read_checkboxes(page)
        read_boxes(page)
        read_tabs(page)
        read_links(page)
        rows = find_rows(lines)
        read_menus(page, rows)
        read_short_texts(page, rows)
        controls = [replace(control, row=row_of(control.box, rows)) for control in page.controls]
        words = [
            Words(
                text=line.text,
                box=line.box,
                row=(row := row_of(line.box, rows)),
                role="cell" if row else "",
            )
            for line in page.free
        ]
        return PixelReading(
            controls=tuple(sorted(controls, key=lambda control: reading_place(control.box))),
            words=tuple(sorted(words, key=lambda one: reading_place(one.box))),
        )
