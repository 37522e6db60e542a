"""Wires the trainer role: rows, the worker that starts runs' processes, metrics."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from proofwalk.api.trainer.v1 import trainer_pb2, trainer_pb2_grpc
from proofwalk.chassis.role import Loop, Role, RoleContext, Running
from proofwalk.chassis.rpc import RpcService
from proofwalk.trainer.gauges import TrainerMetrics
from proofwalk.trainer.grpc_api import TrainerApi
from proofwalk.trainer.leaks import Leaks
from proofwalk.trainer.settings import TrainerSettings
from proofwalk.trainer.supervision import Surroundings
from proofwalk.trainer.worker import Worker

PROGRAM = (sys.executable, "-m", "proofwalk.trainer.child")


def role(settings: TrainerSettings | None = None, *, program: Sequence[str] = PROGRAM) -> Role:
    """The trainer role. `program` is what trains a run (`child`); a test gives its
    own."""
    chosen = settings or TrainerSettings()

    async def start(ctx: RoleContext) -> Running:
        around = Surroundings(
            db=ctx.database,
            clock=ctx.clock,
            settings=chosen,
            metrics=TrainerMetrics(ctx.metrics),
            program=program,
            addresses={name: ctx.settings.address_of(name) for name in ("rollout", "inference")},
            draining=asyncio.Event(),
        )
        worker = Worker(around, holder=ctx.ids.new("trainer"))
        service = RpcService(
            descriptor=trainer_pb2.DESCRIPTOR.services_by_name["Trainer"],
            register=trainer_pb2_grpc.add_TrainerServicer_to_server,
            servicer=TrainerApi(
                ctx.database,
                clock=ctx.clock,
                folder=ctx.folder.absolute(),
                leaks=Leaks(chosen.held_against),
                wake=worker.wake,
            ),
            watches=frozenset({"WatchRun"}),
        )
        return Running(
            services=[service], loops=[Loop(name="worker", run=worker.run)], drain=worker.drain
        )

    return Role(name="trainer", start=start, package="proofwalk.trainer")
