"""Pay-as-you-go by the second: each resource that costs by the hour has a meter, kept
as lines of the account's bill (`state.bill`).

Nothing ticks, and no operation speaks of meters. At the end of each unit of work
`observe` looks at what has changed: the rate of a resource follows from its fields, so
whatever gives it another one (made, changed, subscribed, removed by anybody) ends one
line and begins the next. Orders that are paid or given back become lines likewise. The
lines are written in the transaction that writes the change, and are never changed once
they have ended: neither a removal nor a rotation of the account touches them.

The balance pays whole hours of a running meter and the rest at its end, in whole cents;
what is left is carried in the balance's `owed`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from proofwalk.devcloud.engine.billing import hourly, subscribed
from proofwalk.devcloud.engine.state.bill import HOUR_S, Line
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.devcloud.engine.state.world import Key, Resource, World
from proofwalk.devcloud.products.catalogue import Catalogue


class Meters:
    """The bill of all accounts."""

    def __init__(self, catalogue: Catalogue, world: World, store: Store) -> None:
        self._catalogue = catalogue
        self._world = world
        self._store = store
        self._order = catalogue.records.get("order")
        self._next_hour = 0.0 if catalogue.charges else math.inf
        """No running meter completes an hour before it."""

    def due(self, now: float) -> bool:
        """Whether a running meter may have completed an hour."""
        return now >= self._next_hour

    def lines(self, account: str, since: float, until: float) -> Sequence[Line]:
        """The account's lines that a period has a part in, oldest first."""
        return self._store.lines(account, since, until)

    def observe(self, now: float, *, forgotten: bool = False) -> None:
        """Bring the bill up to what the unit of work has changed, in the transaction in
        which it is written. `forgotten` orders vanish from the books, and their lines
        stay."""
        if not self._catalogue.charges:
            return
        changes = self._world.pending()
        for resource in changes.written:
            if resource.kind in self._catalogue.charges:
                self._run(resource, now)
            elif resource.kind == self._order:
                self._bill_order(changes.former[resource.key], resource, now)
        for key in changes.erased:
            if key[1] in self._catalogue.charges:
                self._stop(key, changes.removed_at.get(key, now))
            elif key[1] == self._order and not forgotten:
                self._bill_order(changes.former[key], None, now)
        if self.due(now):
            self._pay_hours(now)

    def _run(self, resource: Resource, now: float) -> None:
        charge = self._catalogue.charges[resource.kind]
        rate = 0.0 if subscribed(charge, resource.fields) else hourly(charge, resource.fields)
        running = self._store.meter(*resource.key)
        if (running.rate if running is not None else 0.0) == rate:
            return
        self._stop(resource.key, now)
        if rate > 0:
            line = Line(
                account=resource.account,
                item="PayAsYouGoBill",
                kind=resource.kind,
                id=resource.id,
                region=resource.region,
                product_code=charge.product_code or resource.kind.split(".", 1)[0],
                since=now,
                until=None,
                rate=rate,
            )
            self._store.add_line(line)
            self._next_hour = min(self._next_hour, now + HOUR_S)

    def _stop(self, key: Key, at: float) -> None:
        running = self._store.meter(*key)
        if running is None:
            return
        end = max(at, running.since)
        cost = running.cost(running.since, end, end)
        self._pay(running.account, cost - running.paid)
        self._store.pay_line(running.number, paid=cost, until=end)

    def _pay_hours(self, now: float) -> None:
        running = self._store.meters()
        for line in running:
            whole = math.floor((now - line.since) / HOUR_S)
            cost = round(line.rate * whole, 6)
            if cost > line.paid:
                self._pay(line.account, cost - line.paid)
                self._store.pay_line(line.number, paid=cost, until=None)
        self._next_hour = min(
            (
                line.since + HOUR_S * (math.floor((now - line.since) / HOUR_S) + 1)
                for line in running
            ),
            default=math.inf,
        )

    def _pay(self, account: str, amount: float) -> None:
        """Take what is owed from the balance, which may fall below zero."""
        for purse in self._world.of_kind(account, self._catalogue.records["balance"]):
            self._world.touch(purse)
            owed = purse.fields.get("owed", 0.0) + amount
            cents = math.floor(round(owed * 100, 4)) / 100
            purse.fields["available"] = round(purse.fields["available"] - cents, 2)
            purse.fields["owed"] = round(owed - cents, 6)

    def _bill_order(self, former: Resource | None, present: Resource | None, now: float) -> None:
        order = present or former
        amount = round(_paid(present) - _paid(former), 2)
        if order is None or not amount:
            return
        line = Line(
            account=order.account,
            item="SubscriptionOrder" if amount > 0 else "Refund",
            kind=order.kind,
            id=order.id,
            region=str(order.fields["place"]),
            product_code=str(order.fields["product_code"]),
            since=now,
            until=now,
            amount=amount,
            paid=amount,
        )
        self._store.add_line(line)


def _paid(order: Resource | None) -> float:
    return float(order.fields["amount"]) if order is not None and order.status == "Paid" else 0.0
