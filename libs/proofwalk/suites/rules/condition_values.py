"""Values that meet a condition of a rule, and values that do not."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import Any

from proofwalk.chassis.patterns import compile_pattern
from proofwalk.suites.rules.event_members import ABSENT


def same_value(have: object, wanted: object) -> bool:
    if isinstance(have, bool) or isinstance(wanted, bool):
        return str(have).lower() == str(wanted).lower()
    try:
        return float(str(have)) == float(str(wanted))
    except ValueError:
        return str(have) == str(wanted)


def other_value(have: object) -> object:
    """A value of the same kind that is not this one."""
    text = str(have)
    if isinstance(have, bool) or text.lower() in ("true", "false"):
        return "false" if text.lower() == "true" else "true"
    if re.fullmatch(r"-?\d+", text):
        return str(int(text) + 1)
    return f"{text}-other"


def failing_value(op: str, wanted: Any) -> object | None:
    """A value for which the operator does not hold."""
    if op == "contains":
        return next((text for text in ("other", "0") if str(wanted) not in text), None)
    if op == "matches":
        return next(
            (text for text in ("", "\u0001", "0") if not compile_pattern(str(wanted)).search(text)),
            None,
        )
    if op == "cidr_in":
        network = ipaddress.ip_network(str(wanted), strict=False)
        outside = ("203.0.113.0/24", "10.0.0.0/8", "fd00::/8")
        return next((text for text in outside if not _inside(text, network)), None)
    number = float(str(wanted))
    beyond = {"gt": number, "ge": number - 1, "lt": number, "le": number + 1}.get(op)
    return None if beyond is None else str(int(beyond) if beyond == int(beyond) else beyond)


def _inside(text: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    inner = ipaddress.ip_network(text)
    return inner.version == network.version and inner.subnet_of(network)  # type: ignore[arg-type]


def meeting_value(op: str, wanted: Sequence[Any] | None) -> object | None:
    """A value for which the operator holds; `ABSENT` where none is needed."""
    if not wanted:
        return None
    first = wanted[0]
    match op:
        case "eq" | "in" | "contains":
            return str(first) if not isinstance(first, bool) else str(first).lower()
        case "ne" | "not_in":
            return "-".join([*map(str, wanted), "other"])
        case "exists":
            return ABSENT if first is False else "x"
        case "gt" | "ge":
            return str(float(str(first)) + 1)
        case "lt" | "le":
            return str(float(str(first)) - 1)
        case "cidr_in":
            return str(first)
        case _:
            return None
