"""Verifications: asked for, listed, looked at, cancelled.

The body of a request is `proofwalk.orders.order.VerificationRequest`, which goes to
rollout as it is. With an `Idempotency-Key` the answer is kept. What changes something
is in `changes`, which the web console shares.
"""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import changes, schemas, usecases
from proofwalk.gateway.bodies import in_time
from proofwalk.gateway.message_schemas import answer, leading, linked, listed
from proofwalk.gateway.problems import malformed
from proofwalk.gateway.routes.asking import App, Asking, VerificationId
from proofwalk.gateway.streams import caller_message
from proofwalk.orders.body import rows_of
from proofwalk.orders.order import VerificationRequest

router = APIRouter()
_VERIFICATION = linked(pb.Verification)
_BODY = {"required": True, "content": {"application/json": {"schema": schemas.body_schema()}}}


@router.post(
    "/v1/verifications",
    status_code=202,
    operation_id="createVerification",
    openapi_extra={"requestBody": _BODY},
    responses=leading(
        answer(_VERIFICATION, 202),
        "verification_id",
        "getVerification",
        "watchEvents",
        "listSteps",
        "listFindings",
        "getReport",
        "cancelVerification",
    ),
)
async def create(
    request: Request,
    caller: Asking,
    parts: App,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    raw = await in_time(request, request.body())
    try:
        asked = VerificationRequest.model_validate_json(raw)
    except ValidationError as error:
        return malformed(rows_of(error))
    if idempotency_key is None:
        return changes.accepted(await changes.submit(parts, asked, caller, parts.ids.new("ver")))
    key = usecases.read_key(idempotency_key)
    answer = await changes.submit_once(parts, asked, caller, key=key, body=raw)
    return _replayed(answer) if isinstance(answer, usecases.Answer) else answer


@router.get(
    "/v1/verifications",
    operation_id="listVerifications",
    responses=answer(listed("verifications", _VERIFICATION, paged=True)),
)
async def list_all(
    caller: Asking,
    parts: App,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    page_token: Annotated[str, Query(max_length=512)] = "",
) -> Response:
    request = pb.ListVerificationsRequest(
        caller=caller_message(caller), limit=limit, page_token=page_token
    )
    reply = await parts.rollout.ListVerifications(request, timeout=10)
    return JSONResponse(
        {
            "verifications": [schemas.operation(row) for row in reply.verifications],
            "next_page_token": reply.next_page_token,
        }
    )


@router.get(
    "/v1/verifications/{verification_id}",
    operation_id="getVerification",
    responses=answer(_VERIFICATION),
)
async def get(caller: Asking, parts: App, verification_id: VerificationId) -> Response:
    verification = await parts.verification(verification_id, caller)
    headers = {} if verification.state == "finished" else {"Retry-After": "1"}
    return JSONResponse(schemas.operation(verification), headers=headers)


@router.post(
    "/v1/verifications/{verification_id}:cancel",
    operation_id="cancelVerification",
    responses=answer(_VERIFICATION),
)
async def cancel(caller: Asking, parts: App, verification_id: VerificationId) -> Response:
    ending = await changes.cancel(parts, caller, verification_id)
    return JSONResponse(schemas.operation(ending))


def _replayed(answer: usecases.Answer) -> Response:
    body = json.loads(answer.body)
    headers = {"Idempotency-Replayed": "true"}
    if "verification_id" in body:
        headers["Location"] = f"/v1/verifications/{body['verification_id']}"
    media_type = "application/json" if answer.status < 400 else "application/problem+json"
    return Response(answer.body, status_code=answer.status, headers=headers, media_type=media_type)
