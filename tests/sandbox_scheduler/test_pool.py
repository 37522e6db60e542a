"""The pool over rows on both databases and an in-memory backend: who gets a sandbox, who loses it, and that none is left."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.sandbox_scheduler import repository, usecases
from proofwalk.sandbox_scheduler.domain import Census, may_start_cold, to_start
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.setting import TTL, Setting


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


async def code_of(call: object) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call  # type: ignore[misc]
    return caught.value.code


async def test_the_migrations_make_the_declared_tables(rows: Setting) -> None:
    assert await difference(rows.db, "proofwalk.sandbox_scheduler", repository.METADATA) == []


async def test_a_warm_sandbox_is_handed_out_and_replaced(rows: Setting) -> None:
    await rows.pool.tend()
    assert await rows.states() == ["warm"]
    row = await rows.acquire("r1")
    assert (row.warm, row.epoch, row.holder, row.state.value) == (1, 1, "holder of r1", "leased")
    assert row.cdp_endpoint == f"ws://127.0.0.1/{row.id}"
    assert row.expires_at == rows.clock.now() + TTL
    assert rows.backend.allowed == {row.id: ["console.example:443"]}
    await rows.pool.tend()
    assert await rows.states() == ["leased", "warm"]
    census = await rows.pool.census()
    assert (census.leased, census.warm, census.total) == (1, 1, 2)


async def test_a_request_that_finds_nothing_warm_has_one_started(rows: Setting) -> None:
    row = await rows.acquire("r1")
    assert (row.warm, row.state.value) == (0, "leased")
    assert rows.backend.running == {row.id}


async def test_a_repeated_request_gets_the_same_sandbox(rows: Setting) -> None:
    first = await rows.acquire("r1")
    again = await rows.acquire("r1")
    assert first == again
    assert rows.backend.running == {first.id}


async def test_repeated_requests_at_the_same_time_get_the_same_sandbox(rows: Setting) -> None:
    await rows.pool.tend()
    got = await asyncio.gather(*(rows.acquire("r1") for _ in range(4)))
    assert len({row.id for row in got}) == 1
    assert await rows.leased() == [got[0].id]


async def test_requests_at_the_same_time_never_share_a_sandbox(rows: Setting) -> None:
    await rows.pool.tend()
    got = await asyncio.gather(*(rows.acquire(f"r{number}") for number in range(6)), return_exceptions=True)
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
    await rows.pool.release(held[0].id, epoch=1)
    assert (await rows.acquire("r9")).id not in {row.id for row in held}


async def test_a_released_sandbox_is_ended_and_never_used_again(rows: Setting) -> None:
    row = await rows.acquire("r1")
    assert await rows.pool.release(row.id, epoch=1) == {"tracker.example": 3}
    assert rows.backend.running == set()
    assert await rows.pool.release(row.id, epoch=1) == {"tracker.example": 3}
    assert await code_of(rows.pool.renew(row.id, epoch=1, ttl=TTL)) == "sandbox.crashed"
    assert (await rows.acquire("r1")).id != row.id


async def test_renewing_extends_and_time_ends_it(rows: Setting) -> None:
    row = await rows.acquire("r1")
    rows.clock.advance(20)
    assert (await rows.pool.renew(row.id, epoch=1, ttl=TTL)).expires_at == rows.clock.now() + TTL
    rows.clock.advance(29)
    await rows.pool.tend()
    assert await rows.leased() == [row.id]
    rows.clock.advance(1)
    assert await code_of(rows.pool.renew(row.id, epoch=1, ttl=TTL)) == "lease.stale_epoch"
    await rows.pool.tend()
    assert await rows.leased() == []
    assert row.id not in rows.backend.running
    assert await code_of(rows.pool.renew(row.id, epoch=1, ttl=TTL)) == "sandbox.crashed"


async def test_a_request_whose_lease_has_run_out_gets_another_sandbox(rows: Setting) -> None:
    first = await rows.acquire("r1")
    rows.clock.advance(31)
    second = await rows.acquire("r1")
    assert second.id != first.id
    await rows.pool.tend()
    assert await rows.leased() == [second.id]


@pytest.mark.parametrize("epoch", [0, 2, -1])
async def test_only_the_epoch_of_the_grant_moves_a_sandbox(rows: Setting, epoch: int) -> None:
    row = await rows.acquire("r1")
    assert await code_of(rows.pool.renew(row.id, epoch=epoch, ttl=TTL)) == "lease.stale_epoch"
    assert await code_of(rows.pool.release(row.id, epoch=epoch)) == "lease.stale_epoch"
    assert await rows.leased() == [row.id]


async def test_a_sandbox_that_nobody_was_given_is_nobodys_to_release(setting: Setting) -> None:
    await setting.pool.tend()
    (warm,) = await setting.pool.rows()
    assert await code_of(setting.pool.release(warm.id, epoch=0)) == "lease.stale_epoch"
    assert await code_of(setting.pool.renew(warm.id, epoch=0, ttl=TTL)) == "lease.stale_epoch"
    assert await setting.states() == ["warm"]


async def test_unknown_things_are_named(setting: Setting) -> None:
    assert await code_of(setting.pool.renew("sbx_none", epoch=1, ttl=TTL)) == "sandbox.not_found"
    assert await code_of(setting.pool.release("sbx_none", epoch=1)) == "sandbox.not_found"
    assert await code_of(setting.acquire("r", tool="firefox")) == "tool.unknown"
    assert await code_of(setting.acquire("r", tool="chromium@1")) == "tool.unknown"
    assert await code_of(setting.acquire("")) == "sandbox.bad_request_id"
    assert await code_of(setting.acquire("r", ttl=timedelta(0))) == "lease.bad_ttl"
    assert (await setting.acquire("r", tool="chromium@140")).tool == "chromium"


async def test_a_crashed_browser_is_noticed_and_its_holder_told(rows: Setting) -> None:
    row = await rows.acquire("r1")
    rows.backend.running.discard(row.id)
    await rows.pool.tend()
    with pytest.raises(ProofwalkError) as caught:
        await rows.pool.renew(row.id, epoch=1, ttl=TTL)
    assert caught.value.code == "sandbox.crashed"
    assert "crashed or hangs" in caught.value.message
    assert await rows.states() == ["warm"]


async def test_a_crashed_warm_browser_is_replaced(setting: Setting) -> None:
    await setting.pool.tend()
    setting.backend.running.clear()
    await setting.pool.tend()
    assert await setting.states() == ["warm"]
    assert len(setting.backend.running) == 1


@pytest.mark.parametrize("error", [unavailable("sandbox.start_failed", "no display"), OSError("no memory")], ids=repr)
async def test_a_start_that_fails_leaves_nothing(setting: Setting, error: BaseException) -> None:
    setting.backend.start_errors.append(error)
    with pytest.raises(type(error)):
        await setting.acquire("r1")
    assert setting.backend.running == set()
    assert await setting.states() == []
    assert (await setting.acquire("r1")).state.value == "leased"


async def test_a_start_that_hangs_is_ended_and_named(sqlite_db: Database) -> None:
    await migrate(sqlite_db, "proofwalk.sandbox_scheduler")
    setting = Setting(sqlite_db, start_s=0.05)
    setting.backend.hangs.set()
    with pytest.raises(ProofwalkError) as caught:
        await setting.acquire("r1")
    assert (caught.value.code, caught.value.retryable) == ("sandbox.start_failed", True)
    assert setting.backend.running == set()
    assert await setting.states() == []


async def test_a_request_that_goes_away_while_its_browser_starts_leaves_nothing(setting: Setting) -> None:
    setting.backend.hangs.set()
    asking = asyncio.ensure_future(setting.acquire("r1"))
    async with asyncio.timeout(30):
        while not setting.backend.running:
            await asyncio.sleep(0.005)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    async with asyncio.timeout(30):
        while await setting.states():
            await asyncio.sleep(0.005)
    assert setting.backend.running == set()


async def test_a_pool_that_cannot_be_filled_still_tends(setting: Setting) -> None:
    row = await setting.acquire("r1")
    setting.clock.advance(31)
    setting.backend.start_errors.append(unavailable("sandbox.start_failed", "no display"))
    await setting.pool.tend()
    assert row.id not in setting.backend.running
    assert await setting.states() == []
    await setting.pool.tend()
    assert await setting.states() == ["warm"]


async def test_one_browser_that_cannot_be_ended_keeps_no_other_alive(setting: Setting) -> None:
    held = [await setting.acquire(f"r{number}") for number in range(2)]
    setting.clock.advance(31)
    setting.backend.end_errors.append(OSError("no such cgroup"))
    await setting.pool.tend()
    assert sorted(await setting.states()) == ["ending", "warm"]
    await setting.pool.tend()
    assert await setting.states() == ["warm"]
    assert not {row.id for row in held} & setting.backend.running


async def test_a_successor_ends_what_its_predecessor_left(rows: Setting) -> None:
    await rows.pool.tend()
    await rows.acquire("r1")
    await rows.pool.tend()
    pids = [row.pid for row in await rows.pool.rows()]
    successor = Setting(rows.db, owner="owner_2", clock=rows.clock, ids=rows.ids)
    await successor.pool.adopt()
    assert await successor.states() == []
    assert sorted(successor.backend.orphans_ended) == sorted(pids)
    row = await successor.acquire("r1")
    assert row.owner == "owner_2"


async def test_a_warm_sandbox_of_another_process_is_not_handed_out(rows: Setting) -> None:
    await rows.pool.tend()
    other = Setting(rows.db, owner="owner_2", clock=rows.clock, ids=rows.ids)
    row = await other.acquire("r1")
    assert (row.owner, row.warm) == ("owner_2", 0)


async def test_an_interrupted_start_is_ended_after_a_while(setting: Setting) -> None:
    await usecases.reserve_to_fill(
        setting.db, tool="chromium", warm=1, quota=3, owner="owner_1", new_id="sbx_x", clock=setting.clock
    )
    await setting.pool.tend()
    assert await setting.states() == ["starting"]
    setting.clock.advance(11)
    await setting.pool.tend()
    assert await setting.states() == ["warm"]


async def test_closing_ends_every_browser_and_starts_none(setting: Setting) -> None:
    await setting.pool.tend()
    await setting.acquire("r1")
    await setting.pool.tend()
    await setting.pool.close()
    assert setting.backend.running == set()
    await setting.pool.tend()
    assert await setting.states() == []


async def test_rows_of_ended_sandboxes_are_forgotten_in_time(setting: Setting) -> None:
    row = await setting.acquire("r1")
    await setting.pool.release(row.id, epoch=1)
    setting.clock.advance(86_399)
    await setting.pool.tend()
    assert await code_of(setting.pool.release(row.id, epoch=9)) == "lease.stale_epoch"
    setting.clock.advance(2)
    await setting.pool.tend()
    assert await code_of(setting.pool.release(row.id, epoch=1)) == "sandbox.not_found"


@pytest.mark.parametrize(
    ("census", "start", "cold"),
    [
        ((0, 0, 0, 0), 2, True),
        ((1, 0, 0, 0), 1, True),
        ((1, 1, 0, 0), 0, True),
        ((0, 0, 3, 0), 1, True),
        ((0, 0, 3, 1), 0, False),
        ((0, 3, 0, 0), 0, True),
        ((0, 0, 5, 0), 0, False),
    ],
)
def test_how_many_are_started(census: tuple[int, int, int, int], start: int, cold: bool) -> None:
    starting, warm, leased, ending = census
    counted = Census(starting=starting, warm=warm, leased=leased, ending=ending)
    assert to_start(counted, warm=2, quota=4) == start
    assert may_start_cold(counted, quota=4) is cold
