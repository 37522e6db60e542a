"""What only a real API server can show: its preconditions, its patches, its garbage
collection, its controllers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from kubernetes.aio import client

from proofwalk.sandbox_scheduler import usecases
from proofwalk.sandbox_scheduler.domain import Shard
from proofwalk.sandbox_scheduler.kubernetes import manifests
from proofwalk.sandbox_scheduler.kubernetes.api import Conflict, KubernetesApi, TooOld
from proofwalk.sandbox_scheduler.settings import KubernetesSettings
from tests.cluster.world import ClusterWorld
from tests.sandbox_scheduler.setting import code_of
from tests.sandbox_scheduler.worlds import TTL, acquire, leased, until, until_states

pytestmark = pytest.mark.cluster

SHARD = Shard(tool="chromium", version="1", number=0, epoch=1)


@pytest.fixture
async def api(configuration: client.Configuration, namespace: str) -> AsyncIterator[KubernetesApi]:
    made = KubernetesApi(configuration, namespace=namespace)
    yield made
    await made.close()


async def test_a_later_owner_cannot_be_overruled(world: ClusterWorld) -> None:
    early, late = world.backend("1"), world.backend("1")
    later = Shard(tool="chromium", version="1", number=0, epoch=2)
    await early.scale(SHARD, 1)
    await late.scale(later, 2)
    assert await code_of(early.scale(SHARD, 0)) == "shard.stale_epoch"
    await late.scale(later, 3)

    async def are_there() -> bool:
        return len(await world.running()) == 3

    async with asyncio.timeout(60):
        while not await are_there():
            await world.pass_time(0)
    await early.close()
    await late.close()


async def test_pods_are_deleted_as_they_were_seen(world: ClusterWorld, api: KubernetesApi) -> None:
    backend = world.backend("1")
    await backend.scale(SHARD, 1)
    async with asyncio.timeout(60):
        while not await world.running():
            await world.pass_time(0)
    selector = manifests.selector(SHARD, KubernetesSettings().prefix)
    (pod,), _ = await api.pods.list(selector)
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    with pytest.raises(Conflict):
        await api.delete_pod(
            name, uid="0d9ad2a4-0000-4000-8000-000000000000", version="1", force=False
        )
    with pytest.raises(Conflict):
        await api.delete_pod(name, uid=uid, version="1", force=False)
    await api.delete_pod(name, uid=uid, version=pod["metadata"]["resourceVersion"], force=False)
    async with asyncio.timeout(60):
        while not any(not each.startswith(uid) for each in await world.running()):
            await world.pass_time(0)
    await backend.close()


async def test_a_version_that_is_too_old_is_gone(api: KubernetesApi) -> None:
    with pytest.raises(TooOld):
        async with asyncio.timeout(60), aclosing(api.pods.watch("", "1", seconds=5)) as events:
            async for _ in events:
                pass


async def test_a_leases_policy_goes_with_its_pod(
    world: ClusterWorld, api_client: client.ApiClient
) -> None:
    cluster = world.cluster("one", warm=0)
    row = await acquire(world, cluster, "r1")
    network = client.NetworkingV1Api(api_client)

    async def policies() -> set[str]:
        response = await network.list_namespaced_network_policy_without_preload_content(
            world.namespace
        )
        return {item["metadata"]["name"] for item in json.loads(await response.read())["items"]}

    mine = f"{row.place}-{row.instance[:8]}"
    assert mine in await policies()
    await cluster.release(row.id, epoch=1)

    async def is_gone() -> bool:
        return mine not in await policies()

    await until(world, cluster, is_gone)
    assert KubernetesSettings().prefix in await policies()
    await cluster.close()


async def test_two_schedulers_and_a_killed_one_never_hand_out_one_sandbox_twice(
    world: ClusterWorld,
) -> None:
    one = world.cluster("one", quota=8, shard_size=2, warm=2, shard_ttl_s=5.0)
    two = world.cluster("two", quota=8, shard_size=2, warm=2, shard_ttl_s=5.0)
    for _ in range(2):
        await asyncio.gather(one.look(), two.look())
    first = await asyncio.gather(
        *(
            acquire(world, each, f"{name}{number}")
            for name, each in (("a", one), ("b", two))
            for number in range(3)
        )
    )
    # One of them does nothing more, and says nothing.
    await world.pass_time(5.1)
    then = [await acquire(world, two, f"c{number}") for number in range(2)]
    got = [*first, *then]
    assert len({row.instance for row in got}) == 8
    assert await leased(two) == {row.id for row in got}
    for row in got:
        assert (await two.renew(row.id, epoch=1, ttl=TTL)).id == row.id
    await one.close()
    await two.close()


async def test_a_node_that_is_not_heard_of_holds_nothing_up(world: ClusterWorld) -> None:
    cluster = world.cluster("one", warm=0, quota=1, end_s=1.0)
    row = await acquire(world, cluster, "r1")
    world.kubelet.silent = True
    await cluster.release(row.id, epoch=1)
    # Its pod was told to end, and nobody there says that it did: it is taken away by
    # force.
    await until_states(world, cluster)
    world.kubelet.silent = False
    assert (await acquire(world, cluster, "r2")).instance != row.instance
    await cluster.close()


async def test_another_version_replaces_the_first_and_leaves_no_set_behind(
    world: ClusterWorld, api: KubernetesApi
) -> None:
    old = world.cluster("one", warm=1)
    held = await acquire(world, old, "r1")
    await old.close()
    new = world.cluster("two", version="2", warm=1)
    await acquire(world, new, "r2")
    await new.release(held.id, epoch=1)
    name = manifests.set_name(SHARD, KubernetesSettings().prefix)

    async def is_gone() -> bool:
        return await api.stateful_set(name) is None and {
            row.version for row in await new.rows()
        } == {"2"}

    await until(world, new, is_gone)
    await new.close()
    assert await usecases.live(world.db) != []
