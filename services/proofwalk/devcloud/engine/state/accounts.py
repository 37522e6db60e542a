"""Accounts, their users and credentials, and console sessions.

A console password is kept as a scrypt hash; a session as the hash of its token. An
access key's secret must be kept as it is, because a signature can only be checked with
it: the state folder is as secret as the keys. Secrets leave once, in the answer that
creates or rotates them. Rotation ends the user's sessions and disables its former keys
in the same transaction.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from proofwalk.devcloud.engine.state.store import Store
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import conflict, not_found
from proofwalk.kernel.ids import IdSource

DEFAULT_USER = "agent"
MAX_KEPT_KEYS = 6


@dataclass(frozen=True, kw_only=True)
class User:
    """A RAM user who may sign in to the console."""

    name: str
    principal_id: str
    salt: str
    password_hash: str


@dataclass(frozen=True, kw_only=True)
class AccessKey:
    """A key of a RAM user."""

    id: str
    secret: str
    user: str
    enabled: bool = True


@dataclass(frozen=True, kw_only=True)
class Account:
    """An isolated account."""

    id: str
    created: str
    users: tuple[User, ...]
    keys: tuple[AccessKey, ...]

    def user(self, name: str) -> User | None:
        """The user with this name."""
        return next((u for u in self.users if u.name == name), None)


@dataclass(frozen=True, kw_only=True)
class Session:
    """A signed-in browser."""

    account: str
    user_name: str
    principal_id: str
    expires: float
    scenario: str | None = None
    """Id of the scenario that the sign-in bound it to."""
    journey: str = ""
    """What it keeps its name by when it lapses and is taken up again."""
    lapsed: bool = False
    """Ended before its time; whoever holds its token may take it up again."""


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """Secrets, told once."""

    account_id: str
    user_name: str
    password: str = field(repr=False)
    access_key_id: str
    access_key_secret: str = field(repr=False)


def _hash(password: str, salt: str) -> str:
    return hashlib.scrypt(
        password.encode(), salt=bytes.fromhex(salt), n=2**13, r=8, p=1, dklen=32
    ).hex()


def _token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def random_body(ids: IdSource, length: int) -> str:
    """Characters of the random end of ids only, so that secrets hold no time."""
    made = ""
    while len(made) < length:
        made += ids.new("s")[-10:]
    return made[:length]


class Accounts:
    """All accounts, in memory and in the store."""

    def __init__(self, store: Store, *, clock: Clock, ids: IdSource, session_ttl: float) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._session_ttl = session_ttl
        self._accounts: dict[str, Account] = {}
        self._keys: dict[str, tuple[str, AccessKey]] = {}
        self._sessions = {token_hash: Session(**body) for token_hash, body in store.sessions()}
        for body in store.accounts():
            users = tuple(User(**user) for user in body.pop("users"))
            keys = tuple(AccessKey(**key) for key in body.pop("keys"))
            self._index(Account(**body, users=users, keys=keys))

    def all(self) -> list[Account]:
        """Accounts in order of creation."""
        return list(self._accounts.values())

    def get(self, account_id: str) -> Account:
        """The account, or `devcloud.account_not_found`."""
        if account_id not in self._accounts:
            raise not_found(
                "devcloud.account_not_found",
                f"there is no account {account_id!r}",
                hint="GET /admin/accounts lists them",
            )
        return self._accounts[account_id]

    def find(self, account_id: str) -> Account | None:
        """The account, if there is one."""
        return self._accounts.get(account_id)

    def key(self, key_id: str) -> tuple[Account, AccessKey] | None:
        """An access key and whose it is."""
        held = self._keys.get(key_id)
        return (self._accounts[held[0]], held[1]) if held else None

    def create(self, ids: IdSource | None = None) -> Credentials:
        """A new account with one user and one key. `ids` makes its secrets, where a
        seed is to decide them."""
        source = ids or self._ids
        while True:
            account_id = str(10**15 + int(random_body(source, 12), 36) % (9 * 10**15))
            if account_id not in self._accounts:
                break
        account = Account(id=account_id, created=isoformat(self._clock.now()), users=(), keys=())
        return self._issue(account, DEFAULT_USER, source)

    def rotate(
        self, account_id: str, user_name: str | None = None, *, ids: IdSource | None = None
    ) -> Credentials:
        """New password and key; the former ones and all sessions of the user stop
        working."""
        account = self.get(account_id)
        return self._issue(account, self._user_name(account, user_name), ids or self._ids)

    def add_user(self, account_id: str, user_name: str) -> Credentials:
        """One more user who may sign in and call, with password and key."""
        account = self.get(account_id)
        if account.user(user_name) is not None:
            raise conflict(
                "devcloud.user_exists", f"account {account_id} has a user {user_name!r} already"
            )
        return self._issue(account, user_name, self._ids)

    def add_key(self, account_id: str, user_name: str | None = None) -> AccessKey:
        """One more key for a user."""
        account = self.get(account_id)
        key = self._new_key(self._user_name(account, user_name), self._ids)
        self._save(replace(account, keys=(*account.keys, key)))
        return key

    def remove_key(self, account_id: str, key_id: str) -> None:
        """Forget a key, if there is one: what it signs is refused from now on."""
        account = self.get(account_id)
        self._save(replace(account, keys=tuple(k for k in account.keys if k.id != key_id)))

    def set_password(self, account_id: str, user_name: str, password: str) -> None:
        """Another console password; all sessions of the user end, its keys stay."""
        account = self.get(account_id)
        former = account.user(self._user_name(account, user_name))
        assert former is not None
        salt = self._salt()
        user = replace(former, salt=salt, password_hash=_hash(password, salt))
        users = tuple(user if one.name == user_name else one for one in account.users)
        self._save(replace(account, users=users), self._sessions_of(account_id, user_name))

    def set_key_enabled(self, account_id: str, key_id: str, *, enabled: bool) -> None:
        """Disable or enable a key."""
        account = self.get(account_id)
        if all(key.id != key_id for key in account.keys):
            raise not_found(
                "devcloud.key_not_found", f"account {account_id} has no access key {key_id!r}"
            )
        self._save(
            replace(
                account,
                keys=tuple(
                    replace(k, enabled=enabled) if k.id == key_id else k for k in account.keys
                ),
            )
        )

    def check_password(self, account_id: str, user_name: str, password: str) -> bool:
        """Takes tens of milliseconds by design: call it off the event loop."""
        account = self._accounts.get(account_id)
        user = account.user(user_name) if account is not None else None
        salt = user.salt if user is not None else "00" * 16
        made = _hash(password, salt)
        return user is not None and hmac.compare_digest(made, user.password_hash)

    def open_session(
        self, account_id: str, user_name: str, *, scenario: str | None = None, journey: str = ""
    ) -> str:
        """A session's token; only its hash is kept. `journey` goes on with that of a
        former session."""
        account = self.get(account_id)
        user = account.user(user_name)
        if user is None:
            raise conflict(
                "devcloud.user_not_found", f"account {account_id} has no user {user_name!r}"
            )
        now = self._clock.now().timestamp()
        token = random_body(self._ids, 40)
        session = Session(
            account=account_id,
            user_name=user_name,
            principal_id=user.principal_id,
            expires=now + self._session_ttl,
            scenario=scenario,
            journey=journey or _token_hash(token)[:16],
        )
        stale = [h for h, s in self._sessions.items() if s.expires <= now]
        with self._store.transaction():
            self._store.drop_sessions(stale)
            self._store.put_session(_token_hash(token), account_id, asdict(session))
        for token_hash in stale:
            del self._sessions[token_hash]
        self._sessions[_token_hash(token)] = session
        return token

    def session(self, token: str) -> Session | None:
        """The live session with this token."""
        session = self._unexpired(token)
        return session if session is not None and not session.lapsed else None

    def _unexpired(self, token: str) -> Session | None:
        session = self._sessions.get(_token_hash(token))
        return (
            session
            if session is not None and session.expires > self._clock.now().timestamp()
            else None
        )

    def lapse(self, token: str) -> None:
        """End a session so that it can be taken up again with the same token."""
        session = self.session(token)
        if session is None:
            return
        token_hash, ended = _token_hash(token), replace(session, lapsed=True)
        with self._store.transaction():
            self._store.put_session(token_hash, ended.account, asdict(ended))
        self._sessions[token_hash] = ended

    def lapsed(self, token: str) -> Session | None:
        """The session with this token that lapsed and has not expired."""
        session = self._unexpired(token)
        return session if session is not None and session.lapsed else None

    def renew(self, token: str) -> str:
        """A token of the lapsed session's successor, in the same scenario and journey;
        the old token is worth nothing."""
        former = self.lapsed(token)
        if former is None:
            raise conflict("devcloud.session_not_lapsed", "no session that lapsed has this token")
        made = self.open_session(
            former.account, former.user_name, scenario=former.scenario, journey=former.journey
        )
        self.close_session(token)
        return made

    def end_sessions(self, scenario: str) -> None:
        """Sign out whoever is in this scenario."""
        ended = [h for h, session in self._sessions.items() if session.scenario == scenario]
        with self._store.transaction():
            self._store.drop_sessions(ended)
        for token_hash in ended:
            del self._sessions[token_hash]

    def close_session(self, token: str) -> None:
        """Sign out."""
        token_hash = _token_hash(token)
        if self._sessions.pop(token_hash, None) is not None:
            with self._store.transaction():
                self._store.drop_sessions([token_hash])

    def _user_name(self, account: Account, user_name: str | None) -> str:
        name = user_name or account.users[0].name
        if account.user(name) is None:
            raise not_found("devcloud.user_not_found", f"account {account.id} has no user {name!r}")
        return name

    def _new_key(self, user_name: str, ids: IdSource) -> AccessKey:
        while True:
            key_id = f"LTAI5t{random_body(ids, 18).upper()}"
            if key_id not in self._keys:
                return AccessKey(id=key_id, secret=random_body(ids, 30), user=user_name)

    def _issue(self, account: Account, user_name: str, ids: IdSource) -> Credentials:
        password = f"Pw-{random_body(ids, 16)}-9A"
        salt = self._salt()
        former = account.user(user_name)
        principal = (
            former.principal_id
            if former is not None
            else str(2 * 10**17 + int(random_body(ids, 10), 36) % 10**17)
        )
        user = User(
            name=user_name, principal_id=principal, salt=salt, password_hash=_hash(password, salt)
        )
        key = self._new_key(user_name, ids)
        disabled = [replace(k, enabled=False) if k.user == user_name else k for k in account.keys]
        users = (*(u for u in account.users if u.name != user_name), user)
        ended = self._sessions_of(account.id, user_name)
        self._save(replace(account, users=users, keys=(*disabled[-MAX_KEPT_KEYS:], key)), ended)
        return Credentials(
            account_id=account.id,
            user_name=user_name,
            password=password,
            access_key_id=key.id,
            access_key_secret=key.secret,
        )

    def _salt(self) -> str:
        return hashlib.sha256(self._ids.new("salt").encode()).hexdigest()[:32]

    def _sessions_of(self, account_id: str, user_name: str) -> list[str]:
        return [
            token_hash
            for token_hash, session in self._sessions.items()
            if session.account == account_id and session.user_name == user_name
        ]

    def _save(self, account: Account, ended: list[str] | None = None) -> None:
        with self._store.transaction():
            self._store.put_account(account.id, _plain(account))
            self._store.drop_sessions(ended or [])
        for token_hash in ended or []:
            self._sessions.pop(token_hash, None)
        self._index(account)

    def _index(self, account: Account) -> None:
        former = self._accounts.get(account.id)
        for key in former.keys if former is not None else ():
            self._keys.pop(key.id, None)
        self._accounts[account.id] = account
        self._keys.update({key.id: (account.id, key) for key in account.keys})


def _plain(account: Account) -> dict[str, Any]:
    return asdict(account)
