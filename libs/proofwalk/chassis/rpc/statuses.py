"""`ProofwalkError` to gRPC status and back, losslessly, through google.rpc.ErrorInfo in
the status details.

reason = code, domain = "proofwalk", metadata = details plus `hint`, `retryable` and
`environment` (its cause). What arrives without an ErrorInfo was made by gRPC itself (no
connection, deadline, message too large) and becomes an `rpc.*` error. What is raised
without being a `ProofwalkError` is a bug: the caller learns a trace id and nothing
else.
"""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import EnvCause

DOMAIN = "proofwalk"
MAX_TEXT = 2000
"""Metadata of a response is bounded (8 KiB by default); longer messages, hints and
details are cut."""

_FOREIGN = {
    grpc.StatusCode.UNAVAILABLE: ("rpc.unavailable", True, "the role may be starting; try again"),
    grpc.StatusCode.DEADLINE_EXCEEDED: (
        "rpc.deadline_exceeded",
        True,
        "try again with a longer deadline",
    ),
    grpc.StatusCode.RESOURCE_EXHAUSTED: ("rpc.resource_exhausted", False, ""),
    grpc.StatusCode.UNIMPLEMENTED: (
        "rpc.unimplemented",
        False,
        "the role does not offer this call; compare versions",
    ),
    grpc.StatusCode.CANCELLED: ("rpc.cancelled", False, ""),
}


def to_status(error: ProofwalkError) -> Any:
    """The gRPC status that carries `error`."""
    metadata = {key: _cut(value) for key, value in error.details.items()}
    metadata["hint"] = _cut(error.hint)
    metadata["retryable"] = "true" if error.retryable else "false"
    metadata["environment"] = error.cause or ""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=error.code, domain=DOMAIN, metadata=metadata))
    code = code_pb2.Code.Value(error.status.value)
    return rpc_status.to_status(
        status_pb2.Status(code=code, message=_cut(error.message), details=[detail])
    )


def internal(trace: str) -> ProofwalkError:
    """What a caller is told of a bug."""
    return ProofwalkError(
        "internal",
        f"an internal error; its details are in the log under trace {trace or '(none)'}",
        status=Status.INTERNAL,
        details={"trace_id": trace} if trace else None,
    )


def from_rpc_error(call: grpc.aio.AioRpcError, method: str) -> ProofwalkError:
    """The error that the server raised, or an `rpc.*` error for one that gRPC made."""
    status = rpc_status.from_call(call)
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Is(info.DESCRIPTOR) and detail.Unpack(info) and info.domain == DOMAIN:
            metadata = dict(info.metadata)
            hint, retryable = metadata.pop("hint", ""), metadata.pop("retryable", "") == "true"
            return ProofwalkError(
                info.reason,
                call.details() or "",
                status=_status(call.code()),
                hint=hint,
                retryable=retryable,
                cause=_cause(metadata.pop("environment", "")),
                details=metadata,
            )
    code, retryable, hint = _FOREIGN.get(call.code(), ("rpc.failed", False, ""))
    message = f"{method} failed with {call.code().name}: {_cut(call.details() or 'no details')}"
    return ProofwalkError(
        code, message, status=_status(call.code()), hint=hint, retryable=retryable
    )


def _status(code: grpc.StatusCode) -> Status:
    try:
        return Status(code.name)
    except ValueError:
        return Status.INTERNAL


def _cause(name: str) -> EnvCause | None:
    """None too for a cause that a later release names."""
    return EnvCause(name) if name in set(EnvCause) else None


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
