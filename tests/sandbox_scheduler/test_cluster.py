"""A cluster over rows on both databases and an in-memory backend: who gets a sandbox,
who loses it, and that none is left."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.sandbox_scheduler import repository
from proofwalk.sandbox_scheduler.domain import SandboxState
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.setting import TTL, Setting, code_of


@pytest.fixture
async def rows(database: Database) -> Setting:
    """On SQLite and on PostgreSQL."""
    await migrate(database, "proofwalk.sandbox_scheduler")
    return Setting(database)


@pytest.fixture
async def setting(sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """On SQLite: for what does not depend on the engine."""
    await copy_migrated("proofwalk.sandbox_scheduler", sqlite_db, tmp_path_factory)
    return Setting(sqlite_db)


async def test_the_migrations_make_the_declared_tables(rows: Setting) -> None:
    assert await difference(rows.db, "proofwalk.sandbox_scheduler", repository.METADATA) == []


async def test_a_warm_sandbox_is_handed_out_and_replaced(rows: Setting) -> None:
    await rows.settle()
    assert await rows.states() == ["warm"]
    row = await rows.acquire("r1")
    assert (row.warm, row.epoch, row.holder, row.state.value) == (1, 1, "holder of r1", "leased")
    assert row.cdp_endpoint == f"ws://127.0.0.1/{row.instance}"
    assert row.expires_at == rows.clock.now() + TTL
    assert rows.backend.allowed == {row.id: ["console.example:443"]}
    assert await rows.cluster.rows() == [row]
    await rows.settle()
    assert await rows.states() == ["leased", "warm"]
    census = await rows.cluster.census()
    assert (census.leased, census.warm, census.total, census.waiting) == (1, 1, 2, 0)


async def test_a_request_that_finds_nothing_warm_has_one_started(rows: Setting) -> None:
    row = await rows.acquire("r1")
    assert (row.warm, row.state.value) == (0, "leased")
    assert row.instance in rows.backend.running
    assert (await rows.cluster.census()).waiting == 0


async def test_a_repeated_request_gets_the_same_sandbox(rows: Setting) -> None:
    first = await rows.acquire("r1")
    again = await rows.acquire("r1")
    assert first == again
    assert await rows.leased() == [first.id]


async def test_repeated_requests_at_the_same_time_get_the_same_sandbox(rows: Setting) -> None:
    await rows.settle()
    got = await asyncio.gather(*(rows.acquire("r1") for _ in range(4)))
    assert len({row.id for row in got}) == 1
    assert await rows.leased() == [got[0].id]


async def test_requests_at_the_same_time_never_share_a_sandbox(rows: Setting) -> None:
    await rows.settle()
    got = await asyncio.gather(
        *(rows.acquire(f"r{number}") for number in range(6)), return_exceptions=True
    )
    leased = [row.id for row in got if not isinstance(row, BaseException)]
    refused = [error for error in got if isinstance(error, BaseException)]
    assert len(leased) == len(set(leased)) == 3
    assert sorted(await rows.leased()) == sorted(leased)
    assert {getattr(error, "code", error) for error in refused} == {"sandbox.none_free"}
    assert len(rows.backend.running) == 3


async def test_the_quota_holds_and_says_that_later_may_do(rows: Setting) -> None:
    held = [await rows.acquire(f"r{number}") for number in range(3)]
    with pytest.raises(ProofwalkError) as caught:
        await rows.acquire("r9")
    assert caught.value.code == "sandbox.none_free"
    assert caught.value.retryable
    await rows.cluster.release(held[0].id, epoch=1)
    assert (await rows.acquire("r9")).id not in {row.id for row in held}


async def test_a_released_sandbox_is_ended_and_never_used_again(rows: Setting) -> None:
    row = await rows.acquire("r1")
    assert await rows.cluster.release(row.id, epoch=1) == {"tracker.example": 3}
    assert row.instance not in rows.backend.running
    assert await rows.cluster.release(row.id, epoch=1) == {"tracker.example": 3}
    assert await code_of(rows.cluster.renew(row.id, epoch=1, ttl=TTL)) == "sandbox.crashed"
    assert (await rows.acquire("r1")).id != row.id


async def test_renewing_extends_and_time_ends_it(rows: Setting) -> None:
    row = await rows.acquire("r1")
    rows.clock.advance(20)
    assert (await rows.cluster.renew(row.id, epoch=1, ttl=TTL)).expires_at == rows.clock.now() + TTL
    rows.clock.advance(29)
    await rows.settle()
    assert await rows.leased() == [row.id]
    rows.clock.advance(1)
    assert await code_of(rows.cluster.renew(row.id, epoch=1, ttl=TTL)) == "lease.stale_epoch"
    await rows.settle()
    assert await rows.leased() == []
    assert row.instance not in rows.backend.running
    assert await code_of(rows.cluster.renew(row.id, epoch=1, ttl=TTL)) == "sandbox.crashed"


async def test_a_request_whose_lease_has_run_out_gets_another_sandbox(rows: Setting) -> None:
    first = await rows.acquire("r1")
    rows.clock.advance(31)
    second = await rows.acquire("r1")
    assert second.id != first.id
    await rows.settle()
    assert await rows.leased() == [second.id]


@pytest.mark.parametrize("epoch", [0, 2, -1])
async def test_only_the_epoch_of_the_grant_moves_a_sandbox(rows: Setting, epoch: int) -> None:
    row = await rows.acquire("r1")
    assert await code_of(rows.cluster.renew(row.id, epoch=epoch, ttl=TTL)) == "lease.stale_epoch"
    assert await code_of(rows.cluster.release(row.id, epoch=epoch)) == "lease.stale_epoch"
    assert await rows.leased() == [row.id]


async def test_a_sandbox_that_nobody_was_given_is_nobodys_to_release(setting: Setting) -> None:
    await setting.settle()
    (warm,) = await setting.cluster.rows()
    assert await code_of(setting.cluster.release(warm.id, epoch=0)) == "lease.stale_epoch"
    assert await code_of(setting.cluster.renew(warm.id, epoch=0, ttl=TTL)) == "lease.stale_epoch"
    assert await setting.states() == ["warm"]


async def test_unknown_things_are_named(setting: Setting) -> None:
    assert await code_of(setting.cluster.renew("sbx_none", epoch=1, ttl=TTL)) == "sandbox.not_found"
    assert await code_of(setting.cluster.release("sbx_none", epoch=1)) == "sandbox.not_found"
    assert await code_of(setting.acquire("r", tool="firefox")) == "tool.unknown"
    assert await code_of(setting.acquire("r", tool="chromium@1")) == "tool.unknown"
    assert await code_of(setting.acquire("")) == "sandbox.bad_request_id"
    assert await code_of(setting.acquire("r", ttl=timedelta(0))) == "lease.bad_ttl"
    assert (await setting.acquire("r", tool="chromium@140")).tool == "chromium"


async def test_a_crashed_browser_is_noticed_and_its_holder_told(rows: Setting) -> None:
    row = await rows.acquire("r1")
    del rows.backend.running[row.instance]
    await rows.cluster.look()
    with pytest.raises(ProofwalkError) as caught:
        await rows.cluster.renew(row.id, epoch=1, ttl=TTL)
    assert caught.value.code == "sandbox.crashed"
    assert "it is gone" in caught.value.message
    await rows.settle()
    assert await rows.states() == ["warm"]


async def test_a_crashed_warm_browser_is_replaced(setting: Setting) -> None:
    await setting.settle()
    setting.backend.running.clear()
    await setting.settle()
    assert await setting.states() == ["warm"]
    assert len(setting.backend.running) == 1


async def test_one_start_that_fails_is_tried_again(setting: Setting) -> None:
    setting.backend.start_errors.append("no display")
    row = await setting.acquire("r1")
    assert row.state is SandboxState.LEASED
    await setting.settle()
    assert await setting.states() == ["leased", "warm"]


async def test_starts_that_fail_are_told_to_who_waits(setting: Setting) -> None:
    setting.backend.start_errors.extend(["no display"] * 9)
    with pytest.raises(ProofwalkError) as caught:
        await setting.acquire("r1")
    assert (caught.value.code, caught.value.retryable) == ("sandbox.start_failed", True)
    assert "no display" in caught.value.message
    assert (await setting.cluster.census()).waiting == 0
    setting.backend.start_errors.clear()
    # What failed before a request came says nothing about it.
    setting.clock.advance(1)
    assert (await setting.acquire("r1")).state is SandboxState.LEASED


async def test_a_start_that_hangs_is_ended_and_named(sqlite_db: Database) -> None:
    await migrate(sqlite_db, "proofwalk.sandbox_scheduler")
    setting = Setting(sqlite_db, start_s=0.2)
    setting.backend.hangs = True
    with pytest.raises(ProofwalkError) as caught:
        await setting.acquire("r1")
    assert (caught.value.code, caught.value.retryable) == ("sandbox.start_failed", True)
    assert (await setting.cluster.census()).waiting == 0
    hung = set(setting.backend.running)
    setting.clock.advance(1)
    setting.backend.hangs = False
    await setting.settle()
    assert not hung & set(setting.backend.running)
    assert await setting.states() == ["warm"]


async def test_a_request_that_goes_away_while_it_waits_leaves_no_trace_of_it(
    setting: Setting,
) -> None:
    setting.backend.hangs = True
    asking = asyncio.ensure_future(setting.acquire("r1"))
    async with asyncio.timeout(30):
        while not setting.backend.running:
            await asyncio.sleep(0.005)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (await setting.cluster.census()).waiting == 0
    await setting.settle()
    # One for the pool; the one for the request was too many.
    assert await setting.states() == ["starting"]


async def test_a_wall_that_cannot_be_set_takes_the_sandbox_back(setting: Setting) -> None:
    await setting.settle()
    setting.backend.allow_errors.append(unavailable("sandbox.cluster_unreachable", "gone"))
    assert await code_of(setting.acquire("r1")) == "sandbox.cluster_unreachable"
    await setting.settle()
    assert await setting.states() == ["warm"]
    assert (await setting.acquire("r1")).holder == "holder of r1"


async def test_one_browser_that_cannot_be_ended_keeps_no_other_alive(setting: Setting) -> None:
    held = [await setting.acquire(f"r{number}") for number in range(2)]
    setting.clock.advance(31)
    setting.backend.end_errors.append(unavailable("sandbox.stuck", "no such cgroup"))
    await setting.cluster.look()
    assert len({row.instance for row in held} & set(setting.backend.running)) == 1
    await setting.settle()
    assert await setting.states() == ["warm"]
    assert not {row.instance for row in held} & set(setting.backend.running)


async def test_a_release_counts_though_the_backend_cannot_be_asked(setting: Setting) -> None:
    row = await setting.acquire("r1")
    setting.backend.end_errors.append(unavailable("sandbox.cluster_unreachable", "no answer"))
    assert await setting.cluster.release(row.id, epoch=1) == {}
    assert row.id not in await setting.leased()
    await setting.settle()
    assert row.instance not in setting.backend.running


async def test_what_cannot_be_seen_is_not_gone(setting: Setting) -> None:
    row = await setting.acquire("r1")
    setting.backend.observe_errors.append(unavailable("sandbox.cluster_unreachable", "no answer"))
    await setting.cluster.look()
    assert await setting.leased() == [row.id]


async def test_what_was_seen_before_it_was_ended_is_no_new_one(setting: Setting) -> None:
    row = await setting.acquire("r1")
    seen = setting.backend.running[row.instance]
    await setting.cluster.release(row.id, epoch=row.epoch)
    await setting.settle()
    # Observed before its end, and held against the rows after it.
    setting.backend.running[row.instance] = seen
    for shard in await setting.cluster.claim():
        await setting.cluster.look_at(shard)
    assert row.instance not in {one.instance for one in await setting.cluster.rows()}


async def test_what_nobody_has_seen_for_long_is_not_granted(setting: Setting) -> None:
    await setting.settle()
    setting.clock.advance(setting.settings.fresh_s + 1)
    setting.backend.observe_errors.extend(
        [unavailable("sandbox.cluster_unreachable", "no answer")] * 2
    )
    row = await setting.acquire("r1")
    assert setting.backend.observe_errors == type(setting.backend.observe_errors)()
    assert row.warm == 0


async def test_a_successor_ends_what_its_predecessor_left(rows: Setting) -> None:
    await rows.settle()
    held = await rows.acquire("r1")
    await rows.settle()
    successor = Setting(rows.db, owner="owner_2", clock=rows.clock, ids=rows.ids)
    await successor.cluster.look()
    assert held.id not in await successor.leased()
    row = await successor.acquire("r1")
    assert row.instance in successor.backend.running
    # The one that was thought dead tends nothing more, and grants nothing more.
    await rows.settle()
    assert {row.instance for row in await successor.cluster.rows()} <= set(
        successor.backend.running
    )
    assert (await rows.acquire("r1")).id == row.id


async def test_closing_ends_every_browser_and_starts_none(setting: Setting) -> None:
    await setting.settle()
    await setting.acquire("r1")
    await setting.settle()
    await setting.cluster.close()
    assert setting.backend.running == {}
    await setting.cluster.look()
    assert await setting.states() == []


async def test_rows_of_ended_sandboxes_are_forgotten_in_time(setting: Setting) -> None:
    row = await setting.acquire("r1")
    await setting.cluster.release(row.id, epoch=1)
    setting.clock.advance(86_399)
    await setting.cluster.look()
    assert await code_of(setting.cluster.release(row.id, epoch=9)) == "lease.stale_epoch"
    setting.clock.advance(2)
    await setting.cluster.look()
    assert await code_of(setting.cluster.release(row.id, epoch=1)) == "sandbox.not_found"
