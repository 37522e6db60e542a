"""Who asks: names with tokens, one `NAME:TOKEN` a line in a file.

A token comes as `Authorization: Bearer TOKEN`, or as the password of Basic, where a
client of AgentBench puts it: `http://NAME:TOKEN@host:port/api`. Without tokens
everybody who reaches the controller is the owner `local`, which only a loopback address
allows.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NewType

from proofwalk.kernel.errors import ProofwalkError, Status, invalid

Owner = NewType("Owner", str)
LOCAL = Owner("local")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SHORTEST = 16
"""Characters of a token: what nobody guesses."""


class Owners:
    """Knows whose a token is; holds digests only."""

    def __init__(self, tokens: Mapping[str, str] | None = None) -> None:
        self._digests = {Owner(name): _digest(token) for name, token in (tokens or {}).items()}

    @classmethod
    def read(cls, file: Path) -> Owners:
        """Raises `controller.bad_tokens`."""
        try:
            lines = file.read_text("utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise _bad(file, f"it cannot be read: {error}") from error
        tokens: dict[str, str] = {}
        for number, line in enumerate(lines, start=1):
            name, _, token = line.strip().partition(":")
            if not line.strip():
                continue
            if not _NAME.fullmatch(name) or name in tokens or len(token) < _SHORTEST:
                raise _bad(file, f"line {number} is no NAME:TOKEN of its own")
            tokens[name] = token
        if not tokens or len(set(tokens.values())) < len(tokens):
            raise _bad(file, "it has no tokens, or one twice")
        return cls(tokens)

    def require_for(self, host: str) -> None:
        """Raise `controller.open_to_all` where others than this machine could reach
        `host` and nobody needs a token."""
        if self._digests or is_loopback(host):
            return
        raise invalid(
            "controller.open_to_all",
            f"{host} is reached from elsewhere, and no tokens are set",
            hint="listen on 127.0.0.1, or give a file of tokens",
        )

    def owner(self, authorization: str | None) -> Owner:
        """Raises `controller.bad_token`."""
        if not self._digests:
            return LOCAL
        offered = _digest(_token(authorization or ""))
        # Each is compared, so that the time says nothing about which came close.
        matches = [
            name for name, digest in self._digests.items() if hmac.compare_digest(digest, offered)
        ]
        if not matches:
            raise ProofwalkError(
                "controller.bad_token",
                "the request carries no token that is known here",
                status=Status.UNAUTHENTICATED,
                hint="send `Authorization: Bearer TOKEN`, or use http://NAME:TOKEN@host:port",
            )
        return matches[0]


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _token(authorization: str) -> str:
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() != "basic":
        return rest.strip() if scheme.lower() == "bearer" else ""
    try:
        return base64.b64decode(rest, validate=True).decode("utf-8").partition(":")[2]
    except ValueError:
        return ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _bad(file: Path, why: str) -> ProofwalkError:
    return invalid(
        "controller.bad_tokens",
        f"{file} is no file of tokens: {why}",
        hint=f"one NAME:TOKEN a line, a token of at least {_SHORTEST} characters",
    )
