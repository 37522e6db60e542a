"""A look at a shard: its rows brought in line with what runs, and its size decided.

Its owner alone looks at a shard, and who is not the owner any more is refused. So a
process that was thought dead, and wakes, can do nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import IdSource
from proofwalk.sandbox_scheduler import repository
from proofwalk.sandbox_scheduler.domain import (
    Sandbox,
    SandboxState,
    Shard,
    Tool,
    advance,
    not_owner,
)
from proofwalk.sandbox_scheduler.reconciliation import (
    Changes,
    Instance,
    Limits,
    Phase,
    Policy,
    Share,
    allot,
    base_of,
    compare,
    demand,
    surplus,
)
from proofwalk.sandbox_scheduler.repository import ShardRow


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a look at a shard goes by."""

    policy: Policy
    limits: Limits
    cooldown_s: float
    """How long a shard keeps places that are too many: releases come before
    requests."""


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What is to be done about a shard's instances after a look."""

    size: int
    changes: Changes


async def look(
    db: Database,
    shard: Shard,
    seen: Sequence[Instance],
    *,
    tool: Tool,
    by: str,
    terms: Terms,
    ids: IdSource,
    clock: Clock,
) -> Looked:
    """Bring a shard's rows in line with what runs there, and decide on its size. Raises
    `shard.stale_epoch`.

    The rows come first: whoever is told to end has a row that says so before anything
    is done to it.
    """

    async def work(tx: Transaction) -> Looked:
        now = clock.now()
        all_shards = await repository.shards_of(tx, shard.tool)
        mine = next(
            (
                row
                for row in all_shards
                if (row.version, row.number) == (shard.version, shard.number)
            ),
            None,
        )
        if mine is None or (mine.owner, mine.epoch) != (by, shard.epoch) or mine.expires_at <= now:
            raise not_owner(shard)
        rows = await repository.live_in(tx, shard.tool, shard.version, shard.number)
        changes = compare(rows, seen, limits=terms.limits, now=now)
        rows = await _apply(tx, shard, rows, changes, ids=ids, now=now)
        waiting = await repository.waiting(tx, shard.tool, now=now)
        size, shrinks_at = _size(
            shard, mine, all_shards, rows, tool=tool, waiting=waiting, terms=terms, now=now
        )
        over = surplus(rows, size, ordinals=terms.policy.ordinals)
        await _end(tx, [(row, "too many") for row in over])
        by_instance = {instance.id: instance for instance in seen}
        changes.discard += [
            (by_instance[row.instance], False) for row in over if row.instance in by_instance
        ]
        await repository.change_shard(
            tx,
            shard.tool,
            shard.version,
            shard.number,
            size=size,
            shrinks_at=shrinks_at,
            base=base_of(rows, ordinals=terms.policy.ordinals),
            present=len(seen),
            leased=sum(row.state is SandboxState.LEASED for row in rows),
            seen_at=now,
            trouble=_trouble(seen),
        )
        return Looked(size=size, changes=changes)

    return await db.run(work)


def _size(
    shard: Shard,
    mine: ShardRow,
    all_shards: Sequence[ShardRow],
    rows: Sequence[Sandbox],
    *,
    tool: Tool,
    waiting: int,
    terms: Terms,
    now: datetime,
) -> tuple[int, datetime | None]:
    """The size that a shard is to have, and when it is to shrink, if it is too
    large."""
    policy = terms.policy
    base = base_of(rows, ordinals=policy.ordinals)
    leased = sum(row.state is SandboxState.LEASED for row in rows)
    present = sum(row.state is not SandboxState.ENDED for row in rows)
    if shard.version != tool.version:
        return base, None
    shares = {
        row.number: Share(base=row.base, size=row.size, present=row.present)
        for row in all_shards
        if row.version == tool.version
    }
    shares[shard.number] = Share(base=base, size=mine.size, present=present)
    retired = sum(max(row.size, row.present) for row in all_shards if row.version != tool.version)
    elsewhere = sum(
        row.leased
        for row in all_shards
        if (row.version, row.number) != (shard.version, shard.number)
    )
    wanted = demand(policy, leased=leased + elsewhere, waiting=waiting)
    size = allot(shares, shard.number, rows, wanted=wanted, policy=policy, retired=retired)
    if size >= mine.size:
        return size, None
    shrinks_at = mine.shrinks_at or now + timedelta(seconds=terms.cooldown_s)
    return (
        (size, None) if shrinks_at <= now else (max(size, min(mine.size, policy.quota)), shrinks_at)
    )


def _trouble(seen: Sequence[Instance]) -> str:
    reasons = {
        instance.reason for instance in seen if instance.phase is Phase.STARTING and instance.reason
    }
    return "; ".join(sorted(reasons)[:3])[:1000]


async def _apply(
    tx: Transaction,
    shard: Shard,
    rows: Sequence[Sandbox],
    changes: Changes,
    *,
    ids: IdSource,
    now: datetime,
) -> Sequence[Sandbox]:
    """Write what a look has shown. Return the rows as they are afterwards."""
    # What was seen may have been handed back and ended before its rows are read here.
    past = await repository.ended_among(tx, [instance.id for instance in changes.add])
    fresh = [instance for instance in changes.add if instance.id not in past]
    added = _new_rows(shard, fresh, ids=ids, now=now)
    await repository.add(
        tx, added, failed=[row.id for row in added if row.state is SandboxState.ENDING]
    )
    up = [
        replace(row, state=advance(row.state, SandboxState.WARM), cdp_endpoint=seen.endpoint)
        for row, seen in changes.up
    ]
    await repository.change_all(
        tx,
        [{"id": row.id, "state": row.state.value, "cdp_endpoint": row.cdp_endpoint} for row in up],
    )
    # One that vanished while it started says nothing about starting.
    vanished = {row.id for row in changes.gone}
    failed = {
        row.id
        for row, _ in changes.end
        if row.state is SandboxState.STARTING and row.id not in vanished
    }
    ended = await _end(tx, changes.end, failed=failed)
    await repository.change_all(
        tx,
        [
            {"id": row.id, "state": SandboxState.ENDED.value, "ended_at": now}
            for row in changes.gone
        ],
    )
    after = {row.id: row for row in [*rows, *added, *up, *ended]}
    for row in changes.gone:
        del after[row.id]
    return list(after.values())


def _new_rows(
    shard: Shard, instances: Sequence[Instance], *, ids: IdSource, now: datetime
) -> Sequence[Sandbox]:
    """Return a row for each instance that was seen for the first time."""
    first_state = {
        Phase.STARTING: SandboxState.STARTING,
        Phase.READY: SandboxState.WARM,
        Phase.FAILED: SandboxState.ENDING,
    }
    return [
        Sandbox(
            id=ids.new("sbx"),
            tool=shard.tool,
            version=shard.version,
            shard=shard.number,
            ordinal=instance.ordinal,
            place=instance.place,
            instance=instance.id,
            state=first_state[instance.phase],
            cdp_endpoint=instance.endpoint if instance.phase is Phase.READY else "",
            reason=instance.reason if instance.phase is Phase.FAILED else "",
            created_at=now,
        )
        for instance in instances
    ]


async def _end(
    tx: Transaction, ending: Sequence[tuple[Sandbox, str]], *, failed: Collection[str] = ()
) -> Sequence[Sandbox]:
    await repository.change_all(
        tx,
        [
            {
                "id": row.id,
                "state": advance(row.state, SandboxState.ENDING).value,
                "reason": reason,
                "failed": int(row.id in failed),
            }
            for row, reason in ending
        ],
    )
    return [replace(row, state=SandboxState.ENDING, reason=reason) for row, reason in ending]
