"""A verification's walk, step by step, with what its verdict rests on; and two walks
beside each other.

A step has an address of its own (`?step=12`, with `episode` where another one than the
verdict's is meant), which works without script. `verification.js` changes steps in
place and, while the walk goes on, has the page's parts read again.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import schemas, walks
from proofwalk.gateway.routes import recordings
from proofwalk.gateway.routes.asking import App, EpisodeNumber, VerificationId
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import row_of
from proofwalk.gateway.web.pages.verifications import LIST
from proofwalk.gateway.web.verification_alignment import aligned
from proofwalk.gateway.web.verification_view import phases_of, view_of

router = APIRouter()
_PAGE = LIST + "/{verification_id}"
_OFFERED = 200
"""How many of the latest verifications are looked through for ones to compare with."""
StepNumber = Annotated[int, Query(ge=0, le=2**31 - 1)]
OtherId = Annotated[str, Query(alias="with", max_length=64)]


@router.get(_PAGE + "/walk")
async def walk(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    verification_id: VerificationId,
    step: StepNumber = 0,
    episode: EpisodeNumber = 0,
) -> Response:
    found = await walks.read_walk(parts, visit.caller, verification_id, episode=episode)
    return pages.page(visit, "verification", view=view_of(found, step=step), asked_episode=episode)


@router.get(_PAGE + "/pictures/{address}")
async def picture(
    visit: SignedIn, parts: App, verification_id: VerificationId, address: str
) -> Response:
    return await walks.picture(parts, visit.caller, verification_id, address)


@router.get(_PAGE + "/compare")
async def compare(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    verification_id: VerificationId,
    other: OtherId = "",
) -> Response:
    left = view_of(await walks.read_walk(parts, visit.caller, verification_id, episode=0), step=0)
    if not other:
        request = pb.ListVerificationsRequest(caller=caller_message(visit.caller), limit=_OFFERED)
        reply = await parts.rollout.ListVerifications(request, timeout=10)
        offered = [
            row_of(one)
            for one in reply.verifications
            if one.document == left.row.document and one.verification_id != verification_id
        ]
        return pages.page(visit, "verification_choice", left=left, offered=offered)
    right = view_of(await walks.read_walk(parts, visit.caller, other, episode=0), step=0)
    return pages.page(
        visit,
        "verification_comparison",
        left=left,
        right=right,
        alignment=aligned(left.steps, right.steps),
        phases=phases_of(left, right),
    )


@router.get(_PAGE + "/json")
async def as_json(visit: SignedIn, parts: App, verification_id: VerificationId) -> Response:
    return JSONResponse(schemas.operation(await parts.verification(verification_id, visit.caller)))


@router.get(_PAGE + "/trajectory")
async def trajectory(
    visit: SignedIn,
    parts: App,
    verification_id: VerificationId,
    episode: EpisodeNumber = 0,
    images: bool = False,
) -> Response:
    return await recordings.trajectory(visit.caller, parts, verification_id, episode, images)


@router.get(_PAGE + "/trace")
async def trace(
    visit: SignedIn, parts: App, verification_id: VerificationId, episode: EpisodeNumber = 0
) -> Response:
    return await recordings.trace(visit.caller, parts, verification_id, episode)


@router.get(_PAGE + "/har")
async def har(
    visit: SignedIn, parts: App, verification_id: VerificationId, episode: EpisodeNumber = 0
) -> Response:
    return await recordings.har(visit.caller, parts, verification_id, episode)
