"""All SQL over groups and their members. As in `repository`, a read on somebody's
behalf finds what its caller may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from proofwalk.chassis.database import Transaction
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import not_found
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rollout import repository
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.tables import events, groups, verifications


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """A group as stored."""

    id: str
    request_digest: str
    principal: str
    size: int
    finished: int = 0
    created_at: datetime


async def find_group(tx: Transaction, group_id: str) -> GroupRow | None:
    row = (await tx.execute(select(groups).where(groups.c.id == group_id))).mappings().first()
    return None if row is None else GroupRow(**row)


async def get_group(tx: Transaction, group_id: str, *, caller: Caller) -> GroupRow:
    """Raises `group.not_found`, also for what is another's."""
    row = await find_group(tx, group_id)
    if row is None or not caller.sees(row.principal):
        raise not_found(
            "group.not_found", f"there is no group {group_id[:80]!r}", hint="RunGroup makes one"
        )
    return row


async def put_group(tx: Transaction, row: GroupRow) -> None:
    """Store a group, or its new size."""
    changed = await tx.execute(update(groups).where(groups.c.id == row.id).values(size=row.size))
    if changed.rowcount == 0:
        await tx.execute(insert(groups).values(row.__dict__))


async def insert_members(
    tx: Transaction, rows: Sequence[VerificationRow], *, type: str, data: JsonObject
) -> None:
    """Insert verifications, each with the first event of its history."""
    await tx.execute(
        insert(verifications),
        [{**repository.verification_values(row), "event_count": 1} for row in rows],
    )
    first = {"sequence": 1, "type": type, "episode_id": "", "data": dict(data)}
    await tx.execute(
        insert(events),
        [{**first, "verification_id": row.id, "time": row.created_at} for row in rows],
    )


async def count_finished(tx: Transaction, group_id: str) -> int:
    """One more member of a group is finished; returns how many are."""
    query = (
        update(groups)
        .where(groups.c.id == group_id)
        .values(finished=groups.c.finished + 1)
        .returning(groups.c.finished)
    )
    return int((await tx.execute(query)).scalar_one())


async def finished_members(
    tx: Transaction, group_id: str, *, after: int, limit: int
) -> Sequence[VerificationRow]:
    """In the order of finishing, from just behind `after` on."""
    query = (
        select(verifications)
        .where(verifications.c.group_id == group_id, verifications.c.group_sequence > after)
        .order_by(verifications.c.group_sequence)
        .limit(limit)
    )
    return [repository.read_verification(row) for row in (await tx.execute(query)).mappings()]


async def unfinished_members(tx: Transaction, group_id: str) -> Sequence[VerificationRow]:
    query = (
        select(verifications)
        .where(
            verifications.c.group_id == group_id, verifications.c.state != JobState.FINISHED.value
        )
        .order_by(verifications.c.group_number)
    )
    return [repository.read_verification(row) for row in (await tx.execute(query)).mappings()]
