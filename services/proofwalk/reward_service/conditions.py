"""Whether a condition holds for values of an event.

Values are compared as the log writes them: `8080` and `"8080"` are equal, because logs
write numbers as text. `matches` searches with RE2 (`chassis.patterns`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from proofwalk.chassis.patterns import compile_pattern
from proofwalk.reward_service.event_values import decoded, text_of
from proofwalk.reward_service.references import UNBOUND, items_of
from proofwalk.reward_service.rules import Condition, network_of


def holds(condition: Condition, found: Sequence[object], wanted: object) -> bool:
    """Whether the condition holds for what was found. Of several values one suffices; a
    negation holds for all of them."""
    if any(value is UNBOUND for value in items_of(wanted)):
        return False
    if condition.op == "exists":
        return bool([value for value in found if value not in (None, "")]) == bool(wanted)
    if condition.op == "ne":
        return not any(_equal(value, wanted) for value in found)
    if condition.op == "not_in":
        return not any(_equal(value, item) for value in found for item in items_of(wanted))
    return any(_relates(condition.op, value, wanted) for value in found)


def _relates(op: str, value: object, wanted: object) -> bool:
    match op:
        case "eq":
            return any(_equal(value, item) for item in items_of(wanted))
        case "in":
            return any(_equal(value, item) for item in items_of(wanted))
        case "contains":
            if isinstance(value, str) and value[:1] == "[":
                value = decoded(value)
            return (
                any(_equal(item, wanted) for item in value)
                if isinstance(value, list)
                else text_of(wanted) in text_of(value)
            )
        case "matches":
            return compile_pattern(str(wanted)).search(text_of(value))
        case "cidr_in":
            return _inside(value, wanted)
        case _:
            return _compares(op, value, wanted)


def _compares(op: str, value: object, wanted: object) -> bool:
    try:
        left, right = float(text_of(value)), float(text_of(wanted))
    except ValueError:
        return False
    return {"gt": left > right, "lt": left < right, "ge": left >= right, "le": left <= right}[op]


def _inside(value: object, wanted: object) -> bool:
    try:
        network = network_of(wanted)
        inner = ipaddress.ip_network(text_of(value), strict=False)
    except ValueError:
        return False
    return inner.version == network.version and inner.subnet_of(network)  # type: ignore[arg-type]


def _equal(left: object, right: object) -> bool:
    if left is None or right is None:
        return left is right
    if isinstance(left, bool) or isinstance(right, bool):
        return text_of(left).lower() == text_of(right).lower()
    if isinstance(left, (int, float)) or isinstance(right, (int, float)):
        try:
            return float(text_of(left)) == float(text_of(right))
        except ValueError:
            return False
    return left == right or text_of(left) == text_of(right)
