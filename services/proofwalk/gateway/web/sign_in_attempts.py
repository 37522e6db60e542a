"""Sign-ins by an identity provider on their way: begun by one browser, used once.

A sign-in is known by its random `state`, which goes to the provider and comes back. The
row has the state's digest and a MAC of it under the token of the browser's cookie, so
that an answer of the provider is good in the browser alone that asked for it: one that
somebody else is led to signs nobody in. The nonce and the PKCE verifier follow from
token and state, and are stored nowhere. Taking a sign-in deletes its row, in one
statement.
"""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.gateway import repository
from proofwalk.gateway.oidc.provider import Attempt
from proofwalk.gateway.repository import SignInRow
from proofwalk.gateway.web.sessions import new_token, seal
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status

LIFE = timedelta(minutes=10)
"""Within which one signs in at the provider."""
_STATE = re.compile(r"[A-Za-z0-9_-]{43}")
_LONGEST_TARGET = 1000


async def begin(db: Database, token: str, target: str, *, clock: Clock) -> Attempt:
    """Begin a sign-in that leads to `target`, for the browser that holds `token`."""
    attempt = _attempt(token, new_token())
    row = SignInRow(
        id=_digest(attempt.state),
        browser_proof=seal(token, f"state {attempt.state}"),
        target=target if len(target) <= _LONGEST_TARGET else "",
        created_at=clock.now(),
    )

    async def work(tx: Transaction) -> None:
        await repository.add_sign_in(tx, row)

    await db.run(work)
    return attempt


async def take(db: Database, token: str, state: str, *, clock: Clock) -> tuple[Attempt, str]:
    """The sign-in that comes back, and where it leads. Raises `auth.oidc_state`."""

    async def work(tx: Transaction) -> SignInRow | None:
        return await repository.take_sign_in(tx, _digest(state), seal(token, f"state {state}"))

    row = await db.run(work) if _STATE.fullmatch(state) else None
    if row is None or clock.now() >= row.created_at + LIFE:
        raise ProofwalkError(
            "auth.oidc_state",
            "this sign-in was not begun in this browser, was used already, or took longer"
            f" than {LIFE.seconds // 60} minutes",
            status=Status.PERMISSION_DENIED,
            hint="sign in again, from this console's page; the browser has to keep cookies",
        )
    return _attempt(token, state), row.target


async def sweep(db: Database, *, clock: Clock) -> None:
    """Drop the rows of sign-ins that never came back."""

    async def work(tx: Transaction) -> None:
        await repository.sweep_sign_ins(tx, before=clock.now() - LIFE)

    await db.run(work)


def _attempt(token: str, state: str) -> Attempt:
    return Attempt(
        state=state,
        nonce=seal(token, f"nonce {state}"),
        verifier=seal(token, f"verifier {state}"),
    )


def _digest(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()
