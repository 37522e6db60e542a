"""API keys: names with secrets from the settings, and one for this machine in a file that only its owner can read."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr

from proofwalk.kernel.errors import ProofwalkError, Status

LOCAL = "local"
"""Name of the machine's own key."""
KEY_FILE = "gateway.key"
"""Under `home`: the machine's own key."""
URL_FILE = "gateway.url"
"""Under `home`/run: where a running gateway of this home is found."""


def local_key(path: Path) -> str:
    """The key in `path`, made at the first call (mode 0600)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written beside it and linked into place, so that nobody who comes at the same time reads half a key.
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

    def __init__(self, keys: Mapping[str, SecretStr], *, local: str) -> None:
        named = {**{name: key.get_secret_value() for name, key in keys.items()}, LOCAL: local}
        self._digests = {name: _digest(key) for name, key in named.items() if key}

    def principal(self, authorization: str | None) -> str:
        """The name behind `Bearer <key>`; raises `auth.missing_key`, `auth.bad_key`."""
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise _unauthenticated("auth.missing_key", "the request carries no API key", "send `Authorization: Bearer <key>`")
        offered = _digest(key.strip())
        # Every key is compared, so that the time taken says nothing about which one came close.
        matches = [name for name, digest in self._digests.items() if hmac.compare_digest(digest, offered)]
        if not matches:
            raise _unauthenticated("auth.bad_key", "the API key is not known here", "check the key; it may have been replaced")
        return matches[0]


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _unauthenticated(code: str, message: str, hint: str) -> ProofwalkError:
    return ProofwalkError(code, message, status=Status.UNAUTHENTICATED, hint=hint)
