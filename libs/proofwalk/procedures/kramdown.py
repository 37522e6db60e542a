"""Attribute lists of kramdown: `{: note}` under a paragraph, `{: #id}` under a heading.

They are no text of the document, nor are those right behind a link or what is set in
bold: `[pumps](/pumps){: external}`. A paragraph whose list has the word of a callout is
a note. CommonMark does not know them: it reads them as the last line of a paragraph, as
a paragraph of their own, or as the last row of a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from proofwalk.procedures.html_tags import is_note
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import Fragment

_OF_A_SPAN = re.compile(r"^\{:(?:[^{}\"]|\"[^\"]*\")*\}")
_LIST = re.compile(r"\s*\{:(?P<words>(?:[^{}\"]|\"[^\"]*\")*)\}\s*$")


def is_list(text: str) -> bool:
    """True for a text that is nothing but an attribute list."""
    return _LIST.fullmatch(text) is not None


def without_list(pieces: Sequence[Fragment]) -> tuple[tuple[Fragment, ...], bool]:
    """Return the pieces without their attribute lists, and whether the one at their end
    makes a note of them."""
    pieces = _without_lists_of_spans(pieces)
    found = _LIST.search(pieces[-1].text) if pieces else None
    if found is None:
        return tuple(pieces), False
    last = replace(pieces[-1], text=pieces[-1].text[: found.start()])
    kept = [*pieces[:-1], *([last] if last.text else [])]
    while kept and not kept[-1].text.strip():
        kept.pop()
    words = re.sub(r'"[^"]*"', "", found["words"]).split()
    return tuple(kept), any(is_note(word.lstrip(".")) for word in words)


def _without_lists_of_spans(pieces: Sequence[Fragment]) -> list[Fragment]:
    spoken: list[Fragment] = []
    for piece in pieces:
        of_a_span = bool(spoken) and spoken[-1].role is not InlineRole.TEXT
        found = _OF_A_SPAN.match(piece.text) if piece.role is InlineRole.TEXT else None
        if of_a_span and found is not None:
            piece = replace(piece, text=piece.text[found.end() :])
        if piece.text:
            spoken.append(piece)
    return spoken
