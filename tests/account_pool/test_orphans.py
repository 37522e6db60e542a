"""What runs left anywhere is found and goes; what a live lease holds never does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofwalk.account_pool.domain import Account
from proofwalk.account_pool.orphans import HOLDER, Fate, Orphan, OrphanSweep, judged
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.cloud.sweeping import RUN_TAG
from proofwalk.kernel.clock import ManualClock, SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.leases import LeaseState
from tests.account_pool.conftest import opened


def orphan(clock: ManualClock, name: str = "vpc-1", *, age_s: float = 7200) -> ResourceRef:
    made = clock.now() - timedelta(seconds=age_s)
    return ResourceRef(
        product="vpc",
        type="vpc",
        id=name,
        tags={RUN_TAG: "prov_1"},
        attributes={"created": made.isoformat()},
    )


OWN = ResourceRef(product="vpc", type="vpc", id="vpc-own", name="base")


async def sweep(pool: Pool, *, dry_run: bool = False, older_than_s: float = 3600) -> list[Orphan]:
    return await OrphanSweep(pool=pool).sweep(target="", older_than_s=older_than_s, dry_run=dry_run)


async def states(pool: Pool) -> dict[str, LeaseState]:
    return {account.external_id: account.state for account in await pool.accounts()}


async def held(cloud: MemoryCloud, external_id: str) -> set[str]:
    return {item.id for item in await cloud.list(cloud.account(external_id))}


def fates(found: Sequence[Orphan]) -> dict[str, Fate]:
    return {one.resource.id: one.fate for one in found}


async def lease(pool: Pool, request_id: str = "r1") -> Account:
    return await pool.acquire(request_id=request_id, target="memory", holder="ep_1", ttl_s=60)


async def test_what_was_left_before_the_baseline_goes_from_a_free_account(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    cloud.put("1001", orphan(clock))
    cloud.put("1001", OWN)
    found = await sweep(pool)
    assert fates(found) == {"vpc-1": Fate.DELETED}
    assert (found[0].run, found[0].reason) == (
        "prov_1",
        "no lease holds the account, 7200 s old",
    )
    assert await held(cloud, "1001") == {"vpc-own"}
    assert set((await states(pool)).values()) == {LeaseState.FREE}


async def test_a_dry_run_says_what_would_go_and_changes_nothing(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    cloud.put("1001", orphan(clock))
    before = await pool.accounts()
    assert fates(await sweep(pool, dry_run=True)) == {"vpc-1": Fate.WOULD_GO}
    assert await pool.accounts() == before
    assert not [call for call in cloud.calls if call.startswith(("delete", "rotate"))]


async def test_a_leased_account_is_left_alone_and_why_is_said(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    cloud.put("1001", orphan(clock))
    cloud.put("1002", orphan(clock, "vpc-2"))
    account = await lease(pool)
    found = {one.account.external_id: one for one in await sweep(pool)}
    mine = found.pop(account.external_id)
    assert (mine.fate, mine.reason) == (Fate.KEPT, "ep_1 has leased the account")
    assert [one.fate for one in found.values()] == [Fate.DELETED]
    assert len(await held(cloud, account.external_id)) == 1
    assert (await states(pool))[account.external_id] is LeaseState.LEASED


async def test_what_is_young_or_of_unknown_age_stays_unless_any_age_will_do(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    young = orphan(clock, "vpc-young", age_s=60)
    ageless = ResourceRef(product="ecs", type="key_pair", id="key", name="pw12ab90-key")
    cloud.put("1001", young)
    cloud.put("1001", ageless)
    kept = {one.resource.id: (one.fate, one.reason) for one in await sweep(pool)}
    assert kept == {
        "vpc-young": (Fate.KEPT, "60 s old"),
        "key": (Fate.KEPT, "the inventory does not tell its age"),
    }
    gone = await sweep(pool, older_than_s=0)
    assert fates(gone) == {"vpc-young": Fate.DELETED, "key": Fate.DELETED}
    assert {one.resource.id: one.run for one in gone}["key"] == "pw12ab90"


async def test_dependents_go_first(pool: Pool, cloud: MemoryCloud, clock: ManualClock) -> None:
    rule = ResourceRef(product="ecs", type="snapshot", id="a", name="pw12ab90-a")
    cloud.put("1001", orphan(clock))
    cloud.put("1001", rule, needs=["vpc-1"])
    await sweep(pool, older_than_s=0)
    assert await held(cloud, "1001") == set()
    assert cloud.calls.count("delete:1001") == 2


async def test_a_quarantined_account_is_swept_whole_and_freed(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    """The orphan was there at the grant, so that the baseline has it."""
    cloud.put("1001", orphan(clock))
    account = await lease(pool)
    assert account.external_id == "1001"
    clock.advance(61)
    await Worker(pool).reap()
    found = await sweep(pool)
    assert fates(found) == {"vpc-1": Fate.DELETED}
    assert (await states(pool))["1001"] is LeaseState.FREE
    assert await held(cloud, "1001") == set()


async def test_what_cannot_be_deleted_keeps_the_account_from_everybody(
    migrated_sqlite: Database, cloud: MemoryCloud, tmp_path: Path
) -> None:
    quick = AccountPoolSettings(proof_poll_s=0.01, proof_deadline_s=1, sweep_deadline_s=0.2)
    clock = SystemClock()
    async with opened(migrated_sqlite, cloud, tmp_path, clock, quick) as pool:
        await pool.sync("memory")
        stuck = ResourceRef(product="vpc", type="vpc", id="vpc-1", name="pw12ab90-vpc")
        cloud.put("1001", stuck)
        cloud.put("1001", OWN, needs=["vpc-1"])
        found = await sweep(pool, older_than_s=0)
        assert [(one.fate, one.reason) for one in found] == [
            (Fate.LEFT, "it could not be deleted in time")
        ]
        (dirty,) = [one for one in await pool.accounts() if one.external_id == "1001"]
        assert dirty.state is LeaseState.QUARANTINED
        assert [item.id for item in dirty.leftovers] == ["vpc-1"]
        assert [item.id for item in dirty.baseline or ()] == ["vpc-own"]
        assert (await lease(pool)).external_id == "1002"
        # Once it can be deleted, the quarantine's own sweep frees the account.
        cloud.put("1001", OWN)
        await Worker(pool).tend()
        assert (await states(pool))["1001"] is LeaseState.FREE
        assert await held(cloud, "1001") == {"vpc-own"}


async def test_an_account_that_cannot_be_looked_at_stops_no_other(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    cloud.put("1001", orphan(clock))
    await cloud.rotate("1002")
    found = await sweep(pool)
    assert {(one.account.external_id, one.fate) for one in found} == {
        ("1001", Fate.DELETED),
        ("1002", Fate.LEFT),
    }
    unseen = next(one for one in found if one.fate is Fate.LEFT)
    assert (unseen.resource.id, "not valid" in unseen.reason) == ("", True)


async def test_a_sweep_that_dies_leaves_an_account_that_expires(
    pool: Pool, cloud: MemoryCloud, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud.put("1001", orphan(clock))

    async def killed(account: CloudAccount, resource: ResourceRef) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(cloud, "delete", killed)
        with pytest.raises(asyncio.CancelledError):
            await sweep(pool)
    account = next(one for one in await pool.accounts() if one.external_id == "1001")
    assert (account.state, account.holder) == (LeaseState.LEASED, HOLDER)
    clock.advance(3600)
    worker = Worker(pool)
    await worker.reap()
    await worker.tend()
    assert set((await states(pool)).values()) == {LeaseState.FREE}
    assert fates(await sweep(pool)) == {"vpc-1": Fate.DELETED}


async def test_a_bad_age_and_an_unknown_target_are_refused(pool: Pool) -> None:
    for age in (-1.0, float("nan")):
        with pytest.raises(ProofwalkError) as caught:
            await sweep(pool, older_than_s=age)
        assert caught.value.code == "sweep.bad_age"
    with pytest.raises(ProofwalkError) as caught:
        await OrphanSweep(pool=pool).sweep(target="moon", older_than_s=0, dry_run=True)
    assert caught.value.code == "target.unknown"


def test_what_bears_no_mark_is_nobodys_orphan() -> None:
    account = Account(account_id="a", target="t", external_id="1")
    assert judged(account, [OWN], older_than=timedelta(0), now=ManualClock().now()) == []


class Restless(MemoryCloud):
    """Somebody leases an account between any look and what follows it."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock=clock, accounts=3)
        self.pool: Pool | None = None
        self.meddling: list[int] = []
        self.deleted_while_held: list[str] = []

    async def list(self, account: CloudAccount) -> Sequence[ResourceRef]:
        found = await super().list(account)
        if self.pool is not None and self.meddling:
            step = self.meddling.pop()
            with contextlib.suppress(ProofwalkError):
                await lease(self.pool, f"meddler-{step}-{len(self.meddling)}")
        return found

    async def delete(self, account: CloudAccount, resource: ResourceRef) -> None:
        assert self.pool is not None
        for row in await self.pool.accounts():
            live = row.state is LeaseState.LEASED and row.holder != HOLDER
            if row.external_id == account.external_id and (live or row.state is LeaseState.PROVING):
                self.deleted_while_held.append(f"{resource.id} of {row.holder}")
        await super().delete(account, resource)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["orphan", "own", "lease", "release", "expire", "sweep", "tend"]),
        st.integers(0, 2),
        st.booleans(),
    ),
    max_size=25,
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
def test_nothing_that_a_live_lease_holds_ever_goes(
    steps: list[tuple[str, int, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    asyncio.run(_lived(steps, tmp_path_factory.mktemp("orphans")))


async def _lived(steps: list[tuple[str, int, bool]], folder: Path) -> None:
    clock = ManualClock()
    cloud = Restless(clock)
    async with AsyncExitStack() as stack:
        database = Database(f"sqlite:///{folder / 'pool.sqlite3'}")
        stack.push_async_callback(database.close)
        await migrate(database, "proofwalk.account_pool")
        pool = await stack.enter_async_context(opened(database, cloud, folder, clock))
        await pool.sync("memory")
        cloud.pool = pool
        for number, (what, which, meddled) in enumerate(steps):
            external_id = str(1001 + which)
            if what == "orphan":
                cloud.put(external_id, orphan(clock, f"vpc-{number}"))
            elif what == "own":
                cloud.put(external_id, ResourceRef(product="vpc", type="vpc", id=f"own-{number}"))
            elif what == "expire":
                clock.advance(61)
                await Worker(pool).reap()
            elif what == "tend":
                await Worker(pool).tend()
            elif what == "sweep":
                cloud.meddling = [number] * (3 if meddled else 0)
                await sweep(pool)
                cloud.meddling = []
            else:
                await _held_step(pool, what, number)
        assert cloud.deleted_while_held == []
        await _rest(pool, clock)
        for one in range(3):
            marked = await cloud.list(cloud.account(str(1001 + one)))
            assert [item.id for item in marked if item.tags] == []


async def _held_step(pool: Pool, what: str, number: int) -> None:
    leased = [one for one in await pool.accounts() if one.state is LeaseState.LEASED]
    if what == "release" and leased:
        await pool.release(lease_id=leased[0].lease_id, epoch=leased[0].epoch)
    elif what == "lease":
        with contextlib.suppress(ProofwalkError):
            await lease(pool, f"r{number}")


async def _rest(pool: Pool, clock: ManualClock) -> None:
    """Every lease over, then one sweep: nothing that a run made is left."""
    clock.advance(61)
    await Worker(pool).reap()
    clock.advance(3600)
    await sweep(pool)
