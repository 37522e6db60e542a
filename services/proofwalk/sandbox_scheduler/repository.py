"""All SQL of the sandbox scheduler: sandboxes, the shards that they are in, who tends
them, and requests that wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    Index,
    Integer,
    String,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from proofwalk.chassis.database import Json, Transaction, UtcDateTime, role_metadata
from proofwalk.sandbox_scheduler.domain import LIVE, Census, Sandbox, SandboxState

METADATA = role_metadata()

sandboxes = Table(
    "sandbox_scheduler_sandboxes",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("tool", String(64), nullable=False),
    Column("version", String(64), nullable=False),
    Column("shard", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("place", String(255), nullable=False),
    Column("instance", String(255), nullable=False, unique=True),
    Column("state", String(16), nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("request_id", String(255), nullable=True, unique=True),
    Column("holder", String(255), nullable=False),
    Column("expires_at", UtcDateTime),
    Column("cdp_endpoint", Text, nullable=False),
    Column("warm", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("refused_hosts", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    # Grants look for the first warm one; looks at a shard for what is live in it.
    Index("ix_sandbox_scheduler_sandboxes_grant", "tool", "version", "state", "shard", "ordinal"),
    Index("ix_sandbox_scheduler_sandboxes_state", "state", "ended_at"),
)

shards = Table(
    "sandbox_scheduler_shards",
    METADATA,
    Column("tool", String(64), primary_key=True),
    Column("version", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("size", Integer, nullable=False),
    Column("base", Integer, nullable=False),
    Column("present", Integer, nullable=False),
    Column("leased", Integer, nullable=False),
    Column("shrinks_at", UtcDateTime),
    Column("seen_at", UtcDateTime),
    Column("trouble", Text, nullable=False),
)

schedulers = Table(
    "sandbox_scheduler_schedulers",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("expires_at", UtcDateTime, nullable=False),
)

waits = Table(
    "sandbox_scheduler_waits",
    METADATA,
    Column("request_id", String(255), primary_key=True),
    Column("tool", String(64), nullable=False),
    Column("since", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)


@dataclass(frozen=True, kw_only=True)
class ShardRow:
    """A shard as stored. `size` is what it was told to have, `seen_at` when its
    instances were last looked at, `trouble` what keeps them from starting; `base`,
    `present` and `leased` are of that look."""

    tool: str
    version: str
    number: int
    owner: str = ""
    epoch: int = 0
    expires_at: datetime
    size: int = 0
    base: int = 0
    present: int = 0
    leased: int = 0
    shrinks_at: datetime | None = None
    seen_at: datetime | None = None
    trouble: str = ""


_FIELDS = tuple(field.name for field in fields(Sandbox))
_SANDBOX = [sandboxes.c[name] for name in _FIELDS]


def _sandbox(row: Any) -> Sandbox:
    return Sandbox(**{**row, "state": SandboxState(row["state"])})


async def add(tx: Transaction, rows: Sequence[Sandbox], *, failed: Sequence[str] = ()) -> None:
    """Store these; those whose ids are in `failed` never came up."""
    if rows:
        values = [
            {
                **{name: getattr(row, name) for name in _FIELDS},
                "state": row.state.value,
                "failed": int(row.id in failed),
            }
            for row in rows
        ]
        await tx.execute(insert(sandboxes), values)


async def ended_among(tx: Transaction, instances: Sequence[str]) -> frozenset[str]:
    """Those of these instances whose sandbox has ended."""
    if not instances:
        return frozenset()
    found = await tx.execute(
        select(sandboxes.c.instance).where(
            sandboxes.c.instance.in_(instances),
            sandboxes.c.state == SandboxState.ENDED.value,
        )
    )
    return frozenset(found.scalars())


async def find(tx: Transaction, sandbox_id: str) -> Sandbox | None:
    found = (
        (await tx.execute(select(*_SANDBOX).where(sandboxes.c.id == sandbox_id))).mappings().first()
    )
    return None if found is None else _sandbox(found)


async def by_request(tx: Transaction, request_id: str) -> Sandbox | None:
    found = (
        (await tx.execute(select(*_SANDBOX).where(sandboxes.c.request_id == request_id)))
        .mappings()
        .first()
    )
    return None if found is None else _sandbox(found)


async def first_warm(
    tx: Transaction, tool: str, version: str, *, seen_after: datetime, owner: str | None
) -> Sandbox | None:
    """The warm sandbox of the lowest shard and ordinal, of shards that were looked at
    lately and, if given, belong to `owner`."""
    of_shard = (
        (shards.c.tool == sandboxes.c.tool)
        & (shards.c.version == sandboxes.c.version)
        & (shards.c.number == sandboxes.c.shard)
    )
    query = (
        select(*_SANDBOX)
        .join(shards, of_shard)
        .where(
            sandboxes.c.tool == tool,
            sandboxes.c.version == version,
            sandboxes.c.state == SandboxState.WARM.value,
            shards.c.seen_at >= seen_after,
        )
        .order_by(sandboxes.c.shard, sandboxes.c.ordinal)
        .limit(1)
    )
    if owner is not None:
        query = query.where(shards.c.owner == owner)
    found = (await tx.execute(query)).mappings().first()
    return None if found is None else _sandbox(found)


async def change(tx: Transaction, sandbox_id: str, **values: Any) -> None:
    await tx.execute(update(sandboxes).where(sandboxes.c.id == sandbox_id).values(**values))


async def change_all(
    tx: Transaction, changes: Sequence[Mapping[str, str | int | datetime]]
) -> None:
    """Change many; each mapping has `id` and the same other columns."""
    if changes:
        columns = {
            name: bindparam(f"new_{name}", type_=sandboxes.c[name].type)
            for name in changes[0]
            if name != "id"
        }
        statement = update(sandboxes).where(sandboxes.c.id == bindparam("of_id")).values(columns)
        await tx.execute(
            statement,
            [
                {"of_id": each["id"], **{f"new_{name}": each[name] for name in columns}}
                for each in changes
            ],
        )


async def live(tx: Transaction) -> Sequence[Sandbox]:
    query = (
        select(*_SANDBOX)
        .where(sandboxes.c.state.in_([state.value for state in LIVE]))
        .order_by(sandboxes.c.created_at)
    )
    return [_sandbox(row) for row in (await tx.execute(query)).mappings()]


async def live_in(tx: Transaction, tool: str, version: str, number: int) -> Sequence[Sandbox]:
    query = select(*_SANDBOX).where(
        sandboxes.c.tool == tool,
        sandboxes.c.version == version,
        sandboxes.c.state.in_([state.value for state in LIVE]),
        sandboxes.c.shard == number,
    )
    return [_sandbox(row) for row in (await tx.execute(query)).mappings()]


async def census(tx: Transaction, tool: str, *, now: datetime) -> Census:
    query = (
        select(sandboxes.c.state, func.count())
        .where(sandboxes.c.tool == tool, sandboxes.c.state.in_([state.value for state in LIVE]))
        .group_by(sandboxes.c.state)
    )
    counts = {state: int(count) for state, count in (await tx.execute(query)).all()}
    return Census(**counts, waiting=await waiting(tx, tool, now=now))


async def failures(tx: Transaction, tool: str, *, since: datetime) -> Sequence[str]:
    """Why sandboxes that were first seen after `since` did not come up."""
    query = select(sandboxes.c.reason).where(
        sandboxes.c.tool == tool, sandboxes.c.failed == 1, sandboxes.c.created_at >= since
    )
    return list((await tx.execute(query)).scalars())


async def forget_ended(tx: Transaction, *, before: datetime) -> None:
    await tx.execute(
        delete(sandboxes).where(
            sandboxes.c.state == SandboxState.ENDED.value, sandboxes.c.ended_at < before
        )
    )


async def shards_of(tx: Transaction, tool: str) -> Sequence[ShardRow]:
    query = select(shards).where(shards.c.tool == tool).order_by(shards.c.version, shards.c.number)
    return [ShardRow(**row) for row in (await tx.execute(query)).mappings()]


async def add_shard(tx: Transaction, row: ShardRow) -> None:
    await tx.execute(insert(shards).values(row.__dict__))


async def change_shard(
    tx: Transaction, tool: str, version: str, number: int, **values: Any
) -> None:
    this = (shards.c.tool == tool) & (shards.c.version == version) & (shards.c.number == number)
    await tx.execute(update(shards).where(this).values(**values))


async def remove_shard(tx: Transaction, tool: str, version: str, number: int) -> None:
    this = (shards.c.tool == tool) & (shards.c.version == version) & (shards.c.number == number)
    await tx.execute(delete(shards).where(this))


async def schedulers_alive(
    tx: Transaction, scheduler: str, *, now: datetime, expires_at: datetime
) -> int:
    """Note that `scheduler` lives until `expires_at`, and count those that do."""
    await tx.execute(
        delete(schedulers).where((schedulers.c.expires_at <= now) | (schedulers.c.id == scheduler))
    )
    await tx.execute(insert(schedulers).values(id=scheduler, expires_at=expires_at))
    return int((await tx.execute(select(func.count()).select_from(schedulers))).scalar_one())


async def leave(tx: Transaction, scheduler: str) -> None:
    await tx.execute(delete(schedulers).where(schedulers.c.id == scheduler))


async def add_wait(
    tx: Transaction, request_id: str, tool: str, *, since: datetime, expires_at: datetime
) -> None:
    await end_wait(tx, request_id)
    await tx.execute(
        insert(waits).values(request_id=request_id, tool=tool, since=since, expires_at=expires_at)
    )


async def end_wait(tx: Transaction, request_id: str) -> None:
    await tx.execute(delete(waits).where(waits.c.request_id == request_id))


async def waiting(tx: Transaction, tool: str, *, now: datetime) -> int:
    query = (
        select(func.count())
        .select_from(waits)
        .where(waits.c.tool == tool, waits.c.expires_at > now)
    )
    return int((await tx.execute(query)).scalar_one())


async def forget_waits(tx: Transaction, *, before: datetime) -> None:
    await tx.execute(delete(waits).where(waits.c.expires_at <= before))
