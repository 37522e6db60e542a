"""What clauses of a rule ask: which event, and which names they mention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proofwalk.suites.rules.documents import Clause, operations_of
from proofwalk.suites.writing.rendering import (
    mentions,
)


def is_same_event(one: Clause, other: Clause) -> bool:
    shared = set(operations_of(one)) & set(operations_of(other))
    return bool(shared) and one.get("service", "") == other.get("service", "")


def mentions_any(value: Any, names: set[str]) -> bool:
    return any(mentions(text, name) for text in _strings(value) for name in names)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _strings(entry)
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _strings(entry)
