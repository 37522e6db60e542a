"""Secrets that stand in a text of somebody else's, masked before a page shows it.

A META record makes things that have passwords, and whoever wrote it may have written
one down. A value is masked where its name says that it is a secret; where a name has no
value on its line, the lines below that are indented further are masked too.
"""

from __future__ import annotations

import re

MASK = "•••"
_NAME = r"[\w.\"'-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w.\"'-]*"
_VALUE = r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^\s,}\]#][^\n,}\]#]*"
_PAIR = re.compile(rf"(?i)({_NAME}[ \t]*[:=]>?[ \t]*)({_VALUE})")
_OPENING = re.compile(r"^(?:[|>][+-]?\d*|<<[~-]?\s*\w+|\{|\[)?\s*$")
_HEAD = re.compile(rf"(?i)^([ \t]*)(?:- )?{_NAME}[ \t]*[:=]>?[ \t]*(.*)$")


def masked(text: str) -> str:
    """The text with values of secrets replaced by `MASK`."""
    lines: list[str] = []
    depth: int | None = None
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if depth is not None and (not line.strip() or indent > depth):
            lines.append(f"{' ' * indent}{MASK}" if line.strip() else line)
            continue
        depth = None
        head = _HEAD.match(line)
        if head is not None and _OPENING.match(head[2]):
            depth = len(head[1])
            lines.append(line)
            continue
        lines.append(_PAIR.sub(lambda pair: f"{pair[1]}{MASK}", line))
    return "\n".join(lines)
