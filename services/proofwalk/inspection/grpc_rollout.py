"""Rollout over gRPC, behind `ports.Rollout`: mapping only."""

from __future__ import annotations

import grpc

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.rpc.vocabulary import OUTCOMES
from proofwalk.inspection.domain import Ending
from proofwalk.inspection.finding_reports import report_of
from proofwalk.inspection.ports import Errand, Seen
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.contract import request_to_pb


class GrpcRollout:
    """The rollout role, asked for collections' owners, within the bound on what each
    may have unfinished."""

    def __init__(self, channel: grpc.aio.Channel, *, max_unfinished: int) -> None:
        self._stub = RolloutStub(channel)
        self._max_unfinished = max_unfinished

    async def ask(self, asked: Errand) -> None:
        request = request_to_pb(asked.request)
        request.verification_id, request.principal = asked.verification_id, asked.principal
        request.max_unfinished = self._max_unfinished
        await self._stub.CreateVerification(request, timeout=60)

    async def look(self, verification_id: str, *, principal: str) -> Seen | None:
        request = pb.GetVerificationRequest(
            verification_id=verification_id, caller=pb.Caller(principal=principal)
        )
        try:
            found = (await self._stub.GetVerification(request, timeout=10)).verification
        except ProofwalkError as error:
            if error.status is Status.NOT_FOUND:
                return None
            raise
        if found.state != JobState.FINISHED.value:
            return Seen(ending=None)
        verdict = found.verdict
        ending = Ending(
            outcome=OUTCOMES.from_pb(verdict.outcome) or OutcomeKind.CANCELLED,
            reason=verdict.reason,
            cost=verdict.cost,
            seconds=verdict.seconds,
        )
        return Seen(
            ending=ending,
            kept_meta=found.kept_meta,
            report=report_of(found, product=""),
        )

    async def cancel(self, verification_id: str, *, principal: str) -> bool:
        request = pb.CancelVerificationRequest(
            verification_id=verification_id, caller=pb.Caller(principal=principal)
        )
        return await _exists(self._stub.CancelVerification(request, timeout=30))

    async def has_script(self, verification_id: str, *, principal: str) -> bool:
        request = pb.GetScriptRequest(
            verification_id=verification_id, caller=pb.Caller(principal=principal)
        )
        return await _exists(self._stub.GetScript(request, timeout=10))


async def _exists(call: grpc.aio.UnaryUnaryCall[object, object]) -> bool:
    try:
        await call
    except ProofwalkError as error:
        if error.status is Status.NOT_FOUND:
            return False
        raise
    return True
