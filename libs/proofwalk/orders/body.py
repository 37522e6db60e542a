"""A request as the body of `POST /v1/verifications`, and what is wrong with a body.

Places in a body are named by RFC 6901 pointers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.orders.order import VerificationRequest


def to_body(request: VerificationRequest) -> dict[str, Any]:
    """What was asked for; what is as it is without being asked for is left out."""
    return request.model_dump(mode="json", exclude_defaults=True)


def read_request(body: Mapping[str, object]) -> VerificationRequest:
    """Raises `request.malformed`, and what is wrong with what fields say together."""
    try:
        return VerificationRequest.model_validate(body)
    except ValidationError as error:
        raise malformed(rows_of(error))[0] from None


def rows_of(error: ValidationError) -> Sequence[ErrorDetails]:
    """What pydantic says, without what the caller sent."""
    return error.errors(include_url=False, include_input=False, include_context=False)


def malformed(errors: Sequence[ErrorDetails]) -> tuple[ProofwalkError, list[dict[str, str]]]:
    """The error, and every field that it is about."""
    rows = [{"pointer": _pointer(item["loc"]), "detail": str(item["msg"])} for item in errors]
    where = rows[0]["pointer"] or "the body"
    hint = "/openapi.json describes the request"
    return invalid("request.malformed", f"{where}: {rows[0]['detail']}", hint=hint), rows


def _pointer(parts: Sequence[object]) -> str:
    """The empty pointer is the whole body."""
    escaped = (str(part).replace("~", "~0").replace("/", "~1") for part in parts)
    return "".join(f"/{part}" for part in escaped)
