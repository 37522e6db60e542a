"""One item more or less in a list of a Markdown or reStructuredText source.

An item begins at its marker: `3.`, `3)`, `#.`, `-`. A list whose numbers are written
out and rise is numbered on behind the place; one that repeats a number, or counts by
itself, is left as it is. If a marker grows (`9.` to `10.`) what is indented under it
moves with it, since it would stand outside the item otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.findings.attempts import NoPatch, Refusal
from proofwalk.findings.source import Edit, Source
from proofwalk.procedures.model import Procedure, SubStep

_MARKER = re.compile(
    r"(?P<lead>[ \t>]*)(?P<mark>(?P<open>\(?)(?P<number>\d{1,9}|#)(?P<close>[.)])|[-*+•])(?P<gap>[ \t]+)"
)


@dataclass(frozen=True, kw_only=True)
class Item:
    """A step's item: its lines, and its marker."""

    line: int
    end_line: int
    marker: re.Match[str]

    @property
    def number(self) -> int | None:
        """The number that is written out; None where there is none."""
        return int(self.marker["number"]) if (self.marker["number"] or "#") != "#" else None


def inserted(source: Source, procedure: Procedure, at: int, sentence: str) -> tuple[Edit, ...]:
    """Return the edits that put an item with `sentence` before step `at`. Raises
    `NoPatch`."""
    items = _items(source, procedure, at)
    first = items[0]
    begin, _ = source.lines(first.line, first.line)
    gap = source.newline * (2 if _is_spaced(source, procedure, first) else 1)
    edit = Edit(begin=begin, end=begin, text=f"{first.marker[0]}{sentence}{gap}")
    return edit, *_renumbered(source, items, by=1)


def removed(source: Source, procedure: Procedure, at: int) -> tuple[Edit, ...]:
    """Return the edits that take step `at` out. Raises `NoPatch`."""
    items = _items(source, procedure, at)
    gone, behind = items[0], items[1:]
    begin, end = source.lines(gone.line, gone.end_line)
    if behind:
        _, end = source.lines(gone.line, behind[0].line - 1)
    else:
        line = gone.line
        while line > 1 and not source.line(line - 1).strip(" \t>"):
            line -= 1
        begin, _ = source.lines(line, line)
    return Edit(begin=begin, end=end, text=""), *_renumbered(source, behind, by=-1)


def exchanged(source: Source, procedure: Procedure, at: int) -> tuple[Edit, ...]:
    """Return the edits that exchange the contents of step `at` and of the one behind
    it; the markers stay. Raises `NoPatch`."""
    first, second = (_content(source, item) for item in _items(source, procedure, at)[:2])
    one, other = source.text[slice(*first)], source.text[slice(*second)]
    return (
        Edit(begin=first[0], end=first[1], text=other),
        Edit(begin=second[0], end=second[1], text=one),
    )


def _content(source: Source, item: Item) -> tuple[int, int]:
    """Return the characters of an item behind its marker, without blank lines."""
    begin, end = source.lines(item.line, item.end_line)
    begin += len(item.marker[0])
    return begin, begin + len(source.text[begin:end].rstrip(" \t\r\n>"))


def _items(source: Source, procedure: Procedure, at: int) -> list[Item]:
    """Return the item of step `at`, and those behind it in the same list."""
    steps = procedure.substeps
    siblings: list[list[SubStep]] = []
    for step in steps[at:]:
        if _level(step) == _level(steps[at]):
            siblings.append([step])
        elif step.number.startswith(f"{siblings[-1][0].number}."):
            siblings[-1].append(step)
        else:
            break
    items: list[Item] = []
    for position, family in enumerate(siblings):
        line = family[0].span.line
        marker = _MARKER.match(source.line(line))
        if marker is None:
            raise NoPatch(Refusal.NOT_A_LIST, f"line {line} does not begin a list's item")
        following = siblings[position + 1 :]
        own_end = max(step.span.end_line for step in family)
        end_line = following[0][0].span.line - 1 if following else own_end
        items.append(Item(line=line, end_line=end_line, marker=marker))
    return items


def _level(step: SubStep) -> str:
    return step.number.rpartition(".")[0]


def _is_spaced(source: Source, procedure: Procedure, item: Item) -> bool:
    """True if blank lines stand between the items."""
    is_first = item.line <= procedure.span.line
    line = item.end_line if is_first else item.line - 1
    return line > 1 and not source.line(line).strip(" \t>")


def _renumbered(source: Source, items: Sequence[Item], *, by: int) -> list[Edit]:
    """Return the edits of the numbers behind the place. With `by` = 1 the first item
    keeps its number for the new one, so its own rises as well."""
    numbers = [item.number for item in items]
    if not numbers or None in numbers or not _rises(source, items[0], numbers):
        return []
    return [edit for item in items for edit in _with_number(source, item, by)]


def _rises(source: Source, first: Item, numbers: Sequence[int | None]) -> bool:
    """True if the written numbers count up."""
    if len(numbers) > 1:
        return numbers[0] != numbers[1]
    # the last item alone says nothing: the item before it, of the same marker, does
    for line in range(first.line - 1, 0, -1):
        marker = _MARKER.match(source.line(line))
        if marker and marker["lead"] == first.marker["lead"] and (marker["number"] or "").isdigit():
            return int(marker["number"]) != numbers[0]
    return True


def _with_number(source: Source, item: Item, by: int) -> list[Edit]:
    begin, _ = source.lines(item.line, item.line)
    number, at = item.marker["number"], item.marker.start("number")
    new = str(int(number) + by)
    edits = [Edit(begin=begin + at, end=begin + at + len(number), text=new)]
    if len(new) <= len(number):
        return edits
    indent = " " * (len(item.marker[0]) - len(item.marker["lead"]))
    for line in range(item.line + 1, item.end_line + 1):
        text = source.line(line)
        start = len(item.marker["lead"])
        if text[start:].startswith(indent):
            begin, _ = source.lines(line, line)
            edits.append(Edit(begin=begin + start, end=begin + start, text=" "))
    return edits
