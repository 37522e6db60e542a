"""Which process tends a shard: claimed, given up, and forgotten with the shard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.sandbox_scheduler import repository
from proofwalk.sandbox_scheduler.domain import (
    Shard,
    Tool,
)
from proofwalk.sandbox_scheduler.repository import ShardRow


async def claim(
    db: Database, tool: Tool, *, count: int, by: str, ttl_s: float, seize: bool, clock: Clock
) -> Sequence[Shard]:
    """The shards that `by` is to tend until its next claim: its own, and of those whose
    owner is gone a fair share.

    A shard is taken when its lease has run out, or at once with `seize`, for backends
    whose instances end with their process. With more than a fair share, the highest
    numbers are given up. Shards of older versions of the tool are claimed like others.
    """

    async def work(tx: Transaction) -> Sequence[Shard]:
        now = clock.now()
        until = now + timedelta(seconds=ttl_s)
        alive = 1 if seize else await repository.schedulers_alive(tx, by, now=now, expires_at=until)
        rows = list(await repository.shards_of(tx, tool.name))
        known = {row.number for row in rows if row.version == tool.version}
        for number in sorted(set(range(count)) - known):
            row = ShardRow(tool=tool.name, version=tool.version, number=number, expires_at=now)
            await repository.add_shard(tx, row)
            rows.append(row)
        share = -(-len(rows) // alive)
        mine = [row for row in rows if row.owner == by and row.expires_at > now]
        free = [row for row in rows if row not in mine and (seize or row.expires_at <= now)]
        for row in mine[share:]:
            await _set_owner(tx, row, owner="", expires_at=now)
        kept = mine[:share]
        for row in kept:
            await _set_owner(tx, row, expires_at=until)
        taken = free[: share - len(kept)]
        for row in taken:
            # The look of whoever had it says nothing about what is there now.
            await _set_owner(tx, row, owner=by, epoch=row.epoch + 1, expires_at=until, seen_at=None)
        owned = [(row, row.epoch) for row in kept] + [(row, row.epoch + 1) for row in taken]
        return [
            Shard(tool=row.tool, version=row.version, number=row.number, epoch=epoch)
            for row, epoch in owned
        ]

    return await db.run(work)


async def _set_owner(tx: Transaction, row: ShardRow, **values: object) -> None:
    await repository.change_shard(tx, row.tool, row.version, row.number, **values)


async def resign(db: Database, tool: Tool, *, by: str, clock: Clock) -> None:
    """Give up every shard, so that another process need not wait for the leases to run
    out."""

    async def work(tx: Transaction) -> None:
        for row in await repository.shards_of(tx, tool.name):
            if row.owner == by:
                await _set_owner(tx, row, owner="", expires_at=clock.now())
        await repository.leave(tx, by)

    await db.run(work)


async def remove(db: Database, shard: Shard, *, by: str) -> None:
    """Forget a shard that nothing is left of."""

    async def work(tx: Transaction) -> None:
        for row in await repository.shards_of(tx, shard.tool):
            if (row.version, row.number, row.owner, row.epoch) == (
                shard.version,
                shard.number,
                by,
                shard.epoch,
            ):
                await repository.remove_shard(tx, shard.tool, shard.version, shard.number)

    await db.run(work)
