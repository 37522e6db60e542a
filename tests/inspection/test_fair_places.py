"""The places of an inspection process are shared among owners."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.inspection import running, usecases
from proofwalk.inspection.domain import InspectionState
from proofwalk.inspection.usecases import Standing, Start
from proofwalk.inspection.worker import Worker
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import ManualClock
from tests.fixtures.templates import copy_migrated
from tests.inspection.kit import (
    ANN,
    BOB,
    START,
    FakeRollout,
    FakeSources,
    collected,
    listed,
    surroundings,
)

CAROL = Caller(principal="carol")
TTL = timedelta(hours=1)


class Owners:
    """Inspections of several owners, each called after its owner and number."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.clock = ManualClock(START)
        self.rollout = FakeRollout(ends=lambda asked: None)
        self.sources = FakeSources([listed("a#p")])

    async def start(self, caller: Caller, *numbers: int) -> None:
        for number in numbers:
            name = f"{caller.principal}{number}"
            await collected(self.db, name, caller=caller)
            asked = Start(inspection_id=name, collection_id=name)
            await usecases.start_inspection(self.db, asked, caller=caller, clock=self.clock)
            self.clock.advance(1)

    async def waiting(self) -> list[str]:
        return list(await running.waiting(self.db, holder="me", clock=self.clock, limit=9))

    async def take(self, *names: str) -> None:
        for name in names:
            assert await running.claim(self.db, name, holder="me", ttl=TTL, clock=self.clock)

    @asynccontextmanager
    async def working(self, *, places: int) -> AsyncIterator[None]:
        around = surroundings(self.db, self.rollout, self.sources, clock=self.clock, places=places)
        task = asyncio.create_task(Worker(around, holder="me").run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def until(self, holds: Callable[[dict[str, Standing]], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds(await self._standings()):
                await asyncio.sleep(0.005)

    async def _standings(self) -> dict[str, Standing]:
        found = await usecases.read_inspections(
            self.db, caller=ITSELF, collection_id="", limit=99, before=None
        )
        return {one.inspection.id: one for one in found}


@pytest.fixture
async def owners(sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory) -> Owners:
    await copy_migrated("proofwalk.inspection", sqlite_db, tmp_path_factory)
    return Owners(sqlite_db)


async def test_whoever_has_fewest_places_is_next(database: Database) -> None:
    await migrate(database, "proofwalk.inspection")
    owners = Owners(database)
    await owners.start(ANN, 1, 2, 3)
    await owners.start(BOB, 1, 2)
    assert await owners.waiting() == ["ann1", "bob1", "ann2", "bob2", "ann3"]
    await owners.take("ann1", "ann2")
    assert await owners.waiting() == ["bob1", "bob2", "ann3"]
    await owners.start(CAROL, 1)
    assert await owners.waiting() == ["bob1", "carol1", "bob2", "ann3"]


async def test_a_place_is_owed_to_who_has_two_fewer(database: Database) -> None:
    await migrate(database, "proofwalk.inspection")
    owners = Owners(database)
    await owners.start(ANN, 1, 2, 3)
    claims = [
        await running.claim(database, name, holder="me", ttl=TTL, clock=owners.clock)
        for name in ("ann1", "ann2", "ann3")
    ]

    async def made(number: int, *, places: int) -> bool:
        held = claims[number]
        assert held is not None
        return await running.make_room(database, held, places=places, clock=owners.clock)

    assert not await made(0, places=3), "nobody else waits"
    await owners.start(BOB, 1, 2)
    assert not await made(0, places=4), "there is a place"
    assert await made(0, places=3)
    await owners.take("bob1")
    assert not await made(1, places=3), "two and one are as even as three places are"


@pytest.mark.parametrize("reading", [False, True])
async def test_one_owner_does_not_keep_another_waiting(owners: Owners, reading: bool) -> None:
    owners.sources.hold = asyncio.Event() if reading else None
    await owners.start(ANN, 1, 2, 3)
    async with owners.working(places=2):
        await owners.until(lambda now: sum(_has_begun(one) for one in now.values()) == 2)
        await owners.start(BOB, 1)
        await owners.until(lambda now: _has_begun(now["bob1"]))
        assert owners.sources.left == int(reading)


def _has_begun(one: Standing) -> bool:
    inspection = one.inspection
    return inspection.state is not InspectionState.FINISHED and bool(inspection.claim_holder)
