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

import itertools
from dataclasses import dataclass, field, replace

import numpy as np

from proofwalk.console.observation import Box, State
from proofwalk.pixels.lines import find_lines
from proofwalk.pixels.reading import Control, Line, PixelReading, Pixels, TextEngine, Words
from proofwalk.pixels.shapes import Color, Rect, Shapes, find_shapes, part

_CONTROL_HEIGHT = 60
_TOUCH = 3
"""How far apart the sides of neighbouring cells may lie; they share a border."""
_LABEL_GAP, _ABOVE_GAP = 180, 26
_LIGHT, _GREY = 225, 105
_ROW_GAP = 90
_HEADER = 32
"""How far above or below the first words of a row its other lines, or the header, may
stand."""
_MENU, _INDENT = 4, 24
"""Words in a column at an even pitch that make a menu."""


@dataclass
class _Page:
    image: Pixels
    shapes: Shapes
    free: list[Line]
    """Lines that nothing has claimed yet."""
    controls: list[Control] = field(default_factory=list)
    colors: dict[Box, tuple[Color, Color]] = field(default_factory=dict)

    def ink(self, line: Line) -> tuple[Color, Color]:
        """Colours of a line's ground and ink."""
        if line.box not in self.colors:
            self.colors[line.box] = _colors(self.image, line.box)
        return self.colors[line.box]

    def claim(self, lines: list[Line]) -> None:
        taken = {id(line) for line in lines}
        self.free = [line for line in self.free if id(line) not in taken]


class LayoutReader:
    """`PixelReader` of shapes, a text engine, and the rules above."""

    def __init__(self, engine: TextEngine) -> None:
        self._engine = engine

    def read(self, image: Pixels) -> PixelReading:
        """Controls and texts of the picture."""
        shapes = find_shapes(image)
        lines = find_lines(image, shapes, self._engine)
        page = _Page(image=image, shapes=shapes, free=list(lines))
        _checkboxes(page)
        _boxes(page)
        _tabs(page)
        _links(page)
        rows = _rows(lines)
        _menus(page, rows)
        _short_texts(page, rows)
        controls = [replace(control, row=_row_of(control.box, rows)) for control in page.controls]
        words = [
            Words(
                text=line.text,
                box=line.box,
                row=(row := _row_of(line.box, rows)),
                role="cell" if row else "",
            )
            for line in page.free
        ]
        return PixelReading(
            controls=tuple(sorted(controls, key=lambda control: _place(control.box))),
            words=tuple(sorted(words, key=lambda one: _place(one.box))),
        )


def _place(box: Box) -> tuple[int, float]:
    """Reading order: lines of eight pixels, then left to right."""
    return round((box.y + box.height / 2) / 8), box.x


def _overlap(one: Box, other: Box) -> float:
    """Pixels of height that two boxes share."""
    return min(one.y + one.height, other.y + other.height) - max(one.y, other.y)


def _joined(*boxes: Box) -> Box:
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = (
        max(box.x + box.width for box in boxes),
        max(box.y + box.height for box in boxes),
    )
    return Box(x=left, y=top, width=right - left, height=bottom - top)


def _text_of(lines: list[Line]) -> str:
    return " ".join(line.text for line in lines)


def _colors(image: Pixels, box: Box) -> tuple[Color, Color]:
    """Colour of the ground and of the ink: the median, and the mean of what is farthest
    from it."""
    rows, columns = part(box, image.shape)
    pixels = image[rows, columns].reshape(-1, 3).astype(np.int16)
    if not len(pixels):
        return (255, 255, 255), (0, 0, 0)
    ground = np.median(pixels, axis=0)
    apart = np.abs(pixels - ground).max(axis=1)
    ink = pixels[apart >= 0.7 * apart.max()].mean(axis=0)
    return (int(ground[0]), int(ground[1]), int(ground[2])), (int(ink[0]), int(ink[1]), int(ink[2]))


# checkboxes


def _checkboxes(page: _Page) -> None:
    for square in page.shapes.squares:
        box = square.box
        if any(line.box.contains(box) and box.x > line.box.x + 3 for line in page.free):
            continue  # a glyph: 口, □
        beside = [
            line
            for line in page.free
            if 0 <= line.box.x - (box.x + box.width) <= 16
            and _overlap(line.box, box) > 0.4 * min(box.height, line.box.height)
        ]
        label = min(beside, key=lambda line: line.box.x, default=None)
        page.claim([label] if label else [])
        states = frozenset({State.CHECKED}) if square.inked else frozenset()
        text = label.text if label else ""
        page.controls.append(
            Control(role="checkbox", name=text, box=box, states=states, shows=text)
        )


# boxes


def _cells(rects: list[Rect]) -> set[int]:
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


def _boxes(page: _Page) -> None:
    rects = list(page.shapes.rects)
    cells = _cells(rects)
    for number, rect in enumerate(rects):
        if number in cells or any(
            other is not rect and _within(other.box, rect.box) for other in rects
        ):
            continue
        inside = sorted(
            (line for line in page.free if rect.box.contains(line.box)),
            key=lambda line: _place(line.box),
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


def _control(page: _Page, rect: Rect, inside: list[Line]) -> Control | None:
    box, words = rect.box, _text_of(inside)
    light = min(rect.fill) >= _LIGHT
    label = _label(page, box, inside)
    if not inside:
        empty = _ink_share(page, box) < 0.01
        if (
            light
            and box.width >= 36
            and box.height >= 16
            and empty
            and (box.height <= _CONTROL_HEIGHT or label)
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
    if box.height > _CONTROL_HEIGHT:
        if light and not rect.filled and label and len(inside) <= 8:
            return _field(page, "textbox", box, inside, label)
        return None
    if len(inside) > 2:
        return None
    text = _joined(*(line.box for line in inside))
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


def _field(page: _Page, role: str, box: Box, inside: list[Line], label: str) -> Control:
    words = _text_of(inside)
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


def _grey(page: _Page, line: Line) -> bool:
    _, ink = page.ink(line)
    return min(ink) >= _GREY and max(ink) - min(ink) <= 40


def _ink_share(page: _Page, box: Box) -> float:
    """Share of a box, less its border, that is ink."""
    inner = Box(
        x=box.x + 4, y=box.y + 4, width=max(box.width - 8, 0), height=max(box.height - 8, 0)
    )
    rows, columns = part(inner, page.shapes.ink.shape)
    ink = page.shapes.ink[rows, columns]
    return float(ink.mean()) if ink.size else 0.0


def _label(page: _Page, box: Box, inside: list[Line]) -> str:
    """The words left of a box on its line, with no other box between; or close above
    its left end."""
    shapes, lines = page.shapes, [line for line in page.free if not _blueish(page, line)]
    beside = [
        line
        for line in lines
        if line not in inside
        and 0 <= box.x - (line.box.x + line.box.width) <= _LABEL_GAP
        and _overlap(line.box, box) > 0.6 * line.box.height
        and box.height <= _CONTROL_HEIGHT
    ]
    nearest = max(beside, key=lambda line: line.box.x, default=None)
    if nearest is not None:
        end = nearest.box.x + nearest.box.width
        between = any(
            end <= r.box.x + r.box.width / 2 <= box.x and _overlap(r.box, box) > 0
            for r in shapes.rects
        )
        boxed = any(
            r.box.contains(nearest.box) and r.box.height <= _CONTROL_HEIGHT and r.box.width < 400
            for r in shapes.rects
        )
        if not between and not boxed:
            return _plain(nearest.text)
    above = [
        line
        for line in lines
        if line not in inside
        and 0 <= box.y - (line.box.y + line.box.height) <= _ABOVE_GAP
        and abs(line.box.x - box.x) <= 16
        and not any(
            r.box.contains(line.box) and r.box.height <= _CONTROL_HEIGHT for r in shapes.rects
        )
    ]
    closest = max(above, key=lambda line: line.box.y, default=None)
    return _plain(closest.text) if closest else ""


def _plain(label: str) -> str:
    """A label without its colon and its asterisk."""
    return label.strip(":： *")


# tabs, links, menus


def _bar_under(page: _Page, box: Box, first: int, last: int) -> float:
    """Largest share of a line's width over which a straight line lies `first` to `last`
    pixels under it."""
    bottom = round(box.y + box.height)
    columns = slice(max(round(box.x), 0), max(round(box.x + box.width), 0))
    band = page.shapes.across[bottom + first : bottom + last, columns]
    return float(band.mean(axis=1).max()) if band.size else 0.0


def _ends(page: _Page, box: Box, last: int) -> bool:
    """Whether the line under a box is no longer than a tab: it does not go on far to
    either side."""
    bottom = round(box.y + box.height)
    for x in (box.x - 60, box.x + box.width + 60):
        band = page.shapes.across[bottom : bottom + last, max(round(x), 0) : max(round(x) + 1, 0)]
        if (
            band.size
            and band.any()
            and _bar_color(page, bottom, last, round(x))
            == _bar_color(page, bottom, last, round(box.center[0]))
        ):
            return False
    return True


def _bar_color(page: _Page, bottom: int, last: int, x: int) -> bool:
    """Whether what is under this point is strongly coloured."""
    x = min(max(x, 0), page.image.shape[1] - 1)
    pixels = page.image[bottom : bottom + last, x].astype(np.int16)
    return bool(len(pixels) and (pixels.max(axis=1) - pixels.min(axis=1)).max() > 60)


def _tabs(page: _Page) -> None:
    for line in list(page.free):
        box = line.box
        bottom = round(box.y + box.height)
        if line not in page.free or len(line.text) > 40 or _bar_under(page, box, 4, 20) < 0.9:
            continue
        if not _bar_color(page, bottom, 20, round(box.center[0])) or not _ends(page, box, 20):
            continue
        level = sorted(
            (other for other in page.free if abs(other.box.center[1] - box.center[1]) <= 5),
            key=lambda other: other.box.x,
        )
        group, at = [line], level.index(line)
        for others in (level[at + 1 :], level[:at][::-1]):
            last = box
            for other in others:
                gap = max(other.box.x - last.x - last.width, last.x - other.box.x - other.box.width)
                if gap > 80 or len(other.text) > 40:
                    break
                group.append(other)
                last = other.box
        if len(group) < 2:
            continue
        page.claim(group)
        for one in group:
            states = frozenset({State.SELECTED}) if one is line else frozenset()
            page.controls.append(
                Control(role="tab", name=one.text, box=one.box, states=states, shows=one.text)
            )


def _blueish(page: _Page, line: Line) -> bool:
    ground, (red, green, blue) = page.ink(line)
    return min(ground) > 150 and blue - red > 45 and blue - green > 20


def _links(page: _Page) -> None:
    for line in list(page.free):
        rows, columns = part(line.box, page.shapes.across.shape)
        within = page.shapes.across[(rows.stop + rows.start) // 2 : rows.stop + 4, columns]
        underlined = (
            bool(within.size)
            and float(within.mean(axis=1).max()) > 0.8
            and not _bar_wider(page, line.box)
        )
        if _blueish(page, line) or underlined:
            page.claim([line])
            page.controls.append(
                Control(role="link", name=line.text, box=line.box, shows=line.text)
            )


def _bar_wider(page: _Page, box: Box) -> bool:
    """Whether the line under a word goes on beside it: a rule, no underline."""
    bottom = round(box.y + box.height)
    left, right = round(box.x) - 10, round(box.x + box.width) + 10
    band = page.shapes.across[max(bottom - 4, 0) : bottom + 4]
    return bool(
        (left >= 0 and band[:, left].any()) or (right < band.shape[1] and band[:, right].any())
    )


def _menus(page: _Page, rows: list[list[Line]]) -> None:
    rest = [
        line
        for line in page.free
        if len(line.text) <= 40 and not _tabled(line, rows) and not _names_something(page, line)
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


def _short_texts(page: _Page, rows: list[list[Line]]) -> None:
    for line in list(page.free):
        short = len(line.text) <= 32 and len(line.text.split()) <= 4 and line.box.height <= 22
        if short and not _tabled(line, rows) and not _names_something(page, line):
            page.claim([line])
            page.controls.append(
                Control(role="text", name=line.text, box=line.box, shows=line.text)
            )


def _names_something(page: _Page, line: Line) -> bool:
    """Whether a line is the label of a field."""
    return any(control.label and control.label == _plain(line.text) for control in page.controls)


def _tabled(line: Line, rows: list[list[Line]]) -> bool:
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


# rows


def _rows(lines: list[Line]) -> list[list[Line]]:
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


def _row_of(box: Box, rows: list[list[Line]]) -> str:
    for row in rows:
        whole = _joined(*(line.box for line in row))
        if (
            abs(whole.center[1] - box.center[1]) <= 10
            and whole.x - 40 <= box.center[0] <= whole.x + whole.width + 60
        ):
            return " | ".join(line.text for line in row)
    return ""
