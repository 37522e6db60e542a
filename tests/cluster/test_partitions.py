"""A scheduler cut off from a real API server: what it granted stays granted, and what
happened meanwhile it learns afterwards."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from kubernetes.aio import client

from proofwalk.chassis.tasks import end
from proofwalk.kernel.errors import ProofwalkError
from tests.cluster.world import ClusterWorld
from tests.sandbox_scheduler.worlds import TTL, acquire, leased, until

pytestmark = pytest.mark.cluster


class Wire:
    """The only way to an address, which can be cut: connections end, and others are not
    taken."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._server: asyncio.Server | None = None
        self._carrying: set[asyncio.Task[None]] = set()
        self._is_cut = False
        self.port = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        await self.cut()
        if self._server is not None:
            self._server.close()

    async def cut(self) -> None:
        self._is_cut = True
        await end(self._carrying)

    def mend(self) -> None:
        self._is_cut = False

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._carry(reader, writer))
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self._is_cut:
                return
            upstream, out = await asyncio.open_connection(*self._to)
            try:
                await asyncio.gather(_copy(reader, out), _copy(upstream, writer))
            finally:
                out.close()
        finally:
            writer.close()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(2**16):
        sink.write(data)
        await sink.drain()
    sink.close()


@pytest.fixture
async def wire(configuration: client.Configuration) -> AsyncIterator[Wire]:
    to = urlsplit(configuration.host)
    made = Wire(str(to.hostname), to.port or 443)
    await made.start()
    yield made
    await made.close()


@pytest.fixture
def way(configuration: client.Configuration, wire: Wire) -> client.Configuration:
    """Schedulers ask through the wire; the node does not."""
    told, to = copy.copy(configuration), urlsplit(configuration.host)
    told.host = f"{to.scheme}://127.0.0.1:{wire.port}"
    # The certificate is the server's all the same.
    told.tls_server_name = str(to.hostname)
    return told


async def test_what_was_granted_stays_and_what_happened_is_learned_afterwards(
    world: ClusterWorld, wire: Wire
) -> None:
    cluster = world.cluster("one", warm=0, start_s=2.0)
    kept, lost = await acquire(world, cluster, "r1"), await acquire(world, cluster, "r2")
    await wire.cut()
    await world.crash(lost)
    async with asyncio.timeout(60):
        while lost.instance in await world.running():
            await world.pass_time(0)
    for _ in range(3):
        await cluster.look()
    assert await leased(cluster) == {kept.id, lost.id}, "who cannot be asked has said nothing"
    assert (await cluster.renew(kept.id, epoch=1, ttl=TTL)).id == kept.id
    with pytest.raises(ProofwalkError) as caught:
        await acquire(world, cluster, "r3")
    assert caught.value.code in ("sandbox.start_failed", "sandbox.none_free")
    wire.mend()

    async def is_told() -> bool:
        return await leased(cluster) == {kept.id}

    await until(world, cluster, is_told)
    assert kept.instance in await world.running()
    third = await acquire(world, cluster, "r4")
    assert third.instance not in (kept.instance, lost.instance)
    await cluster.close()
