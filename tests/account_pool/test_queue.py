"""Who waits for an account gets one first come, first served; who is dead, or never
waited, holds up nobody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select

from proofwalk.account_pool.domain import Account, Terms
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.repository import TICKETS
from proofwalk.chassis.database import Database
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.account_pools import Demand
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.account_pool.conftest import QUICK, opened
from tests.account_pool.test_pool import refused


async def ask(pool: Pool, name: str, wait_s: float = 60.0, role: str = "") -> Account | None:
    """An account, or None where the caller has to wait."""
    try:
        return await pool.acquire(
            request_id=name,
            target="memory",
            holder=f"ep_{name}",
            ttl_s=600,
            terms=Terms(wait_s=wait_s),
            demand=Demand(role=role),
        )
    except ProofwalkError as error:
        if error.code != "account.none_free":
            raise
        return None


async def give_back(pool: Pool, lease: Account | None) -> None:
    assert lease is not None
    await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)


async def line(pool: Pool) -> list[str]:
    async with pool.database.read() as transaction:
        rows = await transaction.execute(select(TICKETS.c.request_id).order_by(TICKETS.c.asked_at))
        return [str(name) for name in rows.scalars()]


@pytest.fixture
async def one(migrated: Database, tmp_path: Path, clock: ManualClock) -> AsyncIterator[Pool]:
    """A pool of one account."""
    settings = QUICK.model_copy(update={"queue_places": 3})
    cloud = MemoryCloud(clock=clock, accounts=1)
    async with opened(migrated, cloud, tmp_path, clock, settings) as pool:
        await pool.sync("memory")
        yield pool


async def test_first_come_first_served(one: Pool, clock: ManualClock) -> None:
    held = await ask(one, "holder")
    for name in ("z", "a", "m"):
        clock.advance(1)
        assert await ask(one, name) is None
    assert await line(one) == ["z", "a", "m"]
    for name in ("z", "a", "m"):
        await give_back(one, held)
        for other in ("m", "a", "z", "late"):
            if other not in (name, "late") and other in await line(one):
                assert await ask(one, other) is None, f"{other} overtook {name}"
        assert await ask(one, "late", wait_s=0) is None, "who never waited overtook"
        clock.advance(1)
        held = await ask(one, name)
        assert held is not None
    assert await line(one) == []


async def test_a_dead_caller_ends_with_its_ticket(one: Pool, clock: ManualClock) -> None:
    held = await ask(one, "holder")
    assert await ask(one, "dead") is None
    clock.advance(6)
    assert await ask(one, "alive") is None
    await give_back(one, held)
    assert await ask(one, "alive") is None
    clock.advance(4)
    assert await ask(one, "alive") is not None


async def test_a_ticket_ends_when_its_caller_gives_up_however_often_it_asks(
    one: Pool, clock: ManualClock
) -> None:
    await ask(one, "holder")
    assert await ask(one, "short", wait_s=12) is None
    clock.advance(1)
    assert await ask(one, "long") is None
    for _ in range(2):
        clock.advance(6)
        await ask(one, "short", wait_s=12)
        await ask(one, "long")
    assert await line(one) == ["long", "short"], "it stands at the end, as a new caller would"
    assert await ask(one, "short", wait_s=0) is None
    assert await line(one) == ["long"], "who waits no longer has no place"


async def test_who_waits_behind_takes_what_is_enough_for_all(
    migrated: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock, accounts=2)
    async with opened(migrated, cloud, tmp_path, clock) as pool:
        await pool.sync("memory")
        held = [await ask(pool, "x"), await ask(pool, "y")]
        for name in ("first", "second", "third"):
            clock.advance(1)
            assert await ask(pool, name) is None
        for lease in held:
            await give_back(pool, lease)
        assert await ask(pool, "third") is None
        assert await ask(pool, "second") is not None, "two are free, and one waits before it"
        assert await ask(pool, "third") is None
        assert await ask(pool, "first") is not None


async def test_roles_wait_in_lines_of_their_own(
    migrated: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock, accounts=2, roles={"1001": "admin", "1002": "reader"})
    async with opened(migrated, cloud, tmp_path, clock) as pool:
        await pool.sync("memory")
        assert await ask(pool, "a1", role="admin") is not None
        assert await ask(pool, "a2", role="admin") is None
        assert await ask(pool, "r1", role="reader") is not None


async def test_a_line_and_a_wait_are_bounded(one: Pool) -> None:
    await ask(one, "holder")
    for name in ("1", "2", "3"):
        assert await ask(one, name) is None
    call = one.acquire(
        request_id="4", target="memory", holder="h", ttl_s=60, terms=Terms(wait_s=60)
    )
    await refused("account.queue_full", call)
    for wrong in (-1.0, 7201.0, float("nan")):
        await refused(
            "account.bad_wait",
            one.acquire(
                request_id="5", target="memory", holder="h", ttl_s=60, terms=Terms(wait_s=wrong)
            ),
        )


async def test_many_at_once_get_one_place_each_and_one_account(one: Pool) -> None:
    asked = [ask(one, name) for name in ("a", "b", "c") for _ in range(2)]
    leases = [lease for lease in await asyncio.gather(*asked) if lease is not None]
    assert len({lease.account_id for lease in leases}) == 1
    assert len(await line(one)) == 2
