"""What can be done to sandbox rows: one function, one transaction. Browsers themselves are `pool`'s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.leases import stale_epoch
from proofwalk.sandbox_scheduler import repository
from proofwalk.sandbox_scheduler.domain import (
    Census,
    SandboxState,
    advance,
    crashed,
    may_start_cold,
    none_free,
    to_start,
    unknown,
)
from proofwalk.sandbox_scheduler.repository import SandboxRow

LIVE = (SandboxState.STARTING, SandboxState.WARM, SandboxState.LEASED, SandboxState.ENDING)


@dataclass(frozen=True, kw_only=True)
class Grant:
    """Who wants a sandbox."""

    request_id: str
    tool: str
    holder: str
    ttl: timedelta


async def reserve_to_fill(
    db: Database, *, tool: str, warm: int, quota: int, owner: str, new_id: str, clock: Clock
) -> SandboxRow | None:
    """The row of a sandbox to start for the pool; None when the pool is full. The row comes first, the browser after it."""

    async def work(tx: Transaction) -> SandboxRow | None:
        if to_start(await repository.census(tx, tool), warm=warm, quota=quota) == 0:
            return None
        row = SandboxRow(id=new_id, tool=tool, state=SandboxState.STARTING, owner=owner, created_at=clock.now())
        await repository.add(tx, row)
        return row

    return await db.run(work)


async def is_up(db: Database, sandbox_id: str, *, cdp_endpoint: str, pid: int, pid_started: float) -> None:
    """A started browser: warm now. Its process is on record, so that a successor can end it if we cannot."""

    async def work(tx: Transaction) -> None:
        row = await repository.find(tx, sandbox_id)
        if row is None:
            raise unknown(sandbox_id)
        state = advance(row.state, SandboxState.WARM)
        await repository.change(tx, sandbox_id, state=state.value, cdp_endpoint=cdp_endpoint, pid=pid, pid_started=pid_started)

    await db.run(work)


async def granted(db: Database, request_id: str, *, clock: Clock) -> SandboxRow | None:
    """The live sandbox that a request has already been given."""
    async with db.read() as tx:
        row = await repository.by_request(tx, request_id)
    return row if row is not None and _is_leased(row, clock) else None


def _is_leased(row: SandboxRow, clock: Clock) -> bool:
    return row.state is SandboxState.LEASED and (row.expires_at is None or row.expires_at > clock.now())


async def grant_warm(db: Database, grant: Grant, *, owner: str, warm: bool, clock: Clock) -> SandboxRow | None:
    """Give the oldest warm sandbox to a request, or the one that it already has; None when none is warm."""

    async def work(tx: Transaction) -> SandboxRow | None:
        known = await repository.by_request(tx, grant.request_id)
        if known is not None:
            if _is_leased(known, clock):
                return known
            # What the request had been given has ended since; it gets another one.
            await repository.change(tx, known.id, request_id=None)
        row = await repository.oldest_warm(tx, grant.tool, owner)
        if row is None:
            return None
        await repository.change(
            tx,
            row.id,
            state=advance(row.state, SandboxState.LEASED).value,
            epoch=row.epoch + 1,
            request_id=grant.request_id,
            holder=grant.holder,
            expires_at=clock.now() + grant.ttl,
            warm=int(warm),
        )
        return await repository.find(tx, row.id)

    return await db.run(work)


async def reserve_cold(db: Database, grant: Grant, *, quota: int, owner: str, new_id: str, clock: Clock) -> SandboxRow:
    """The row of a sandbox to start for a request; raises `sandbox.none_free`."""

    async def work(tx: Transaction) -> SandboxRow:
        census = await repository.census(tx, grant.tool)
        if not may_start_cold(census, quota=quota):
            raise none_free(grant.tool, census, quota)
        row = SandboxRow(id=new_id, tool=grant.tool, state=SandboxState.STARTING, owner=owner, created_at=clock.now())
        await repository.add(tx, row)
        return row

    return await db.run(work)


async def renew(db: Database, sandbox_id: str, *, epoch: int, ttl: timedelta, clock: Clock) -> SandboxRow:
    """Extend a lease. Raises `sandbox.not_found`, `sandbox.crashed`, `lease.stale_epoch`."""

    async def work(tx: Transaction) -> SandboxRow:
        row = await repository.find(tx, sandbox_id)
        if row is None:
            raise unknown(sandbox_id)
        if row.epoch != epoch or epoch < 1:
            raise stale_epoch(epoch, row.epoch)
        if row.state is not SandboxState.LEASED:
            raise crashed(sandbox_id, row.reason or "it was ended")
        if row.expires_at is not None and row.expires_at <= clock.now():
            raise stale_epoch(epoch, row.epoch)
        await repository.change(tx, sandbox_id, expires_at=clock.now() + ttl)
        renewed = await repository.find(tx, sandbox_id)
        assert renewed is not None
        return renewed

    return await db.run(work)


async def end(db: Database, sandbox_id: str, *, reason: str, epoch: int | None = None) -> SandboxRow:
    """Mark a sandbox as ending; its browser is to be killed next. Idempotent. Raises `sandbox.not_found`, `lease.stale_epoch`."""

    async def work(tx: Transaction) -> SandboxRow:
        row = await repository.find(tx, sandbox_id)
        if row is None:
            raise unknown(sandbox_id)
        if epoch is not None and (row.epoch != epoch or epoch < 1):
            raise stale_epoch(epoch, row.epoch)
        if row.state not in (SandboxState.ENDING, SandboxState.ENDED):
            await repository.change(tx, sandbox_id, state=advance(row.state, SandboxState.ENDING).value, reason=reason)
        return row

    return await db.run(work)


async def is_gone(db: Database, sandbox_id: str, *, refused_hosts: Mapping[str, int], clock: Clock) -> None:
    """The browser is dead."""

    async def work(tx: Transaction) -> None:
        row = await repository.find(tx, sandbox_id)
        if row is not None and row.state is SandboxState.ENDING:
            state = advance(row.state, SandboxState.ENDED)
            await repository.change(tx, sandbox_id, state=state.value, ended_at=clock.now(), refused_hosts=dict(refused_hosts))

    await db.run(work)


async def live(db: Database) -> Sequence[SandboxRow]:
    """Every sandbox that has not ended."""
    async with db.read() as tx:
        return await repository.in_states(tx, LIVE)


async def count(db: Database, tool: str) -> Census:
    """The tool's census."""
    async with db.read() as tx:
        return await repository.census(tx, tool)


async def forget(db: Database, *, keep_s: float, clock: Clock) -> None:
    """Drop old rows of ended sandboxes."""

    async def work(tx: Transaction) -> None:
        await repository.forget_ended(tx, before=clock.now() - timedelta(seconds=keep_s))

    await db.run(work)
