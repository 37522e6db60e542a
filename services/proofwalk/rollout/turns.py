"""Whose verification a worker takes next: queues that are fair by weight, one for each
principal.

A principal's *turn* is the number of its verifications that workers hold, plus the
place of a waiting one in its own line, divided by its share. The least turn is next,
and among equal ones what was asked for first:

    turn(v) = (held(p) + place(v)) / share(p),  p = principal(v)

So whoever asks for a thousand does not stand before one who asks for one, a principal
that is alone gets every worker, and of two that always wait one with twice the share
gets twice the places. Nothing is remembered between two looks: the rows say all of it,
and any number of workers come to the same order.

What a worker left when it fell silent has begun, and goes before what has not. Members
of groups come last: nobody sits in front of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Float, and_, case, cast, func, literal, or_, select

from proofwalk.chassis.database import Transaction
from proofwalk.kernel.jobs import JobState
from proofwalk.rollout.tables import verifications

_BEGUN = [JobState.RUNNING.value, JobState.CANCELLING.value]


async def claimable(
    tx: Transaction, *, now: datetime, limit: int, shares: Mapping[str, float]
) -> Sequence[str]:
    """Ids of verifications that wait for a worker: queued ones, and those whose worker
    fell silent, in the order of their turns. `shares` by principal; others have 1."""
    row = verifications.c
    free = or_(row.claim_expires_at.is_(None), row.claim_expires_at <= now)
    silent = and_(row.state.in_(_BEGUN), free)
    held = (
        select(row.principal, func.count().label("count"))
        .where(row.state.in_(_BEGUN), row.claim_expires_at > now, row.group_id == "")
        .group_by(row.principal)
        .subquery()
    )
    asked = (row.created_at, row.group_number, row.id)
    place = func.row_number().over(
        partition_by=(row.principal, row.group_id != ""), order_by=(~silent, *asked)
    )
    turn = (func.coalesce(held.c.count, 0) + place) / _share(row.principal, shares)
    query = (
        select(row.id)
        .outerjoin(held, held.c.principal == row.principal)
        .where(or_(row.state == JobState.QUEUED.value, silent))
        .order_by(row.group_id != "", ~silent, turn, *asked)
        .limit(limit)
    )
    return [one.id for one in await tx.execute(query)]


def _share(principal: ColumnElement[str], shares: Mapping[str, float]) -> ColumnElement[float]:
    if not shares:
        return cast(literal(1.0), Float)
    return cast(case(dict(shares), value=principal, else_=1.0), Float)
