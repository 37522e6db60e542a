"""Errors as RFC 9457 problem+json: the same code that the contract and the CLI use,
with a hint and a trace id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi.responses import JSONResponse
from pydantic_core import ErrorDetails

from proofwalk.chassis.tracing import trace_id
from proofwalk.gateway.message_schemas import Schema
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError
from proofwalk.orders import body

MEDIA_TYPE = "application/problem+json"
_TEXT = {"type": "string"}
PROBLEM: Schema = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "code": {"type": "string", "pattern": r"^[a-z0-9_]+(\.[a-z0-9_]+)*$"},
        "hint": _TEXT,
        "retryable": {"type": "boolean"},
        "trace_id": _TEXT,
        "details": {"type": "object", "additionalProperties": _TEXT},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
    "required": ["type", "title", "status", "detail", "code", "hint", "retryable", "trace_id"],
}
"""What `problem` answers with, as JSON Schema."""


def problem(
    error: ProofwalkError, *, status: int | None = None, errors: Sequence[dict[str, Any]] = ()
) -> JSONResponse:
    """The response for an error. `status` overrides the one that the error's status
    maps to."""
    http_status = status or HTTP_STATUS[error.status]
    told: dict[str, Any] = {
        "type": f"urn:proofwalk:error:{error.code}",
        "title": error.code.replace(".", " ").replace("_", " "),
        "status": http_status,
        "detail": error.message,
        "code": error.code,
        "hint": error.hint,
        "retryable": error.retryable,
        "trace_id": trace_id(),
    }
    if error.details:
        told["details"] = error.details
    if errors:
        told["errors"] = list(errors)
    headers = {"Retry-After": error.details.get("retry_after_s", "2")} if error.retryable else {}
    if http_status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(told, status_code=http_status, headers=headers, media_type=MEDIA_TYPE)


def malformed(errors: Sequence[ErrorDetails]) -> JSONResponse:
    """The response for what pydantic has against a request, with a pointer to each
    place."""
    error, rows = body.malformed(errors)
    return problem(error, errors=rows)
