"""The rows of a bucket's block, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def first_row(rows: Any) -> Mapping[str, Any]:
    return next(iter(rows or []), {})


def meaning(value: Any) -> Any:
    """A block without what it leaves open."""
    if isinstance(value, Mapping):
        kept = {name: meaning(item) for name, item in value.items()}
        return {
            name: item for name, item in kept.items() if item not in (None, "", [], {}, 0, False)
        }
    return [meaning(item) for item in value] if isinstance(value, list) else value
