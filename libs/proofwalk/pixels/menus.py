"""Menu items of a page (a column of short words at an even pitch), and short words that
may be anything."""

from __future__ import annotations

from proofwalk.pixels.layout_page import LayoutPage, plain_label
from proofwalk.pixels.reading import Control, Line
from proofwalk.pixels.table_rows import is_tabled

_MENU, _INDENT = 4, 24
"""Words in a column at an even pitch that make a menu."""


def read_menus(page: LayoutPage, rows: list[list[Line]]) -> None:
    rest = [
        line
        for line in page.free
        if len(line.text) <= 40 and not is_tabled(line, rows) and not _names_something(page, line)
    ]
    for first in sorted(rest, key=lambda line: line.box.y):
        if first not in page.free:
            continue
        column = [
            line
            for line in rest
            if abs(line.box.x - first.box.x) <= _INDENT
            and line.box.y >= first.box.y
            and line in page.free
        ]
        run = [first]
        pitch = 0.0
        for line in sorted(column, key=lambda one: one.box.y)[1:]:
            step = line.box.center[1] - run[-1].box.center[1]
            if not 16 <= step <= 64 or (pitch and abs(step - pitch) > 4):
                break
            pitch = pitch or step
            run.append(line)
        if (
            len(run) >= _MENU
            and max(line.box.height for line in run) - min(line.box.height for line in run) <= 8
        ):
            page.claim(run)
            page.controls += [
                Control(role="menuitem", name=one.text, box=one.box, shows=one.text) for one in run
            ]


def read_short_texts(page: LayoutPage, rows: list[list[Line]]) -> None:
    for line in list(page.free):
        short = len(line.text) <= 32 and len(line.text.split()) <= 4 and line.box.height <= 22
        if short and not is_tabled(line, rows) and not _names_something(page, line):
            page.claim([line])
            page.controls.append(
                Control(role="text", name=line.text, box=line.box, shows=line.text)
            )


def _names_something(page: LayoutPage, line: Line) -> bool:
    """Whether a line is the label of a field."""
    return any(
        control.label and control.label == plain_label(line.text) for control in page.controls
    )
