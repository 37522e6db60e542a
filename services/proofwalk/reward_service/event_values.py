"""The values of an audit event at a path, read from what the log wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from proofwalk.kernel.evidence import AuditEvent


def decoded(value: str) -> object:
    if value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            # Text that begins like JSON, numbers that nobody reads, nesting without an
            # end: it counts as text.
            return value
    return value


def values_at(event: AuditEvent, path: str) -> Iterator[object]:
    """What is at a path: nothing, one value, or several where `*` stands for all
    items."""
    head, _, rest = path.partition(".")
    if head in ("request", "response", "raw"):
        yield from _walk(getattr(event, head), rest)
    elif head == "resources":
        yield from event.resources
    else:
        yield getattr(event, head)


def _walk(found: object, path: str) -> Iterator[object]:
    if not path:
        yield found
        return
    if isinstance(found, str) and found[:1] in ("{", "["):
        found = decoded(found)
    if isinstance(found, Mapping) and path in found:
        # Logs flatten lists into keys with dots in them: `Tag.1.Key`.
        yield found[path]
        return
    part, _, rest = path.partition(".")
    if part == "*":
        items = (
            found.values()
            if isinstance(found, Mapping)
            else found
            if isinstance(found, list)
            else ()
        )
        for item in items:
            yield from _walk(item, rest)
    elif isinstance(found, Mapping) and part in found:
        yield from _walk(found[part], rest)
    elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
        yield from _walk(found[int(part)], rest)


def text_of(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)
