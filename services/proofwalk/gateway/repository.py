"""All SQL of the gateway: one table of idempotency keys."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Integer, LargeBinary, String, Table, delete, insert, select, update

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
