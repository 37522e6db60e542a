"""The steps of a walk, also while it goes on, and their pictures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import schemas, walks
from proofwalk.gateway.message_schemas import answer, parsed, replaced
from proofwalk.gateway.routes.asking import App, Asking, EpisodeNumber, VerificationId

router = APIRouter()
_STEPS = replaced(pb.ListStepsResponse, steps={"type": "array", "items": parsed(pb.Step, "action")})
StepNumber = Annotated[
    int, Query(ge=0, le=2**31 - 1, description="Number of the last step that the caller has.")
]


@router.get(
    "/v1/verifications/{verification_id}/steps",
    operation_id="listSteps",
    responses=answer(_STEPS),
)
async def steps(
    caller: Asking,
    parts: App,
    verification_id: VerificationId,
    episode: EpisodeNumber = 0,
    after: StepNumber = 0,
) -> Response:
    part = await walks.list_steps(parts, caller, verification_id, episode=episode, after=after)
    return JSONResponse(schemas.steps(part))


@router.get(
    "/v1/verifications/{verification_id}/pictures/{address}",
    operation_id="getPicture",
    response_class=Response,
    responses={200: {"content": {"image/jpeg": {}}}},
)
async def picture(
    caller: Asking, parts: App, verification_id: VerificationId, address: str
) -> Response:
    return await walks.picture(parts, caller, verification_id, address)
