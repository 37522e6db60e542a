"""A verification, as rollout tells it, as a report of findings: mapping only.

Also the port through which one is asked for: rollout says who may see which
verification, so a caller can have recorded only what is its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from proofwalk.api.rollout.v1 import rollout_pb2 as rollout
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.rpc.vocabulary import OUTCOMES, finding_from_pb, moment_from_pb
from proofwalk.inspection.finding_domain import Certainty, WalkReport, Witnessed
from proofwalk.inspection.finding_life import Walk
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, Status, conflict
from proofwalk.kernel.outcomes import OutcomeKind

_FINISHED = "finished"
_REPLAY = "replay"
"""The policy that does again what a walk once did: it reads no sentence, and so does
not see what is wrong with one."""
_CERTAINTIES = {
    OutcomeKind.DOC_DEFECT: Certainty.PROVEN,
    OutcomeKind.SUSPECTED: Certainty.SUSPECTED,
}
FetchVerification = Callable[[str, Caller], Awaitable[rollout.Verification]]
"""Asks for a verification on a caller's behalf. Raises `verification.not_found`."""


def verifications_of(stub: RolloutStub, *, deadline_s: float = 10.0) -> FetchVerification:
    """Verifications of this rollout."""

    async def fetch(verification_id: str, caller: Caller) -> rollout.Verification:
        asking = rollout.Caller(principal=caller.principal, operator=caller.is_operator)
        request = rollout.GetVerificationRequest(verification_id=verification_id, caller=asking)
        reply = await stub.GetVerification(request, timeout=deadline_s)
        verification: rollout.Verification = reply.verification
        return verification

    return fetch


FetchDocument = Callable[[str, Caller], Awaitable[str | None]]
"""Asks for the whole text of a verification's document on a caller's behalf; None
where it is not kept any more, or is longer than rollout tells."""


def documents_of(stub: RolloutStub, *, deadline_s: float = 10.0) -> FetchDocument:
    """Documents of this rollout's verifications."""

    async def fetch(verification_id: str, caller: Caller) -> str | None:
        asking = rollout.Caller(principal=caller.principal, operator=caller.is_operator)
        request = rollout.GetDocumentRequest(verification_id=verification_id, caller=asking)
        try:
            reply = await stub.GetDocument(request, timeout=deadline_s)
        except ProofwalkError as error:
            if error.status is not Status.NOT_FOUND:
                raise
            return None
        text: str = reply.text
        return text if len(text.encode()) == reply.size else None

    return fetch


def report_of(verification: rollout.Verification, *, product: str = "") -> WalkReport:
    """What a finished verification says of findings. Raises
    `verification.not_finished`."""
    if verification.state != _FINISHED:
        raise conflict(
            "verification.not_finished",
            f"verification {verification.verification_id} is {verification.state}",
            hint="wait for its end",
        )
    verdict = verification.verdict
    outcome = OUTCOMES.from_pb(verdict.outcome)
    witnessed = [
        Witnessed(finding=finding_from_pb(one), certainty=Certainty.NOTED) for one in verdict.noted
    ]
    certainty = _CERTAINTIES.get(outcome) if outcome else None
    if verdict.HasField("finding") and certainty:
        found = finding_from_pb(verdict.finding)
        witnessed.insert(0, Witnessed(finding=found, certainty=certainty))
    return WalkReport(
        walk=Walk(
            verification_id=verification.verification_id,
            at=moment_from_pb(verification.created_at),
        ),
        principal=verification.principal,
        target=verification.target,
        document=verification.document,
        procedure_id=verification.procedure_id,
        policy=verification.policy,
        product=product,
        witnessed=tuple(witnessed),
        proves=outcome is OutcomeKind.VERIFIED and verification.policy != _REPLAY,
    )
