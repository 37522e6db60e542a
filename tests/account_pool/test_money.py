"""What a lease costs is in its row whoever ends it and however; more than its cap ends
it, and an account with too little left is not lent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proofwalk.account_pool.domain import Account, Grant, Terms
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.spending import LATE_S
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.leases import LeaseState
from proofwalk.kernel.outcomes import EnvCause
from tests.account_pool.conftest import QUICK, opened
from tests.account_pool.test_pool import account_of, refused

VM = ResourceRef(product="ecs", type="instance", id="i-1", region="local", name="left")
CAPPED = QUICK.model_copy(update={"max_lease_cost": 5.0, "min_balance": 50.0})


async def acquire(pool: Pool, request_id: str = "r1", max_cost: float | None = None) -> Account:
    return await pool.acquire(
        request_id=request_id,
        target="memory",
        holder="ep_1",
        ttl_s=60,
        terms=Terms(max_cost=max_cost),
    )


async def line(pool: Pool, lease: Account) -> Grant:
    ledger = await pool.spending.ledger(target="", account_id="", limit=100)
    return next(grant for grant in ledger if grant.lease_id == lease.lease_id)


@pytest.fixture
async def capped(
    migrated: Database, cloud: MemoryCloud, tmp_path: Path, clock: ManualClock
) -> AsyncIterator[Pool]:
    async with opened(migrated, cloud, tmp_path, clock, CAPPED) as pool:
        await pool.sync("memory")
        yield pool


async def test_a_release_keeps_what_the_lease_cost(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    lease = await acquire(pool)
    cloud.charge(lease.external_id, 1.25)
    clock.advance(10)
    cloud.charge(lease.external_id, 0.5)
    await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    kept = await line(pool, lease)
    assert (kept.cost, kept.costed_at, kept.ending) == (Money.of("1.75", "CNY"), clock.now(), "")
    assert kept.proof is not None
    assert kept.proof.verdict == "clean"
    assert (await account_of(pool, lease.account_id)).balance == Money.of("98.25", "CNY")
    clock.advance(1)
    again = await acquire(pool, "r2")
    await pool.release(lease_id=again.lease_id, epoch=again.epoch)
    assert (await line(pool, again)).cost == Money(micros=0, currency="CNY")


async def test_the_bill_is_read_before_a_sweep_and_a_rotation(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    lease = await acquire(pool)
    cloud.put(lease.external_id, VM)
    cloud.charge(lease.external_id, 3)
    clock.advance(61)
    worker = Worker(pool)
    await worker.reap()
    cloud.calls.clear()
    await worker.tend()
    of_it = [call for call in cloud.calls if call.endswith(lease.external_id)]
    assert of_it[0].startswith("spend:")
    assert of_it.index(f"rotate:{lease.external_id}") < of_it.index(f"delete:{lease.external_id}")
    assert (await line(pool, lease)).cost == Money.of(3, "CNY")
    assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE


@pytest.mark.parametrize(("in_the_sweep", "cost"), [(0.5, "3.5"), (-228, "3")])
async def test_what_a_sweep_takes_costs_the_lease_and_what_it_gives_back_does_not(
    pool: Pool,
    cloud: MemoryCloud,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    in_the_sweep: float,
    cost: str,
) -> None:
    deletes = cloud.delete

    async def delete(account: CloudAccount, resource: ResourceRef) -> None:
        cloud.charge(account.external_id, in_the_sweep)
        await deletes(account, resource)

    monkeypatch.setattr(cloud, "delete", delete)
    lease = await acquire(pool)
    cloud.put(lease.external_id, VM)
    cloud.charge(lease.external_id, 3)
    proof = await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    assert (proof.clean, (await line(pool, lease)).settled) == (False, False)
    await Worker(pool).tend()
    kept = await line(pool, lease)
    assert (kept.cost, kept.settled) == (Money.of(cost, "CNY"), True)


async def test_a_bill_that_comes_late_is_read_up_to_the_next_lease_and_once(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    worker = Worker(pool)
    await worker.look_at_money()
    lease = await acquire(pool)
    cloud.charge(lease.external_id, 3)
    cloud.fail("spend")
    await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    await worker.look_at_money()
    assert (await line(pool, lease)).cost is None
    clock.advance(1)
    others = [await acquire(pool, f"r{number}") for number in (2, 3)]
    assert lease.account_id in {other.account_id for other in others}
    clock.advance(1)
    cloud.charge(lease.external_id, 100)
    cloud.failures.clear()
    await worker.look_at_money()
    kept = await line(pool, lease)
    assert (kept.cost, kept.settled) == (Money.of(3, "CNY"), True)
    cloud.calls.clear()
    await worker.look_at_money()
    assert [call for call in cloud.calls if call.startswith("spend")] == []


async def test_a_bill_that_does_not_come_for_a_day_is_given_up(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    worker = Worker(pool)
    await worker.look_at_money()
    lease = await acquire(pool)
    cloud.fail("spend")
    await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
    clock.advance(LATE_S + 1)
    cloud.failures.clear()
    await worker.look_at_money()
    assert (await line(pool, lease)).cost is None


async def test_more_than_its_cap_ends_a_lease_with_a_code_of_its_own(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    lease = await acquire(pool, max_cost=2.0)
    worker = Worker(pool)
    cloud.charge(lease.external_id, 2)
    await worker.look_at_money()
    await pool.renew(lease_id=lease.lease_id, epoch=lease.epoch, ttl_s=60)
    clock.advance(1)
    cloud.charge(lease.external_id, 0.01)
    await worker.look_at_money()
    for call in (
        pool.renew(lease_id=lease.lease_id, epoch=lease.epoch, ttl_s=60),
        pool.credential(
            lease_id=lease.lease_id, epoch=lease.epoch, kind=CredentialKind.CONSOLE_LOGIN
        ),
        pool.inspect(lease_id=lease.lease_id, epoch=lease.epoch),
        pool.release(lease_id=lease.lease_id, epoch=lease.epoch),
    ):
        error = await refused("account.over_budget", call)
        assert (error.cause, error.retryable) == (EnvCause.ACCOUNT, False)
        assert "2.01 CNY, more than its cap of 2.00" in error.message
    account = await account_of(pool, lease.account_id)
    assert (account.state, account.epoch) == (LeaseState.QUARANTINED, lease.epoch + 1)
    assert (await line(pool, lease)).ending == "account.over_budget"
    await worker.tend()
    assert (await account_of(pool, lease.account_id)).state is LeaseState.FREE
    await refused(
        "account.over_budget", pool.renew(lease_id=lease.lease_id, epoch=lease.epoch, ttl_s=60)
    )
    await refused("lease.stale_epoch", pool.renew(lease_id=lease.lease_id, epoch=9, ttl_s=60))


async def test_the_lower_of_the_setting_and_the_request_is_the_cap(capped: Pool) -> None:
    for request_id, asked, cap in (("r1", None, "5"), ("r2", 1.5, "1.5"), ("r3", 8.0, "5")):
        lease = await acquire(capped, request_id, max_cost=asked)
        assert (await line(capped, lease)).max_cost_micros == Money.of(cap, "CNY").micros
        await capped.release(lease_id=lease.lease_id, epoch=lease.epoch)
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        await refused("account.bad_cap", acquire(capped, "r4", max_cost=wrong))


async def test_a_lease_without_a_cap_is_not_read_while_it_lives(
    pool: Pool, cloud: MemoryCloud
) -> None:
    await acquire(pool)
    cloud.calls.clear()
    await Worker(pool).look_at_money()
    assert [call for call in cloud.calls if call.startswith("spend")] == []


async def test_an_account_with_too_little_left_is_not_lent(
    capped: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    cloud.charge("1001", 60)
    worker = Worker(capped)
    await worker.look_at_money()
    (poor,) = [one for one in await capped.accounts() if one.external_id == "1001"]
    assert poor.state is LeaseState.QUARANTINED
    assert poor.reason == "its balance of 40.00 CNY is under 50.00 CNY: top it up at the cloud"
    await worker.tend()
    assert (await account_of(capped, poor.account_id)).state is LeaseState.QUARANTINED
    await refused("account.still_dirty", capped.restore(poor.account_id))
    cloud.charge("1001", -30)
    clock.advance(60)
    await worker.tend()
    back = await account_of(capped, poor.account_id)
    assert (back.state, back.balance) == (LeaseState.FREE, Money.of(70, "CNY"))


async def test_a_lease_that_leaves_too_little_ends_in_quarantine_although_it_was_clean(
    capped: Pool, cloud: MemoryCloud
) -> None:
    lease = await acquire(capped)
    cloud.charge(lease.external_id, 51)
    proof = await capped.release(lease_id=lease.lease_id, epoch=lease.epoch)
    assert proof.clean, "the holder left nothing behind"
    account = await account_of(capped, lease.account_id)
    assert (account.state, account.reason[:22]) == (
        LeaseState.QUARANTINED,
        "its balance of 49.00 CN"[:22],
    )


async def test_a_bill_that_gives_no_answer_keeps_nobody_out(
    capped: Pool, cloud: MemoryCloud
) -> None:
    lease = await acquire(capped)
    cloud.charge(lease.external_id, 60)
    for call in ("spend", "balance"):
        cloud.fail(call)
    await Worker(capped).look_at_money()
    proof = await capped.release(lease_id=lease.lease_id, epoch=lease.epoch)
    kept = await line(capped, lease)
    assert (proof.clean, kept.cost, kept.costed_at) == (True, None, None)
    assert (await account_of(capped, lease.account_id)).state is LeaseState.FREE


async def test_a_cloud_without_a_bill_has_no_figure_and_keeps_no_cap(
    migrated: Database, tmp_path: Path, clock: ManualClock
) -> None:
    cloud = MemoryCloud(clock=clock)
    cloud.billed = False
    async with opened(migrated, cloud, tmp_path, clock, CAPPED) as pool:
        await pool.sync("memory")
        await refused("account.no_bill", acquire(pool, max_cost=1.0))
        lease = await acquire(pool)
        await Worker(pool).look_at_money()
        await pool.release(lease_id=lease.lease_id, epoch=lease.epoch)
        kept = await line(pool, lease)
        assert (kept.cost, kept.max_cost) == (None, None)
        assert (await account_of(pool, lease.account_id)).balance is None


async def test_the_ledger_is_newest_first_and_bounded(pool: Pool, clock: ManualClock) -> None:
    leases = []
    for number in range(4):
        clock.advance(1)
        leases.append(await acquire(pool, f"r{number}"))
        await pool.release(lease_id=leases[-1].lease_id, epoch=leases[-1].epoch)
    newest = await pool.spending.ledger(target="memory", account_id="", limit=3)
    assert [one.lease_id for one in newest] == [one.lease_id for one in reversed(leases[1:])]
    of_one = await pool.spending.ledger(target="", account_id=leases[0].account_id, limit=9)
    assert {one.account_id for one in of_one} == {leases[0].account_id}
    assert await pool.spending.ledger(target="moon", account_id="", limit=9) == []
