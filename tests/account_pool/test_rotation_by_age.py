"""Credentials of free accounts are replaced by age: one at a time, never a leased
account's, and not where the account is needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from proofwalk.account_pool import idle_accounts
from proofwalk.account_pool.domain import Account, Terms
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.account_pools import Demand, dedicated
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.leases import LeaseState
from tests.account_pool.conftest import QUICK, opened

AGE_S = 1000
AGED = QUICK.model_copy(update={"rotate_free_after_s": AGE_S, "rotate_after_lease": False})


@pytest.fixture
async def aged(
    migrated: Database, cloud: MemoryCloud, tmp_path: Path, clock: ManualClock
) -> AsyncIterator[Pool]:
    """A pool that has just replaced all its credentials."""
    async with opened(migrated, cloud, tmp_path, clock, AGED) as pool:
        await pool.sync("memory")
        for _ in range(2):
            await Worker(pool).rotate_old()
        assert rotated(cloud) == ["1001", "1002"]
        cloud.calls.clear()
        yield pool


def rotated(cloud: MemoryCloud) -> list[str]:
    return [call.partition(":")[2] for call in cloud.calls if call.startswith("rotate:")]


async def acquire(pool: Pool, request_id: str = "r1", wait_s: float = 0) -> Account:
    return await pool.acquire(
        request_id=request_id,
        target="memory",
        holder=request_id,
        ttl_s=3000,
        terms=Terms(wait_s=wait_s),
    )


async def by_id(pool: Pool) -> dict[str, Account]:
    return {one.external_id: one for one in await pool.accounts()}


async def test_one_account_at_a_look_the_oldest_first_when_they_are_old(
    aged: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    worker = Worker(aged)
    clock.advance(AGE_S - 1)
    await worker.rotate_old()
    assert rotated(cloud) == []
    clock.advance(1)
    await worker.rotate_old()
    assert rotated(cloud) == ["1001"]
    await worker.rotate_old()
    await worker.rotate_old()
    assert rotated(cloud) == ["1001", "1002"]
    for account in (await by_id(aged)).values():
        assert (account.state, account.reason) == (LeaseState.FREE, "")
        assert aged.vault.of_account(account) == cloud.account(account.external_id)


async def test_it_is_off_unless_it_is_set(pool: Pool, cloud: MemoryCloud) -> None:
    await Worker(pool).rotate_old()
    assert rotated(cloud) == []


async def test_what_a_free_account_holds_is_its_own(
    aged: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    lease = await acquire(aged)
    await aged.release(lease_id=lease.lease_id, epoch=lease.epoch)
    cloud.put(lease.external_id, ResourceRef(product="vpc", type="vpc", id="vpc-own"))
    clock.advance(AGE_S)
    for _ in range(2):
        await Worker(aged).rotate_old()
    assert set(rotated(cloud)) == {"1001", "1002"}
    assert [one.id for one in await cloud.list(cloud.account(lease.external_id))] == ["vpc-own"]


async def test_a_leased_account_and_the_last_free_one_are_left_alone(
    aged: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    lease = await acquire(aged)
    clock.advance(AGE_S)
    await Worker(aged).rotate_old()
    assert rotated(cloud) == []
    await aged.release(lease_id=lease.lease_id, epoch=lease.epoch)


async def test_nobody_who_waits_is_made_to_wait_longer(
    aged: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    leases = [await acquire(aged, name) for name in ("r1", "r2")]
    clock.advance(AGE_S)
    with pytest.raises(ProofwalkError, match="free"):
        await acquire(aged, "r3", wait_s=5000)
    for lease in leases:
        await aged.release(lease_id=lease.lease_id, epoch=lease.epoch)
    await Worker(aged).rotate_old()
    assert rotated(cloud) == []
    clock.advance(AGED.ticket_s + 1)
    await Worker(aged).rotate_old()
    assert len(rotated(cloud)) == 1, "the ticket is gone"


async def test_a_rotation_that_fails_keeps_others_in_service_and_is_tried_again(
    aged: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    worker = Worker(aged)
    clock.advance(AGE_S)
    cloud.fail("rotate")
    for _ in range(3):
        await worker.rotate_old()
    accounts = await by_id(aged)
    assert accounts["1001"].state is LeaseState.QUARANTINED
    assert accounts["1001"].rotating
    assert accounts["1002"].state is LeaseState.FREE
    cloud.failures.clear()
    clock.advance(3600)
    await worker.tend()
    account = (await by_id(aged))["1001"]
    assert (account.state, account.rotating) == (LeaseState.FREE, False)
    assert account.rotated_at == clock.now()


async def test_a_rotation_by_age_goes_on_after_a_crash(
    aged: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    clock.advance(AGE_S)
    withdrawn = await aged.database.run(
        lambda t: idle_accounts.withdraw_for_rotation(
            t, older_than=timedelta(seconds=AGE_S), clock=clock
        )
    )
    assert withdrawn is not None
    assert rotated(cloud) == [], "the intent is there before the cloud is asked"
    await Worker(aged).tend()
    account = (await by_id(aged))[withdrawn.external_id]
    assert (account.state, account.rotating) == (LeaseState.FREE, False)
    assert rotated(cloud) == [withdrawn.external_id]


async def test_where_the_cloud_cannot_the_account_is_free_again_and_not_asked_at_once(
    migrated: Database, tmp_path: Path, clock: ManualClock
) -> None:
    fixed = MemoryCloud(clock=clock, accounts=1, rotates=False)
    async with opened(migrated, fixed, tmp_path, clock, AGED) as pool:
        await pool.sync("memory")
        for _ in range(3):
            await Worker(pool).rotate_old()
        (account,) = await pool.accounts()
        assert (account.state, rotated(fixed)) == (LeaseState.FREE, ["1001"])


async def test_the_last_free_one_of_a_pool_stays_and_who_waits_for_another_keeps_nobody(
    aged: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    cloud.dedication_of["1001"] = dedicated(purposes=["training"])
    await aged.sync("memory")
    worker = Worker(aged)
    clock.advance(AGE_S)
    held = await acquire(aged, "v1")
    assert held.external_id == "1002"
    waiting = await aged.acquire(
        request_id="t1", target="memory", holder="t1", ttl_s=3000, demand=Demand(purpose="training")
    )
    assert waiting.external_id == "1001"
    await aged.release(lease_id=waiting.lease_id, epoch=waiting.epoch)
    with pytest.raises(ProofwalkError, match="none_free"):
        await acquire(aged, "v2", wait_s=60)
    await worker.rotate_old()
    assert rotated(cloud) == [], "1002, which serves training too, is leased"
    await aged.release(lease_id=held.lease_id, epoch=held.epoch)
    await worker.rotate_old()
    assert rotated(cloud) == ["1001"], "v2 waits for the other one"
