"""Verifications: asked for, listed, looked at, cancelled.

The body of a request is `proofwalk.orders.order.VerificationRequest`, which goes to
rollout as it is. With an `Idempotency-Key` the answer is kept (`usecases`); refusals
that mean "later" are not.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import schemas, usecases
from proofwalk.gateway.problems import malformed, problem
from proofwalk.gateway.routes.asking import App, Asking, Parts, VerificationId
from proofwalk.gateway.streams import caller_message
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status
from proofwalk.orders.body import rows_of
from proofwalk.orders.contract import request_to_pb
from proofwalk.orders.order import VerificationRequest

router = APIRouter()
_BODY = {"required": True, "content": {"application/json": {"schema": schemas.body_schema()}}}


@router.post(
    "/v1/verifications",
    status_code=202,
    operation_id="createVerification",
    openapi_extra={"requestBody": _BODY},
)
async def create(
    request: Request,
    caller: Asking,
    parts: App,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    raw = await request.body()
    try:
        asked = VerificationRequest.model_validate_json(raw)
    except ValidationError as error:
        return malformed(rows_of(error))
    fresh = parts.ids.new("ver")
    if idempotency_key is None:
        return await _made(parts, asked, caller, fresh)
    key = usecases.read_key(idempotency_key)
    begun = await usecases.begin(
        parts.db,
        principal=caller.principal,
        key=key,
        body_digest=hashlib.sha256(raw).hexdigest(),
        verification_id=fresh,
        clock=parts.clock,
        lock_s=parts.settings.idempotency_lock_s,
    )
    if isinstance(begun, usecases.Answer):
        return _replayed(begun)
    return await _settled(parts, asked, caller, key, begun.verification_id)


@router.get("/v1/verifications", operation_id="listVerifications")
async def list_all(
    caller: Asking,
    parts: App,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    page_token: Annotated[str, Query(max_length=512)] = "",
) -> dict[str, Any]:
    request = pb.ListVerificationsRequest(
        caller=caller_message(caller), limit=limit, page_token=page_token
    )
    reply = await parts.rollout.ListVerifications(request, timeout=10)
    return {
        "verifications": [schemas.operation(row) for row in reply.verifications],
        "next_page_token": reply.next_page_token,
    }


@router.get("/v1/verifications/{verification_id}", operation_id="getVerification")
async def get(caller: Asking, parts: App, verification_id: VerificationId) -> Response:
    verification = await parts.verification(verification_id, caller)
    headers = {} if verification.state == "finished" else {"Retry-After": "1"}
    return JSONResponse(schemas.operation(verification), headers=headers)


@router.post("/v1/verifications/{verification_id}:cancel", operation_id="cancelVerification")
async def cancel(caller: Asking, parts: App, verification_id: VerificationId) -> dict[str, Any]:
    request = pb.CancelVerificationRequest(
        caller=caller_message(caller), verification_id=verification_id
    )
    reply = await parts.rollout.CancelVerification(request, timeout=10)
    return schemas.operation(reply.verification)


async def _settled(
    parts: Parts, asked: VerificationRequest, caller: Caller, key: str, verification_id: str
) -> Response:
    """The answer, kept under its key unless a repeat may be answered otherwise."""
    principal = caller.principal
    try:
        response: Response = await _made(parts, asked, caller, verification_id)
    except ProofwalkError as error:
        if error.retryable or error.status is Status.CANCELLED or HTTP_STATUS[error.status] >= 500:
            await usecases.unlock(parts.db, principal=principal, key=key, clock=parts.clock)
            raise
        response = problem(error)
    except BaseException:
        await asyncio.shield(
            usecases.unlock(parts.db, principal=principal, key=key, clock=parts.clock)
        )
        raise
    body = bytes(response.body)
    await usecases.settle(
        parts.db, principal=principal, key=key, status=response.status_code, body=body
    )
    return response


async def _made(
    parts: Parts, asked: VerificationRequest, caller: Caller, verification_id: str
) -> JSONResponse:
    request = request_to_pb(asked)
    request.verification_id, request.principal = verification_id, caller.principal
    request.max_unfinished = parts.settings.limits.unfinished_jobs
    reply = await parts.rollout.CreateVerification(request, timeout=60)
    location = f"/v1/verifications/{reply.verification.verification_id}"
    headers = {"Location": location, "Retry-After": "1"}
    return JSONResponse(schemas.operation(reply.verification), status_code=202, headers=headers)


def _replayed(answer: usecases.Answer) -> Response:
    body = json.loads(answer.body)
    headers = {"Idempotency-Replayed": "true"}
    if "verification_id" in body:
        headers["Location"] = f"/v1/verifications/{body['verification_id']}"
    media_type = "application/json" if answer.status < 400 else "application/problem+json"
    return Response(answer.body, status_code=answer.status, headers=headers, media_type=media_type)
