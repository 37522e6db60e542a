"""API keys: names with secrets from the settings, and one for this machine in a file
that only its owner can read.

A key's name is the principal that its verifications belong to. A key sees what is its
own; operators' keys see everybody's. The machine's own key is an operator's: who can
read its file can read the rows. What a key may change follows from its role (`roles`).
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

from proofwalk.gateway.roles import MAY, Act, KeyRole, Person
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
        self,
        keys: Mapping[str, SecretStr],
        *,
        local: str,
        operators: Collection[str] = (),
        reviewers: Collection[str] = (),
        viewers: Collection[str] = (),
    ) -> None:
        """`operators`, `reviewers`, `viewers`: names of the keys of each role; the
        machine's own is an operator's, every other a member's. Raises
        `gateway.bad_key_name`, `gateway.key_twice`, `gateway.unknown_operator`,
        `gateway.unknown_key_of_role`, `gateway.two_roles`."""
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
        self._roles = {LOCAL: KeyRole.OPERATOR, **dict.fromkeys(operators, KeyRole.OPERATOR)}
        for role, names in ((KeyRole.REVIEWER, reviewers), (KeyRole.VIEWER, viewers)):
            for name in names:
                self._give(name, role, known=named)

    def _give(self, name: str, role: KeyRole, *, known: Collection[str]) -> None:
        if name not in known:
            raise invalid(
                "gateway.unknown_key_of_role",
                f"{name[:80]!r} is to be a {role}, and no API key is called so",
                hint=f"known: {', '.join(sorted(known))}",
            )
        if self._roles.setdefault(name, role) is not role:
            raise invalid(
                "gateway.two_roles",
                f"the API key {name!r} is named as {self._roles[name]} and as {role}",
                hint="a key has one role; name it in one of the settings",
            )

    def role(self, caller: Caller) -> KeyRole:
        """The role of a person, or of the key that the caller is named as."""
        if isinstance(caller, Person):
            return caller.role
        return self._roles.get(caller.principal, KeyRole.MEMBER)

    def permit(self, caller: Caller, act: Act) -> None:
        """Raises `auth.role_forbids` where the caller's role does not allow `act`."""
        role = self.role(caller)
        if act not in MAY[role]:
            who = "whoever is signed in" if isinstance(caller, Person) else "the key"
            raise ProofwalkError(
                "auth.role_forbids",
                f"{who}, {caller.principal!r}, is a {role}, and may not {act}",
                status=Status.PERMISSION_DENIED,
                hint="use another key, or ask whoever runs this gateway for another role",
            )

    def digest_of(self, principal: str) -> bytes | None:
        """The digest of the key of this name; None where there is no such key any
        more."""
        return self._digests.get(principal)

    def caller_named(self, principal: str) -> Caller:
        """The caller that the key of this name stands for."""
        role = self._roles.get(principal)
        return Caller(principal=principal, is_operator=role is KeyRole.OPERATOR)

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
        return self.caller_named(matches[0])


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _unauthenticated(code: str, message: str, hint: str) -> ProofwalkError:
    return ProofwalkError(code, message, status=Status.UNAUTHENTICATED, hint=hint)
