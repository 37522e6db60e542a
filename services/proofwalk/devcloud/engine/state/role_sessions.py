"""Short-lived keys of roles, as AssumeRole gives them out: a key, its secret and a
token, which expire together.

They outlive the key that asked for them, and a restart. Of a token only the hash is
kept; the secret is kept as it is, for the reason that `accounts` has. What has expired
is forgotten a day later, so that a late request is told why.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field

from proofwalk.devcloud.engine.state.accounts import random_body
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import IdSource

_META = "role_sessions"
_KEPT_S = 86_400.0
PREFIX = "STS.NU"
"""How the id of such a key begins; no user's key does."""


@dataclass(frozen=True, kw_only=True)
class RoleSession:
    """Who may call as a role, by which key, until when."""

    account: str
    """The role's."""
    role: str
    role_number: str
    name: str
    """Chosen by who asked."""
    key_id: str
    secret: str = field(repr=False)
    token_hash: str
    begins: float
    expires: float

    @property
    def user_name(self) -> str:
        """As the audit log calls the caller."""
        return f"{self.role}:{self.name}"

    @property
    def principal_id(self) -> str:
        """As the audit log and STS number the caller."""
        return f"{self.role_number}:{self.name}"

    @property
    def arn(self) -> str:
        """The session's resource name."""
        return f"acs:ram::{self.account}:role/{self.role}/{self.name}"

    def bears(self, token: str) -> bool:
        """Return True if the token is the one that was given out with the key."""
        return _hash(token) == self.token_hash


@dataclass(frozen=True, kw_only=True)
class AssumedRole:
    """The role that a session is of."""

    account: str
    name: str
    number: str


class RoleSessions:
    """All of them, in memory and in the store."""

    def __init__(self, store: Store, *, clock: Clock, ids: IdSource) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._sessions = {
            body["key_id"]: RoleSession(**body) for body in store.get_meta(_META) or ()
        }

    def open(self, role: AssumedRole, name: str, *, seconds: int) -> tuple[RoleSession, str]:
        """A session of a role, and its token, which is told once."""
        now = self._clock.now().timestamp()
        token = random_body(self._ids, 60)
        session = RoleSession(
            account=role.account,
            role=role.name,
            role_number=role.number,
            name=name,
            key_id=f"{PREFIX}{random_body(self._ids, 20)}",
            secret=random_body(self._ids, 40),
            token_hash=_hash(token),
            begins=now,
            expires=now + seconds,
        )
        live = [one for one in self._sessions.values() if one.expires > now - _KEPT_S]
        with self._store.transaction():
            self._store.set_meta(_META, [asdict(one) for one in [*live, session]])
        self._sessions = {one.key_id: one for one in [*live, session]}
        return session, token

    def find(self, key_id: str) -> RoleSession | None:
        """The session of a key, also one that has expired."""
        return self._sessions.get(key_id)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
