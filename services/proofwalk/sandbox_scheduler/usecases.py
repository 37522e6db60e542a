"""What can be done to sandboxes' rows: one function, one transaction. What runs is the
backend's; `cluster` brings both together.

Grants are a compare-and-swap on a sandbox's row, open to every scheduler process; a
shard's rows otherwise change in `looks` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.leases import stale_epoch
from proofwalk.sandbox_scheduler import repository
from proofwalk.sandbox_scheduler.domain import (
    Census,
    Sandbox,
    SandboxState,
    Tool,
    advance,
    crashed,
    may_wait,
    none_free,
    unknown,
)


@dataclass(frozen=True, kw_only=True)
class Grant:
    """Who wants a sandbox, and of which schedulers' shards it may be."""

    request_id: str
    tool: Tool
    holder: str
    ttl: timedelta
    owner: str | None
    """Only of shards that this process tends; None: of any."""
    fresh_s: float
    """Of shards that were looked at within this time: what nobody has seen since may be
    gone."""


async def granted(db: Database, request_id: str, *, clock: Clock) -> Sandbox | None:
    """The live sandbox that a request has already been given."""
    async with db.read() as tx:
        row = await repository.by_request(tx, request_id)
    return row if row is not None and _is_leased(row, clock) else None


def _is_leased(row: Sandbox, clock: Clock) -> bool:
    return row.state is SandboxState.LEASED and (
        row.expires_at is None or row.expires_at > clock.now()
    )


async def grant(db: Database, wish: Grant, *, warm: bool, clock: Clock) -> Sandbox | None:
    """Give a warm sandbox to a request, or the one that it already has; None when none
    is warm. Who was given one waits no more."""

    async def work(tx: Transaction) -> Sandbox | None:
        known = await repository.by_request(tx, wish.request_id)
        if known is not None and _is_leased(known, clock):
            return known
        tool, now = wish.tool, clock.now()
        seen_after = now - timedelta(seconds=wish.fresh_s)
        row = await repository.first_warm(
            tx, tool.name, tool.version, seen_after=seen_after, owner=wish.owner
        )
        if row is None:
            return None
        if known is not None:
            # What the request had been given has ended since; it gets another one.
            await repository.change(tx, known.id, request_id=None)
        leased = replace(
            row,
            state=advance(row.state, SandboxState.LEASED),
            epoch=row.epoch + 1,
            request_id=wish.request_id,
            holder=wish.holder,
            expires_at=now + wish.ttl,
            warm=int(warm),
        )
        changed = ("epoch", "request_id", "holder", "expires_at", "warm")
        await repository.change(
            tx,
            row.id,
            state=leased.state.value,
            **{name: getattr(leased, name) for name in changed},
        )
        if not warm:
            await repository.end_wait(tx, wish.request_id)
        return leased

    return await db.run(work)


async def wait(
    db: Database, request_id: str, tool: str, *, quota: int, wait_s: float, clock: Clock
) -> datetime:
    """Note that a request waits, so that whoever tends the shards makes room; since
    when. Raises `sandbox.none_free`."""

    async def work(tx: Transaction) -> datetime:
        now = clock.now()
        await repository.end_wait(tx, request_id)
        census = await repository.census(tx, tool, now=now)
        if not may_wait(census, quota=quota):
            raise none_free(tool, census, quota)
        await repository.add_wait(
            tx, request_id, tool, since=now, expires_at=now + timedelta(seconds=wait_s)
        )
        return now

    return await db.run(work)


async def stop_waiting(db: Database, request_id: str) -> None:
    """The request does not wait any more."""
    await db.run(lambda tx: repository.end_wait(tx, request_id))


async def trouble(db: Database, tool: str, *, since: datetime) -> tuple[Sequence[str], str]:
    """Why sandboxes did not come up since then, and what keeps others from starting."""
    async with db.read() as tx:
        failures = await repository.failures(tx, tool, since=since)
        rows = await repository.shards_of(tx, tool)
    return failures, "; ".join(sorted({row.trouble for row in rows if row.trouble}))


async def renew(
    db: Database, sandbox_id: str, *, epoch: int, ttl: timedelta, clock: Clock
) -> Sandbox:
    """Extend a lease. Raises `sandbox.not_found`, `sandbox.crashed`,
    `lease.stale_epoch`."""

    async def work(tx: Transaction) -> Sandbox:
        row = await _held(tx, sandbox_id, epoch)
        if row.state is not SandboxState.LEASED:
            raise crashed(sandbox_id, row.reason or "it was ended")
        if row.expires_at is not None and row.expires_at <= clock.now():
            raise stale_epoch(epoch, row.epoch)
        renewed = replace(row, expires_at=clock.now() + ttl)
        await repository.change(tx, sandbox_id, expires_at=renewed.expires_at)
        return renewed

    return await db.run(work)


async def end(db: Database, sandbox_id: str, *, reason: str, epoch: int) -> Sandbox:
    """Mark a leased sandbox as ending; it is to be discarded next. Idempotent. Returns
    it as it was before.

    Raises `sandbox.not_found`, `lease.stale_epoch`.
    """

    async def work(tx: Transaction) -> Sandbox:
        row = await _held(tx, sandbox_id, epoch)
        if row.state not in (SandboxState.ENDING, SandboxState.ENDED):
            await repository.change(
                tx, sandbox_id, state=advance(row.state, SandboxState.ENDING).value, reason=reason
            )
        return row

    return await db.run(work)


async def _held(tx: Transaction, sandbox_id: str, epoch: int) -> Sandbox:
    row = await repository.find(tx, sandbox_id)
    if row is None:
        raise unknown(sandbox_id)
    if row.epoch != epoch or epoch < 1:
        raise stale_epoch(epoch, row.epoch)
    return row


async def discarded(
    db: Database, sandbox_id: str, *, refused_hosts: Mapping[str, int], gone: bool, clock: Clock
) -> None:
    """What a discarded sandbox's wall had refused, and whether it is gone already."""

    async def work(tx: Transaction) -> None:
        row = await repository.find(tx, sandbox_id)
        if row is None or row.state is not SandboxState.ENDING:
            return
        if refused_hosts:
            await repository.change(tx, sandbox_id, refused_hosts=dict(refused_hosts))
        if gone:
            await repository.change(
                tx, sandbox_id, state=SandboxState.ENDED.value, ended_at=clock.now()
            )

    await db.run(work)


async def live(db: Database) -> Sequence[Sandbox]:
    """Every sandbox that has not ended."""
    async with db.read() as tx:
        return await repository.live(tx)


async def count(db: Database, tool: str, *, clock: Clock) -> Census:
    """The tool's census."""
    async with db.read() as tx:
        return await repository.census(tx, tool, now=clock.now())


async def forget(db: Database, *, keep_s: float, clock: Clock) -> None:
    """Drop old rows of ended sandboxes, and waits of requests that went away."""

    async def work(tx: Transaction) -> None:
        await repository.forget_ended(tx, before=clock.now() - timedelta(seconds=keep_s))
        await repository.forget_waits(tx, before=clock.now())

    await db.run(work)
