"""Applies rows of forms and what means the same, in their order.

`paraphrases` and the modules that it calls keep such rows, each for its own kind of
words. A row is applied once at most, whatever its capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def rows(*same: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return rows of forms, as regular expressions, and the words for each."""
    return tuple((re.compile(form, re.I), words) for form, words in same)


def reworded(piece: str, rows: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """Return the sentence in the rows' words; unchanged if no row fits."""
    for form, words in rows:
        piece = form.sub(words, piece, count=1)
    return piece
