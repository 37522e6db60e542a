"""Table rows of a page: words that stand in rows with common columns."""

from __future__ import annotations

import itertools

from proofwalk.console.observation import Box
from proofwalk.pixels.layout_page import joined
from proofwalk.pixels.reading import Line

_ROW_GAP = 90
_HEADER = 32
"""How far above or below the first words of a row its other lines, or the header, may
stand."""


def is_tabled(line: Line, rows: list[list[Line]]) -> bool:
    """Whether a line lies in a table: on one of its rows or between two."""
    x, y = line.box.center
    for row in rows:
        top = row[0].box.y
        if (
            row[0].box.x - 40 <= x <= row[-1].box.x + row[-1].box.width + 60
            and -_HEADER <= y - top <= _HEADER
        ):
            return True
    return False


def find_rows(lines: list[Line]) -> list[list[Line]]:
    """Table rows: three neighbouring levels or more, whose words begin in at least
    three common columns."""
    levels: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: one.box.center[1]):
        if levels and abs(levels[-1][-1].box.center[1] - line.box.center[1]) <= 5:
            levels[-1].append(line)
        else:
            levels.append([line])

    def columns(one: list[Line], other: list[Line]) -> list[Line]:
        return [line for line in one if any(abs(line.box.x - o.box.x) <= 5 for o in other)]

    # Something else beside the table, such as a side menu, may stand between its rows.
    levels = [level for level in levels if len(level) >= 3]
    tall = len(levels)
    rows: list[list[Line]] = []
    at = 0
    while at < tall:
        end = at
        shared = levels[at]
        while end + 1 < tall and levels[end + 1][0].box.y - levels[end][0].box.y <= _ROW_GAP:
            common_lines = columns(shared, levels[end + 1])
            if len(common_lines) < 3:
                break
            shared = common_lines
            end += 1
        if end - at >= 2:
            left = min(line.box.x for line in shared) - 40
            run = [[line for line in level if line.box.x >= left] for level in levels[at : end + 1]]
            for row, more in zip(run, _beside(run, lines), strict=True):
                rows.append(
                    sorted([*row, *more], key=lambda line: (round(line.box.x / 8), line.box.y))
                )
            at = end + 1
        else:
            at += 1
    return rows


def _beside(run: list[list[Line]], lines: list[Line]) -> list[list[Line]]:
    """For each row of a table, its lines above or below the others: those that most
    rows have at the same place."""
    taken = {id(line) for row in run for line in row}
    middles = [sum(line.box.center[1] for line in row) / len(row) for row in run]
    pitch = min(after - before for before, after in itertools.pairwise(middles))
    near = [
        [
            line
            for line in lines
            if id(line) not in taken and abs(line.box.center[1] - middle) <= 0.45 * pitch
        ]
        for middle in middles
    ]

    def is_aligned(line: Line, middle: float) -> bool:
        offset = line.box.center[1] - middle
        alike = sum(
            any(
                abs(other.box.x - line.box.x) <= 5 and abs(other.box.center[1] - at - offset) <= 3
                for other in others
            )
            for at, others in zip(middles, near, strict=True)
        )
        return alike * 2 > len(run)

    return [
        [line for line in others if is_aligned(line, middle)]
        for middle, others in zip(middles, near, strict=True)
    ]


def row_of(box: Box, rows: list[list[Line]]) -> str:
    for row in rows:
        whole = joined(*(line.box for line in row))
        if (
            abs(whole.center[1] - box.center[1]) <= 10
            and whole.x - 40 <= box.center[0] <= whole.x + whole.width + 60
        ):
            return " | ".join(line.text for line in row)
    return ""
