"""Many clients race for few accounts through two pools on one database, as two
processes would: each asks, waits its turn, holds for a moment and hands back."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.leases.counting import Batch
from proofwalk.account_pool.domain import Terms
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from tests.account_pool.conftest import opened

CLIENTS, ACCOUNTS = 64, 16
_SETTINGS = AccountPoolSettings(rotate_after_lease=False, proof_poll_s=0.01)
_FIRST_S, _LONGEST_S = 0.2, 3.0
"""How soon who waits asks again, at first and at last: as the rollout role does."""
_WAIT_S = 600.0


@dataclass
class _Race:
    """What the clients of a batch have seen together."""

    left: int
    holders: dict[str, str] = field(default_factory=dict)
    double: int = 0
    conflicts: int = 0
    waits: list[float] = field(default_factory=list)
    by_client: Counter[str] = field(default_factory=Counter)


async def race(url: str, number: int, *, acquires: int, folder: Path) -> Batch:
    """So many acquires on a database that is empty."""
    cloud = MemoryCloud(clock=SystemClock(), accounts=ACCOUNTS, delivery_bound_s=0.0)
    seen = _Race(left=acquires)
    async with AsyncExitStack() as stack:
        pools = [
            await _pool(stack, url, cloud, folder / name, seed)
            for seed, name in enumerate(("a", "b"))
        ]
        await pools[0].sync("memory")
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for client in range(CLIENTS):
                group.create_task(_client(pools[client % 2], f"{number}-{client}", seen))
        seconds = time.monotonic() - began
    return Batch(
        number=number,
        acquires=len(seen.waits),
        double_grants=seen.double,
        conflicts=seen.conflicts,
        waits=[round(wait, 4) for wait in seen.waits],
        by_client=dict(seen.by_client),
        seconds=round(seconds, 2),
    )


async def _pool(
    stack: AsyncExitStack, url: str, cloud: MemoryCloud, folder: Path, seed: int
) -> Pool:
    """A pool as a process of its own would have it."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    database = Database(url)
    stack.push_async_callback(database.close)
    await migrate(database, "proofwalk.account_pool")
    return await stack.enter_async_context(
        opened(database, cloud, folder, SystemClock(), _SETTINGS, seed=seed)
    )


async def _client(pool: Pool, name: str, race: _Race) -> None:
    turn = 0
    while race.left > 0:
        race.left -= 1
        turn += 1
        began = time.monotonic()
        lease_id, epoch, account = await _lease(pool, f"{name}-{turn}", f"ep_{name}", race)
        race.waits.append(time.monotonic() - began)
        race.by_client[name.partition("-")[2]] += 1
        race.double += account in race.holders
        race.holders[account] = lease_id
        await asyncio.sleep(0)
        if race.holders.get(account) == lease_id:
            del race.holders[account]
        while not await _released(pool, lease_id, epoch):
            race.conflicts += 1


async def _released(pool: Pool, lease_id: str, epoch: int) -> bool:
    """Whether it was handed back; False where the database could not put the call in
    order with others, and it may be repeated."""
    try:
        await pool.release(lease_id=lease_id, epoch=epoch)
    except ProofwalkError as error:
        if error.code != "database.conflict":
            raise
        return False
    return True


async def _lease(pool: Pool, request: str, holder: str, race: _Race) -> tuple[str, int, str]:
    pause = _FIRST_S
    while True:
        try:
            lease = await pool.acquire(
                request_id=request,
                target="memory",
                holder=holder,
                ttl_s=600,
                terms=Terms(wait_s=_WAIT_S),
            )
        except ProofwalkError as error:
            if error.code not in ("account.none_free", "database.conflict"):
                raise
            race.conflicts += error.code == "database.conflict"
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_S)
        else:
            return lease.lease_id, lease.epoch, lease.account_id
