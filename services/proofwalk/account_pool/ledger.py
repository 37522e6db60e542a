"""The SQL of what leases cost: the ledger's lines, and those that want a figure."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select, update

from proofwalk.account_pool.domain import Grant
from proofwalk.account_pool.repository import ACCOUNTS, LEASES, grant_of
from proofwalk.chassis.database import Transaction
from proofwalk.cloud.money import Money
from proofwalk.kernel.leases import LeaseState


async def grants(
    transaction: Transaction, *, target: str, account_id: str, limit: int
) -> list[Grant]:
    """Leases, newest first: all, or those of a target or an account."""
    statement = select(LEASES).order_by(LEASES.c.granted_at.desc(), LEASES.c.lease_id.desc())
    if target:
        statement = statement.where(LEASES.c.target == target)
    if account_id:
        statement = statement.where(LEASES.c.account_id == account_id)
    rows = await transaction.execute(statement.limit(limit))
    return [grant_of(row) for row in rows.mappings()]


async def note_cost(
    transaction: Transaction, lease_id: str, *, cost: Money, at: datetime, settled: bool
) -> None:
    """Note what a lease cost up to a look at the bill; an older look changes nothing,
    nor does one after that which settled it."""
    open_ = LEASES.c.settled.is_(False)
    newer = LEASES.c.costed_at.is_(None) | (LEASES.c.costed_at <= at)
    await transaction.execute(
        update(LEASES)
        .where((LEASES.c.lease_id == lease_id) & open_ & newer)
        .values(cost_micros=cost.micros, currency=cost.currency, costed_at=at, settled=settled)
    )


async def unsettled(transaction: Transaction, *, since: datetime, limit: int) -> list[Grant]:
    """Leases that ended since then without a final cost although their account is free
    or was granted again, newest first. What waits for a proof or a sweep is settled by
    that, and an account of which no balance was ever told has no bill."""
    later = LEASES.alias()
    is_followed = (
        select(later.c.lease_id)
        .where((later.c.account_id == LEASES.c.account_id) & (later.c.epoch > LEASES.c.epoch))
        .exists()
    )
    statement = (
        select(LEASES)
        .join(ACCOUNTS, ACCOUNTS.c.account_id == LEASES.c.account_id)
        .where(LEASES.c.settled.is_(False) & (LEASES.c.ended_at >= since))
        .where(ACCOUNTS.c.offered & (ACCOUNTS.c.secret != ""))
        .where(ACCOUNTS.c.balance_micros.is_not(None))
        .where((ACCOUNTS.c.state == LeaseState.FREE) | is_followed)
        .order_by(LEASES.c.ended_at.desc())
        .limit(limit)
    )
    return [grant_of(row) for row in (await transaction.execute(statement)).mappings()]


async def following(transaction: Transaction, grant: Grant) -> datetime | None:
    """When the next lease of the account began; None without one."""
    of_it = LEASES.c.account_id == grant.account_id
    statement = select(func.min(LEASES.c.granted_at)).where(of_it & (LEASES.c.epoch > grant.epoch))
    began: datetime | None = (await transaction.execute(statement)).scalar_one()
    return began
