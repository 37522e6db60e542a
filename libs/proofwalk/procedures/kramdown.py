"""Attribute lists of kramdown: `{: note}` under a paragraph, `{: #id}` under a heading.

They are no text of the document. A paragraph whose list has the word of a callout is a
note. CommonMark does not know them: it reads them as the last line of a paragraph, as a
paragraph of their own, or as the last row of a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from proofwalk.procedures.html_tags import is_note
from proofwalk.procedures.outline import Fragment

_LIST = re.compile(r"\s*\{:(?P<words>(?:[^{}\"]|\"[^\"]*\")*)\}\s*$")


def is_list(text: str) -> bool:
    """True for a text that is nothing but an attribute list."""
    return _LIST.fullmatch(text) is not None


def without_list(pieces: Sequence[Fragment]) -> tuple[tuple[Fragment, ...], bool]:
    """Return the pieces without the attribute list at their end, and whether it makes
    of them a note."""
    found = _LIST.search(pieces[-1].text) if pieces else None
    if found is None:
        return tuple(pieces), False
    last = replace(pieces[-1], text=pieces[-1].text[: found.start()])
    kept = [*pieces[:-1], *([last] if last.text else [])]
    while kept and not kept[-1].text.strip():
        kept.pop()
    words = re.sub(r'"[^"]*"', "", found["words"]).split()
    return tuple(kept), any(is_note(word.lstrip(".")) for word in words)
