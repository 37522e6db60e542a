"""Findings as reviewers work with them: listed, looked at, decided on, counted.

What one verification found stands at `/v1/verifications/{id}/findings`; here a finding
is one thing over all verifications that saw it, with a state and a history.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from proofwalk.api.inspection.v1 import findings_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import FINDING_KINDS
from proofwalk.gateway import changes, schemas
from proofwalk.gateway.bodies import NO_NUL, Body, described, read_body
from proofwalk.gateway.message_schemas import spelled
from proofwalk.gateway.routes.asking import (
    App,
    Asking,
    FindingId,
    Reviewing,
    Submitting,
    check_finding_id,
)
from proofwalk.gateway.streams import caller_message
from proofwalk.kernel.outcomes import FindingKind

router = APIRouter()
_State = Literal["open", "accepted", "rejected", "fixed", "reopened"]
Version = Annotated[int, Field(ge=0, lt=2**31)]
_Act = Literal["accept", "reject", "fix", "reopen", "assign", "comment"]


class FilterIn(Body):
    """Which findings are asked for: those that fit all that is said, and of a list any
    of it."""

    state: list[_State] = Field(default=[], max_length=10)
    kind: list[FindingKind] = Field(default=[], max_length=10)
    product: str = Field(default="", max_length=200, pattern=NO_NUL)
    path: str = Field(default="", max_length=2048, pattern=NO_NUL)
    """How the document's path begins, or its URL without the scheme."""
    target: str = Field(default="", max_length=200, pattern=NO_NUL)
    assignee: str = Field(default="", max_length=200, pattern=NO_NUL)
    limit: int = Field(default=50, ge=1, le=200)
    page_token: str = Field(default="", max_length=512)


class DecisionIn(Body):
    """What a reviewer does."""

    act: _Act
    words: str = Field(default="", max_length=4000, pattern=NO_NUL)
    """The reason of a rejection, the comment, or whom it is assigned to."""


class ReviewIn(DecisionIn):
    """A decision on one finding."""

    version: Version = 0
    """Of the finding that was looked at; a comment may leave it out."""


class ReviewsIn(DecisionIn):
    """The same decision on several findings."""

    versions: dict[str, Version] = Field(min_length=1, max_length=200)
    """Version of each finding that was looked at, by its id."""


class RecordIn(Body):
    """A verification to take in."""

    verification_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    product: str = Field(default="", max_length=200, pattern=NO_NUL)


@router.get(
    "/v1/findings",
    operation_id="listStoredFindings",
    responses=spelled(pb.ListFindingsResponse),
)
async def list_all(caller: Asking, parts: App, asked: Annotated[FilterIn, Query()]) -> Response:
    request = pb.ListFindingsRequest(
        caller=caller_message(caller),
        states=asked.state,
        kinds=[FINDING_KINDS.to_pb(one) for one in asked.kind],
        product=asked.product,
        path=asked.path,
        target=asked.target,
        assignee=asked.assignee,
        limit=asked.limit,
        page_token=asked.page_token,
    )
    return JSONResponse(schemas.to_json(await parts.findings.ListFindings(request, timeout=10)))


@router.get(
    "/v1/findings:precision",
    operation_id="getPrecision",
    responses=spelled(pb.GetPrecisionResponse),
)
async def precision(caller: Asking, parts: App) -> Response:
    request = pb.GetPrecisionRequest(caller=caller_message(caller))
    return JSONResponse(schemas.to_json(await parts.findings.GetPrecision(request, timeout=10)))


@router.post(
    "/v1/findings:record",
    operation_id="recordFindings",
    openapi_extra=described(RecordIn),
    responses=spelled(pb.RecordVerificationResponse),
)
async def record(request: Request, caller: Submitting, parts: App) -> Response:
    asked = await read_body(request, RecordIn)
    message = pb.RecordVerificationRequest(
        caller=caller_message(caller),
        verification_id=asked.verification_id,
        product=asked.product,
    )
    return JSONResponse(
        schemas.to_json(await parts.findings.RecordVerification(message, timeout=20))
    )


@router.post(
    "/v1/findings:review",
    operation_id="reviewFindings",
    openapi_extra=described(ReviewsIn),
    responses=spelled(pb.ReviewFindingsResponse),
)
async def review_all(request: Request, caller: Reviewing, parts: App) -> Response:
    asked = await read_body(request, ReviewsIn)
    versions = {check_finding_id(name): version for name, version in asked.versions.items()}
    decision = pb.Decision(act=asked.act, words=asked.words)
    return JSONResponse(
        schemas.to_json(await changes.decide_all(parts, caller, versions, decision))
    )


@router.get(
    "/v1/findings/{finding_id}",
    operation_id="getFinding",
    responses=spelled(pb.GetFindingResponse),
)
async def get(caller: Asking, parts: App, finding_id: FindingId) -> Response:
    request = pb.GetFindingRequest(caller=caller_message(caller), finding_id=finding_id)
    return JSONResponse(schemas.to_json(await parts.findings.GetFinding(request, timeout=10)))


@router.post(
    "/v1/findings/{finding_id}:review",
    operation_id="reviewFinding",
    openapi_extra=described(ReviewIn),
    responses=spelled(pb.StoredFinding),
)
async def review(
    request: Request, caller: Reviewing, parts: App, finding_id: FindingId
) -> Response:
    asked = await read_body(request, ReviewIn)
    looked_at = pb.FindingVersion(finding_id=finding_id, version=asked.version)
    decision = pb.Decision(act=asked.act, words=asked.words)
    return JSONResponse(schemas.to_json(await changes.decide(parts, caller, looked_at, decision)))
