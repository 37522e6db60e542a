"""What a document says about one of its procedures: all of it but the steps of the
others.

A page of many procedures has many values. What the steps of another procedure say is no
ground for a value of this one; introductions, tables and examples may be.
"""

from __future__ import annotations

from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select


def text_about(text: str, *, name: str, media_type: str, procedure_id: str) -> str:
    """The text without the other procedures' lines. Raises `document.*`."""
    document = load(name or "document.md", text.encode(), media_type or None)
    chosen = select(document, procedure_id or None).span
    own = set(range(chosen.line, chosen.end_line + 1))
    others = {
        line
        for one in document.procedures
        for line in range(one.span.line, one.span.end_line + 1)
        if line not in own
    }
    lines = text.splitlines()
    return "\n".join(line for at, line in enumerate(lines, start=1) if at not in others)
