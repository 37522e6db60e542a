"""Walks of verifications as rollout tells of them: steps, pictures, document, evidence.

REST and the console read them here. Every call names the caller, and rollout finds
nothing that the caller may not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi.responses import Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway.routes.asking import Parts
from proofwalk.gateway.streams import caller_message
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, Status

MOST_STEPS = 1000
"""Of an episode, on one page."""
_TIMEOUT_S = 10


@dataclass(frozen=True, kw_only=True)
class Walk:
    """One episode of a verification with all that a page shows of it."""

    verification: pb.Verification
    episode: int
    """Its number; 0 where none was begun."""
    steps: Sequence[pb.Step]
    is_open: bool
    """Further steps may come."""
    document: pb.GetDocumentResponse | None
    """None where it is not kept any more."""
    evidence: pb.GetEvidenceResponse


async def read_walk(parts: Parts, caller: Caller, verification_id: str, *, episode: int) -> Walk:
    """An episode; 0 for the one that the verdict rests on, or was begun last. At most
    `MOST_STEPS` of its steps. Raises `verification.not_found`, `episode.not_found`."""
    verification = await parts.verification(verification_id, caller)
    steps: list[pb.Step] = []
    part = await list_steps(parts, caller, verification_id, episode=episode, after=0)
    steps.extend(part.steps)
    while part.more and len(steps) < MOST_STEPS:
        part = await list_steps(
            parts, caller, verification_id, episode=part.episode, after=steps[-1].number
        )
        steps.extend(part.steps)
    request = pb.GetEvidenceRequest(
        caller=caller_message(caller), verification_id=verification_id, episode=part.episode
    )
    return Walk(
        verification=verification,
        episode=part.episode,
        steps=steps[:MOST_STEPS],
        is_open=part.open,
        document=await _document(parts, caller, verification_id),
        evidence=await parts.rollout.GetEvidence(request, timeout=_TIMEOUT_S),
    )


async def list_steps(
    parts: Parts, caller: Caller, verification_id: str, *, episode: int, after: int
) -> pb.ListStepsResponse:
    """Some of the steps behind `after`. Raises `verification.not_found`,
    `episode.not_found`."""
    request = pb.ListStepsRequest(
        caller=caller_message(caller),
        verification_id=verification_id,
        episode=episode,
        after=after,
    )
    answer: pb.ListStepsResponse = await parts.rollout.ListSteps(request, timeout=_TIMEOUT_S)
    return answer


async def picture(parts: Parts, caller: Caller, verification_id: str, address: str) -> Response:
    """A picture that a step names. A browser may keep it for good, since its address is
    its content's, and nobody between may. Raises `verification.not_found`,
    `picture.not_found`, `picture.collected`."""
    request = pb.GetPictureRequest(
        caller=caller_message(caller), verification_id=verification_id, address=address
    )
    chunks = [one.data async for one in parts.rollout.GetPicture(request, timeout=30)]
    headers = {
        "Cache-Control": "private, max-age=31536000, immutable",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(b"".join(chunks), media_type="image/jpeg", headers=headers)


async def _document(
    parts: Parts, caller: Caller, verification_id: str
) -> pb.GetDocumentResponse | None:
    request = pb.GetDocumentRequest(caller=caller_message(caller), verification_id=verification_id)
    try:
        answer: pb.GetDocumentResponse = await parts.rollout.GetDocument(
            request, timeout=_TIMEOUT_S
        )
    except ProofwalkError as error:
        if error.status is not Status.NOT_FOUND:
            raise
        return None
    return answer
