"""Money: what an operation costs, orders, the balance, and what is subscribed.

An operation with a `charge` makes a `Purchase`. For a subscription it is an order: the
balance pays it at once, or, where the request says `AutoPay=false`, the operation is
undone and the order keeps it until it is paid. Such an order keeps the ids that were
drawn, so that what its payment makes is what the first answer named. Pay-as-you-go is
refused below a minimum balance, and costs by the hour from then on (`metering`). What
is subscribed has a record, which says where in the resource its end and its renewal
stand; the resource itself stays the one place of these values.

Balance, orders and records are resources of the types that a product file marks with
`record`, hence durable, undone with a refused operation, and the account's own.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from proofwalk.devcloud.engine.calls import Call
from proofwalk.devcloud.engine.identity import new_id
from proofwalk.devcloud.engine.state.world import Resource, World
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.devcloud.products.schema.operations import Charge, Price
from proofwalk.kernel.ids import IdSource

DAYS = {"Week": 7, "Month": 30, "Year": 365}
MONTHS = {"Week": 0.25, "Month": 1, "Year": 12}
HOURS_OF_A_MONTH = 480
"""Hours of pay-as-you-go that cost as much as a month of subscription, where no price
of an hour is declared."""


class RecordedIds:
    """Remembers what it gives."""

    def __init__(self, source: IdSource) -> None:
        self._source = source
        self.drawn: list[str] = []

    def new(self, prefix: str) -> str:
        """A fresh id."""
        self.drawn.append(self._source.new(prefix))
        return self.drawn[-1]


class ReplayedIds:
    """Gives what was drawn before, then fresh ones."""

    def __init__(self, drawn: list[str], source: IdSource) -> None:
        self._drawn = list(drawn)
        self._source = source

    def new(self, prefix: str) -> str:
        """The next id."""
        return self._drawn.pop(0) if self._drawn else self._source.new(prefix)


def balance(world: World, catalogue: Catalogue, account: str) -> Resource:
    """The account's balance, which every account is given."""
    (found,) = world.of_kind(account, catalogue.records["balance"])
    return found


def charge_of(call: Call, kind: str) -> Charge:
    """The charge of the operation: what its type's create operation declares, changed
    by what the operation itself says."""
    declared = call.catalogue.charges[kind]
    own = call.operation.spec.charge
    return (
        declared
        if own is None
        else declared.model_copy(update={name: getattr(own, name) for name in own.model_fields_set})
    )


def subscribed(charge: Charge, fields: Mapping[str, Any]) -> bool:
    """Whether the resource is paid in advance."""
    return fields.get(charge.billing) in charge.subscription


def _sum(prices: list[Price], fields: Mapping[str, Any]) -> float:
    total = 0.0
    for price in prices:
        value = fields.get(price.by) if price.by is not None else None
        number = (
            float(value)
            if isinstance(value, int | float) or (isinstance(value, str) and value.isdigit())
            else 0.0
        )
        total += price.flat + price.prices.get(str(value), 0.0) + price.each * number
    return total


def monthly(charge: Charge, fields: Mapping[str, Any]) -> float:
    """CNY for a month."""
    return round(_sum(charge.month, fields), 2)


def hourly(charge: Charge, fields: Mapping[str, Any]) -> float:
    """CNY for an hour of pay-as-you-go."""
    return round(
        _sum(charge.hour, fields) if charge.hour else monthly(charge, fields) / HOURS_OF_A_MONTH, 4
    )


def term(charge: Charge, fields: Mapping[str, Any]) -> tuple[int, str]:
    """How many, and of what: Week, Month or Year."""
    unit = str(fields.get(charge.unit) or "Month") if charge.unit is not None else "Month"
    return int(fields.get(charge.period) or 1), unit if unit in DAYS else "Month"


def extended(expires: Any, count: int, unit: str, now: float) -> str:
    """The end of a subscription, so much later; one that has passed goes on from
    now."""
    start = datetime.fromtimestamp(now, UTC)
    with contextlib.suppress(ValueError):  # a resource that had no end yet
        start = max(datetime.fromisoformat(str(expires)).astimezone(UTC), start)
    return (start + timedelta(days=DAYS[unit] * count)).strftime("%Y-%m-%dT%H:%MZ")


def cost(charge: Charge, before: Mapping[str, Any], after: Mapping[str, Any], now: float) -> float:
    """What the order comes to, in CNY."""
    count, unit = term(charge, after)
    if charge.type != "Upgrade":
        return round(monthly(charge, after) * MONTHS[unit] * count, 2)
    try:
        left = datetime.fromisoformat(str(after.get(charge.expires))).timestamp() - now
    except ValueError:
        left = 0.0
    difference = monthly(charge, after) - monthly(charge, before)
    return round(max(difference, 0.0) * max(left, 0.0) / (DAYS["Month"] * 86400), 2)


class Purchase:
    """The cost of one operation, settled when the operation has done its work."""

    def __init__(self, call: Call) -> None:
        self._declared = call.operation.spec.charge is not None
        self._deferred = (
            self._declared
            and call.order is None
            and call.params.get("AutoPay", "").lower() == "false"
        )
        self._ids = RecordedIds(call.ids)
        self.call = replace(call, ids=self._ids) if self._deferred else call
        """What the operation is to be carried out with."""
        self._amount = 0.0
        self._price = 0.0
        self._term = (1, "Month")
        self._orders = False
        self._order_id = call.order.id if call.order is not None else ""

    def take(self, resource: Resource, before: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        """Count what was made or changed: the fields that it had, and those that it has
        with all that was asked for (a period that is not kept). A renewal moves the
        end."""
        if not self._declared:
            return
        call, charge = self.call, charge_of(self.call, resource.kind)
        if not subscribed(charge, resource.fields):
            self._price += hourly(charge, resource.fields)
            if (
                balance(call.world, call.catalogue, call.account).fields["available"]
                < charge.minimum
            ):
                raise refusal(charge.fault)
            close(call, resource)
            return
        amount = cost(charge, before, asked, call.now)
        self._term = term(charge, asked)
        self._orders = self._orders or charge.type != "Upgrade" or amount > 0
        self._amount = round(self._amount + amount, 2)
        if charge.type == "Renewal":
            resource.fields[charge.expires] = extended(
                before.get(charge.expires), *self._term, call.now
            )
        subscribe(call, resource, charge)

    def receipt(self) -> dict[str, Any]:
        """`order` and `price` for the answer."""
        if self._orders and not self._order_id:
            self._order_id = new_id(self.call, self.call.catalogue.records["order"], "")
        return {
            "order": self._order_id,
            "price": self._amount if self._orders else round(self._price, 4),
        }

    def settle(self, resources: list[Resource]) -> list[Resource]:
        """Pay, or undo everything and leave an unpaid order; answers what the operation
        was about."""
        if not self._orders:
            return resources
        self.receipt()
        call, first = self.call, resources[0]
        if self._deferred:
            call.world.rollback()
            order = self._order(first, resources, "Unpaid")
            order.fields["operation"] = json.dumps(
                [call.operation.product.api.version, call.operation.spec.op]
            )
            left_out = {"AutoPay", "ClientToken"} | call.operation.secret_params()
            order.fields["parameters"] = json.dumps(
                {k: v for k, v in call.params.items() if k not in left_out}
            )
            order.fields["drawn"] = json.dumps(self._ids.drawn)
            order.fields["instance_ids"] = []
            call.world.add(order)
            return [order]
        charge = charge_of(call, first.kind)
        purse = balance(call.world, call.catalogue, call.account)
        if purse.fields["available"] < self._amount:
            raise refusal(charge.fault)
        call.world.touch(purse)
        purse.fields["available"] = round(purse.fields["available"] - self._amount, 2)
        if call.order is None:
            call.world.add(self._order(first, resources, "Paid"))
        else:
            call.world.touch(call.order)
            call.order.status = "Paid"
            call.order.fields.update(
                paid_at=call.scope.now,
                amount=self._amount,
                instance_ids=[resource.id for resource in resources],
            )
        return resources

    def _order(self, first: Resource, resources: list[Resource], status: str) -> Resource:
        call, charge = self.call, charge_of(self.call, first.kind)
        product = call.operation.product
        count, unit = self._term
        return Resource(
            account=call.account,
            kind=call.catalogue.records["order"],
            id=self._order_id,
            region="",
            status=status,
            created=call.scope.now,
            given=True,
            fields={
                "product": product.title,
                "product_code": charge.product_code or product.id,
                "resource": call.catalogue.resources[first.kind].label,
                "type": charge.type,
                "place": first.region,
                "quantity": len(resources),
                "term": f"{count} {unit}",
                "amount": self._amount,
                "paid_at": call.scope.now if status == "Paid" else "",
                "ends": str(first.fields.get(charge.expires) or ""),
                "instance_ids": [resource.id for resource in resources],
            },
        )


def subscribe(call: Call, resource: Resource, charge: Charge) -> None:
    """See that what is subscribed has its record."""
    kind = call.catalogue.records["subscription"]
    if _record(call.world, kind, resource) is not None:
        return
    product = call.catalogue.products[resource.kind.split(".", 1)[0]]
    record = Resource(
        account=resource.account,
        kind=kind,
        id=new_id(call, kind, ""),
        region="",
        status=call.catalogue.resources[kind].lifecycle.initial,
        created=call.scope.now,
        given=True,
        fields={
            "instance_id": resource.id,
            "instance_kind": resource.kind,
            "product": product.title,
            "product_code": charge.product_code or product.id,
            "place": resource.region,
            "expires_field": charge.expires,
            "auto_renew_field": charge.auto_renew or "",
            "period_field": charge.auto_renew_period or "",
            "lapses": False,
        },
    )
    call.world.add(record)


def close(call: Call, resource: Resource) -> None:
    """What is no longer subscribed has no record."""
    record = _record(call.world, call.catalogue.records["subscription"], resource)
    if record is not None:
        call.world.remove(record)


def _record(world: World, kind: str, resource: Resource) -> Resource | None:
    held = world.of_kind(resource.account, kind)
    return next(
        (
            r
            for r in held
            if (r.fields["instance_kind"], r.fields["instance_id"]) == (resource.kind, resource.id)
        ),
        None,
    )


def forget(world: World, catalogue: Catalogue, account: str) -> None:
    """Begin the account's books again: no orders, and the balance that an account is
    given."""
    if "balance" not in catalogue.records:
        return
    for order in world.of_kind(account, catalogue.records["order"]):
        world.remove(order)
    for purse in world.of_kind(account, catalogue.records["balance"]):
        world.touch(purse)
        purse.fields.update(catalogue.resources[purse.kind].api.given[0].fields)


def refund(world: World, catalogue: Catalogue, resource: Resource) -> None:
    """Take back the orders of a resource that the host removes, as if it had never been
    bought."""
    if resource.kind not in catalogue.charges:
        return
    purse = balance(world, catalogue, resource.account)
    for order in world.of_kind(resource.account, catalogue.records["order"]):
        ids = order.fields["instance_ids"]
        if order.status != "Paid" or resource.id not in ids:
            continue
        share = round(order.fields["amount"] / len(ids), 2)
        world.touch(purse)
        purse.fields["available"] = round(purse.fields["available"] + share, 2)
        if len(ids) == 1:
            world.remove(order)
        else:
            world.touch(order)
            rest = [one for one in ids if one != resource.id]
            order.fields.update(
                instance_ids=rest,
                quantity=len(rest),
                amount=round(order.fields["amount"] - share, 2),
            )
