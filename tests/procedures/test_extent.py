"""Counts that are refused before a parser sees the text."""

from __future__ import annotations

import time

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.extent import (
    MAX_ATTRIBUTES,
    MAX_CELLS,
    MAX_HEADINGS,
    MAX_ITEMS,
    MAX_MARKS,
    check_extent,
)

LONG = "a" * 12_000
REFUSED = [
    ("1. a\n" * (MAX_ITEMS + 1), "document.too_many_items"),
    ("#. a\n\n" * (MAX_ITEMS + 1), "document.too_many_items"),
    ("> * a\n" * (MAX_ITEMS + 1), "document.too_many_items"),
    ("<LI>a" * (MAX_ITEMS + 1), "document.too_many_items"),
    ("# a\n" * (MAX_HEADINGS + 1), "document.too_many_headings"),
    ("T\n=\n\n" * (MAX_HEADINGS + 1), "document.too_many_headings"),
    ("<H2>a" * (MAX_HEADINGS + 1), "document.too_many_headings"),
    ("| a | b |\n" * (MAX_CELLS // 2 + 1), "document.too_many_cells"),
    ("<td>a" * (MAX_CELLS + 1), "document.too_many_cells"),
    (f"<p {'a=b ' * (MAX_ATTRIBUTES * 3)}>", "document.too_many_attributes"),
    ("[" * (MAX_MARKS + 1), "document.too_many_marks"),
    ("**a** `b`" * (MAX_MARKS // 6 + 1), "document.too_many_marks"),
]
KEPT = [
    "1. a\n" * MAX_ITEMS,
    "# a\n\nwords = words\n" * MAX_HEADINGS,
    "| a | b |\n" * (MAX_CELLS // 2),
    "**a** [b](c)\n\n" * MAX_MARKS,
    f"<img src='data:image/png;base64,{LONG}' alt='a b c'>",
    "<" * 500_000,
    " " * 500_000 + "1",
]


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_more_than_anybody_reads_is_refused(text: str, code: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        check_extent(text)
    assert caught.value.code == code
    assert caught.value.hint


@pytest.mark.parametrize("text", KEPT)
def test_what_a_document_may_hold_is_counted_in_no_time(text: str) -> None:
    before = time.process_time()
    check_extent(text)
    assert time.process_time() - before < 5
