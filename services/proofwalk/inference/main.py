"""Wires the inference role."""

from __future__ import annotations

from proofwalk.api.inference.v1 import inference_pb2, inference_pb2_grpc
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.rpc import RpcService
from proofwalk.inference.grpc_api import InferenceApi


def role() -> Role:
    """The inference role: healthy, and UNIMPLEMENTED."""

    async def start(ctx: RoleContext) -> Running:
        service = RpcService(
            descriptor=inference_pb2.DESCRIPTOR.services_by_name["Inference"],
            register=inference_pb2_grpc.add_InferenceServicer_to_server,
            servicer=InferenceApi(),
        )
        return Running(services=[service])

    return Role(name="inference", start=start)
