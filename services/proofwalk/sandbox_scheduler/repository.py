"""All SQL of the sandbox scheduler: one table of sandboxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Float, Index, Integer, String, Table, Text, delete, func, insert, select, update

from proofwalk.chassis.database import Json, Transaction, UtcDateTime, role_metadata
from proofwalk.sandbox_scheduler.domain import Census, SandboxState

METADATA = role_metadata()

sandboxes = Table(
    "sandbox_scheduler_sandboxes",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("tool", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("request_id", String(255), nullable=True, unique=True),
    Column("holder", String(255), nullable=False),
    Column("expires_at", UtcDateTime),
    Column("cdp_endpoint", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("pid_started", Float, nullable=False),
    Column("owner", String(64), nullable=False),
    Column("warm", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("refused_hosts", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Index("ix_sandbox_scheduler_sandboxes_state", "state"),
)


@dataclass(frozen=True, kw_only=True)
class SandboxRow:
    """A sandbox as stored. `owner` is the scheduler process whose child its browser is; `warm` is 1 when it waited in the pool."""

    id: str
    tool: str
    state: SandboxState
    epoch: int = 0
    request_id: str | None = None
    holder: str = ""
    expires_at: datetime | None = None
    cdp_endpoint: str = ""
    pid: int = 0
    pid_started: float = 0.0
    owner: str
    warm: int = 0
    reason: str = ""
    refused_hosts: Mapping[str, int] = field(default_factory=dict)
    created_at: datetime
    ended_at: datetime | None = None


def _row(row: Any) -> SandboxRow:
    return SandboxRow(**{**row, "state": SandboxState(row["state"])})


async def add(tx: Transaction, row: SandboxRow) -> None:
    await tx.execute(
        insert(sandboxes).values({**row.__dict__, "state": row.state.value, "refused_hosts": dict(row.refused_hosts)})
    )


async def find(tx: Transaction, sandbox_id: str) -> SandboxRow | None:
    found = (await tx.execute(select(sandboxes).where(sandboxes.c.id == sandbox_id))).mappings().first()
    return None if found is None else _row(found)


async def by_request(tx: Transaction, request_id: str) -> SandboxRow | None:
    found = (await tx.execute(select(sandboxes).where(sandboxes.c.request_id == request_id))).mappings().first()
    return None if found is None else _row(found)


async def oldest_warm(tx: Transaction, tool: str, owner: str) -> SandboxRow | None:
    query = (
        select(sandboxes)
        .where(sandboxes.c.tool == tool, sandboxes.c.state == SandboxState.WARM.value, sandboxes.c.owner == owner)
        .order_by(sandboxes.c.created_at, sandboxes.c.id)
        .limit(1)
    )
    found = (await tx.execute(query)).mappings().first()
    return None if found is None else _row(found)


async def change(tx: Transaction, sandbox_id: str, **values: Any) -> None:
    await tx.execute(update(sandboxes).where(sandboxes.c.id == sandbox_id).values(**values))


async def in_states(tx: Transaction, states: Sequence[SandboxState]) -> Sequence[SandboxRow]:
    query = select(sandboxes).where(sandboxes.c.state.in_([state.value for state in states])).order_by(sandboxes.c.created_at)
    return [_row(row) for row in (await tx.execute(query)).mappings()]


async def census(tx: Transaction, tool: str) -> Census:
    query = select(sandboxes.c.state, func.count()).where(sandboxes.c.tool == tool).group_by(sandboxes.c.state)
    counts = {state: int(count) for state, count in (await tx.execute(query)).all()}
    return Census(
        starting=counts.get("starting", 0),
        warm=counts.get("warm", 0),
        leased=counts.get("leased", 0),
        ending=counts.get("ending", 0),
    )


async def forget_ended(tx: Transaction, *, before: datetime) -> None:
    await tx.execute(delete(sandboxes).where(sandboxes.c.state == SandboxState.ENDED.value, sandboxes.c.ended_at < before))
