"""What goes wrong in a cluster of machines, and what becomes of sandboxes then: on
simulated machines, seen directly and over the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler import ownership
from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState, Tool
from proofwalk.sandbox_scheduler.simulation.machines import Timing
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.fake_api import FakeApi
from tests.sandbox_scheduler.setting import code_of
from tests.sandbox_scheduler.worlds import (
    TTL,
    AgentSandboxWorld,
    ApiWorld,
    MachinesWorld,
    SimulatedWorld,
    acquire,
    few_machines,
    leased,
    until,
    until_states,
)


@pytest.fixture(params=["simulation", "api", "agent-sandbox"])
async def world(
    request: pytest.FixtureRequest, sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[MachinesWorld]:
    await copy_migrated("proofwalk.sandbox_scheduler", sqlite_db, tmp_path_factory)
    if request.param == "simulation":
        yield SimulatedWorld(sqlite_db)
    else:
        machines = few_machines()
        async with FakeApi(machines, since=ManualClock().now()).serving() as api:
            yield (ApiWorld if request.param == "api" else AgentSandboxWorld)(sqlite_db, api)


async def test_a_lost_node_takes_its_sandboxes_and_only_those(world: MachinesWorld) -> None:
    cluster = world.cluster("one", warm=0, quota=4, shard_size=4, end_s=10.0)
    rows = [await acquire(world, cluster, f"r{number}") for number in range(4)]
    node = world.pod(rows[0]).node
    assert node is not None
    lost = {row.id for row in rows if world.pod(row).node is node}
    world.machines.lose(node)
    await world.heard()

    async def are_told() -> bool:
        return await leased(cluster) == {row.id for row in rows} - lost

    await until(world, cluster, are_told)
    assert await code_of(cluster.renew(rows[0].id, epoch=1, ttl=TTL)) == "sandbox.crashed"
    # Their pods do not say that they ended: nobody is there to say it. After a while
    # they are taken away, and their places are filled elsewhere.
    assert await code_of(acquire(world, cluster, "early")) == "sandbox.none_free"

    async def none_ends() -> bool:
        return (await cluster.census()).ending == 0

    await until(world, cluster, none_ends)
    replacement = await acquire(world, cluster, "again")
    assert world.pod(replacement).node is not node
    await cluster.close()


async def test_a_node_that_comes_back_finds_its_sandboxes_ended(world: MachinesWorld) -> None:
    cluster = world.cluster("one", warm=0)
    row = await acquire(world, cluster, "r1")
    pod = world.pod(row)
    assert pod.node is not None
    world.machines.lose(pod.node)
    await world.heard()
    await until(world, cluster, lambda: _not_leased(cluster, row))
    world.machines.find(pod.node)
    await world.heard()
    await until(world, cluster, lambda: _is(pod.gone))
    await until_states(world, cluster)
    await cluster.close()


async def _not_leased(cluster: object, row: Sandbox) -> bool:
    return row.id not in await leased(cluster)  # type: ignore[arg-type]


async def _is(value: bool) -> bool:
    return value


async def test_an_evicted_sandbox_is_told_and_replaced(world: MachinesWorld) -> None:
    cluster = world.cluster("one")
    row = await acquire(world, cluster, "r1")
    world.machines.evict(world.pod(row))
    await world.heard()
    await until(world, cluster, lambda: _not_leased(cluster, row))
    with pytest.raises(ProofwalkError) as caught:
        await cluster.renew(row.id, epoch=1, ttl=TTL)
    assert caught.value.code == "sandbox.crashed"
    await until_states(world, cluster, "warm")
    await cluster.close()


async def test_a_container_that_was_started_again_is_another_sandbox(world: MachinesWorld) -> None:
    cluster = world.cluster("one", warm=0)
    row = await acquire(world, cluster, "r1")
    world.machines.crash(world.pod(row))
    # It is up again before anybody looks.
    await world.pass_time(60)
    await until(world, cluster, lambda: _not_leased(cluster, row))
    assert await code_of(cluster.renew(row.id, epoch=1, ttl=TTL)) == "sandbox.crashed"
    await cluster.close()


async def test_an_image_that_cannot_be_pulled_is_told_to_who_waits(world: MachinesWorld) -> None:
    world.machines.image_works = False
    cluster = world.cluster("one", start_s=0.5)
    with pytest.raises(ProofwalkError) as caught:
        await acquire(world, cluster, "r1")
    assert (caught.value.code, caught.value.retryable) == ("sandbox.start_failed", True)
    assert "ErrImagePull" in caught.value.message
    world.machines.mend_image()
    await until_states(world, cluster, "warm")
    await cluster.close()


async def test_no_room_is_told_to_who_waits(world: MachinesWorld) -> None:
    for node in world.machines.nodes:
        node.room = 0
    cluster = world.cluster("one", start_s=0.5)
    with pytest.raises(ProofwalkError) as caught:
        await acquire(world, cluster, "r1")
    assert "nodes have room" in caught.value.message
    await cluster.close()


async def test_shrinking_never_takes_what_is_leased(world: MachinesWorld) -> None:
    cluster = world.cluster("one", warm=0, quota=4, shard_size=4)
    rows = [await acquire(world, cluster, f"r{number}") for number in range(4)]
    rows.sort(key=lambda row: row.ordinal)
    for row in rows[:3]:
        await cluster.release(row.id, epoch=1)
    for _ in range(40):
        await cluster.look()
        await world.pass_time(0.25)
    assert rows[3].instance in await world.running()
    assert (await cluster.renew(rows[3].id, epoch=1, ttl=TTL)).id == rows[3].id
    await cluster.release(rows[3].id, epoch=1)
    await until_states(world, cluster)
    assert await world.running() == set()
    await cluster.close()


async def test_several_schedulers_share_the_shards_and_grant_each_sandbox_once(
    world: MachinesWorld,
) -> None:
    one = world.cluster("one", quota=8, shard_size=2, warm=4)
    two = world.cluster("two", quota=8, shard_size=2, warm=4)
    for _ in range(3):
        await asyncio.gather(one.look(), two.look())
    tool = Tool(name="chromium", version="1", backend="")
    claims = [
        await ownership.claim(
            world.db, tool, count=4, by=by, ttl_s=15, seize=False, clock=world.clock
        )
        for by in ("one", "two")
    ]
    assert sorted(shard.number for claim in claims for shard in claim) == [0, 1, 2, 3]
    assert [len(claim) for claim in claims] == [2, 2]
    got = await asyncio.gather(
        *(
            acquire(world, each, f"{name}{number}")
            for name, each in (("a", one), ("b", two))
            for number in range(4)
        )
    )
    assert len({row.instance for row in got}) == 8
    assert await leased(one) == {row.id for row in got}
    await one.close()
    await two.close()


async def test_a_killed_schedulers_shards_go_to_another_one_and_its_leases_live(
    world: MachinesWorld,
) -> None:
    killed = world.cluster("one", quota=4, shard_size=2, shard_ttl_s=5.0)
    held = [await acquire(world, killed, f"r{number}") for number in range(3)]
    # It does nothing more, and says nothing.
    heir = world.cluster("two", quota=4, shard_size=2, shard_ttl_s=5.0)
    await world.pass_time(5.1)
    row = await acquire(world, heir, "r9")
    assert row.instance not in {each.instance for each in held}
    for each in held:
        assert (await heir.renew(each.id, epoch=1, ttl=TTL)).id == each.id
    assert await heir.release(held[0].id, epoch=1) == {"tracker.example": 3}
    await until(world, heir, lambda: _released(world, held[0]))
    await killed.close()
    await heir.close()


async def _released(world: MachinesWorld, row: Sandbox) -> bool:
    return row.instance not in await world.running()


async def test_who_lost_a_shard_cannot_change_it(world: MachinesWorld) -> None:
    before = world.cluster("one", warm=2, shard_ttl_s=5.0)
    await until_states(world, before, "warm", "warm")
    late = world.backend("1")
    (claimed,) = await ownership.claim(
        world.db, late.tool, count=1, by="one", ttl_s=5, seize=False, clock=world.clock
    )
    await late.scale(claimed, 2)
    heir = world.cluster("two", warm=2, shard_ttl_s=5.0)
    await world.pass_time(5.1)
    await heir.look()
    row = await acquire(world, heir, "r1")
    assert await code_of(before.look_at(claimed)) == "shard.stale_epoch"
    if world.fences:
        assert await code_of(late.scale(claimed, 0)) == "shard.stale_epoch"
    else:
        # It can take nothing away, for that needs rows; what it adds is seen, and
        # ended.
        await late.scale(claimed, 5)
    await until_states(world, heir, "leased", "warm", "warm")
    assert (await heir.renew(row.id, epoch=1, ttl=TTL)).id == row.id
    for each in (before, heir):
        await each.close()
    await late.close()


async def test_another_version_of_the_tool_replaces_the_first_without_ending_its_leases(
    world: MachinesWorld,
) -> None:
    old = world.cluster("one", quota=3, warm=1)
    held = await acquire(world, old, "r1")
    await old.close()
    new = world.cluster("two", version="2", quota=3, warm=1)
    row = await acquire(world, new, "r2")
    assert (held.version, row.version) == ("1", "2")
    assert (await new.renew(held.id, epoch=1, ttl=TTL)).id == held.id
    await new.release(held.id, epoch=1)

    async def is_replaced() -> bool:
        # A StatefulSet is to be gone itself; an object of agent-sandbox went with its
        # sandbox.
        left = {name for name, owner in world.machines.sets.items() if owner.pods or world.fences}
        return {each.version for each in await new.rows()} == {"2"} and not any(
            "-1-s0" in name for name in left
        )

    await until(world, new, is_replaced)
    await new.close()


async def test_containers_that_crash_while_they_start_are_tried_again(world: MachinesWorld) -> None:
    world.machines._timing = Timing(image_pull=1.0, failure=0.4)
    cluster = world.cluster("one", warm=3)
    await until_states(world, cluster, "warm", "warm", "warm")
    await cluster.close()


async def test_a_sandbox_of_which_nothing_is_heard_stays_whose_it_is(world: MachinesWorld) -> None:
    cluster = world.cluster("one")
    row = await acquire(world, cluster, "r1")
    world.break_off()
    for _ in range(3):
        await cluster.look()
        await world.pass_time(1)
    assert (await cluster.renew(row.id, epoch=1, ttl=TTL)).state is SandboxState.LEASED
    world.mend()
    await until_states(world, cluster, "leased", "warm")
    await cluster.close()


async def test_what_is_too_many_is_kept_for_a_while(world: MachinesWorld) -> None:
    cluster = world.cluster("one", warm=0, cooldown_s=30.0)
    for number in range(2):
        row = await acquire(world, cluster, f"r{number}")
        await cluster.release(row.id, epoch=1)
    await until_states(world, cluster, "warm")
    await world.pass_time(31)
    await until_states(world, cluster)
    assert await world.running() == set()
    await cluster.close()
