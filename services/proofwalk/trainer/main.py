"""Wires the trainer role."""

from __future__ import annotations

from proofwalk.api.trainer.v1 import trainer_pb2, trainer_pb2_grpc
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.rpc import RpcService
from proofwalk.trainer.grpc_api import TrainerApi


def role() -> Role:
    """The trainer role: healthy, and UNIMPLEMENTED."""

    async def start(ctx: RoleContext) -> Running:
        service = RpcService(
            descriptor=trainer_pb2.DESCRIPTOR.services_by_name["Trainer"],
            register=trainer_pb2_grpc.add_TrainerServicer_to_server,
            servicer=TrainerApi(),
        )
        return Running(services=[service])

    return Role(name="trainer", start=start)
