"""A group that many watch is asked for once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from proofwalk.chassis.database import Database, Transaction
from proofwalk.rollout.pulses import POLL_S
from tests.rollout.groups import TASK, Place

WATCHERS = 20


class Counting(Database):
    """Counts the snapshots that are read."""

    reads = 0

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        self.reads += 1
        async with super().read() as tx:
            yield tx

    async def has_read(self, count: int) -> float:
        """When so many were read."""
        async with asyncio.timeout(20):
            while self.reads < count:
                await asyncio.sleep(0.005)
        return time.monotonic()


async def test_watchers_of_a_group_share_what_is_asked(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=2)
    db = Counting(f"sqlite:///{here.setting.db.url.database}")
    place = Place(replace(here.setting, db=db))
    watching = [asyncio.create_task(place.watched()) for _ in range(WATCHERS)]
    began = await db.has_read(WATCHERS + 1)
    # Each alone would have asked for more than one of these in the first moment.
    assert await db.has_read(WATCHERS + 3) - began >= POLL_S
    await here.finish(0, 1)
    told = await asyncio.gather(*watching)
    assert [[member.number for member in one] for one in told] == [[0, 1]] * WATCHERS
    await db.close()
