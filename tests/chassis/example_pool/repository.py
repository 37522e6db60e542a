"""All SQL of the example pool: one table, Core statements, frozen dataclasses out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, String, Table, func, insert, select, update

from proofwalk.chassis.database import Json, Transaction, UtcDateTime, role_metadata

METADATA = role_metadata()

LEASES = Table(
    "example_pool_lease",
    METADATA,
    Column("lease_id", String(40), primary_key=True),
    Column("request_id", String(200), nullable=False, unique=True),
    Column("holder", String(200), nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("granted_at", UtcDateTime, nullable=False),
    Column("notes", Json, nullable=False),
)


@dataclass(frozen=True, kw_only=True)
class LeaseRow:
    """One row."""

    lease_id: str
    request_id: str
    holder: str
    epoch: int
    granted_at: datetime
    notes: dict[str, Any]


async def find(transaction: Transaction, request_id: str) -> LeaseRow | None:
    row = (
        (await transaction.execute(select(LEASES).where(LEASES.c.request_id == request_id)))
        .mappings()
        .one_or_none()
    )
    return LeaseRow(**row) if row else None


async def count(transaction: Transaction) -> int:
    return int((await transaction.execute(select(func.count()).select_from(LEASES))).scalar_one())


async def add(transaction: Transaction, row: LeaseRow) -> None:
    values = {column.name: getattr(row, column.name) for column in LEASES.columns}
    await transaction.execute(insert(LEASES).values(**values))


async def bump(transaction: Transaction, lease_id: str, epoch: int) -> bool:
    """Compare and swap: False when `epoch` is not the current one."""
    where = (LEASES.c.lease_id == lease_id) & (LEASES.c.epoch == epoch)
    return (
        await transaction.execute(update(LEASES).where(where).values(epoch=epoch + 1))
    ).rowcount == 1
