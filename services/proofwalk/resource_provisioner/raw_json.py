"""JSON of which each line knows the line of the text that it came from.

A value is a string (JSON text is made of it), a `Raw` (JSON text already: a number, a
literal), a list, or a mapping; items carry the line of their source. `write` puts each
item on a line of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Raw:
    """JSON text."""

    text: str


Value = str | Raw | Sequence[tuple[int, "Value"]] | Mapping[str, tuple[int, "Value"]]


def write(document: Value) -> tuple[str, tuple[int, ...]]:
    """The text in ASCII, and for each of its lines the line of the source (0 for
    none)."""
    lines: list[tuple[str, int]] = []
    _write(document, "", 0, "", lines)
    return "\n".join(text for text, _ in lines) + "\n", tuple(line for _, line in lines)


def _write(
    value: Value, head: str, line: int, indent: str, lines: list[tuple[str, int]], comma: str = ""
) -> None:
    if isinstance(value, str | Raw):
        text = json.dumps(value) if isinstance(value, str) else value.text
        lines.append((f"{indent}{head}{text}{comma}", line))
        return
    named = isinstance(value, Mapping)
    opening, closing = ("{", "}") if named else ("[", "]")
    items = (
        [(f"{json.dumps(name)}: ", item) for name, item in value.items()]
        if isinstance(value, Mapping)
        else [("", item) for item in value]
    )
    lines.append((f"{indent}{head}{opening}", line))
    for index, (name, (of, inner)) in enumerate(items):
        _write(inner, name, of or line, f"{indent} ", lines, "," if index + 1 < len(items) else "")
    lines.append((f"{indent}{closing}{comma}", line))
