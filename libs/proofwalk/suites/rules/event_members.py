"""Members of an audit event by path: what stands there, and events with another value
there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proofwalk.kernel.evidence import AuditEvent

ABSENT = object()
MAPPINGS = ("request", "response", "raw")
"""The parts of an event that have members."""


def is_nested(event: AuditEvent, path: str) -> bool:
    """Whether the judge may find something at the path in a form that is not looked
    into here."""
    head, _, rest = path.partition(".")
    return "." in rest and getattr(event, head).get(rest.split(".")[0]) is not None


def value_at(event: AuditEvent, path: str) -> Any:
    """What is at `path`, or `ABSENT`; names with dots in them are one member, JSON
    inside text is looked into."""
    head, _, rest = path.partition(".")
    if head not in MAPPINGS:
        return getattr(event, head, ABSENT) if not rest else ABSENT
    return _found(getattr(event, head), rest.split("."))


def _found(value: Any, parts: Sequence[str]) -> Any:
    if not parts:
        return value
    value = decoded(value)
    if isinstance(value, Mapping):
        if ".".join(parts) in value:
            return value[".".join(parts)]
        return _found(value[parts[0]], parts[1:]) if parts[0] in value else ABSENT
    if isinstance(value, list) and parts[0].isdigit() and int(parts[0]) < len(value):
        return _found(value[int(parts[0])], parts[1:])
    return ABSENT


def decoded(value: Any) -> Any:
    """What JSON inside text stands for; everything else as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def with_member(event: AuditEvent, path: str, value: object) -> AuditEvent | None:
    head, _, rest = path.partition(".")
    if head in ("actor", "kind", "error_code") and not rest:
        return _replaced(event, head, str(value))
    if head not in MAPPINGS or "*" in rest:
        return None
    return _replaced(event, head, _put(dict(getattr(event, head)), rest.split("."), value))


def without_member(event: AuditEvent, path: str) -> AuditEvent | None:
    head, _, rest = path.partition(".")
    members = dict(getattr(event, head))
    if rest not in members:
        return None
    del members[rest]
    return _replaced(event, head, members)


def _replaced(event: AuditEvent, member: str, value: Any) -> AuditEvent:
    changes: dict[str, Any] = {member: value}
    return replace(event, **changes)


def _put(value: Any, parts: Sequence[str], new: object) -> Any:
    """`value` with `new` at the path; what is JSON inside text stays so."""
    if isinstance(value, str):
        return json.dumps(_put(json.loads(value), parts, new))
    if isinstance(value, list):
        at = int(parts[0])
        return [
            (_put(entry, parts[1:], new) if parts[1:] else new) if number == at else entry
            for number, entry in enumerate(value)
        ]
    joined, first = ".".join(parts), parts[0]
    if joined in value or len(parts) == 1 or _found(value, parts) is ABSENT:
        return {**value, joined: new}
    return {**value, first: _put(value[first], parts[1:], new)}
