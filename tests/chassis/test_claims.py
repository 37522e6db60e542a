"""The loop that works rows off: nothing that a look or a row raises ends it, also when
PostgreSQL is restarted under it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import pytest
from sqlalchemy import Column, Integer, Table, insert, select, update

from proofwalk.chassis.claims import ClaimLoop
from proofwalk.chassis.database import Database, Transaction, role_metadata
from proofwalk.kernel.errors import ProofwalkError, unavailable
from tests.fixtures.servers import postgres_files

METADATA = role_metadata()
JOBS = Table(
    "jobs",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("done", Integer, nullable=False, default=0),
)


@asynccontextmanager
async def running(loop: ClaimLoop) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(loop.run())
    try:
        yield task
        assert not task.done(), "the loop has ended"
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(condition: asyncio.Event) -> None:
    await asyncio.wait_for(condition.wait(), 20)


@pytest.mark.parametrize("error", [unavailable("database.unavailable", "away"), KeyError("a bug")])
async def test_a_look_that_fails_is_followed_by_another(error: Exception) -> None:
    looks, attended = 0, asyncio.Event()

    async def waiting(_: int) -> Sequence[str]:
        nonlocal looks
        looks += 1
        if looks < 4:
            raise error
        return ["a"] if not attended.is_set() else []

    async def attend(_: str) -> None:
        attended.set()

    async with running(
        ClaimLoop(waiting=waiting, attend=attend, concurrency=1, period_s=0.01, named="id")
    ):
        await until(attended)
    assert looks >= 4


@pytest.mark.parametrize("error", [unavailable("database.unavailable", "away"), KeyError("a bug")])
async def test_a_row_that_cannot_be_claimed_is_tried_once_a_period(error: Exception) -> None:
    tries, several = Counter[str](), asyncio.Event()

    async def waiting(_: int) -> Sequence[str]:
        return ["a"]

    async def attend(row: str) -> None:
        tries[row] += 1
        if tries[row] == 3:
            several.set()
        raise error

    began = asyncio.get_running_loop().time()
    async with running(
        ClaimLoop(waiting=waiting, attend=attend, concurrency=2, period_s=0.1, named="id")
    ):
        await until(several)
    # Two whole periods lie between three tries; without a pause the third comes at
    # once.
    assert asyncio.get_running_loop().time() - began >= 0.2


class Jobs:
    """Rows of a table that a loop works off, through a database that may be away."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.codes: Counter[str] = Counter()
        """Codes of the errors so far."""
        self.done = {1: asyncio.Event(), 2: asyncio.Event()}

    async def create_table(self) -> None:
        """Create it as soon as the database answers."""
        async with asyncio.timeout(60):
            while True:
                with suppress(ProofwalkError):
                    async with self._database.transaction() as tx:
                        await tx.run_sync(METADATA.create_all)
                    return
                await asyncio.sleep(0.05)

    async def add(self, number: int) -> None:
        """As a client would that asks again while it is told that it may."""
        async with asyncio.timeout(60):
            while True:
                try:
                    await self._database.run(lambda tx: tx.execute(insert(JOBS).values(id=number)))
                    return
                except ProofwalkError as error:
                    self.codes[error.code] += 1
                    if not error.retryable:
                        raise
                    await asyncio.sleep(0.02)

    async def waiting(self, limit: int) -> Sequence[str]:
        try:
            async with self._database.read() as tx:
                query = select(JOBS.c.id).where(JOBS.c.done == 0).limit(limit)
                return [str(row.id) for row in await tx.execute(query)]
        except ProofwalkError as error:
            self.codes[error.code] += 1
            raise

    async def attend(self, row: str) -> None:
        async def work(tx: Transaction) -> None:
            await tx.execute(update(JOBS).where(JOBS.c.id == int(row)).values(done=1))

        await self._database.run(work)
        self.done[int(row)].set()

    async def fail(self, times: int) -> None:
        """Wait until so many more calls have failed."""
        before = self.codes.total()
        async with asyncio.timeout(20):
            while self.codes.total() < before + times:
                await asyncio.sleep(0.02)


@pytest.mark.postgres
@pytest.mark.slow
async def test_a_restart_of_postgresql_under_the_loop_ends_nothing() -> None:
    with postgres_files() as files:
        database = Database(files.server.url("postgres"))
        jobs = Jobs(database)
        loop = ClaimLoop(
            waiting=jobs.waiting, attend=jobs.attend, concurrency=2, period_s=0.02, named="id"
        )
        server = files.running()
        await asyncio.to_thread(server.__enter__)
        try:
            await jobs.create_table()
            async with running(loop):
                await jobs.add(1)
                await until(jobs.done[1])
                await asyncio.to_thread(server.__exit__, None, None, None)
                writer = asyncio.create_task(jobs.add(2))
                await jobs.fail(times=10)
                server = files.running()
                await asyncio.to_thread(server.__enter__)
                await writer
                await until(jobs.done[2])
        finally:
            await database.close()
            await asyncio.to_thread(server.__exit__, None, None, None)
        assert set(jobs.codes) == {"database.unavailable"}
