"""What a verification found, and its report."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, JSONResponse, Response

from proofwalk.api.common.v1.common_pb2 import Finding
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import OUTCOMES
from proofwalk.gateway import schemas
from proofwalk.gateway.message_schemas import answer, reference
from proofwalk.gateway.routes.asking import App, Asking, Parts, VerificationId
from proofwalk.gateway.streams import caller_message
from proofwalk.kernel.callers import Caller

router = APIRouter()
_TEXT = {"type": "string"}
_FINDINGS = {
    "type": "object",
    "properties": {
        "state": _TEXT,
        "outcome": _TEXT,
        "findings": {"type": "array", "items": reference(Finding)},
    },
    "required": ["state", "outcome", "findings"],
}
REPORT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "img-src data:",
        "style-src 'unsafe-inline'",
        "script-src 'unsafe-inline'",
        "frame-ancestors 'none'",
    )
)


@router.get(
    "/v1/verifications/{verification_id}/findings",
    operation_id="listFindings",
    responses=answer(_FINDINGS),
)
async def findings(caller: Asking, parts: App, verification_id: VerificationId) -> Response:
    verification = await parts.verification(verification_id, caller)
    verdict = verification.verdict
    told = [verdict.finding] if verdict.HasField("finding") else []
    return JSONResponse(
        {
            "state": verification.state,
            "outcome": OUTCOMES.from_pb(verdict.outcome) or "",
            "findings": [schemas.to_json(one) for one in (*told, *verdict.noted)],
        }
    )


@router.get(
    "/v1/verifications/{verification_id}/report",
    operation_id="getReport",
    response_class=HTMLResponse,
)
async def report(caller: Asking, parts: App, verification_id: VerificationId) -> Response:
    content = await report_of(parts, caller, verification_id)
    headers = {"Content-Security-Policy": REPORT_POLICY, "X-Content-Type-Options": "nosniff"}
    return HTMLResponse(content, headers=headers)


async def report_of(parts: Parts, caller: Caller, verification_id: str) -> bytes:
    """The report's HTML. Raises `verification.not_found`,
    `verification.not_finished`."""
    request = pb.GetReportRequest(caller=caller_message(caller), verification_id=verification_id)
    return b"".join([chunk.data async for chunk in parts.rollout.GetReport(request, timeout=60)])
