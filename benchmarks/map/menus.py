"""The menu of a product file, which holds entries and groups of entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def entries(content: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield each entry of a product's menu with its group, which may be empty."""
    for entry in content["menu"]:
        if "items" in entry:
            yield from ((one, entry) for one in entry["items"])
        else:
            yield entry, {}
