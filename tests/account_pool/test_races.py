"""Many clients race for few accounts through two processes' pools: nobody ever shares
an account."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.account_pool.conftest import opened

CLIENTS, ACCOUNTS, ROUNDS = 12, 3, 3
SETTINGS = AccountPoolSettings(rotate_after_lease=False, proof_poll_s=0.01)


async def lease_or_wait(pool: Pool, request_id: str, holder: str) -> tuple[str, int, str]:
    while True:
        try:
            lease = await pool.acquire(
                request_id=request_id, target="memory", holder=holder, ttl_s=600
            )
        except ProofwalkError as error:
            if error.code not in ("account.none_free", "database.conflict"):
                raise
            await asyncio.sleep(0.005)
        else:
            return lease.lease_id, lease.epoch, lease.account_id


@pytest.mark.timeout(120)
async def test_no_account_is_granted_twice_at_a_time(
    migrated: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock, accounts=ACCOUNTS)
    other = Database(migrated.url.render_as_string(hide_password=False))
    holders: dict[str, str] = {}
    grants: Counter[str] = Counter()
    (tmp_path / "b").mkdir()
    async with (
        opened(migrated, cloud, tmp_path, clock, SETTINGS, seed=1) as first,
        opened(other, cloud, tmp_path / "b", clock, SETTINGS, seed=2) as second,
    ):
        await first.sync("memory")

        async def client(number: int) -> None:
            pool = (first, second)[number % 2]
            for turn in range(ROUNDS):
                lease_id, epoch, account_id = await lease_or_wait(
                    pool, f"r{number}-{turn}", f"ep_{number}"
                )
                assert account_id not in holders, f"{account_id} is held by {holders[account_id]}"
                holders[account_id] = lease_id
                grants[account_id] += 1
                await asyncio.sleep(0)
                assert holders.pop(account_id) == lease_id
                assert (await pool.release(lease_id=lease_id, epoch=epoch)).clean

        async with asyncio.timeout(100), asyncio.TaskGroup() as group:
            for number in range(CLIENTS):
                group.create_task(client(number))
        assert grants.total() == CLIENTS * ROUNDS
        assert min(grants.values()) > 0
        epochs = {account.account_id: account.epoch for account in await first.accounts()}
        assert epochs == dict(grants)
    await other.close()


async def test_one_request_sent_twice_at_once_gets_one_account(
    migrated: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock, accounts=4)
    async with opened(migrated, cloud, tmp_path, clock, SETTINGS) as pool:
        await pool.sync("memory")
        calls = [
            pool.acquire(request_id="same", target="memory", holder="ep", ttl_s=60)
            for _ in range(4)
        ]
        leases = await asyncio.gather(*calls)
        assert len({lease.lease_id for lease in leases}) == 1
        assert sum(account.state.value == "leased" for account in await pool.accounts()) == 1


async def test_two_workers_sweep_an_account_once(
    migrated: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock, accounts=1)
    async with opened(migrated, cloud, tmp_path, clock, SETTINGS) as pool:
        await pool.sync("memory")
        await pool.acquire(request_id="r", target="memory", holder="ep", ttl_s=5)
        clock.advance(6)
        await asyncio.gather(Worker(pool).reap(), Worker(pool).reap())
        await asyncio.gather(Worker(pool).tend(), Worker(pool).tend())
        assert cloud.calls.count("rotate:1001") == 1
        assert [account.state.value for account in await pool.accounts()] == ["free"]
