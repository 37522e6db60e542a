"""What holders, late holders and people see of the pool."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from proofwalk.account_pool import repository
from proofwalk.account_pool import worker as worker_module
from proofwalk.account_pool.domain import Account
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.leases import LeaseState
from tests.account_pool.conftest import QUICK, opened

VPC = ResourceRef(product="vpc", type="vpc", id="vpc-1", region="local")
VM = ResourceRef(product="ecs", type="instance", id="i-1", region="local", name="left")


async def acquire(
    pool: Pool, request_id: str = "r1", holder: str = "ep_1", ttl_s: float = 60
) -> Account:
    return await pool.acquire(request_id=request_id, target="memory", holder=holder, ttl_s=ttl_s)


async def refused(code: str, call: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await call
    assert caught.value.code == code
    return caught.value


async def account_of(pool: Pool, account_id: str) -> Account:
    return next(account for account in await pool.accounts() if account.account_id == account_id)


async def test_the_tables_are_the_declared_ones(migrated: Database) -> None:
    assert await difference(migrated, "proofwalk.account_pool", repository.METADATA) == []


async def test_one_request_has_one_lease(pool: Pool) -> None:
    first = await acquire(pool)
    assert await acquire(pool) == first
    assert first.epoch == 1
    other = await acquire(pool, "r2")
    assert other.account_id != first.account_id
    error = await refused("account.none_free", acquire(pool, "r3"))
    assert error.retryable
    await refused("lease.request_mismatch", acquire(pool, holder="ep_9"))


async def test_bad_requests_leave_nothing_behind(pool: Pool) -> None:
    await refused(
        "target.unknown", pool.acquire(request_id="r", target="moon", holder="h", ttl_s=10)
    )
    await refused("lease.bad_ttl", acquire(pool, ttl_s=0))
    await refused("lease.bad_ttl", acquire(pool, ttl_s=99999))
    await refused("lease.incomplete", acquire(pool, request_id=""))
    await refused("lease.not_found", pool.renew(lease_id="lease_x", epoch=1, ttl_s=10))
    assert {account.state for account in await pool.accounts()} == {LeaseState.FREE}


async def test_a_clean_release_frees_and_rotates(pool: Pool, cloud: MemoryCloud) -> None:
    lease = await acquire(pool)
    cloud.put(lease.external_id, VPC)
    await cloud.delete(cloud.account(lease.external_id), VPC)
    before = cloud.account(lease.external_id)
    proof = await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    assert proof.clean
    assert not proof.unproven
    assert cloud.account(lease.external_id) != before
    assert await pool.release(lease_id=lease.lease_id, epoch=lease.epoch) == proof, (
        "a repeated release gives the same answer"
    )
    assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE
    await refused("lease.stale_epoch", pool.release(lease_id=lease.lease_id, epoch=lease.epoch + 1))
    await refused(
        "lease.stale_epoch", pool.renew(lease_id=lease.lease_id, epoch=lease.epoch, ttl_s=5)
    )


async def test_what_was_there_before_belongs_to_the_account(pool: Pool, cloud: MemoryCloud) -> None:
    cloud.put("1001", VPC)
    lease = await acquire(pool)
    assert (await pool.inspect(lease_id=lease.lease_id, epoch=lease.epoch)).clean
    assert (await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)).clean


async def test_leftovers_quarantine_and_a_sweep_restores(
    pool: Pool, cloud: MemoryCloud, worker: Worker, clock: ManualClock
) -> None:
    lease = await acquire(pool)
    cloud.put(lease.external_id, VPC)
    cloud.put(lease.external_id, VM, needs=["vpc-1"])
    seen = await pool.inspect(lease_id=lease.lease_id, epoch=lease.epoch)
    assert {item.id for item in seen.leftovers} == {"vpc-1", "i-1"}
    proof = await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    assert not proof.clean
    assert [item.id for item in proof.leftovers] == ["i-1", "vpc-1"]
    held = await account_of(pool, lease.account_id)
    assert held.state is LeaseState.QUARANTINED
    assert "2 left over: instance i-1, vpc vpc-1" in held.reason
    await worker.tend()
    assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE
    assert await cloud.list(cloud.account(lease.external_id)) == []


async def test_a_deletion_under_way_is_waited_for(
    migrated_sqlite: Database, tmp_path: Path
) -> None:
    from proofwalk.kernel.clock import SystemClock

    clock = SystemClock()
    cloud = MemoryCloud(clock=clock, accounts=1, deletion_s=0.15)
    async with opened(migrated_sqlite, cloud, tmp_path, clock) as pool:
        await pool.sync("memory")
        lease = await acquire(pool)
        cloud.put(lease.external_id, VM)
        await cloud.delete(cloud.account(lease.external_id), VM)
        assert (await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)).clean


async def test_what_is_gone_needs_a_person(pool: Pool, cloud: MemoryCloud, worker: Worker) -> None:
    cloud.put("1001", VPC)
    lease = await acquire(pool)
    await cloud.delete(cloud.account(lease.external_id), VPC)
    assert not (await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)).clean
    await worker.tend()
    held = await account_of(pool, lease.account_id)
    assert held.state is LeaseState.QUARANTINED
    assert "are gone: vpc vpc-1" in held.reason
    assert (await pool.restore(lease.account_id)).state is LeaseState.FREE


async def test_a_late_holder_is_refused_everything(
    pool: Pool, cloud: MemoryCloud, worker: Worker, clock: ManualClock
) -> None:
    lease = await acquire(pool, ttl_s=60)
    password = cloud.account(lease.external_id).login.fields["password"]
    clock.advance(61)
    late: dict[str, Any] = {"lease_id": lease.lease_id, "epoch": lease.epoch}
    await refused("lease.stale_epoch", pool.renew(**late, ttl_s=60))
    await worker.reap()
    held = await account_of(pool, lease.account_id)
    assert (held.state, held.epoch) == (LeaseState.QUARANTINED, lease.epoch + 1)
    assert "ep_1" in held.reason
    cloud.put(lease.external_id, VM)
    await worker.tend()
    assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE
    assert cloud.account(lease.external_id).login.fields["password"] != password
    for call in (
        pool.renew(**late, ttl_s=60),
        pool.release(**late),
        pool.inspect(**late),
        pool.credential(**late, kind=CredentialKind.ACCESS_KEY),
    ):
        await refused("lease.stale_epoch", call)
    assert pool.metrics.fenced._value.get() == 5
    assert pool.metrics.expired._value.get() == 1


async def test_a_renewed_lease_lives_on(pool: Pool, worker: Worker, clock: ManualClock) -> None:
    lease = await acquire(pool, ttl_s=60)
    clock.advance(50)
    renewed = await pool.renew(lease_id=lease.lease_id, epoch=lease.epoch, ttl_s=60)
    clock.advance(50)
    await worker.reap()
    assert (await account_of(pool, lease.account_id)).state is LeaseState.LEASED
    assert renewed.epoch == lease.epoch


async def test_a_request_whose_lease_expired_gets_another_account(
    pool: Pool, clock: ManualClock
) -> None:
    first = await acquire(pool, ttl_s=10)
    clock.advance(11)
    second = await acquire(pool, ttl_s=10)
    assert second.account_id != first.account_id
    assert (await account_of(pool, first.account_id)).state is LeaseState.QUARANTINED


async def test_the_longest_free_account_goes_first(pool: Pool, clock: ManualClock) -> None:
    order = []
    for turn in range(4):
        clock.advance(1)
        lease = await acquire(pool, f"r{turn}")
        order.append(lease.external_id)
        await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    assert order[0] != order[1]
    assert order[:2] == order[2:]


async def test_a_grant_without_a_baseline_is_taken_back(pool: Pool, cloud: MemoryCloud) -> None:
    cloud.fail("list")
    await refused("cloud.unavailable", acquire(pool))
    assert {account.state for account in await pool.accounts()} == {LeaseState.FREE}
    cloud.failures.clear()
    assert (await acquire(pool)).baseline == ()


async def test_a_release_without_an_answer_of_the_cloud_is_finished_later(
    pool: Pool, cloud: MemoryCloud, worker: Worker, clock: ManualClock
) -> None:
    lease = await acquire(pool)
    cloud.fail("list")
    await refused("cloud.unavailable", pool.release(lease_id=lease.lease_id, epoch=lease.epoch))
    assert (await account_of(pool, lease.account_id)).state is LeaseState.PROVING
    cloud.failures.clear()
    clock.advance(QUICK.proof_deadline_s + 31)
    await worker.tend()
    assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE
    assert (await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)).clean


async def test_credentials_that_could_not_be_replaced_keep_an_account_out(
    pool: Pool, cloud: MemoryCloud, worker: Worker, clock: ManualClock
) -> None:
    lease = await acquire(pool)
    cloud.fail("rotate")
    await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    held = await account_of(pool, lease.account_id)
    assert (held.state, held.rotating) == (LeaseState.QUARANTINED, True)
    await worker.tend()
    still = await account_of(pool, lease.account_id)
    assert still.state is LeaseState.QUARANTINED
    assert "cloud.unavailable" in still.reason
    await refused("account.still_dirty", pool.restore(lease.account_id))
    cloud.failures.clear()
    await worker.tend()
    assert (await account_of(pool, lease.account_id)).state is LeaseState.QUARANTINED, (
        "the next sweep waits for its time"
    )
    clock.advance(3600)
    await worker.tend()
    assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE


async def test_a_cloud_that_cannot_rotate_or_list_is_used_and_says_unproven(
    migrated_sqlite: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock, accounts=1, rotates=False, inventory=False)
    async with opened(migrated_sqlite, cloud, tmp_path, clock) as pool:
        await pool.sync("memory")
        lease = await acquire(pool)
        assert (await pool.inspect(lease_id=lease.lease_id, epoch=lease.epoch)).unproven
        proof = await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
        assert (proof.clean, proof.unproven) == (True, True)
        lease = await acquire(pool, "r2", ttl_s=5)
        clock.advance(6)
        await Worker(pool).reap()
        await Worker(pool).tend()
        assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE


async def test_accounts_whose_credentials_are_not_told_are_rotated_into_service(
    migrated_sqlite: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock, accounts=2, tells_credentials=False)
    cloud.put("1001", VPC)
    async with opened(migrated_sqlite, cloud, tmp_path, clock) as pool:
        worker = Worker(pool)
        await pool.sync("memory")
        await refused("account.none_free", acquire(pool))
        await worker.tend()
        lease = await acquire(pool)
        _, login = await pool.credential(
            lease_id=lease.lease_id, epoch=lease.epoch, kind=CredentialKind.CONSOLE_LOGIN
        )
        assert login["password"] == f"password-{lease.external_id}-1"
        assert await cloud.list(cloud.account("1001")) == [VPC], (
            "what an account had when it came stays"
        )
        assert await pool.sync("memory") == 0


async def test_an_account_that_its_target_no_longer_names_is_not_granted(
    pool: Pool, cloud: MemoryCloud
) -> None:
    cloud.forget("1001")
    await pool.sync("memory")
    assert (await acquire(pool)).external_id == "1002"
    await refused("account.none_free", acquire(pool, "r2"))


async def test_restore_says_what_it_cannot_do(pool: Pool) -> None:
    await refused("account.not_found", pool.restore("acc_x"))
    lease = await acquire(pool)
    await refused("lease.not_quarantined", pool.restore(lease.account_id))


async def test_a_restart_finds_the_same_leases(
    pool: Pool, migrated_sqlite: Database, cloud: MemoryCloud, tmp_path: Path, clock: ManualClock
) -> None:
    lease = await acquire(pool)
    async with opened(
        migrated_sqlite, cloud, tmp_path, clock, AccountPoolSettings(), seed=9
    ) as again:
        assert await acquire(again) == lease
        await again.sync("memory")
        _, key = await again.credential(
            lease_id=lease.lease_id, epoch=lease.epoch, kind=CredentialKind.ACCESS_KEY
        )
        assert set(key) == {"access_key_id", "access_key_secret"}


async def test_a_sync_that_crashes_is_followed_by_another(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs, third = 0, asyncio.Event()

    async def sync() -> bool:
        nonlocal syncs
        syncs += 1
        if syncs >= 3:
            third.set()
            await asyncio.Event().wait()
        raise OSError("the targets' folder cannot be read")

    monkeypatch.setattr(worker, "sync", sync)
    monkeypatch.setattr(worker_module, "_EAGER_S", 0.001)
    loop = asyncio.create_task(worker.sync_loop())
    try:
        await asyncio.wait_for(third.wait(), 5)
    finally:
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)
