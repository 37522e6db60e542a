"""Wires the inspection role; the only place that does."""

from __future__ import annotations

from functools import partial

from proofwalk.api.inspection.v1 import inspection_pb2, inspection_pb2_grpc
from proofwalk.chassis.role import Loop, Role, RoleContext, Running, every
from proofwalk.chassis.rpc import RpcService
from proofwalk.inspection.documents import Sources
from proofwalk.inspection.grpc_api import InspectionsApi
from proofwalk.inspection.grpc_rollout import GrpcRollout
from proofwalk.inspection.roots import allowed_folder
from proofwalk.inspection.scheduling import take_turns
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.inspection.worker import Surroundings, Worker
from proofwalk.orders.collection import CollectionSpec


def role(settings: InspectionSettings) -> Role:
    """The inspection role."""

    async def start(ctx: RoleContext) -> Running:
        around = Surroundings(
            db=ctx.database,
            clock=ctx.clock,
            settings=settings,
            rollout=GrpcRollout(ctx.channel("rollout").grpc),
            sources=Sources(
                reading=ctx.readers,
                roots=settings.roots,
                max_procedures=settings.max_procedures,
            ),
        )
        worker = Worker(around, holder=ctx.ids.new("inspector"))

        def allowed(spec: CollectionSpec) -> None:
            allowed_folder(spec.source, settings.roots)

        api = InspectionsApi(db=ctx.database, clock=ctx.clock, allowed=allowed, wake=worker.wake)
        turns = partial(take_turns, ctx.database, clock=ctx.clock, ids=ctx.ids, wake=worker.wake)
        return Running(
            services=[_service(api)],
            loops=[
                Loop(name="worker", run=worker.run),
                every("schedule", settings.schedule_s, turns),
            ],
        )

    return Role(name="inspection", start=start, package="proofwalk.inspection")


def _service(api: InspectionsApi) -> RpcService:
    return RpcService(
        descriptor=inspection_pb2.DESCRIPTOR.services_by_name["Inspections"],
        register=inspection_pb2_grpc.add_InspectionsServicer_to_server,
        servicer=api,
    )
