"""What every backend's cluster does for whoever asks: the same tests on each of
them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.fake_api import FakeApi
from tests.sandbox_scheduler.setting import code_of
from tests.sandbox_scheduler.worlds import (
    TTL,
    AgentSandboxWorld,
    ApiWorld,
    LocalWorld,
    SimulatedWorld,
    World,
    acquire,
    few_machines,
    leased,
    until,
    until_states,
)


@pytest.fixture(
    params=["simulation", "api", "agent-sandbox", pytest.param("local", marks=pytest.mark.browser)]
)
async def world(
    request: pytest.FixtureRequest,
    sqlite_db: Database,
    tmp_path_factory: pytest.TempPathFactory,
    home: Path,
) -> AsyncIterator[World]:
    await copy_migrated("proofwalk.sandbox_scheduler", sqlite_db, tmp_path_factory)
    if request.param == "simulation":
        yield SimulatedWorld(sqlite_db)
    elif request.param == "local":
        yield LocalWorld(sqlite_db, home / "profiles")
    else:
        machines = few_machines()
        async with FakeApi(machines, since=ManualClock().now()).serving() as api:
            yield (ApiWorld if request.param == "api" else AgentSandboxWorld)(sqlite_db, api)


async def test_the_pool_fills_itself_and_what_is_granted_is_replaced(world: World) -> None:
    cluster = world.cluster("one")
    await until_states(world, cluster, "warm")
    row = await acquire(world, cluster, "r1")
    assert (row.warm, row.epoch, row.state.value) == (1, 1, "leased")
    assert row.cdp_endpoint.startswith("ws://")
    await until_states(world, cluster, "leased", "warm")
    assert {each.instance for each in await cluster.rows()} == await world.running()
    await cluster.close()


async def test_who_finds_nothing_warm_waits_for_one(world: World) -> None:
    cluster = world.cluster("one", warm=0)
    row = await acquire(world, cluster, "r1")
    assert row.warm == 0
    assert row.instance in await world.running()
    assert (await cluster.census()).waiting == 0
    await cluster.close()


async def test_no_two_requests_get_the_same_and_the_quota_holds(world: World) -> None:
    cluster = world.cluster("one")
    got = await asyncio.gather(
        *(acquire(world, cluster, f"r{number}") for number in range(5)), return_exceptions=True
    )
    given = [row.id for row in got if not isinstance(row, BaseException)]
    codes = {row.code for row in got if isinstance(row, ProofwalkError)}
    assert (len(given), len(set(given)), codes) == (3, 3, {"sandbox.none_free"})
    assert await leased(cluster) == set(given)
    assert len(await world.running()) == 3
    await cluster.close()


async def test_what_was_released_is_never_granted_again(world: World) -> None:
    cluster = world.cluster("one", warm=0, quota=1)
    used: set[str] = set()
    for number in range(3):
        row = await acquire(world, cluster, f"r{number}")
        assert row.instance not in used
        used.add(row.instance)
        await cluster.release(row.id, epoch=1)
        assert await code_of(cluster.renew(row.id, epoch=1, ttl=TTL)) == "sandbox.crashed"

        async def is_gone(instance: str = row.instance) -> bool:
            return instance not in await world.running() and (await cluster.census()).ending == 0

        await until(world, cluster, is_gone)
    await cluster.close()


async def test_a_crash_is_noticed_and_its_holder_told(world: World) -> None:
    cluster = world.cluster("one")
    row = await acquire(world, cluster, "r1")
    await world.crash(row)

    async def is_told() -> bool:
        return row.id not in await leased(cluster)

    await until(world, cluster, is_told)
    with pytest.raises(ProofwalkError) as caught:
        await cluster.renew(row.id, epoch=1, ttl=TTL)
    assert caught.value.code == "sandbox.crashed"
    await until_states(world, cluster, "warm")
    assert (await acquire(world, cluster, "r2")).instance != row.instance
    await cluster.close()


async def test_a_lease_that_runs_out_ends_the_sandbox(world: World) -> None:
    cluster = world.cluster("one", warm=0)
    row = await acquire(world, cluster, "r1", ttl=timedelta(seconds=2))
    await world.pass_time(2.1)
    assert await code_of(cluster.renew(row.id, epoch=1, ttl=TTL)) == "lease.stale_epoch"
    await until_states(world, cluster)
    assert await world.running() == set()
    await cluster.close()


async def test_a_successor_grants_nothing_that_was_granted(world: World) -> None:
    first = world.cluster("one", shard_ttl_s=2.0)
    held = await acquire(world, first, "r1")
    successor = world.cluster("two", shard_ttl_s=2.0)
    await world.pass_time(2.1)
    row = await acquire(world, successor, "r2")
    assert row.instance != held.instance
    if world.shared:
        assert await leased(successor) == {held.id, row.id}
        assert (await successor.renew(held.id, epoch=1, ttl=TTL)).id == held.id
    else:
        assert await leased(successor) == {row.id}
    await first.close()
    await successor.close()


async def test_closing_leaves_what_it_should(world: World) -> None:
    cluster = world.cluster("one")
    await acquire(world, cluster, "r1")
    await until_states(world, cluster, "leased", "warm")
    before = await world.running()
    await cluster.close()
    assert await world.running() == (before if world.shared else set())
