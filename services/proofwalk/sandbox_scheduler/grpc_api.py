"""The sandbox scheduler's contract over a cluster: mapping only."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as pb
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerServicer
from proofwalk.chassis.rpc.vocabulary import span_from_pb
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.domain import Sandbox


class SandboxSchedulerApi(SandboxSchedulerServicer):
    """Serves the contract."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def AcquireSandbox(
        self, request: pb.AcquireSandboxRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.AcquireSandboxResponse:
        row = await self._cluster.acquire(
            request_id=request.request_id,
            tool=request.tool,
            holder=request.holder,
            ttl=span_from_pb(request.ttl),
            allowed_hosts=list(request.allowed_hosts),
        )
        return pb.AcquireSandboxResponse(sandbox=_message(row))

    async def RenewSandbox(
        self, request: pb.RenewSandboxRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.RenewSandboxResponse:
        row = await self._cluster.renew(
            request.sandbox_id, epoch=request.epoch, ttl=span_from_pb(request.ttl)
        )
        return pb.RenewSandboxResponse(sandbox=_message(row))

    async def ReleaseSandbox(
        self, request: pb.ReleaseSandboxRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ReleaseSandboxResponse:
        refused = await self._cluster.release(request.sandbox_id, epoch=request.epoch)
        return pb.ReleaseSandboxResponse(refused_hosts=refused)

    async def ListTools(
        self, request: pb.ListToolsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListToolsResponse:
        census, tool = await self._cluster.census(), self._cluster.tool
        return pb.ListToolsResponse(
            tools=[
                pb.Tool(
                    name=tool.name,
                    version=tool.version,
                    backend=tool.backend,
                    warm=census.warm,
                    leased=census.leased,
                    quota=self._cluster.quota,
                    ticket_key=tool.ticket_key,
                )
            ]
        )

    async def ListSandboxes(
        self, request: pb.ListSandboxesRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListSandboxesResponse:
        # The address of a live browser is its holder's alone.
        return pb.ListSandboxesResponse(
            sandboxes=[_message(row, endpoint=False) for row in await self._cluster.rows()]
        )


def _message(row: Sandbox, *, endpoint: bool = True) -> pb.Sandbox:
    expires_at = None
    if row.expires_at is not None:
        expires_at = Timestamp()
        expires_at.FromDatetime(row.expires_at.astimezone(UTC))
    return pb.Sandbox(
        sandbox_id=row.id,
        tool=row.tool,
        epoch=row.epoch,
        state=row.state.value,
        holder=row.holder,
        expires_at=expires_at,
        cdp_endpoint=row.cdp_endpoint if endpoint else "",
        warm=bool(row.warm),
    )
