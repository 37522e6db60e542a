"""A server and a channel for tests of the transport: the account pool's contract with a
servicer of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from prometheus_client import CollectorRegistry

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as pb_grpc
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.tracing import Tracing


class Pool(pb_grpc.AccountPoolServicer):
    """Answers AcquireLease with `behave`."""

    def __init__(self, behave: Any) -> None:
        self._behave = behave

    async def AcquireLease(
        self, request: pb.AcquireLeaseRequest, context: Any
    ) -> pb.AcquireLeaseResponse:
        result = await self._behave(request, context)
        return result or pb.AcquireLeaseResponse(
            lease=pb.Lease(lease_id=f"lease_{request.request_id}")
        )


def service(behave: Any) -> RpcService:
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["AccountPool"],
        register=pb_grpc.add_AccountPoolServicer_to_server,
        servicer=Pool(behave),
    )


@asynccontextmanager
async def serving(
    address: str, behave: Any, tracing: Tracing, *, max_call_s: float = 600, **options: Any
) -> AsyncIterator[RpcServer]:
    """A ready server whose AcquireLease is `behave(request, context)`."""
    metrics = RpcMetrics(CollectorRegistry())
    server = RpcServer(
        address,
        [service(behave)],
        tracing=tracing,
        metrics=metrics,
        max_call_s=max_call_s,
        **options,
    )
    await server.start()
    await server.ready(True)
    try:
        yield server
    finally:
        await server.stop(0)


@asynccontextmanager
async def connected(
    address: str, tracing: Tracing, registry: CollectorRegistry | None = None, **options: Any
) -> AsyncIterator[tuple[RpcChannel, Any]]:
    """A channel and the stub on it."""
    channel = RpcChannel(
        address, tracing=tracing, metrics=RpcMetrics(registry or CollectorRegistry()), **options
    )
    try:
        yield channel, pb_grpc.AccountPoolStub(channel.grpc)
    finally:
        await channel.close()


def request(request_id: str = "r") -> pb.AcquireLeaseRequest:
    return pb.AcquireLeaseRequest(request_id=request_id)
