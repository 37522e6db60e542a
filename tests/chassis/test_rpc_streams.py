"""Calls that answer with a stream: items, errors in the middle, and an end on both
sides when the reader leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2_grpc as pb_grpc
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.rpc.mutual_tls import MutualTls
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from tests.chassis.certified import authority, certified, write


class Events(pb_grpc.RolloutServicer):
    """Streams three events, then does what the request's id says."""

    def __init__(self) -> None:
        self.left = asyncio.Event()

    async def WatchEvents(
        self, request: pb.WatchEventsRequest, context: Any
    ) -> AsyncIterator[pb.Event]:
        try:
            for sequence in range(3):
                yield pb.Event(sequence=sequence)
            match request.verification_id:
                case "missing":
                    raise not_found("verification.not_found", "gone")
                case "bug":
                    raise KeyError("hunter2")
                case "live":
                    await asyncio.Event().wait()
        finally:
            self.left.set()


@asynccontextmanager
async def watching(
    home: Path, tracing: Tracing, *, by: MutualTls | None = None, served: MutualTls | None = None
) -> AsyncIterator[tuple[Events, Any]]:
    """With certificates, over TCP."""
    servicer, metrics = Events(), RpcMetrics(CollectorRegistry())
    service = RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Rollout"],
        register=pb_grpc.add_RolloutServicer_to_server,
        servicer=servicer,
    )
    address = f"unix:{home}/r.sock" if served is None else "127.0.0.1:0"
    server = RpcServer(address, [service], tracing=tracing, metrics=metrics, tls=served)
    await server.start()
    towards = None if by is None else by.towards("rollout")
    channel = RpcChannel(server.address, tracing=tracing, metrics=metrics, tls=towards)
    try:
        yield servicer, pb_grpc.RolloutStub(channel.grpc)
    finally:
        await channel.close()
        await server.stop(0)


async def test_items_arrive_in_order_and_the_stream_ends(home: Path, tracing: Tracing) -> None:
    async with watching(home, tracing) as (_, stub):
        call = stub.WatchEvents(pb.WatchEventsRequest(), timeout=5)
        assert [event.sequence async for event in call] == [0, 1, 2]


@pytest.mark.parametrize(
    ("case", "code"), [("missing", "verification.not_found"), ("bug", "internal")]
)
async def test_an_error_after_items_is_the_servers(
    home: Path, tracing: Tracing, case: str, code: str
) -> None:
    got = []
    async with watching(home, tracing) as (_, stub):
        with pytest.raises(ProofwalkError) as caught:
            async for event in stub.WatchEvents(
                pb.WatchEventsRequest(verification_id=case), timeout=5
            ):
                got.append(event.sequence)
    assert got == [0, 1, 2]
    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)


async def test_a_reader_that_leaves_or_runs_out_of_time_ends_the_servers_side(
    home: Path, tracing: Tracing
) -> None:
    async with watching(home, tracing) as (servicer, stub):
        call = stub.WatchEvents(pb.WatchEventsRequest(verification_id="live"), timeout=30)
        async for event in call:
            if event.sequence == 2:
                break
        call.cancel()
        await asyncio.wait_for(servicer.left.wait(), 10)
        servicer.left.clear()
        with pytest.raises(ProofwalkError) as caught:
            async for _ in stub.WatchEvents(
                pb.WatchEventsRequest(verification_id="live"), timeout=0.3
            ):
                pass
        assert caught.value.status is Status.DEADLINE_EXCEEDED
        await asyncio.wait_for(servicer.left.wait(), 10)


async def test_a_stream_is_refused_before_its_handler_begins(home: Path, tracing: Tracing) -> None:
    signer = authority()
    trainer = certified(home / "trainer", "trainer", signer)
    rollout = certified(home / "rollout", "rollout", signer)
    async with watching(home, tracing, by=trainer, served=rollout) as (events, stub):
        with pytest.raises(ProofwalkError) as caught:
            _ = [event async for event in stub.WatchEvents(pb.WatchEventsRequest(), timeout=5)]
    assert caught.value.code == "rpc.caller_not_allowed"
    assert not events.left.is_set()


async def test_a_stream_goes_on_when_the_certificate_is_replaced(
    home: Path, tracing: Tracing
) -> None:
    signer = authority()
    gateway = certified(home / "gateway", "gateway", signer)
    rollout = certified(home / "rollout", "rollout", signer)
    async with watching(home, tracing, by=gateway, served=rollout) as (_, stub):
        request = pb.WatchEventsRequest(verification_id="x")
        first = aiter(stub.WatchEvents(request, timeout=20))
        got = [(await anext(first)).sequence]
        write(home / "gateway", "gateway", signer)
        gateway.refresh()
        later = [one.sequence async for one in stub.WatchEvents(request, timeout=20)]
        got += [one.sequence async for one in first]
    assert (got, later) == ([0, 1, 2], [0, 1, 2])
