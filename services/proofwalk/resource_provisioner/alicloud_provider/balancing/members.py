"""Lists of members, as server groups and access control lists have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Member = Mapping[str, Any]


def members_json(members: Iterable[Member]) -> str | None:
    """Members as the JSON list that the API takes; None where there are none."""
    listed = [dict(member) for member in members]
    return json.dumps(listed) if listed else None


def same_members(one: Iterable[Member], other: Iterable[Member]) -> bool:
    plain: Callable[[Iterable[Member]], list[str]] = lambda rows: sorted(  # noqa: E731
        json.dumps(row, sort_keys=True) for row in rows
    )
    return plain(one) == plain(other)
