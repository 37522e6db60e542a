"""Who waits for an account, and whose turn it is: first come, first served, for each
target and role.

A caller that finds no account and says that it waits is given a ticket, a row. It keeps
its place by asking again; a ticket that is not asked for within `ticket_s` is gone, so
a dead caller holds up nobody for longer. An account is given to a caller only if more
are free than callers wait before it, so one that never waited cannot overtake, and a
slow caller at the head does not keep the others from accounts that are enough for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, func, insert, or_, select, update

from proofwalk.account_pool.repository import ACCOUNTS, TICKETS
from proofwalk.chassis.database import Transaction
from proofwalk.kernel.errors import ProofwalkError, exhausted
from proofwalk.kernel.leases import LeaseState


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """A place in the queue of a target and role."""

    request_id: str
    target: str
    role: str
    holder: str
    asked_at: datetime
    """Since when it waits: its place."""
    gives_up_at: datetime
    """When its caller stops waiting."""
    until: datetime
    """When it is gone if it is not asked for again."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a caller waits, and what its ticket may do."""

    wait: timedelta = timedelta(0)
    """How long the caller waits from its first asking; 0 takes no ticket."""
    ticket: timedelta = timedelta(seconds=10)
    """How long a ticket lives without being asked for."""
    places: int = 1000
    """Most tickets of a target and role."""


async def drop(transaction: Transaction, request_id: str) -> None:
    """The caller waits no longer."""
    await transaction.execute(delete(TICKETS).where(TICKETS.c.request_id == request_id))


async def turn(
    transaction: Transaction, *, request_id: str, target: str, role: str, now: datetime
) -> tuple[bool, int]:
    """Whether an account is this caller's to take now, and how many wait before it."""
    await transaction.execute(
        delete(TICKETS).where((TICKETS.c.until <= now) | (TICKETS.c.gives_up_at <= now))
    )
    line = (TICKETS.c.target == target) & (TICKETS.c.role == role)
    own = await _ticket(transaction, request_id)
    if own is not None and (own.target, own.role) == (target, role):
        earlier = or_(
            TICKETS.c.asked_at < own.asked_at,
            and_(TICKETS.c.asked_at == own.asked_at, TICKETS.c.request_id < request_id),
        )
        line = line & earlier
    else:
        line = line & (TICKETS.c.request_id != request_id)
    before = await _count(transaction, select(func.count()).select_from(TICKETS).where(line))
    free = (
        (ACCOUNTS.c.target == target)
        & (ACCOUNTS.c.role == role)
        & (ACCOUNTS.c.state == LeaseState.FREE.value)
        & ACCOUNTS.c.offered
    )
    there = await _count(transaction, select(func.count()).select_from(ACCOUNTS).where(free))
    return there > before, before


async def lines(transaction: Transaction, *, now: datetime) -> set[tuple[str, str]]:
    """The targets and roles that somebody waits for."""
    living = select(TICKETS.c.target, TICKETS.c.role).where(TICKETS.c.until > now).distinct()
    return {(target, role) for target, role in await transaction.execute(living)}


async def take_place(transaction: Transaction, asked: Ticket, patience: Patience) -> None:
    """Keep the caller's place, or give it one at the end; none if it does not wait.
    Raises `account.queue_full`."""
    if patience.wait <= timedelta(0):
        await drop(transaction, asked.request_id)
        return
    own = await _ticket(transaction, asked.request_id)
    now = asked.asked_at
    if own is not None and (own.target, own.role) == (asked.target, asked.role):
        until = min(now + patience.ticket, own.gives_up_at)
        await transaction.execute(
            update(TICKETS).where(TICKETS.c.request_id == own.request_id).values(until=until)
        )
        return
    await drop(transaction, asked.request_id)
    line = (TICKETS.c.target == asked.target) & (TICKETS.c.role == asked.role)
    waiting = await _count(transaction, select(func.count()).select_from(TICKETS).where(line))
    if waiting >= patience.places:
        raise exhausted(
            "account.queue_full",
            f"{waiting} callers wait for an account of {asked.target!r} already",
            hint="ask again later, or add accounts to the target",
        )
    await transaction.execute(insert(TICKETS).values(**vars(asked)))


def none_free(target: str, role: str, before: int) -> ProofwalkError:
    """The error of a caller that has to wait."""
    line = f"; {before} wait before it" if before else ""
    return exhausted(
        "account.none_free",
        f"no account of {target!r} {f'with the role {role!r} ' if role else ''}is free{line}",
        hint="wait, or add accounts to the target",
        details={"before": str(before)},
    )


async def _ticket(transaction: Transaction, request_id: str) -> Ticket | None:
    statement = select(TICKETS).where(TICKETS.c.request_id == request_id)
    row = (await transaction.execute(statement)).mappings().one_or_none()
    return Ticket(**row) if row else None


async def _count(transaction: Transaction, statement: object) -> int:
    return int((await transaction.execute(statement)).scalar_one())  # type: ignore[call-overload]
