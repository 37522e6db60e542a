"""Sandboxes as pods of a real node: the scheduler's own backend makes them, a browser
in one is used, and it ends with its lease.

The scheduler runs here, with KUBECONFIG, and so must reach the pods' addresses: the
node is this machine. IMAGE_PREFIX and IMAGE_TAG name the image.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from kubernetes.aio import client
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from deploy.images.build import image, version
from proofwalk.chassis.database import Database
from proofwalk.console.actions import TypeFocused
from proofwalk.desktop.seat import Seat
from proofwalk.desktop.session import DesktopSession
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.domain import Sandbox
from proofwalk.sandbox_scheduler.kubernetes.api import KubernetesApi
from proofwalk.sandbox_scheduler.kubernetes.backend import StatefulSetBackend
from proofwalk.sandbox_scheduler.kubernetes.doors import PodDoors
from proofwalk.sandbox_scheduler.settings import KubernetesSettings
from proofwalk.sandbox_scheduler.tickets import TicketOffice
from tests.cluster.node import node_that_runs_pods
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.worlds import settings_for

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]


@pytest.fixture
def told() -> dict[str, Any]:
    """What sandboxes are; a test may have others."""
    return {"tool": "chromium", "image": "sandbox"}


@pytest.fixture
async def backend(
    configuration: client.Configuration,
    api_client: client.ApiClient,
    namespace: str,
    told: dict[str, Any],
) -> StatefulSetBackend:
    """Pods on the real node; closed by the scheduler."""
    node = await node_that_runs_pods(api_client)
    named = image(
        os.environ.get("IMAGE_PREFIX", "proofwalk/"),
        told["image"],
        os.environ.get("IMAGE_TAG", version()),
    )
    here = {"kubernetes.io/hostname": node["metadata"]["labels"]["kubernetes.io/hostname"]}
    settings = KubernetesSettings(
        namespace=namespace, node_selector=here, cpu="50m", watch_s=5, **{**told, "image": named}
    )
    doors = PodDoors(TicketOffice(Ed25519PrivateKey.generate()))
    return StatefulSetBackend(
        KubernetesApi(configuration, namespace=namespace),
        doors,
        settings=settings,
        clock=SystemClock(),
    )


@pytest.fixture
async def cluster(
    backend: StatefulSetBackend, sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Cluster]:
    """A scheduler of them."""
    await copy_migrated("proofwalk.sandbox_scheduler", sqlite_db, tmp_path_factory)
    clock = SystemClock()
    settings = settings_for(warm=0, quota=2, start_s=240.0, check_s=0.5, poll_s=0.2)
    made = Cluster(
        backend, db=sqlite_db, clock=clock, ids=RandomIds(clock), settings=settings, owner="one"
    )
    yield made
    await made.close()


async def lease(cluster: Cluster, request_id: str) -> Sandbox:
    tool = cluster.tool.name
    return await cluster.acquire(
        request_id=request_id,
        tool=tool,
        holder="test",
        ttl=timedelta(minutes=10),
        allowed_hosts=["console.example:443"],
    )


async def version_of(socket: ClientConnection) -> str:
    """What the browser at the other end is."""
    await socket.send(json.dumps({"id": 1, "method": "Browser.getVersion"}))
    while (said := json.loads(await socket.recv())).get("id") != 1:
        continue
    return str(said["result"]["product"])


async def test_a_browser_in_a_pod_is_its_holders_alone_and_ends_with_its_lease(
    cluster: Cluster, backend: StatefulSetBackend
) -> None:
    first, second = await asyncio.gather(lease(cluster, "r1"), lease(cluster, "r2"))
    assert first.place != second.place
    async with connect(first.cdp_endpoint, proxy=None, max_size=None) as mine, asyncio.timeout(240):
        assert "Chrome" in await version_of(mine)
        await mine.send(
            json.dumps(
                {
                    "id": 2,
                    "method": "Target.createTarget",
                    "params": {"url": "http://refused.example/"},
                }
            )
        )
        # A ticket opens one pod, and not its neighbour.
        ticket = first.cdp_endpoint.rpartition("/")[2]
        with pytest.raises(InvalidStatus) as caught:
            await connect(f"{second.cdp_endpoint.rpartition('/')[0]}/{ticket}", proxy=None)
        assert caught.value.response.status_code == 403
        while "refused.example:80" not in await backend.doors.refused(first):
            await asyncio.sleep(0.2)
        assert "refused.example:80" in await cluster.release(first.id, epoch=first.epoch)
        with pytest.raises(ConnectionClosed):
            while True:
                await mine.recv()
        while first.place in {
            row.place
            for row in await cluster.rows()
            if row.instance == first.instance and not row.ended_at
        }:
            await cluster.look()
            await asyncio.sleep(0.2)
    third = await lease(cluster, "r3")
    assert third.instance != first.instance
    async with connect(third.cdp_endpoint, proxy=None, max_size=None) as mine:
        assert "Chrome" in await version_of(mine)


@pytest.mark.parametrize(
    "told",
    [{"tool": "desktop", "image": "desktop", "memory": "2Gi", "storage": "2Gi"}],
    ids=["desktop"],
)
async def test_a_desktop_in_a_pod_is_seen_and_steered(cluster: Cluster) -> None:
    held = await lease(cluster, "r1")
    seat = await Seat.at(held.cdp_endpoint)
    try:
        session = DesktopSession(seat, clock=SystemClock())
        assert (await session.observe()).screenshot
        await seat.guest.start(["/usr/bin/mousepad", "/home/agent/note.txt"])
        async with asyncio.timeout(120):
            while "Mousepad" not in "".join((await seat.guest.look()).windows):
                await asyncio.sleep(0.2)
        assert (await session.perform(TypeFocused(text="in a pod"))).ok
        assert "in a pod" in await session.words()
        with pytest.raises(ProofwalkError) as caught:
            await Seat.at(held.cdp_endpoint)
        assert caught.value.code == "desktop.taken"
    finally:
        await seat.leave()
    assert await cluster.release(held.id, epoch=held.epoch) == {}
