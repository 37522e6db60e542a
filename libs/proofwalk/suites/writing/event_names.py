"""Names of events in the clauses of a rule, made unique in a chain of units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proofwalk.suites.writing.units import Unit


def unique_names(unit: Unit, taken: set[str]) -> dict[str, str]:
    """Names of events that are unique in the chain."""
    names: dict[str, str] = {}
    for clause in unit.rule.all:
        if "as" in clause:
            name, number = str(clause["as"]), 2
            while name in taken:
                name, number = f"{clause['as']}_{number}", number + 1
            taken.add(name)
            names[str(clause["as"])] = name
    return names


def with_event_names(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\$event\.(\w+)", lambda found: f"$event.{names.get(found[1], found[1])}", text)


def with_renamed_events(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return with_event_names(value, names)
    if isinstance(value, dict):
        return {key: with_renamed_events(entry, names) for key, entry in value.items()}
    return (
        [with_renamed_events(entry, names) for entry in value]
        if isinstance(value, (list, tuple))
        else value
    )
