"""API keys: names with secrets from the settings, and one for this machine in a file
that only its owner can read.

A key's name is the principal that its verifications belong to. A key sees what is its
own; operators' keys see everybody's. The machine's own key is an operator's: who can
read its file can read the rows.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import secrets
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from pydantic import SecretStr

from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, Status, invalid

LOCAL = "local"
"""Name of the machine's own key."""
KEY_FILE = "gateway.key"
"""Under `home`: the machine's own key."""
URL_FILE = "gateway.url"
"""Under `home`/run: where a running gateway of this home is found."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def local_key(path: Path) -> str:
    """The key in `path`, made at the first call (mode 0600)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written beside it and linked into place, so that nobody who comes at the same time
    # reads half a key.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"pw_{secrets.token_urlsafe(32)}")
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.unlink(draft)
    return path.read_text(encoding="ascii").strip()


class Keyring:
    """Knows who a key belongs to; keeps digests only."""

    def __init__(
        self, keys: Mapping[str, SecretStr], *, local: str, operators: Collection[str] = ()
    ) -> None:
        """`operators`: names of the keys that see everybody's verifications, besides
        the machine's own. Raises `gateway.bad_key_name`, `gateway.key_twice`,
        `gateway.unknown_operator`."""
        for name in keys:
            if name == LOCAL or not _NAME.fullmatch(name):
                raise invalid(
                    "gateway.bad_key_name",
                    f"{name[:80]!r} cannot be the name of an API key",
                    hint=(
                        f"1 to 64 letters, digits and . _ -, and not {LOCAL!r}; names with a colon"
                        " are roles' own"
                    ),
                )
        named = {**{name: key.get_secret_value() for name, key in keys.items()}, LOCAL: local}
        self._digests = {name: _digest(key) for name, key in named.items() if key}
        if len(set(self._digests.values())) < len(self._digests):
            raise invalid(
                "gateway.key_twice",
                "two API keys are the same",
                hint="what one sees the other must not; make a key for each",
            )
        unknown = [name for name in operators if name not in named]
        if unknown:
            raise invalid(
                "gateway.unknown_operator",
                f"no API key is called {unknown[0]!r}",
                hint=f"known: {', '.join(sorted(named))}",
            )
        self._operators = frozenset([LOCAL, *operators])

    def caller(self, authorization: str | None) -> Caller:
        """Who stands behind `Bearer <key>`; raises `auth.missing_key`,
        `auth.bad_key`."""
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise _unauthenticated(
                "auth.missing_key",
                "the request carries no API key",
                "send `Authorization: Bearer <key>`",
            )
        offered = _digest(key.strip())
        # Every key is compared, so that the time taken says nothing about which one
        # came close.
        matches = [
            name for name, digest in self._digests.items() if hmac.compare_digest(digest, offered)
        ]
        if not matches:
            raise _unauthenticated(
                "auth.bad_key",
                "the API key is not known here",
                "check the key; it may have been replaced",
            )
        return Caller(principal=matches[0], is_operator=matches[0] in self._operators)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _unauthenticated(code: str, message: str, hint: str) -> ProofwalkError:
    return ProofwalkError(code, message, status=Status.UNAUTHENTICATED, hint=hint)
