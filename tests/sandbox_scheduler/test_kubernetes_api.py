"""Bad days of the Kubernetes API: watches that break, are compacted or fall silent,
throttling, lost races, an API that is not there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from kubernetes.aio.client import Configuration

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler.backend import Pulse
from proofwalk.sandbox_scheduler.domain import Shard
from proofwalk.sandbox_scheduler.kubernetes import manifests
from proofwalk.sandbox_scheduler.kubernetes.api import Absent, Conflict, KubernetesApi, TooOld
from proofwalk.sandbox_scheduler.kubernetes.watching import Watch
from proofwalk.sandbox_scheduler.settings import KubernetesSettings
from proofwalk.sandbox_scheduler.simulation.machines import Machines, Timing
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.fake_api import NAMESPACE, FakeApi
from tests.sandbox_scheduler.setting import code_of
from tests.sandbox_scheduler.worlds import ApiWorld, acquire, leased, until, until_states


@pytest.fixture
async def fake() -> AsyncIterator[FakeApi]:
    machines = Machines(nodes=4, room=4, timing=Timing(image_pull=1.0), seed=3)
    async with FakeApi(machines, since=ManualClock().now()).serving() as api:
        yield api


@pytest.fixture
async def world(
    fake: FakeApi, sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory
) -> ApiWorld:
    await copy_migrated("proofwalk.sandbox_scheduler", sqlite_db, tmp_path_factory)
    return ApiWorld(sqlite_db, fake)


@pytest.fixture
async def api(fake: FakeApi) -> AsyncIterator[KubernetesApi]:
    made = KubernetesApi(Configuration(host=fake.address), namespace=NAMESPACE, deadline_s=2.0)
    yield made
    await made.close()


async def test_a_watch_that_breaks_goes_on_where_it_was(world: ApiWorld) -> None:
    cluster = world.cluster("one")
    await until_states(world, cluster, "warm")
    listed = sum("pods" in call for call in world.api.asked)
    await world.api.break_watches()
    row = await acquire(world, cluster, "r1")
    await world.crash(row)

    async def is_told() -> bool:
        return await leased(cluster) == set()

    await until(world, cluster, is_told)
    assert sum("pods" in call for call in world.api.asked) > listed
    await cluster.close()


async def test_what_a_compacted_watch_did_not_tell_is_listed(world: ApiWorld) -> None:
    cluster = world.cluster("one")
    await until_states(world, cluster, "warm")
    row = await acquire(world, cluster, "r1")
    world.api.mute = True
    world.machines.crash(world.pod(row))
    await world.pass_time(30)
    world.api.compact()
    world.api.mute = False
    await world.api.break_watches()

    async def is_told() -> bool:
        return await leased(cluster) == set()

    await until(world, cluster, is_told)
    await cluster.close()


async def test_throttling_is_waited_for(world: ApiWorld) -> None:
    cluster = world.cluster("one")
    world.api.throttles = 2
    await until_states(world, cluster, "warm")
    assert world.api.throttles == 0
    await cluster.close()


async def test_throttling_without_end_is_told(api: KubernetesApi, fake: FakeApi) -> None:
    fake.throttles = 100
    assert await code_of(api.pods.list("a=b")) == "sandbox.cluster_unreachable"


async def test_an_api_that_is_not_there_is_told(api: KubernetesApi, fake: FakeApi) -> None:
    fake.down = True
    with pytest.raises(ProofwalkError) as caught:
        await api.pods.list("a=b")
    assert (caught.value.code, caught.value.retryable) == ("sandbox.cluster_unreachable", True)


async def test_answers_have_types(api: KubernetesApi, fake: FakeApi) -> None:
    assert await api.stateful_set("none") is None
    with pytest.raises(Absent):
        await api.delete_pod("none-0", uid="x", version="1", force=False)
    with pytest.raises(Absent):
        await api.patch_stateful_set("none", [])
    shard = Shard(tool="chromium", version="1", number=0, epoch=3)
    body = manifests.stateful_set(shard, 1, KubernetesSettings(image="sandbox:1"), public_key="")
    name, selector = (
        body["metadata"]["name"],
        manifests.selector(shard, KubernetesSettings().prefix),
    )
    await api.create_stateful_set(body)
    with pytest.raises(Conflict):
        await api.create_stateful_set(body)
    with pytest.raises(Conflict):
        await api.patch_stateful_set(
            name,
            [{"op": "test", "path": "/metadata/annotations/proofwalk.dev~1epoch", "value": "2"}],
        )
    fake.machines.advance(60)
    (pod,), _ = await api.pods.list(selector)
    uid, version = pod["metadata"]["uid"], pod["metadata"]["resourceVersion"]
    with pytest.raises(Conflict):
        await api.delete_pod(f"{name}-0", uid="another", version=version, force=False)
    with pytest.raises(Conflict):
        await api.delete_pod(f"{name}-0", uid=uid, version="0", force=False)
    fake.compact()
    with pytest.raises(TooOld):
        async with aclosing(api.pods.watch(selector, "0", seconds=1)) as events:
            async for _ in events:
                pass
    await api.delete_pod(f"{name}-0", uid=uid, version=version, force=True)
    assert (await api.pods.list(selector))[0] == []


async def test_a_watch_that_falls_silent_is_not_believed_for_long(
    api: KubernetesApi, fake: FakeApi
) -> None:
    clock = ManualClock()
    watch = Watch(api.pods, "a=b", pulse=Pulse(), clock=clock, watch_s=20)
    await watch.first()
    fresh = [watch.fresh]
    clock.advance(41)
    fresh.append(watch.fresh)
    assert fresh == [True, False]
    await watch.close()


async def test_a_stale_view_is_not_a_look(world: ApiWorld) -> None:
    backend = world.backend("1")
    shard = Shard(tool="chromium", version="1", number=0, epoch=1)
    world.api.down = True
    assert await code_of(backend.observe(shard)) == "sandbox.cluster_unreachable"
    world.api.down = False
    assert await backend.observe(shard) == []
    await backend.close()


async def test_each_lease_has_a_policy_of_its_own_and_the_wall_comes_first(world: ApiWorld) -> None:
    cluster = world.cluster("one")
    row = await acquire(world, cluster, "r1")
    made = [call for call in world.api.asked if call.startswith("POST")]
    assert made[0].endswith("/networkpolicies")
    assert made.index(next(call for call in made if call.endswith("/statefulsets"))) > 0
    names = set(world.api.policies)
    assert any(name.startswith(row.place) for name in names)
    # The same request again: no second policy, and no error.
    again = await acquire(world, cluster, "r1")
    assert (again.id, set(world.api.policies)) == (row.id, names)
    await cluster.close()


async def test_a_size_that_somebody_changed_is_set_again(world: ApiWorld) -> None:
    cluster = world.cluster("one")
    await until_states(world, cluster, "warm")
    await cluster.close()
    (name,) = world.api.sets
    world.api.sets[name]["spec"]["replicas"] = 0
    world.machines.scale(name, 0)
    heir = world.cluster("two")
    await until_states(world, heir, "warm")
    assert world.api.sets[name]["spec"]["replicas"] == 1
    await heir.close()
