"""What a caller may change, whether it comes by REST or by the web console.

Each function asks `Keyring.permit` first. A submission under an idempotency key keeps
its answer (`usecases`); refusals that mean "later", or "not in this role", are not
kept.
"""

from __future__ import annotations

import asyncio
import hashlib

from fastapi.responses import JSONResponse, Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import schemas, usecases
from proofwalk.gateway.problems import problem
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import Parts
from proofwalk.gateway.streams import caller_message
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status
from proofwalk.orders.contract import request_to_pb
from proofwalk.orders.order import VerificationRequest


async def submit(
    parts: Parts, asked: VerificationRequest, caller: Caller, verification_id: str
) -> pb.Verification:
    """Make a verification. Raises `auth.role_forbids`, and what rollout refuses."""
    parts.keys.permit(caller, Act.SUBMIT)
    request = request_to_pb(asked)
    request.verification_id, request.principal = verification_id, caller.principal
    request.max_unfinished = parts.settings.limits.unfinished_jobs
    reply = await parts.rollout.CreateVerification(request, timeout=60)
    verification: pb.Verification = reply.verification
    return verification


async def submit_once(
    parts: Parts, asked: VerificationRequest, caller: Caller, *, key: str, body: bytes
) -> Response | usecases.Answer:
    """Make a verification under an idempotency key: the answer, or the one that was
    given before. `body` is what the request looked like. Raises what `submit` and
    `usecases.begin` raise."""
    begun = await usecases.begin(
        parts.db,
        principal=caller.principal,
        key=key,
        body_digest=hashlib.sha256(body).hexdigest(),
        verification_id=parts.ids.new("ver"),
        clock=parts.clock,
        lock_s=parts.settings.idempotency_lock_s,
    )
    if isinstance(begun, usecases.Answer):
        return begun
    return await _settled(parts, asked, caller, key, begun.verification_id)


async def cancel(parts: Parts, caller: Caller, verification_id: str) -> pb.Verification:
    """Ask for a verification's end. Raises `auth.role_forbids`,
    `verification.not_found`."""
    parts.keys.permit(caller, Act.CANCEL)
    request = pb.CancelVerificationRequest(
        caller=caller_message(caller), verification_id=verification_id
    )
    reply = await parts.rollout.CancelVerification(request, timeout=10)
    verification: pb.Verification = reply.verification
    return verification


def accepted(verification: pb.Verification) -> JSONResponse:
    """The answer to a submission: 202 with the place to look."""
    location = f"/v1/verifications/{verification.verification_id}"
    headers = {"Location": location, "Retry-After": "1"}
    return JSONResponse(schemas.operation(verification), status_code=202, headers=headers)


async def _settled(
    parts: Parts, asked: VerificationRequest, caller: Caller, key: str, verification_id: str
) -> Response:
    """The answer, kept under its key unless a repeat may be answered otherwise."""
    principal = caller.principal
    try:
        response: Response = accepted(await submit(parts, asked, caller, verification_id))
    except ProofwalkError as error:
        if _may_change(error):
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


def _may_change(error: ProofwalkError) -> bool:
    """Whether the same request may be answered otherwise later."""
    return (
        error.retryable
        or error.status in (Status.CANCELLED, Status.PERMISSION_DENIED)
        or HTTP_STATUS[error.status] >= 500
    )
