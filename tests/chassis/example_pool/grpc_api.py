"""Mapping between the contract and the use cases; nothing else."""

from __future__ import annotations

import grpc

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as pb_grpc
from proofwalk.chassis.role import RoleContext
from proofwalk.chassis.rpc import RpcService
from tests.chassis.example_pool import usecases
from tests.chassis.example_pool.settings import ExamplePoolSettings


class ExamplePoolServicer(pb_grpc.AccountPoolServicer):
    """Serves two calls of the account pool's contract."""

    def __init__(self, ctx: RoleContext, settings: ExamplePoolSettings) -> None:
        self._ctx = ctx
        self._settings = settings

    async def AcquireLease(
        self,
        request: pb.AcquireLeaseRequest,
        context: grpc.aio.ServicerContext[pb.AcquireLeaseRequest, pb.AcquireLeaseResponse],
    ) -> pb.AcquireLeaseResponse:
        ctx = self._ctx
        row = await ctx.database.run(
            lambda transaction: usecases.acquire(
                transaction,
                request_id=request.request_id,
                holder=request.holder,
                settings=self._settings,
                clock=ctx.clock,
                ids=ctx.ids,
            )
        )
        # Committed; only now somebody may be told to look.
        await ctx.doorbell.try_ring("example_pool.granted", {"request_id": row.request_id})
        return pb.AcquireLeaseResponse(lease=pb.Lease(lease_id=row.lease_id, epoch=row.epoch))


def service(ctx: RoleContext, settings: ExamplePoolSettings) -> RpcService:
    """The service of this role."""
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["AccountPool"],
        register=pb_grpc.add_AccountPoolServicer_to_server,
        servicer=ExamplePoolServicer(ctx, settings),
    )
