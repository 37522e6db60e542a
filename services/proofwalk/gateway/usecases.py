"""Idempotent requests: one key, one effect, one answer.

`begin` writes the row, with the id of the verification to be, before anything is done;
`settle` keeps the answer, which a repeat gets byte for byte. A request that died in
between is taken up again under the same verification id once its lock has passed, so
that it cannot make a second one. Answers that say "later" are not kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.gateway import repository
from proofwalk.gateway.repository import IdempotentRequest
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid

_KEY = re.compile(r'"?([\x21\x23-\x7e]{1,255})"?')


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was answered before."""

    status: int
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Fresh:
    """Nothing was answered yet: go on under this verification id."""

    verification_id: str


def read_key(header: str) -> str:
    """The key of an `Idempotency-Key` header (bare or quoted); raises
    `idempotency.malformed_key`."""
    match = _KEY.fullmatch(header)
    if match is None:
        raise invalid(
            "idempotency.malformed_key",
            "the Idempotency-Key is not 1 to 255 visible ASCII characters",
            hint="use a UUID, for example",
        )
    return match[1]


async def begin(
    db: Database,
    *,
    principal: str,
    key: str,
    body_digest: str,
    verification_id: str,
    clock: Clock,
    lock_s: float,
) -> Answer | Fresh:
    """Take a key. Raises `idempotency.key_reused` for another body,
    `idempotency.in_progress` while the first request runs."""

    async def work(tx: Transaction) -> Answer | Fresh:
        now = clock.now()
        locked_until = now + timedelta(seconds=lock_s)
        known = await repository.find(tx, principal, key)
        if known is None:
            row = IdempotentRequest(
                principal=principal,
                key=key,
                body_digest=body_digest,
                verification_id=verification_id,
                locked_until=locked_until,
                created_at=now,
            )
            await repository.add(tx, row)
            return Fresh(verification_id=verification_id)
        if known.body_digest != body_digest:
            raise invalid(
                "idempotency.key_reused",
                "this Idempotency-Key was used with another body",
                hint="use a fresh key for a fresh request",
            )
        if known.status:
            return Answer(status=known.status, body=known.body)
        if known.locked_until > now:
            raise ProofwalkError(
                "idempotency.in_progress",
                "a request with this Idempotency-Key is being worked on",
                status=Status.ABORTED,
                hint="repeat it in a moment",
                retryable=True,
            )
        await repository.change(tx, principal, key, locked_until=locked_until)
        return Fresh(verification_id=known.verification_id)

    return await db.run(work)


async def settle(db: Database, *, principal: str, key: str, status: int, body: bytes) -> None:
    """Keep the answer."""

    async def work(tx: Transaction) -> None:
        await repository.change(tx, principal, key, status=status, body=body)

    await db.run(work)


async def unlock(db: Database, *, principal: str, key: str, clock: Clock) -> None:
    """The request ended without an answer worth keeping: a repeat goes on where it
    was."""

    async def work(tx: Transaction) -> None:
        await repository.change(tx, principal, key, locked_until=clock.now())

    await db.run(work)


async def forget(db: Database, *, keep_s: float, clock: Clock) -> None:
    """Drop keys older than `keep_s`."""

    async def work(tx: Transaction) -> None:
        await repository.forget(tx, before=clock.now() - timedelta(seconds=keep_s))

    await db.run(work)
