"""SQL of episodes, their side effects and their steps. As in `repository`, each
function takes a transaction that its caller ends, and none of them decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import (
    RowMapping,
    insert,
    select,
    update,
)

from proofwalk.chassis.database import Transaction
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.outcomes import EnvCause, OutcomeKind
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.judgement_codec import decode, encode
from proofwalk.rollout.stored import EpisodeFacts, IntentResult
from proofwalk.rollout.tables import (
    episodes,
    intents,
    steps,
)


@dataclass(frozen=True, kw_only=True)
class EpisodeRow:
    """An episode as stored."""

    id: str
    verification_id: str
    number: int
    phase: EpisodePhase
    facts: EpisodeFacts = field(default_factory=EpisodeFacts)
    judgement: Judgement | None = None
    """Stored among the facts; there is one as soon as the episode is judged, before it
    is over."""
    outcome: OutcomeKind | None = None
    """None until it is over."""
    cause: EnvCause | None = None
    code: str = ""
    reason: str = ""
    lost: bool = False
    steps: int = 0
    started_at: datetime
    finished_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class IntentRow:
    """A side effect of an episode: intended, done or undone."""

    key: str
    state: str
    result: IntentResult


@dataclass(frozen=True, kw_only=True)
class StepRow:
    """One step of an episode."""

    episode_id: str
    number: int
    substep: str
    thought: str
    action: str
    result: str
    ok: bool
    url: str
    screenshot: str
    started_at: datetime
    ended_at: datetime


def _episode(row: RowMapping) -> EpisodeRow:
    facts = dict(row["facts"])
    stored = facts.pop("judgement", None)
    return EpisodeRow(
        **{
            **row,
            "phase": EpisodePhase(row["phase"]),
            "facts": facts,
            "judgement": None if stored is None else decode(stored),
            "outcome": OutcomeKind(row["outcome"]) if row["outcome"] else None,
            "cause": EnvCause(row["cause"]) if row["cause"] else None,
        }
    )


def facts_value(facts: EpisodeFacts, judgement: Judgement | None) -> dict[str, Any]:
    """The column of an episode's facts."""
    return {**facts, **({} if judgement is None else {"judgement": encode(judgement)})}


async def insert_episode(tx: Transaction, row: EpisodeRow) -> None:
    """Insert an episode; of one that is over, too."""
    values = {name: value for name, value in row.__dict__.items() if name != "judgement"}
    values |= {"phase": row.phase.value, "facts": facts_value(row.facts, row.judgement)}
    values |= {"outcome": row.outcome or "", "cause": row.cause or ""}
    await tx.execute(insert(episodes).values(values))


async def update_episode(tx: Transaction, episode_id: str, **values: Any) -> None:
    await tx.execute(update(episodes).where(episodes.c.id == episode_id).values(**values))


async def list_episodes(tx: Transaction, verification_id: str) -> Sequence[EpisodeRow]:
    query = (
        select(episodes)
        .where(episodes.c.verification_id == verification_id)
        .order_by(episodes.c.number)
    )
    return [_episode(row) for row in (await tx.execute(query)).mappings()]


async def list_episodes_of(
    tx: Transaction, verification_ids: Sequence[str]
) -> Mapping[str, Sequence[EpisodeRow]]:
    """The episodes of each of several verifications, by one query."""
    query = (
        select(episodes)
        .where(episodes.c.verification_id.in_(verification_ids))
        .order_by(episodes.c.verification_id, episodes.c.number)
    )
    rows = [_episode(row) for row in (await tx.execute(query)).mappings()]
    by_verification: dict[str, list[EpisodeRow]] = {one: [] for one in verification_ids}
    for row in rows:
        by_verification[row.verification_id].append(row)
    return by_verification


async def get_episode(tx: Transaction, episode_id: str) -> EpisodeRow:
    return _episode(
        (await tx.execute(select(episodes).where(episodes.c.id == episode_id))).mappings().one()
    )


async def put_intent(
    tx: Transaction,
    episode_id: str,
    key: str,
    *,
    state: str,
    result: IntentResult,
    now: datetime,
) -> None:
    """Write an intent, or move one on."""
    changed = await tx.execute(
        update(intents)
        .where(intents.c.episode_id == episode_id, intents.c.key == key)
        .values(state=state, result=dict(result), updated_at=now)
    )
    if changed.rowcount == 0:
        await tx.execute(
            insert(intents).values(
                episode_id=episode_id,
                key=key,
                state=state,
                result=dict(result),
                created_at=now,
                updated_at=now,
            )
        )


async def list_intents(tx: Transaction, episode_id: str) -> Sequence[IntentRow]:
    query = (
        select(intents.c.key, intents.c.state, intents.c.result)
        .where(intents.c.episode_id == episode_id)
        .order_by(intents.c.created_at, intents.c.key)
    )
    return [IntentRow(**row) for row in (await tx.execute(query)).mappings()]


async def insert_step(tx: Transaction, row: StepRow) -> None:
    await tx.execute(insert(steps).values(row.__dict__))


async def list_steps(tx: Transaction, episode_id: str) -> Sequence[StepRow]:
    query = select(steps).where(steps.c.episode_id == episode_id).order_by(steps.c.number)
    return [StepRow(**row) for row in (await tx.execute(query)).mappings()]
