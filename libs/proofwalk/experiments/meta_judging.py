"""Whether a META record may be run, asked of the role that would run it, before
anything else is done with it: the record is read in a process of its own there, by the
reader and the guard that judge it again when it is made (`meta_proof`)."""

from __future__ import annotations

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisioner_pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.rpc import Channels
from proofwalk.experiments.meta_proof import OF_THE_RECORD
from proofwalk.kernel.errors import ProofwalkError

_CALL_S = 60.0


class MetaJudge:
    """Judges records for one target."""

    def __init__(self, channels: Channels, *, target: str) -> None:
        self._provisioner = ResourceProvisionerStub(channels.channel("resource_provisioner").grpc)
        self._target = target

    async def refusal(self, meta_yaml: str) -> ProofwalkError | None:
        """Why a record may not be run, `meta.*`; None for one that may. Raises what has
        nothing to do with the record: a role that is away."""
        record = provisioner_pb.Meta(yaml=meta_yaml)
        try:
            await self._provisioner.ValidateMeta(
                provisioner_pb.ValidateMetaRequest(meta=record, target=self._target),
                timeout=_CALL_S,
            )
        except ProofwalkError as refusal:
            if refusal.status not in OF_THE_RECORD:
                raise
            return refusal
        return None
