"""Holds what the account pool's ledger says of a lease beside what devcloud's own bill
says of the account and the time.

The pool reads BssOpenApi with the account's key; here the bill is the host's list of
meters, orders and refunds, each with its moments and its rate, and the sum is made
here. A lease answers for all that ran from its grant to the next one of its account,
hence also for what ran until a sweep had removed it. What was paid back after the
lease's end is the sweep's.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

BOUND = 0.01
"""The largest relative error that a lease's figure may have."""
_HOUR_S = 3600.0
_MILLIONTH = 1e-6


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What one lease cost, in CNY, by both."""

    ledger: float | None
    """None where the ledger has no figure."""
    bill: float

    @property
    def error(self) -> float:
        """Of the ledger's figure, relative to the bill. A figure that is missing is all
        wrong, and so is one where the bill has nothing."""
        if self.ledger is None:
            return 1.0
        apart = abs(self.ledger - self.bill)
        if apart <= _MILLIONTH:
            return 0.0  # an amount is told to a millionth
        return apart / self.bill if self.bill > _MILLIONTH else 1.0


@dataclass(frozen=True, kw_only=True)
class Lease:
    """A line of the ledger; moments are seconds of wall time."""

    lease_id: str
    granted_at: float
    ended_at: float | None
    cost: float | None


def line_of(told: Any) -> Lease:
    """A line as the pool's `ListLeases` tells it."""
    ended = told.ended_at.ToNanoseconds() / 1e9 if told.HasField("ended_at") else None
    return Lease(
        lease_id=told.lease_id,
        granted_at=told.granted_at.ToNanoseconds() / 1e9,
        ended_at=ended,
        cost=told.cost.micros / 1e6 if told.HasField("cost") else None,
    )


def spending(
    leases: Sequence[Lease], bill: Sequence[Mapping[str, Any]], *, now: float
) -> dict[str, Spending]:
    """What each of an account's leases cost, by its id."""
    in_turn = sorted(leases, key=lambda lease: lease.granted_at)
    ends = [lease.granted_at for lease in in_turn[1:]] + [math.inf for _ in in_turn[:1]]
    return {
        lease.lease_id: Spending(
            ledger=lease.cost,
            bill=sum(_part(line, lease, until=until, now=now) for line in bill),
        )
        for lease, until in zip(in_turn, ends, strict=True)
    }


def _part(line: Mapping[str, Any], lease: Lease, *, until: float, now: float) -> float:
    """What of a line of the bill is the lease's, whose account was its own until
    then."""
    begin = float(line["since"])
    end = now if line["until"] is None else float(line["until"])
    lived = min(end, until) - max(begin, lease.granted_at)
    cost = float(line["rate"]) * max(lived, 0.0) / _HOUR_S
    paid = float(line["amount"])
    is_the_sweeps = paid < 0 and lease.ended_at is not None and begin > lease.ended_at
    if lease.granted_at <= begin < until and not is_the_sweeps:
        cost += paid
    return cost


def figures_of(spent: Sequence[Spending]) -> dict[str, Any]:
    """How far the ledger is from the bill. A lease that cost nothing is right if the
    ledger says so; as it can hardly be wrong, the median and the count are those of
    leases that cost something."""
    paying = [one for one in spent if one.bill > _MILLIONTH]
    errors = [one.error for one in spent]
    largest = max(errors, default=None)
    return {
        "value": None if largest is None else round(largest, 6),
        "target": f"<= {BOUND:g}",
        "met": bool(paying) and largest is not None and largest <= BOUND,
        "median": round(statistics.median(one.error for one in paying), 6) if paying else None,
        "leases_that_cost": len(paying),
        "leases_at_no_cost": len(spent) - len(paying),
        "without_a_figure": sum(one.ledger is None for one in spent),
        "above_the_bound": sum(error > BOUND for error in errors),
        "bill_cny": round(sum(one.bill for one in spent), 6),
        "ledger_cny": round(sum(one.ledger or 0.0 for one in spent), 6),
    }
