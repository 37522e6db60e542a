"""Blocks of code that stand in two places, found by pylint's `Symilar`.

Two blocks are alike when so many lines in a row are the same, apart from comments,
docstrings, imports and the heads of functions. Pylint can leave out the last two
itself, but resolves every import to do so, which takes minutes; here they are blanked
before it reads.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout

from pylint.checkers.symilar import Symilar

from checks.source import Source, functions

LINES = 7
_BLOCK = re.compile(r"^(\d+) similar lines in \d+ files\n((?:==.*\n)+)", re.MULTILINE)
_PLACE = re.compile(r"^==(.+):\[(\d+):\d+\]$", re.MULTILINE)


def copies(files: Sequence[Source]) -> tuple[str, ...]:
    """Every block of at least `LINES` lines that stands twice, as one line of text: how
    long it is, and after which line of which files it begins."""
    if not files:
        return ()
    # Symilar tells blocks of more lines than `min_lines`.
    reader = Symilar(min_lines=LINES - 1, ignore_comments=True, ignore_docstrings=True)
    for file in files:
        reader.append_stream(file.path, io.StringIO(_body(file)))
    report = io.StringIO()
    with redirect_stdout(report):
        reader.run()
    return tuple(
        f"{length} lines: " + " ".join(f"{path}:{line}" for path, line in _PLACE.findall(places))
        for length, places in _BLOCK.findall(report.getvalue())
    )


def _body(file: Source) -> str:
    """The text with the same number of lines, imports and heads of functions empty."""
    lines = list(file.lines)
    for first, last in _blank(file):
        lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines) + "\n"


def _blank(file: Source) -> Iterator[tuple[int, int]]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node.lineno, node.end_lineno or node.lineno
    for function in functions(file):
        yield function.lineno, max(function.lineno, function.body[0].lineno - 1)
