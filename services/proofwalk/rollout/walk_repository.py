"""SQL of what a reader is shown of a walk. Each function takes a transaction in which
its caller has found the verification (`repository.get_verification`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select

from proofwalk.chassis.database import Transaction
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.rollout.repository import EventRow
from proofwalk.rollout.tables import episodes, events, steps


async def list_steps_behind(
    tx: Transaction, episode_id: str, *, after: int, limit: int
) -> Sequence[StepRow]:
    """Steps of an episode with a number above `after`, in order."""
    query = (
        select(steps)
        .where(steps.c.episode_id == episode_id, steps.c.number > after)
        .order_by(steps.c.number)
        .limit(limit)
    )
    return [StepRow(**row) for row in (await tx.execute(query)).mappings()]


async def names_picture(tx: Transaction, verification_id: str, address: str) -> bool:
    """Whether a step of the verification's episodes names the picture."""
    query = (
        select(steps.c.number)
        .join(episodes, episodes.c.id == steps.c.episode_id)
        .where(episodes.c.verification_id == verification_id, steps.c.screenshot == address)
        .limit(1)
    )
    return (await tx.execute(query)).first() is not None


async def list_events_of(
    tx: Transaction, verification_id: str, *, types: Collection[str], limit: int
) -> Sequence[EventRow]:
    """The verification's events of these types, oldest first."""
    query = (
        select(events)
        .where(events.c.verification_id == verification_id, events.c.type.in_(types))
        .order_by(events.c.sequence)
        .limit(limit)
    )
    return [EventRow(**row) for row in (await tx.execute(query)).mappings()]
