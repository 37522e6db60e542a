"""What a caller may change, whether it comes by REST or by the web console.

Each function asks `Keyring.permit` first. A submission under an idempotency key keeps
its answer (`usecases`); refusals that mean "later", or "not in this role", are not
kept.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping

from fastapi.responses import JSONResponse, Response

from proofwalk.api.inspection.v1 import findings_pb2, inspection_pb2
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisions_pb2
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

_LONGEST_TARGET = 128
"""Characters of a target's name; a longer one is none, and is refused by its
beginning."""
_LONGEST_ASKER = 255
"""Characters that a trial keeps of who asked."""


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


async def decide(
    parts: Parts,
    caller: Caller,
    looked_at: findings_pb2.FindingVersion,
    decision: findings_pb2.Decision,
) -> findings_pb2.StoredFinding:
    """Decide on a finding as it was looked at. Raises `auth.role_forbids`, and what the
    inspection role refuses."""
    parts.keys.permit(caller, Act.REVIEW)
    request = findings_pb2.ReviewFindingRequest(
        caller=caller_message(caller),
        finding_id=looked_at.finding_id,
        version=looked_at.version,
        decision=decision,
    )
    reply = await parts.findings.ReviewFinding(request, timeout=10)
    finding: findings_pb2.StoredFinding = reply.finding
    return finding


async def decide_all(
    parts: Parts, caller: Caller, versions: Mapping[str, int], decision: findings_pb2.Decision
) -> findings_pb2.ReviewFindingsResponse:
    """Decide on several findings; `versions` has, by id, what was looked at. What is
    refused for one is in the answer. Raises `auth.role_forbids`, and what is wrong
    with the decision itself."""
    parts.keys.permit(caller, Act.REVIEW)
    request = findings_pb2.ReviewFindingsRequest(
        caller=caller_message(caller),
        findings=[
            findings_pb2.FindingVersion(finding_id=finding_id, version=version)
            for finding_id, version in versions.items()
        ],
        decision=decision,
    )
    reply: findings_pb2.ReviewFindingsResponse = await parts.findings.ReviewFindings(
        request, timeout=30
    )
    return reply


async def start_inspection(
    parts: Parts, caller: Caller, collection_id: str, *, everything: bool
) -> inspection_pb2.Inspection:
    """Plan an inspection of a collection; `everything` takes in what is not due. Raises
    `auth.role_forbids`, `collection.not_found`, `collection.paused`,
    `inspection.under_way`."""
    parts.keys.permit(caller, Act.SUBMIT)
    request = inspection_pb2.StartInspectionRequest(
        caller=caller_message(caller),
        inspection_id=parts.ids.new("insp"),
        collection_id=collection_id,
        everything=everything,
    )
    reply = await parts.inspections.StartInspection(request, timeout=10)
    inspection: inspection_pb2.Inspection = reply.inspection
    return inspection


async def cancel_inspection(
    parts: Parts, caller: Caller, inspection_id: str
) -> inspection_pb2.Inspection:
    """Ask for an inspection's end. Raises `auth.role_forbids`,
    `inspection.not_found`."""
    parts.keys.permit(caller, Act.CANCEL)
    request = inspection_pb2.CancelInspectionRequest(
        caller=caller_message(caller), inspection_id=inspection_id
    )
    reply = await parts.inspections.CancelInspection(request, timeout=10)
    inspection: inspection_pb2.Inspection = reply.inspection
    return inspection


async def pause_collection(
    parts: Parts, caller: Caller, collection_id: str, *, paused: bool
) -> None:
    """Pause a collection, or let it go on; the rest of what it says stays. Raises
    `auth.role_forbids`, `collection.not_found`."""
    parts.keys.permit(caller, Act.SUBMIT)
    asking = caller_message(caller)
    known = await parts.inspections.GetCollection(
        inspection_pb2.GetCollectionRequest(caller=asking, collection_id=collection_id), timeout=10
    )
    spec = known.collection.spec
    spec.paused = paused
    request = inspection_pb2.UpdateCollectionRequest(
        caller=asking, collection_id=collection_id, spec=spec
    )
    await parts.inspections.UpdateCollection(request, timeout=10)


async def try_record(
    parts: Parts, caller: Caller, record_id: str, *, version: int, target: str
) -> provisions_pb2.MetaTrial:
    """Have a META record tried in the background. Raises `auth.role_forbids`,
    `meta.not_found`, `meta.no_target`, `meta.other_kind`, `meta.too_many_trials`."""
    parts.keys.permit(caller, Act.OPERATE)
    request = provisions_pb2.TryMetaRequest(
        id=record_id,
        version=version,
        target=target[:_LONGEST_TARGET],
        asked_by=caller.principal[:_LONGEST_ASKER],
    )
    roles = parts.neighbours
    reply = await roles.provisioner.TryMeta(request, timeout=roles.patience_s)
    trial: provisions_pb2.MetaTrial = reply.trial
    return trial


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
