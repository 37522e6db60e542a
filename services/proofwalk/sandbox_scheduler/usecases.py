"""What can be done to rows: one function, one transaction. What runs is the backend's;
`cluster` brings both together.

Grants are a compare-and-swap on a sandbox's row, open to every scheduler process; a
shard's rows otherwise change in `look` alone, which its owner calls, and which refuses
who is not the owner any more. So a process that was thought dead, and wakes, can do
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import stale_epoch
from proofwalk.sandbox_scheduler import repository
from proofwalk.sandbox_scheduler.domain import (
    Census,
    Sandbox,
    SandboxState,
    Shard,
    Tool,
    advance,
    crashed,
    may_wait,
    none_free,
    not_owner,
    unknown,
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
    added = _new_rows(shard, changes.add, ids=ids, now=now)
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


async def live(db: Database) -> Sequence[Sandbox]:
    """Every sandbox that has not ended."""
    async with db.read() as tx:
        return await repository.live(tx)


async def count(db: Database, tool: str, *, clock: Clock) -> Census:
    """The tool's census."""
    async with db.read() as tx:
        return await repository.census(tx, tool, now=clock.now())


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


async def forget(db: Database, *, keep_s: float, clock: Clock) -> None:
    """Drop old rows of ended sandboxes, and waits of requests that went away."""

    async def work(tx: Transaction) -> None:
        await repository.forget_ended(tx, before=clock.now() - timedelta(seconds=keep_s))
        await repository.forget_waits(tx, before=clock.now())

    await db.run(work)
