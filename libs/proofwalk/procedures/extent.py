"""Bounds what a source may contain, counted in its text before a parser sees it.

A parser's time grows with the items, table cells and attributes of a text, for some
more than in proportion. Each count is one pass over the text. It may count too much,
such as what stands in a code block, so the limits are far beyond what anybody reads.
"""

from __future__ import annotations

import re

from proofwalk.kernel.errors import ProofwalkError, invalid

MAX_ITEMS = 10_000
"""Most items of lists."""
MAX_CELLS = 20_000
"""Most cells of tables."""
MAX_HEADINGS = 5_000
"""Most headings, by the lines that mark them."""
MAX_ATTRIBUTES = 2_000
"""Most attributes of one element."""
MAX_MARKS = 20_000
"""Most characters of one paragraph that may begin a mark-up: `*`, `_`, a backtick,
`[`."""

_HINT = "verify the part of the document that holds the procedure"
_ITEM = re.compile(r"^[ \t>]{0,40}(?:\d{1,9}[.)]|#\.|[-*+])[ \t]", re.MULTILINE)
_HTML_ITEM = re.compile(r"<li\b", re.IGNORECASE)
_TABLE_LINE = re.compile(r"^[ \t>]{0,40}[|+].*$", re.MULTILINE)
_HTML_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
_HEADING = re.compile(r"^(?:#{1,6}[ \t]|([=\-~^\"'`#*+.:_])\1*[ \t]*$)", re.MULTILINE)
_HTML_HEADING = re.compile(r"<h[1-6]\b", re.IGNORECASE)
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{10000,}")
_ATTRIBUTE = re.compile(r"\s[^\s=<>\"'/]")


def check_extent(text: str) -> None:
    """Check the text against the bounds. Raises `document.too_many_items`, and the like
    for `headings`, `cells`, `attributes` and `marks`."""
    items = len(_ITEM.findall(text)) + len(_HTML_ITEM.findall(text))
    if items > MAX_ITEMS:
        raise _too_many("items", "list items", items, MAX_ITEMS)
    headings = sum(1 for _ in _HEADING.finditer(text)) + len(_HTML_HEADING.findall(text))
    if headings > MAX_HEADINGS:
        raise _too_many("headings", "headings", headings, MAX_HEADINGS)
    cells = len(_HTML_CELL.findall(text))
    for line in _TABLE_LINE.finditer(text):
        cells += max(line[0].count("|") - 1, 0)
        if cells > MAX_CELLS:
            break
    if cells > MAX_CELLS:
        raise _too_many("cells", "table cells", cells, MAX_CELLS)
    for found in _LONG_TAG.finditer(text):
        attributes = len(_ATTRIBUTE.findall(found[0]))
        if attributes > MAX_ATTRIBUTES:
            raise _too_many("attributes", "attributes of one element", attributes, MAX_ATTRIBUTES)
    if _marks(text) > MAX_MARKS:
        marks = max(_marks(paragraph) for paragraph in text.split("\n\n"))
        if marks > MAX_MARKS:
            raise _too_many(
                "marks", "marks of bold, code and links in one paragraph", marks, MAX_MARKS
            )


def _marks(text: str) -> int:
    return sum(text.count(mark) for mark in "*_`[")


def _too_many(of: str, words: str, found: int, limit: int) -> ProofwalkError:
    return invalid(
        f"document.too_many_{of}",
        f"the document has {found} {words} or more; at most {limit} are read",
        hint=_HINT,
    )
