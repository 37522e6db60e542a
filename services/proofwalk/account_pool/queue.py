"""Who waits for an account, and whose turn it is: first come, first served, for each
target and role, within what an account serves.

A caller that finds no account and says that it waits is given a ticket, a row. It keeps
its place by asking again; a ticket that is not asked for within `ticket_s` is gone, so
a dead caller holds up nobody for longer. An account is given to a caller only if those
before it lose nothing by it (`allotment`), so one that never waited cannot overtake, a
slow caller at the head does not keep the others from accounts that are enough for all,
and who waits for one pool keeps nobody from another. What no account of the target
serves is not waited for: `account.no_pool`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, case, delete, func, insert, or_, select, update

from proofwalk.account_pool.allotment import accounts_for
from proofwalk.account_pool.repository import ACCOUNTS, TICKETS
from proofwalk.chassis.database import Transaction
from proofwalk.kernel.account_pools import AccountPurpose, Dedication, Demand, dedicated
from proofwalk.kernel.errors import ProofwalkError, exhausted, not_found
from proofwalk.kernel.leases import LeaseState


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """A place in the queue of a target and role."""

    request_id: str
    target: str
    role: str
    site: str
    purpose: AccountPurpose
    holder: str
    asked_at: datetime
    """Since when it waits: its place."""
    gives_up_at: datetime
    """When its caller stops waiting."""
    until: datetime
    """When it is gone if it is not asked for again."""

    @property
    def demand(self) -> Demand:
        """What its caller asks for."""
        return Demand(role=self.role, site=self.site, purpose=self.purpose)


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


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What a caller may take now."""

    takes: Sequence[Dedication]
    """An account with the first of these dedications that one can still be had of; none
    if it has to wait."""
    before: int
    """How many wait before it for accounts that it could have."""


async def turn(
    transaction: Transaction, *, request_id: str, target: str, demand: Demand, now: datetime
) -> Turn:
    """Whether an account is this caller's to take now. Raises `account.no_pool`."""
    await transaction.execute(
        delete(TICKETS).where((TICKETS.c.until <= now) | (TICKETS.c.gives_up_at <= now))
    )
    every, free = await _offered(transaction, target, demand.role)
    fitting = [one for one in every if one.serves(demand)]
    if every and not fitting:
        raise _no_pool(target, demand, every)
    before = await _before(transaction, request_id, target, demand)
    return Turn(
        takes=accounts_for(demand, before=before, free=free),
        before=sum(
            count
            for other, count in before.items()
            if any(one.serves(other) for one in fitting or every)
        ),
    )


async def _offered(
    transaction: Transaction, target: str, role: str
) -> tuple[Mapping[Dedication, int], Mapping[Dedication, int]]:
    """How many accounts of a role a target offers, and how many of them are free, each
    by what they serve."""
    is_free = case((ACCOUNTS.c.state == LeaseState.FREE.value, 1), else_=0)
    kinds = (ACCOUNTS.c.site, ACCOUNTS.c.purposes)
    statement = (
        select(*kinds, func.count(), func.sum(is_free))
        .where((ACCOUNTS.c.target == target) & (ACCOUNTS.c.role == role) & ACCOUNTS.c.offered)
        .group_by(*kinds)
    )
    every: dict[Dedication, int] = {}
    free: dict[Dedication, int] = {}
    for site, purposes, count, free_count in await transaction.execute(statement):
        one = dedicated(site=site, purposes=purposes)
        every[one], free[one] = int(count), int(free_count)
    return every, free


async def _before(
    transaction: Transaction, request_id: str, target: str, demand: Demand
) -> Mapping[Demand, int]:
    """Those who wait before a caller in its line, counted by what they ask for."""
    line = (TICKETS.c.target == target) & (TICKETS.c.role == demand.role)
    own = await _ticket(transaction, request_id)
    if own is not None and (own.target, own.demand) == (target, demand):
        earlier = or_(
            TICKETS.c.asked_at < own.asked_at,
            and_(TICKETS.c.asked_at == own.asked_at, TICKETS.c.request_id < request_id),
        )
        line = line & earlier
    else:
        line = line & (TICKETS.c.request_id != request_id)
    kinds = (TICKETS.c.site, TICKETS.c.purpose)
    rows = await transaction.execute(select(*kinds, func.count()).where(line).group_by(*kinds))
    return {
        Demand(role=demand.role, site=site, purpose=purpose): int(count)
        for site, purpose, count in rows
    }


async def waited_for(transaction: Transaction, *, now: datetime) -> Mapping[str, list[Demand]]:
    """What somebody waits for, by target."""
    kinds = (TICKETS.c.target, TICKETS.c.role, TICKETS.c.site, TICKETS.c.purpose)
    living = select(*kinds).where(TICKETS.c.until > now).distinct()
    demands: dict[str, list[Demand]] = {}
    for target, role, site, purpose in await transaction.execute(living):
        demands.setdefault(target, []).append(Demand(role=role, site=site, purpose=purpose))
    return demands


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Callers that wait for the same kind of account, whatever its role."""

    target: str
    site: str
    purpose: AccountPurpose
    callers: int
    since: datetime
    """Since when the first of them waits."""


async def waits(transaction: Transaction, *, now: datetime) -> Sequence[Wait]:
    """Who waits now."""
    kinds = (TICKETS.c.target, TICKETS.c.site, TICKETS.c.purpose)
    living = (TICKETS.c.until > now) & (TICKETS.c.gives_up_at > now)
    statement = select(*kinds, func.count(), func.min(TICKETS.c.asked_at)).where(living)
    return [
        Wait(target=target, site=site, purpose=purpose, callers=int(callers), since=since)
        for target, site, purpose, callers, since in await transaction.execute(
            statement.group_by(*kinds)
        )
    ]


async def take_place(transaction: Transaction, asked: Ticket, patience: Patience) -> None:
    """Keep the caller's place, or give it one at the end; none if it does not wait.
    Raises `account.queue_full`."""
    if patience.wait <= timedelta(0):
        await drop(transaction, asked.request_id)
        return
    own = await _ticket(transaction, asked.request_id)
    now = asked.asked_at
    if own is not None and (own.target, own.demand) == (asked.target, asked.demand):
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


def none_free(target: str, demand: Demand, before: int) -> ProofwalkError:
    """The error of a caller that has to wait."""
    line = f"; {before} wait before it" if before else ""
    role = f"with the role {demand.role!r} " if demand.role else ""
    return exhausted(
        "account.none_free",
        f"no account of {target!r} {role}for {demand} is free{line}",
        hint="wait, or add accounts to the target",
        details={"before": str(before)},
    )


def _no_pool(target: str, demand: Demand, every: Iterable[Dedication]) -> ProofwalkError:
    """The error of a caller that would wait for ever."""
    served = "; ".join(str(one) for one in sorted(every, key=lambda one: one.breadth))
    role = f"with the role {demand.role!r} " if demand.role else ""
    return not_found(
        "account.no_pool",
        f"no account of {target!r} {role}serves {demand}; they serve: {served}",
        hint=(
            "ask for what they serve, or say at one of the target's accounts"
            f" `purposes: [{demand.purpose}]`{f' and `site: {demand.site}`' if demand.site else ''}"
        ),
    )


async def _ticket(transaction: Transaction, request_id: str) -> Ticket | None:
    statement = select(TICKETS).where(TICKETS.c.request_id == request_id)
    row = (await transaction.execute(statement)).mappings().one_or_none()
    return Ticket(**row) if row else None


async def _count(transaction: Transaction, statement: object) -> int:
    return int((await transaction.execute(statement)).scalar_one())  # type: ignore[call-overload]
