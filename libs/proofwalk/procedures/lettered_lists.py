"""Finds the list in a paragraph whose lines begin with letters or with `1.1.`.

CommonMark has no such markers, so what an author wrote as a list below a step is one
paragraph to it: `Set it up` `a. Choose …` `b. Enter …`. Only marks that follow one
another from the first on make a list; anything else stays a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from proofwalk.procedures.outline import Fragment, Item, Listing, Node, paragraph

_MARK = re.compile(r"^\s*(?:(?P<letter>[a-z])|(?P<number>\d+\.\d+))[.)]\s+(?=\S)")
_LEAST = 2


def read(fragments: Sequence[Fragment]) -> tuple[Node, ...]:
    """Return the nodes of a paragraph's fragments: the paragraph, or what stands before
    its list and the list."""
    lines = [list(one) for _, one in groupby(fragments, key=lambda piece: piece.line)]
    marks = [_MARK.match("".join(piece.text for piece in line)) for line in lines]
    begins = [at for at, mark in enumerate(marks) if mark is not None]
    if len(begins) < _LEAST or not _follow([marks[at] for at in begins]):
        whole = paragraph(fragments)
        return (whole,) if whole else ()
    items = []
    for at, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        first, *rest = _without_mark(lines[at])
        node = paragraph([first, *rest, *(piece for line in lines[at + 1 : end] for piece in line)])
        if node is not None:
            items.append(Item(nodes=(node,), line=first.line))
    before = paragraph([piece for line in lines[: begins[0]] for piece in line])
    listing = Listing(ordered=True, items=tuple(items), line=items[0].line, start=1)
    return (*((before,) if before else ()), listing)


def _follow(marks: Sequence[re.Match[str] | None]) -> bool:
    """True if the marks are `a`, `b`, … or `3.1`, `3.2`, …"""
    told = [mark["letter"] or mark["number"] for mark in marks if mark is not None]
    if told[0].isalpha():
        return told == [chr(ord("a") + place) for place in range(len(told))]
    head = told[0].split(".")[0]
    return told == [f"{head}.{place}" for place in range(1, len(told) + 1)]


def _without_mark(line: Sequence[Fragment]) -> list[Fragment]:
    """The line's fragments without its mark, which may lie over several of them."""
    mark = _MARK.match("".join(piece.text for piece in line))
    left = mark.end() if mark else 0
    rest: list[Fragment] = []
    for piece in line:
        cut = min(left, len(piece.text))
        left -= cut
        if piece.text[cut:]:
            rest.append(replace(piece, text=piece.text[cut:]))
    return rest
