"""SQL over webhooks and their deliveries. Each function takes a transaction that its
caller ends; none of them decides anything.

`save_delivery` is a compare-and-swap on the state, the tries and the claim that the
caller read: of several processes that look at a delivery, one gets it. Losing it raises
`database.conflict`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from proofwalk.chassis.database import Transaction
from proofwalk.inspection.repository import visible_to
from proofwalk.inspection.webhook_life import (
    Delivery,
    DeliveryState,
    EventType,
    Subscription,
    no_delivery,
    no_webhook,
)
from proofwalk.inspection.webhook_tables import webhook_deliveries, webhooks
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, Status

_PENDING = DeliveryState.PENDING.value


async def add_webhook(tx: Transaction, subscription: Subscription) -> None:
    """A new webhook."""
    await tx.execute(insert(webhooks).values(_webhook_columns(subscription)))


async def save_webhook(tx: Transaction, subscription: Subscription) -> None:
    """Write a webhook in the place of what it was."""
    await tx.execute(
        update(webhooks)
        .where(webhooks.c.webhook_id == subscription.webhook_id)
        .values(_webhook_columns(subscription))
    )


async def delete_webhook(tx: Transaction, webhook_id: str) -> None:
    """Delete a webhook with its deliveries."""
    await tx.execute(
        delete(webhook_deliveries).where(webhook_deliveries.c.webhook_id == webhook_id)
    )
    await tx.execute(delete(webhooks).where(webhooks.c.webhook_id == webhook_id))


async def webhook(tx: Transaction, webhook_id: str, *, caller: Caller) -> Subscription:
    """Raises `webhook.not_found`."""
    query = select(webhooks).where(
        webhooks.c.webhook_id == webhook_id, visible_to(caller, webhooks.c.principal)
    )
    row = (await tx.execute(query)).mappings().one_or_none()
    if row is None:
        raise no_webhook(webhook_id)
    return _webhook(row)


async def webhooks_of(tx: Transaction, *, caller: Caller) -> Sequence[Subscription]:
    """Webhooks that the caller sees, oldest first."""
    return await _webhooks(tx, visible_to(caller, webhooks.c.principal))


async def listening(tx: Transaction, principal: str, event: EventType) -> Sequence[Subscription]:
    """The principal's webhooks in use that take this event."""
    own = await _webhooks(
        tx, and_(webhooks.c.principal == principal, webhooks.c.disabled_at.is_(None))
    )
    return [one for one in own if event in one.events]


async def add_delivery(tx: Transaction, delivery: Delivery) -> None:
    """A new delivery."""
    await tx.execute(insert(webhook_deliveries).values(_delivery_columns(delivery)))


async def save_delivery(tx: Transaction, delivery: Delivery, *, was: Delivery) -> None:
    """Replace `was` by `delivery`, if it is still what it was. Raises
    `database.conflict`."""
    columns = webhook_deliveries.c
    claim = (
        columns.claimed_until.is_(None)
        if was.claimed_until is None
        else columns.claimed_until == was.claimed_until
    )
    same = and_(
        columns.delivery_id == was.delivery_id,
        columns.state == was.state.value,
        columns.tries == was.tries,
        claim,
    )
    changed = await tx.execute(
        update(webhook_deliveries).where(same).values(_delivery_columns(delivery))
    )
    if changed.rowcount != 1:
        raise ProofwalkError(
            "database.conflict",
            "another transaction changed the delivery",
            status=Status.ABORTED,
            retryable=True,
        )


async def delivery(tx: Transaction, delivery_id: str, *, caller: Caller) -> Delivery:
    """Raises `webhook.no_delivery`."""
    columns = webhook_deliveries.c
    query = select(webhook_deliveries).where(
        columns.delivery_id == delivery_id, visible_to(caller, columns.principal)
    )
    row = (await tx.execute(query)).mappings().one_or_none()
    if row is None:
        raise no_delivery(delivery_id)
    return _delivery(row)


async def deliveries_of(tx: Transaction, webhook_id: str, *, limit: int) -> Sequence[Delivery]:
    """Deliveries of a webhook, newest first."""
    columns = webhook_deliveries.c
    query = (
        select(webhook_deliveries)
        .where(columns.webhook_id == webhook_id)
        .order_by(columns.created_at.desc(), columns.delivery_id.desc())
        .limit(limit)
    )
    return [_delivery(row) for row in (await tx.execute(query)).mappings()]


async def due(
    tx: Transaction, now: datetime, *, limit: int, delivery_id: str = ""
) -> Sequence[str]:
    """Ids of deliveries to try now, or this one if it is: for each webhook in use of
    which none is on the wire, the one that is due longest. So a slow receiver holds up
    its own alone."""
    columns = webhook_deliveries.c
    other = webhook_deliveries.alias("other")
    on_the_wire = exists().where(
        other.c.webhook_id == columns.webhook_id,
        other.c.state == _PENDING,
        other.c.claimed_until > now,
    )
    rank = (
        func.row_number()
        .over(
            partition_by=columns.webhook_id,
            order_by=(columns.due_at, columns.created_at, columns.delivery_id),
        )
        .label("rank")
    )
    ready = (
        select(columns.delivery_id, columns.due_at, rank)
        .join(webhooks, webhooks.c.webhook_id == columns.webhook_id)
        .where(
            columns.state == _PENDING,
            columns.due_at <= now,
            or_(columns.claimed_until.is_(None), columns.claimed_until <= now),
            webhooks.c.disabled_at.is_(None),
            ~on_the_wire,
        )
        .subquery()
    )
    query = (
        select(ready.c.delivery_id)
        .where(ready.c.rank == 1, ready.c.delivery_id == delivery_id if delivery_id else true())
        .order_by(ready.c.due_at, ready.c.delivery_id)
        .limit(limit)
    )
    return list((await tx.execute(query)).scalars())


async def forget(tx: Transaction, *, before: datetime) -> None:
    """Delete deliveries that ended before a moment."""
    await tx.execute(delete(webhook_deliveries).where(webhook_deliveries.c.ended_at < before))


async def _webhooks(tx: Transaction, where: ColumnElement[bool]) -> Sequence[Subscription]:
    query = select(webhooks).where(where).order_by(webhooks.c.created_at, webhooks.c.webhook_id)
    return [_webhook(row) for row in (await tx.execute(query)).mappings()]


def _webhook(row: RowMapping) -> Subscription:
    return Subscription(**{**row, "events": tuple(EventType(word) for word in row["events"])})


def _webhook_columns(subscription: Subscription) -> dict[str, Any]:
    return {**asdict(subscription), "events": [event.value for event in subscription.events]}


def _delivery(row: RowMapping) -> Delivery:
    return Delivery(
        **{**row, "event": EventType(row["event"]), "state": DeliveryState(row["state"])}
    )


def _delivery_columns(delivery: Delivery) -> dict[str, Any]:
    return {**asdict(delivery), "event": delivery.event.value, "state": delivery.state.value}
