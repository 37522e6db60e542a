"""One error model from the lowest layer to the user's terminal.

A `ProofwalkError` carries a stable `code` (never reworded), a `message` (what went
wrong and why), a `hint` (what to do next), a `status` that maps one to one onto a gRPC
code and an HTTP status, whether trying again may help, and, where it is known, which
part of an episode's environment failed (`cause`). Decisions rest on these fields: a
code is compared as a whole or shown, and never taken apart. Services raise it;
`chassis.rpc` carries it over gRPC as ErrorInfo details; the gateway renders it as RFC
9457 problem+json; the CLI prints it. Anything that is not a `ProofwalkError` is a bug
and surfaces as `INTERNAL` with a trace id and no detail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum

from proofwalk.kernel.outcomes import EnvCause


class Status(StrEnum):
    """How a failure concerns the caller. Values are gRPC's code names."""

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    FAILED_PRECONDITION = "FAILED_PRECONDITION"
    ABORTED = "ABORTED"
    RESOURCE_EXHAUSTED = "RESOURCE_EXHAUSTED"
    UNIMPLEMENTED = "UNIMPLEMENTED"
    UNAVAILABLE = "UNAVAILABLE"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    CANCELLED = "CANCELLED"
    INTERNAL = "INTERNAL"


HTTP_STATUS: Mapping[Status, int] = {
    Status.INVALID_ARGUMENT: 422,
    Status.UNAUTHENTICATED: 401,
    Status.PERMISSION_DENIED: 403,
    Status.NOT_FOUND: 404,
    Status.ALREADY_EXISTS: 409,
    Status.FAILED_PRECONDITION: 409,
    Status.ABORTED: 409,
    Status.RESOURCE_EXHAUSTED: 429,
    Status.UNIMPLEMENTED: 501,
    Status.UNAVAILABLE: 503,
    Status.DEADLINE_EXCEEDED: 504,
    Status.CANCELLED: 499,
    Status.INTERNAL: 500,
}


class ProofwalkError(Exception):
    """A failure with a stable code, a reason and a way on.

    `code` is dotted lower case, `area.reason` (`lease.stale_epoch`); `details` are
    strings that a program may read. `cause` says which part of the environment it is
    that failed an episode; None where the place of the failure says it.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Status,
        hint: str = "",
        retryable: bool = False,
        details: Mapping[str, str] | None = None,
        cause: EnvCause | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.hint = hint
        self.retryable = retryable
        self.details: dict[str, str] = dict(details or {})
        self.cause = cause

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" ({self.hint})" if self.hint else "")


@contextmanager
def caused_by(cause: EnvCause) -> Iterator[None]:
    """What fails within failed for this cause, unless its error names one already."""
    try:
        yield
    except ProofwalkError as error:
        error.cause = error.cause or cause
        raise


def invalid(
    code: str,
    message: str,
    *,
    hint: str = "",
    details: Mapping[str, str] | None = None,
    cause: EnvCause | None = None,
) -> ProofwalkError:
    """The caller's input is wrong and will stay wrong."""
    return ProofwalkError(
        code, message, status=Status.INVALID_ARGUMENT, hint=hint, details=details, cause=cause
    )


def not_found(code: str, message: str, *, hint: str = "") -> ProofwalkError:
    """The thing named does not exist."""
    return ProofwalkError(code, message, status=Status.NOT_FOUND, hint=hint)


def conflict(
    code: str, message: str, *, hint: str = "", details: Mapping[str, str] | None = None
) -> ProofwalkError:
    """The state of the thing forbids this call."""
    return ProofwalkError(
        code, message, status=Status.FAILED_PRECONDITION, hint=hint, details=details
    )


def unavailable(code: str, message: str, *, hint: str = "") -> ProofwalkError:
    """A dependency is away; the same call may succeed later."""
    return ProofwalkError(code, message, status=Status.UNAVAILABLE, hint=hint, retryable=True)


def exhausted(
    code: str,
    message: str,
    *,
    hint: str = "",
    details: Mapping[str, str] | None = None,
    cause: EnvCause | None = None,
) -> ProofwalkError:
    """Nothing is free at the moment; try again later: after the whole seconds of
    `details["retry_after_s"]`, where it says so."""
    return ProofwalkError(
        code,
        message,
        status=Status.RESOURCE_EXHAUSTED,
        hint=hint,
        retryable=True,
        details=details,
        cause=cause,
    )


def unimplemented(code: str, message: str, *, hint: str = "") -> ProofwalkError:
    """Declared in the contract, not built."""
    return ProofwalkError(code, message, status=Status.UNIMPLEMENTED, hint=hint)
