"""What may happen to webhooks, one function and one transaction each.

`announce` is called inside the transaction that makes an event, and writes one delivery
for each webhook that takes it: an event that is stored is told, and one whose
transaction was rolled back is not. `attend` claims a delivery, sends it outside of any
transaction, and stores what came of it; a process that dies in between leaves a claim
that ends by itself, and the delivery goes out again under the same id.

The secret of a webhook is sealed in its row, registered for redaction while this
process knows it, and shown once: to who made it.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog

from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.sealing import Seal, WrongKey, seal_anew
from proofwalk.inspection import webhook_life as life
from proofwalk.inspection import webhook_repository as repository
from proofwalk.inspection import webhook_tables
from proofwalk.inspection.webhook_life import (
    Attempt,
    Delivery,
    DeliveryState,
    EventType,
    Facts,
    RetryPolicy,
    Subscription,
)
from proofwalk.inspection.webhook_sender import Sender
from proofwalk.inspection.webhook_signing import KEY_BYTES, headers, secret_of
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import exhausted, invalid
from proofwalk.kernel.ids import IdSource

MOST_WEBHOOKS = 20
"""Of one principal."""
MOST_SHOWN = 200
_CLAIM_MARGIN_S = 15.0
_WRONG_KEY = "the webhook's secret was sealed with another key; make the webhook anew"
log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What somebody who subscribes asks for."""

    url: str
    events: Sequence[str]
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How deliveries are tried, and how long they are kept."""

    policy: RetryPolicy
    deadline_s: float
    keep: timedelta


@dataclass(frozen=True, kw_only=True)
class Means:
    """What webhooks are kept secret and sent with."""

    seal: Seal
    redaction: Redaction
    sender: Sender
    chance: Callable[[], float] = random.random
    """In [0, 1), for pauses."""
    key: Callable[[int], bytes] = secrets.token_bytes
    """So many random bytes, for secrets."""


class Webhooks:
    """The use cases over one database."""

    def __init__(
        self, *, db: Database, clock: Clock, ids: IdSource, means: Means, bounds: Bounds
    ) -> None:
        self._db = db
        self._clock = clock
        self._ids = ids
        self._means = means
        self._bounds = bounds

    async def renew_secrets(self) -> None:
        """Bring all secrets under the first of several keys."""
        await seal_anew(self._db, webhook_tables.webhooks.c.secret, self._means.seal)

    async def subscribe(self, wish: Wish, *, caller: Caller) -> tuple[Subscription, str]:
        """Make a webhook; return it with its secret. Raises `webhook.bad_url`,
        `webhook.bad_event`, `webhook.too_long`, `webhook.too_many`."""
        self._means.sender.check(wish.url)
        events = life.chosen(wish.events)
        if len(wish.description) > life.MAX_DESCRIPTION:
            raise invalid(
                "webhook.too_long",
                f"the description has {len(wish.description)} characters; at most"
                f" {life.MAX_DESCRIPTION} are stored",
            )
        secret = secret_of(self._means.key(KEY_BYTES))
        self._means.redaction.register(secret)
        subscription = Subscription(
            webhook_id=self._ids.new("wh"),
            principal=caller.principal,
            url=wish.url,
            events=events,
            description=wish.description,
            secret=self._means.seal.seal(secret),
            created_at=self._clock.now(),
        )

        async def work(tx: Transaction) -> None:
            own = Caller(principal=caller.principal)
            if len(await repository.webhooks_of(tx, caller=own)) >= MOST_WEBHOOKS:
                raise exhausted(
                    "webhook.too_many",
                    f"you have {MOST_WEBHOOKS} webhooks, and nobody has more",
                    hint="delete one first",
                )
            await repository.add_webhook(tx, subscription)

        await self._db.run(work)
        return subscription, secret

    async def all(self, *, caller: Caller) -> Sequence[Subscription]:
        """Webhooks that the caller sees, oldest first."""
        async with self._db.read() as tx:
            return await repository.webhooks_of(tx, caller=caller)

    async def enable(self, webhook_id: str, *, caller: Caller) -> Subscription:
        """Take a disabled webhook back into use. Raises `webhook.not_found`."""

        async def work(tx: Transaction) -> Subscription:
            known = await repository.webhook(tx, webhook_id, caller=caller)
            enabled = life.enabled(known)
            await repository.save_webhook(tx, enabled)
            return enabled

        return await self._db.run(work)

    async def delete(self, webhook_id: str, *, caller: Caller) -> None:
        """Delete a webhook with its deliveries. Raises `webhook.not_found`."""

        async def work(tx: Transaction) -> None:
            await repository.webhook(tx, webhook_id, caller=caller)
            await repository.delete_webhook(tx, webhook_id)

        await self._db.run(work)

    async def deliveries(self, webhook_id: str, *, caller: Caller) -> Sequence[Delivery]:
        """Deliveries of a webhook, newest first. Raises `webhook.not_found`."""
        async with self._db.read() as tx:
            await repository.webhook(tx, webhook_id, caller=caller)
            return await repository.deliveries_of(tx, webhook_id, limit=MOST_SHOWN)

    async def replay(self, delivery_id: str, *, caller: Caller) -> Delivery:
        """Send a delivery that has ended once more. Raises `webhook.no_delivery`,
        `webhook.delivery_pending`."""

        async def work(tx: Transaction) -> Delivery:
            known = await repository.delivery(tx, delivery_id, caller=caller)
            again = life.replayed(known, at=self._clock.now())
            await repository.save_delivery(tx, again, was=known)
            return again

        return await self._db.run(work)

    async def announce(
        self, tx: Transaction, principal: str, event: EventType, facts: Facts
    ) -> None:
        """Write a delivery for each webhook of the principal that takes this event."""
        now = self._clock.now()
        for subscription in await repository.listening(tx, principal, event):
            delivery = Delivery(
                delivery_id=self._ids.new("msg"),
                webhook_id=subscription.webhook_id,
                principal=principal,
                event=event,
                body=life.body_of(event, at=now, facts=facts),
                state=DeliveryState.PENDING,
                due_at=now,
                created_at=now,
            )
            await repository.add_delivery(tx, delivery)

    async def due(self, limit: int) -> Sequence[str]:
        """Ids of deliveries to try now."""
        async with self._db.read() as tx:
            return await repository.due(tx, self._clock.now(), limit=limit)

    async def attend(self, delivery_id: str) -> None:
        """Try a delivery, if nobody else does."""
        claimed = await self._db.run(lambda tx: self._claim(tx, delivery_id))
        if claimed is None:
            return
        delivery, subscription = claimed
        attempt = await self._try(delivery, subscription)
        await self._db.run(lambda tx: self._settle(tx, delivery, attempt))
        if not attempt.arrived:
            log.info(
                "webhook_not_delivered",
                webhook_id=delivery.webhook_id,
                tries=delivery.tries,
                reason=attempt.reason,
            )

    async def forget(self) -> None:
        """Delete deliveries that ended long ago."""
        before = self._clock.now() - self._bounds.keep
        await self._db.run(lambda tx: repository.forget(tx, before=before))

    async def _claim(
        self, tx: Transaction, delivery_id: str
    ) -> tuple[Delivery, Subscription] | None:
        now = self._clock.now()
        if not await repository.due(tx, now, limit=1, delivery_id=delivery_id):
            return None
        known = await repository.delivery(tx, delivery_id, caller=ITSELF)
        subscription = await repository.webhook(tx, known.webhook_id, caller=ITSELF)
        until = now + timedelta(seconds=self._bounds.deadline_s + _CLAIM_MARGIN_S)
        claimed = life.claimed(known, until=until)
        await repository.save_delivery(tx, claimed, was=known)
        return claimed, subscription

    async def _try(self, delivery: Delivery, subscription: Subscription) -> Attempt:
        try:
            secret = self._means.seal.open(subscription.secret)
        except WrongKey:
            return Attempt(reason=_WRONG_KEY)
        self._means.redaction.register(secret)
        body = delivery.body.encode()
        timestamp = int(self._clock.now().timestamp())
        signed = headers(secret, message_id=delivery.delivery_id, timestamp=timestamp, body=body)
        return await self._means.sender.send(subscription.url, signed, body)

    async def _settle(self, tx: Transaction, delivery: Delivery, attempt: Attempt) -> None:
        subscription = await repository.webhook(tx, delivery.webhook_id, caller=ITSELF)
        after, standing = life.tried(
            delivery,
            subscription,
            attempt,
            policy=self._bounds.policy,
            at=self._clock.now(),
            chance=self._means.chance(),
        )
        await repository.save_delivery(tx, after, was=delivery)
        if standing != subscription:
            await repository.save_webhook(tx, standing)
            if standing.disabled_at is not None:
                log.warning(
                    "webhook_disabled",
                    webhook_id=standing.webhook_id,
                    reason=standing.disabled_reason,
                )
