"""Tickets: what lets its bearer into one sandbox, once granted, and nowhere else.

A ticket is a signed token (EdDSA) that names the instance, the epoch of its grant, its
address and its purpose. Whoever checks it needs the public key, and asks nobody:
traffic never waits for the scheduler. It is good as long as the instance lives, for an
instance is granted once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from proofwalk.kernel.errors import ProofwalkError, Status, invalid

_ALGORITHM = "EdDSA"


class Purpose(StrEnum):
    """What a ticket's bearer may do."""

    CONTROL = "control"
    """The scheduler: set the wall, and open the sandbox for a grant."""
    DEVTOOLS = "devtools"
    """The holder: speak DevTools."""


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """What a checked ticket says."""

    instance: str
    epoch: int
    address: str
    purpose: Purpose


class TicketOffice:
    """Issues tickets."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def from_pem(cls, pem: str) -> TicketOffice:
        """With a key as `openssl genpkey -algorithm ed25519` makes it. Raises
        `sandbox.bad_signing_key`."""
        try:
            key = load_pem_private_key(pem.encode(), password=None)
        except (ValueError, TypeError) as error:
            raise _bad_key(str(error)) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise _bad_key("it is of another kind")
        return cls(key)

    @property
    def public_key(self) -> str:
        """For those who check tickets: hex."""
        return self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def issue(self, ticket: Ticket) -> str:
        """The ticket, signed."""
        told = {
            "sub": ticket.instance,
            "epoch": ticket.epoch,
            "addr": ticket.address,
            "aud": ticket.purpose.value,
        }
        return jwt.encode(told, self._key, algorithm=_ALGORITHM)


class TicketCheck:
    """Checks tickets."""

    def __init__(self, public_key: str) -> None:
        """With what `TicketOffice.public_key` says. Raises ValueError."""
        self._key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))

    def check(self, ticket: str, purpose: Purpose) -> Ticket:
        """What it says, if it was signed with our key, and for this purpose. Raises
        `sandbox.bad_ticket`."""
        try:
            told = jwt.decode(
                ticket,
                self._key,
                algorithms=[_ALGORITHM],
                audience=purpose.value,
                options={"require": ["sub", "epoch", "addr", "aud"]},
            )
            return Ticket(
                instance=str(told["sub"]),
                epoch=int(told["epoch"]),
                address=str(told["addr"]),
                purpose=purpose,
            )
        except (jwt.InvalidTokenError, ValueError) as error:
            raise ProofwalkError(
                "sandbox.bad_ticket",
                f"this is no ticket of our scheduler: {error}",
                status=Status.UNAUTHENTICATED,
                hint="use the address that AcquireSandbox gave",
            ) from error


def _bad_key(why: str) -> ProofwalkError:
    return invalid(
        "sandbox.bad_signing_key",
        f"the signing key is no Ed25519 key in PEM: {why}",
        hint="openssl genpkey -algorithm ed25519",
    )
