"""Who calls, and whether the table of callers lets it.

A caller proves itself with the certificate of its connection; the `Guard` of a server
reads the role in it once for each certificate and asks the table (`callers`) for each
call, before the call's handler sees the request. Without a guard nothing is asked: on a
unix socket a caller is whoever may open the folder, and over TCP without TLS it is
whoever reaches the port. A handler that is more careful with one kind of request asks
for a narrower row by `caller().require(row)`.

`mutual_tls` has the certificates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from proofwalk.chassis.rpc.callers import AllowList
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import ProofwalkError, Status

_CERTIFICATE = "x509_pem_cert"
"""gRPC's name for the peer's certificate."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a certificate says of its owner."""

    role: str
    """Empty where it names no role of this trust domain."""
    names: tuple[str, ...]
    """The URIs that it has, for messages."""
    not_before: datetime
    not_after: datetime


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Whoever makes the call that is being served."""

    role: str = ""
    """Empty where nobody had to prove it."""
    allowed: AllowList | None = None
    """The table that counts; None where nothing is asked."""

    def require(self, row: str) -> None:
        """Raises `rpc.caller_not_allowed` unless the row of the table names the
        caller."""
        if self.allowed is None or self.role in self.allowed.get(row, frozenset()):
            return
        raise ProofwalkError(
            "rpc.caller_not_allowed",
            f"{self.role!r} may not call {row}",
            status=Status.PERMISSION_DENIED,
            hint="the certificate of this process is another role's, or the table of callers"
            " lacks it",
            details={"caller": self.role},
        )


_CALLER: ContextVar[Caller] = ContextVar("proofwalk_rpc_caller")
_ANYBODY = Caller()


def caller() -> Caller:
    """The caller of the call that this task serves."""
    return _CALLER.get(_ANYBODY)


def note(one: Caller) -> None:
    """Say who the caller of this task and its children is."""
    _CALLER.set(one)


class Connection(Protocol):
    """What a call's context tells of its connection."""

    def auth_context(self) -> Mapping[str, Sequence[bytes]]: ...


class Guard:
    """Lets in whom the table names. Of one server."""

    def __init__(
        self, allowed: AllowList, *, identify: Callable[[bytes], Identity], clock: Clock
    ) -> None:
        self._allowed = allowed
        self._identify = identify
        self._clock = clock

    def admit(self, method: str, connection: Connection) -> Caller:
        """The caller. Raises `rpc.caller_unknown`, `rpc.caller_expired`,
        `rpc.caller_not_allowed`."""
        certificates = connection.auth_context().get(_CERTIFICATE)
        if not certificates:
            raise _unknown("the connection has no client certificate")
        identity = self._identify(bytes(certificates[0]))
        if not identity.role:
            raise _unknown(
                f"the client certificate is for {', '.join(identity.names) or 'no URI'}, which is"
                " no role of this trust domain"
            )
        # A connection outlives the handshake in which the date was checked.
        if identity.not_after <= self._clock.now():
            raise ProofwalkError(
                "rpc.caller_expired",
                f"the certificate of {identity.role!r} expired at {isoformat(identity.not_after)}",
                status=Status.UNAUTHENTICATED,
                hint="replace the files of the certificate; no restart is needed",
            )
        found = Caller(role=identity.role, allowed=self._allowed)
        found.require(method)
        return found


def _unknown(why: str) -> ProofwalkError:
    return ProofwalkError(
        "rpc.caller_unknown",
        why,
        status=Status.UNAUTHENTICATED,
        hint="a caller's certificate has one URI, spiffe://TRUST-DOMAIN/role/ROLE",
    )
