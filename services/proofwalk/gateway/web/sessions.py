"""Sessions of the web console: who signed in with a key, until when.

A browser holds a random token in a cookie; the row has the token's digest as its id, so
that who reads the rows cannot sign in. `key_proof` ties a session to the key that it
was made with: a MAC of the key's digest under the token. A key that is taken out of the
settings, or replaced, ends its sessions. A session ends `session_life_s` after it was
made and `session_idle_s` after it was last seen; the time of that is written once in
`_SEEN_EVERY` at most.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.gateway import repository
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.repository import SessionRow
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
    """Sign a caller in under a fresh token."""
    digest = keys.digest_of(caller.principal)
    assert digest is not None, "a caller comes from the keyring"
    now = clock.now()
    row = SessionRow(
        id=_digest(token),
        principal=caller.principal,
        key_proof=_proof(token, digest),
        created_at=now,
        seen_at=now,
    )

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
    digest = keys.digest_of(row.principal)
    if (
        digest is None
        or not hmac.compare_digest(row.key_proof, _proof(token, digest))
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
    return keys.caller_named(row.principal)


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


def _proof(token: str, key_digest: bytes) -> str:
    return hmac.new(token.encode(), key_digest, hashlib.sha256).hexdigest()
