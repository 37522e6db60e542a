"""What a plan makes, as far as its cost goes: the resources with what is known of them,
and for how long they are subscribed. Pure; the plan is the document of `terraform show
-json` that `planned` has passed.

An argument that the template gives and that is not known before the plan is applied is
*hidden*: a price or a period that rests on one can be told by nobody.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from proofwalk.kernel.json_values import JsonObject, JsonValue, list_of, object_of

PAYMENT = frozenset({"charge_type", "instance_charge_type", "payment_type"})
"""Arguments that say how a resource is paid."""
_SUBSCRIBED = frozenset({"prepaid", "prepay", "subscription"})
_UNITS = frozenset({"period_unit", "pricing_cycle"})
_MONTHS: Mapping[str, float] = {"week": 0.25, "month": 1, "year": 12}
PERIOD = frozenset({"period", *_UNITS})
"""Arguments that say for how long."""


@dataclass(frozen=True, kw_only=True)
class PlannedResource:
    """A resource that the plan makes, changes or keeps."""

    address: str
    type: str
    arguments: JsonObject
    """Those that are known."""
    hidden: frozenset[str]

    @property
    def is_subscribed(self) -> bool:
        """Whether it is paid in advance."""
        return any(str(self.arguments.get(name) or "").lower() in _SUBSCRIBED for name in PAYMENT)

    @property
    def months(self) -> int:
        """Of its subscription, begun ones counted as whole; 0 where it is paid as it
        goes. Raises `ValueError` for a period that is no number."""
        if not self.is_subscribed:
            return 0
        units = [str(self.arguments[name]) for name in _UNITS if self.arguments.get(name)]
        unit = _MONTHS.get(units[0].lower()) if units else 1
        if unit is None:
            raise ValueError(f"{units[0]!r} is no unit of a period")
        given = self.arguments.get("period")
        return max(math.ceil((1 if given is None else float(str(given))) * unit), 1)

    def hides(self, deciding: frozenset[str]) -> frozenset[str]:
        """What is not known of the arguments that decide its price, and of how it is
        paid. A period matters where it is subscribed."""
        matters = deciding | PAYMENT | (PERIOD if self.is_subscribed else frozenset())
        return self.hidden & matters


def planned_resources(document: JsonObject) -> Iterator[PlannedResource]:
    """The managed resources that there are once the plan is applied. What the state
    holds already is among them, so that a repeated run costs the same."""
    given = {
        str(one.get("address")): object_of(one.get("expressions"))
        for one in map(object_of, _resources(document))
    }
    for change in map(object_of, list_of(document.get("resource_changes"))):
        if change.get("mode") != "managed":
            continue
        address = str(change.get("address"))
        what = object_of(change.get("change"))
        configured = given.get(_of_one(address), {})
        unknown = object_of(what.get("after_unknown"))
        yield PlannedResource(
            address=address,
            type=str(change.get("type")),
            arguments={
                name: value
                for name, value in object_of(what.get("after")).items()
                if value is not None
            },
            hidden=frozenset(
                name for name in configured if name in unknown and _holds(unknown[name])
            ),
        )


def _resources(document: JsonObject) -> list[JsonValue]:
    root = object_of(object_of(document.get("configuration")).get("root_module"))
    return list(list_of(root.get("resources")))


def _of_one(address: str) -> str:
    """The address of a counted resource without its number."""
    return address.partition("[")[0]


def _holds(unknown: JsonValue) -> bool:
    """Whether something of a value is unknown: `true`, or within a block."""
    if isinstance(unknown, Mapping):
        return any(map(_holds, unknown.values()))
    if isinstance(unknown, list | tuple):
        return any(map(_holds, unknown))
    return unknown is True
