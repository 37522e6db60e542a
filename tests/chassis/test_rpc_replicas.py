"""Several replicas of a role behind one name: all of them are called, one that goes is
passed over, and a connection is not kept for ever."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

from proofwalk.chassis.rpc import RpcServer
from proofwalk.chassis.tracing import Tracing
from tests.chassis.wire import connected, request, serving

SOON_S = 30.0


async def test_calls_go_to_each_replica_and_past_one_that_has_gone(tracing: Tracing) -> None:
    served: Counter[str] = Counter()

    def counting(name: str) -> Any:
        async def behave(_request: Any, _context: Any) -> None:
            served[name] += 1

        return behave

    async with AsyncExitStack() as running:
        servers: list[RpcServer] = [
            await running.enter_async_context(serving("127.0.0.1:0", counting(name), tracing))
            for name in ("one", "two")
        ]
        name = "ipv4:" + ",".join(server.address for server in servers)
        async with connected(name, tracing) as (channel, stub), asyncio.timeout(SOON_S):
            await channel.wait_until_ready(SOON_S)
            while len(served) < 2:
                await stub.AcquireLease(request(), timeout=5)
            await servers[0].stop(0)
            before = served["two"]
            for _ in range(10):
                await stub.AcquireLease(request(), timeout=5)
            assert served["two"] == before + 10


async def test_a_connection_takes_new_calls_for_a_time_and_ends_none(tracing: Tracing) -> None:
    peers: set[str] = set()
    going_on = asyncio.Event()

    async def behave(asked: Any, context: Any) -> None:
        peers.add(context.peer())
        if asked.request_id == "long":
            await going_on.wait()

    async with (
        serving("127.0.0.1:0", behave, tracing, max_connection_s=0.2) as server,
        connected(server.address, tracing) as (_, stub),
        asyncio.timeout(SOON_S),
    ):
        long = asyncio.ensure_future(stub.AcquireLease(request("long"), timeout=SOON_S))
        while len(peers) < 3:
            await stub.AcquireLease(request(), timeout=5)
        going_on.set()
        assert (await long).lease.lease_id == "lease_long"
