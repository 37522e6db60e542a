"""What generated pages have in common: tables, and text that Markdown leaves as it
is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\*_<>\[\]{}$#|~])")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell's bars and line ends are put out of force."""
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """The text with what Markdown reads put out of force, but for code between
    backticks."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(part if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in parts)
