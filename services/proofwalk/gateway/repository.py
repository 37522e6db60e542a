"""All SQL of the gateway: idempotency keys, and sessions of the web console with the
sign-ins that are to become some."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    Column,
    Integer,
    LargeBinary,
    String,
    Table,
    delete,
    insert,
    or_,
    select,
    update,
)

from proofwalk.chassis.database import Transaction, UtcDateTime, role_metadata

METADATA = role_metadata()

idempotency = Table(
    "gateway_idempotency",
    METADATA,
    Column("principal", String(128), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("body_digest", String(64), nullable=False),
    Column("verification_id", String(64), nullable=False),
    Column("locked_until", UtcDateTime, nullable=False),
    Column("status", Integer, nullable=False, default=0),
    Column("body", LargeBinary, nullable=False, default=b""),
    Column("created_at", UtcDateTime, nullable=False, index=True),
)

sessions = Table(
    "gateway_sessions",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("principal", String(128), nullable=False),
    Column("key_proof", String(64), nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    Column("seen_at", UtcDateTime, nullable=False, index=True),
    Column("role", String(16), nullable=False, server_default=""),
    Column("shown_as", String(100), nullable=False, server_default=""),
)

sign_ins = Table(
    "gateway_sign_ins",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("browser_proof", String(64), nullable=False),
    Column("target", String(1000), nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
)


@dataclass(frozen=True, kw_only=True)
class IdempotentRequest:
    """A request under a key. `status` is 0 until it was answered."""

    principal: str
    key: str
    body_digest: str
    verification_id: str
    locked_until: datetime
    status: int = 0
    body: bytes = b""
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class SessionRow:
    """Somebody who signed in to the web console."""

    id: str
    """Digest of the cookie's token, which is stored nowhere."""
    principal: str
    key_proof: str
    """Which key it was, told by nobody who lacks the token (`web.sessions`)."""
    created_at: datetime
    seen_at: datetime
    role: str = ""
    """Of a person who signed in by an identity provider; empty for a key."""
    shown_as: str = ""


@dataclass(frozen=True, kw_only=True)
class SignInRow:
    """A sign-in by an identity provider that was begun and has not come back."""

    id: str
    """Digest of its `state`, which is stored nowhere."""
    browser_proof: str
    """Which browser began it, told by nobody who lacks its token."""
    target: str
    """The page of the console that it leads to."""
    created_at: datetime


async def find(tx: Transaction, principal: str, key: str) -> IdempotentRequest | None:
    query = select(idempotency).where(
        idempotency.c.principal == principal, idempotency.c.key == key
    )
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else IdempotentRequest(**row)


async def add(tx: Transaction, row: IdempotentRequest) -> None:
    await tx.execute(insert(idempotency).values(row.__dict__))


async def change(tx: Transaction, principal: str, key: str, **values: object) -> None:
    await tx.execute(
        update(idempotency)
        .where(idempotency.c.principal == principal, idempotency.c.key == key)
        .values(**values)
    )


async def forget(tx: Transaction, *, before: datetime) -> None:
    await tx.execute(delete(idempotency).where(idempotency.c.created_at < before))


async def find_session(tx: Transaction, session_id: str) -> SessionRow | None:
    query = select(sessions).where(sessions.c.id == session_id)
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else SessionRow(**row)


async def add_session(tx: Transaction, row: SessionRow) -> None:
    await tx.execute(insert(sessions).values(row.__dict__))


async def see_session(tx: Transaction, session_id: str, *, at: datetime) -> None:
    await tx.execute(update(sessions).where(sessions.c.id == session_id).values(seen_at=at))


async def delete_session(tx: Transaction, session_id: str) -> None:
    await tx.execute(delete(sessions).where(sessions.c.id == session_id))


async def sweep_sessions(
    tx: Transaction, *, created_before: datetime, seen_before: datetime
) -> None:
    await tx.execute(
        delete(sessions).where(
            or_(sessions.c.created_at < created_before, sessions.c.seen_at < seen_before)
        )
    )


async def add_sign_in(tx: Transaction, row: SignInRow) -> None:
    await tx.execute(insert(sign_ins).values(row.__dict__))


async def take_sign_in(tx: Transaction, row_id: str, browser_proof: str) -> SignInRow | None:
    """Delete a browser's sign-in and return it; None where there is none, or no
    more."""
    own = (sign_ins.c.id == row_id) & (sign_ins.c.browser_proof == browser_proof)
    query = delete(sign_ins).where(own).returning(*sign_ins.c)
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else SignInRow(**row)


async def sweep_sign_ins(tx: Transaction, *, before: datetime) -> None:
    await tx.execute(delete(sign_ins).where(sign_ins.c.created_at < before))
