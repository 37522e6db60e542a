"""Webhooks from the event to a receiver that fails, answers and fails again."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet

from proofwalk.chassis.database import Database
from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.sealing import Seal
from proofwalk.inspection import webhook_repository as repository
from proofwalk.inspection.webhook_life import Delivery, DeliveryState, EventType, RetryPolicy
from proofwalk.inspection.webhook_sender import Sender
from proofwalk.inspection.webhook_usecases import MOST_WEBHOOKS, Bounds, Means, Webhooks, Wish
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import SeededIds
from tests.fixtures.templates import copy_migrated
from tests.inspection.findings import CI, OPERATOR, WEB
from tests.inspection.receivers import Receiver, receiving

EVENTS = ["finding.opened", "finding.fixed"]
BOUNDS = Bounds(
    policy=RetryPolicy(
        tries=3, first_pause_s=10, longest_pause_s=100, disable_after=timedelta(hours=1)
    ),
    deadline_s=5.0,
    keep=timedelta(days=30),
)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Webhooks over a database, and a receiver."""

    db: Database
    clock: ManualClock
    webhooks: Webhooks
    redaction: Redaction
    receiver: Receiver

    async def subscribed(self, path: str = "/fine", *events: str) -> tuple[str, str]:
        """Id and secret of a new webhook of `web`'s."""
        wish = Wish(url=self.receiver.url(path), events=events or EVENTS)
        subscription, secret = await self.webhooks.subscribe(wish, caller=WEB)
        return subscription.webhook_id, secret

    async def happens(
        self, event: EventType = EventType.FINDING_OPENED, whose: str = "web"
    ) -> None:
        await self.db.run(
            lambda tx: self.webhooks.announce(tx, whose, event, {"finding_id": "fnd_1"})
        )

    async def work(self) -> int:
        """Try all that is due; how many there were."""
        due = await self.webhooks.due(100)
        for delivery_id in due:
            await self.webhooks.attend(delivery_id)
        return len(due)

    async def delivery(self, webhook_id: str) -> Delivery:
        [one] = await self.webhooks.deliveries(webhook_id, caller=WEB)
        return one


async def _placed(db: Database, folders: pytest.TempPathFactory) -> AsyncIterator[Place]:
    await copy_migrated("proofwalk.inspection", db, folders)
    async with receiving() as receiver:
        clock, redaction = ManualClock(), Redaction()
        webhooks = Webhooks(
            db=db,
            clock=clock,
            ids=SeededIds(3),
            means=Means(
                seal=Seal(Fernet.generate_key()),
                redaction=redaction,
                sender=Sender(allow_hosts=[receiver.host], deadline_s=BOUNDS.deadline_s),
                chance=lambda: 0.0,
            ),
            bounds=BOUNDS,
        )
        yield Place(db=db, clock=clock, webhooks=webhooks, redaction=redaction, receiver=receiver)


@pytest.fixture
async def place(
    sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Place]:
    async for one in _placed(sqlite_db, tmp_path_factory):
        yield one


@pytest.fixture
async def both(
    database: Database, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Place]:
    """On either engine."""
    async for one in _placed(database, tmp_path_factory):
        yield one


async def test_an_event_arrives_signed(both: Place) -> None:
    webhook_id, secret = await both.subscribed()
    await both.happens()
    assert await both.work() == 1
    head = dict(
        line.split(": ", 1) for line in both.receiver.heads[0].split("\r\n")[1:] if ": " in line
    )
    body = both.receiver.bodies[0]
    signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert head["webhook-signature"] == f"v1,{digest}"
    assert json.loads(body)["type"] == "finding.opened"
    delivered = await both.delivery(webhook_id)
    assert (delivered.state, delivered.status) == (DeliveryState.DELIVERED, 200)
    assert delivered.delivery_id == head["webhook-id"]
    assert await both.work() == 0


async def test_only_who_asked_is_told(both: Place) -> None:
    await both.subscribed()
    await both.happens(EventType.FINDING_REOPENED)
    await both.happens(whose="ci")
    assert await both.work() == 0


async def test_what_is_rolled_back_is_not_told(place: Place) -> None:
    await place.subscribed()
    with pytest.raises(RuntimeError):
        async with place.db.transaction() as tx:
            await place.webhooks.announce(tx, "web", EventType.FINDING_OPENED, {})
            raise RuntimeError
    assert await place.work() == 0


async def test_a_failure_is_tried_again_under_the_same_id(both: Place) -> None:
    webhook_id, _ = await both.subscribed("/scripted")
    both.receiver.statuses += [500, 302]
    await both.happens()
    pauses = []
    while (one := await both.delivery(webhook_id)).state is DeliveryState.PENDING:
        pauses.append((one.due_at - both.clock.now()).total_seconds())
        both.clock.advance(max(0.0, pauses[-1]))
        assert await both.work() == 1
    assert (one.state, one.tries, pauses) == (DeliveryState.DELIVERED, 3, [0, 5, 20])
    ids = [head.split("webhook-id: ")[1].split("\r\n")[0] for head in both.receiver.heads]
    assert ids == [one.delivery_id] * 3
    assert len(set(both.receiver.bodies)) == 1


async def test_tries_end_and_a_replay_begins_anew(place: Place) -> None:
    webhook_id, _ = await place.subscribed("/scripted")
    place.receiver.statuses += [500, 500, 500]
    await place.happens()
    for _ in range(3):
        await place.work()
        place.clock.advance(100)
    failed = await place.delivery(webhook_id)
    assert (failed.state, failed.reason) == (DeliveryState.FAILED, "status 500")
    with pytest.raises(ProofwalkError) as refusal:
        await place.webhooks.replay(failed.delivery_id, caller=CI)
    assert refusal.value.code == "webhook.no_delivery"
    await place.webhooks.replay(failed.delivery_id, caller=WEB)
    assert await place.work() == 1
    assert (await place.delivery(webhook_id)).state is DeliveryState.DELIVERED


async def test_long_failure_disables_and_nothing_is_lost_that_waited(place: Place) -> None:
    webhook_id, _ = await place.subscribed("/scripted")
    place.receiver.statuses += [500, 500]
    await place.happens()
    await place.work()
    place.clock.advance(3600)
    await place.work()
    [disabled] = await place.webhooks.all(caller=WEB)
    assert "status 500" in disabled.disabled_reason
    place.clock.advance(3600)
    await place.happens()
    assert await place.work() == 0
    await place.webhooks.enable(webhook_id, caller=WEB)
    assert await place.work() == 1
    assert (await place.delivery(webhook_id)).state is DeliveryState.DELIVERED


async def test_a_process_that_died_has_used_a_try(both: Place) -> None:
    webhook_id, _ = await both.subscribed("/silent")
    await both.happens()
    [delivery_id] = await both.webhooks.due(10)
    trying = asyncio.create_task(both.webhooks.attend(delivery_id))
    await both.receiver.received.wait()
    assert await both.work() == 0, "it is on the wire"
    trying.cancel()
    await asyncio.wait([trying])
    assert await both.work() == 0, "the claim has not ended"
    both.clock.advance(60)
    both.receiver.released.set()
    assert await both.work() == 1
    assert (await both.delivery(webhook_id)).tries == 2


async def test_two_processes_send_a_message_once(both: Place) -> None:
    await both.subscribed()
    await both.happens()
    [delivery_id] = await both.webhooks.due(10)
    await asyncio.gather(*(both.webhooks.attend(delivery_id) for _ in range(4)))
    assert len(both.receiver.bodies) == 1


async def test_a_silent_receiver_holds_up_its_own_alone(place: Place) -> None:
    silent, _ = await place.subscribed("/silent")
    fine, _ = await place.subscribed("/fine")
    await place.happens()
    await place.happens()
    held, going = await place.webhooks.due(10)
    trying = asyncio.create_task(place.webhooks.attend(held))
    await place.receiver.received.wait()
    await place.webhooks.attend(going)
    assert await place.work() == 1
    told = [one.state for one in await place.webhooks.deliveries(fine, caller=WEB)]
    assert told == [DeliveryState.DELIVERED] * 2
    place.receiver.released.set()
    await trying
    assert len(await place.webhooks.deliveries(silent, caller=WEB)) == 2


async def test_the_secret_is_nowhere(place: Place) -> None:
    webhook_id, secret = await place.subscribed()
    async with place.db.read() as tx:
        stored = await repository.webhook(tx, webhook_id, caller=WEB)
    assert secret not in stored.secret
    assert secret.removeprefix("whsec_") not in stored.secret
    assert secret not in place.redaction.text(f"it is {secret}")


async def test_what_is_anothers_is_not_there(place: Place) -> None:
    webhook_id, _ = await place.subscribed()
    for call in (
        place.webhooks.enable(webhook_id, caller=CI),
        place.webhooks.delete(webhook_id, caller=CI),
        place.webhooks.deliveries(webhook_id, caller=CI),
    ):
        with pytest.raises(ProofwalkError) as refusal:
            await call
        assert refusal.value.code == "webhook.not_found"
    assert await place.webhooks.all(caller=CI) == []
    assert len(await place.webhooks.all(caller=OPERATOR)) == 1


async def test_a_webhook_goes_with_its_deliveries(place: Place) -> None:
    webhook_id, _ = await place.subscribed()
    await place.happens()
    await place.webhooks.delete(webhook_id, caller=WEB)
    assert await place.work() == 0
    assert await place.webhooks.all(caller=WEB) == []


async def test_old_deliveries_are_forgotten(place: Place) -> None:
    webhook_id, _ = await place.subscribed()
    await place.happens()
    await place.work()
    place.clock.advance(31 * 86400)
    await place.webhooks.forget()
    assert await place.webhooks.deliveries(webhook_id, caller=WEB) == []


async def test_there_is_a_bound(place: Place) -> None:
    for _ in range(MOST_WEBHOOKS):
        await place.subscribed()
    with pytest.raises(ProofwalkError) as refusal:
        await place.subscribed()
    assert refusal.value.code == "webhook.too_many"
