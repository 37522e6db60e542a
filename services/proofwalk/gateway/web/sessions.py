"""Sessions of the web console: who signed in, with a key or by an identity provider,
until when.

A browser holds a random token in a cookie; the row has the token's digest as its id, so
that who reads the rows cannot sign in. `key_proof` ties a session to its ground: a MAC,
under the token, of the digest of the key that it was made with, or of the settings that
say who a person is. A key that is taken out of the settings, or replaced, ends its
sessions. Another provider, or another table of roles, ends those of people; until then
a person's role stays what it was at the sign-in. A session ends `session_life_s` after
it was made and `session_idle_s` after it was last seen; the time of that is written
once in `_SEEN_EVERY` at most.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import replace
from datetime import datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.gateway import repository
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.repository import SessionRow
from proofwalk.gateway.roles import KeyRole, Person
from proofwalk.gateway.settings import ConsoleSettings
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import Clock

_SEEN_EVERY = timedelta(seconds=30)


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def form_token(token: str) -> str:
    """What the forms of a session carry. It follows from the cookie's token, and the
    cookie's token does not follow from it."""
    return seal(token, "form")


def seal(token: str, text: str) -> str:
    """What nobody without the session can say of a text."""
    return hmac.new(token.encode(), text.encode(), hashlib.sha256).hexdigest()


async def begin(db: Database, token: str, caller: Caller, *, keys: Keyring, clock: Clock) -> None:
    """Sign a key's caller in under a fresh token."""
    digest = keys.digest_of(caller.principal)
    assert digest is not None, "a caller comes from the keyring"
    await _add(db, _row(token, caller.principal, ground=digest, now=clock.now()))


async def begin_person(
    db: Database, token: str, person: Person, *, settings: ConsoleSettings, clock: Clock
) -> None:
    """Sign a person in under a fresh token."""
    row = _row(token, person.principal, ground=settings.oidc.ground(), now=clock.now())
    await _add(db, replace(row, role=person.role.value, shown_as=person.shown_as))


def _row(token: str, principal: str, *, ground: bytes, now: datetime) -> SessionRow:
    return SessionRow(
        id=_digest(token),
        principal=principal,
        key_proof=_proof(token, ground),
        created_at=now,
        seen_at=now,
    )


async def _add(db: Database, row: SessionRow) -> None:
    async def work(tx: Transaction) -> None:
        await repository.add_session(tx, row)

    await db.run(work)


async def read(
    db: Database, token: str, *, keys: Keyring, settings: ConsoleSettings, clock: Clock
) -> Caller | None:
    """Who signed in under a token; None where nobody did, or the session is over."""
    async with db.read() as tx:
        row = await repository.find_session(tx, _digest(token))
    if row is None:
        return None
    now = clock.now()
    ground = _ground(row, keys, settings)
    if (
        ground is None
        or not hmac.compare_digest(row.key_proof, _proof(token, ground))
        or now >= row.created_at + timedelta(seconds=settings.session_life_s)
        or now >= row.seen_at + timedelta(seconds=settings.session_idle_s)
    ):
        await end(db, token)
        return None
    if now >= row.seen_at + _SEEN_EVERY:
        session_id = row.id

        async def see(tx: Transaction) -> None:
            await repository.see_session(tx, session_id, at=now)

        await db.run(see)
    return _caller(row, keys)


def _ground(row: SessionRow, keys: Keyring, settings: ConsoleSettings) -> bytes | None:
    """What a session stands on now; None where it stands on nothing."""
    if row.role:
        return settings.oidc.ground() if settings.oidc.enabled else None
    return keys.digest_of(row.principal) if settings.api_key_sign_in else None


def _caller(row: SessionRow, keys: Keyring) -> Caller:
    if not row.role:
        return keys.caller_named(row.principal)
    role = KeyRole(row.role)
    return Person(
        principal=row.principal,
        is_operator=role is KeyRole.OPERATOR,
        role=role,
        shown_as=row.shown_as,
    )


async def end(db: Database, token: str) -> None:
    """Sign out."""

    async def work(tx: Transaction) -> None:
        await repository.delete_session(tx, _digest(token))

    await db.run(work)


async def sweep(db: Database, settings: ConsoleSettings, *, clock: Clock) -> None:
    """Drop the rows of sessions that are over."""
    now = clock.now()

    async def work(tx: Transaction) -> None:
        await repository.sweep_sessions(
            tx,
            created_before=now - timedelta(seconds=settings.session_life_s),
            seen_before=now - timedelta(seconds=settings.session_idle_s),
        )

    await db.run(work)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _proof(token: str, ground: bytes) -> str:
    return hmac.new(token.encode(), ground, hashlib.sha256).hexdigest()
