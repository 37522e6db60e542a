"""Writes walks into the rollout role's store: a few as their worker would have, by the
role's use cases with the clock of that time, so that each has its history of events; or
very many as rows alone, for measurements of lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.kernel.json_values import JsonValue
from proofwalk.platform.seeding.walks import WalkRows
from proofwalk.rollout import episode_repository, episode_usecases, repository, usecases
from proofwalk.rollout.episode_repository import EpisodeRow, StepRow
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.usecases import Claim

_HOLDER = "seeding"
_TTL = timedelta(hours=1)
_BATCH = 500


async def replay(db: Database, walk: WalkRows) -> None:
    """Write a walk with all of its events."""
    row = walk.verification
    assert row.verdict is not None, "only finished walks are written"
    assert row.finished_at is not None, "only finished walks are written"
    await usecases.create_verification(db, queued(row))
    clock = ManualClock(row.created_at)
    held = await usecases.claim(db, row.id, holder=_HOLDER, ttl=_TTL, clock=clock)
    assert held is not None, "the verification was written just now, and nobody else is here"
    for episode in walk.episodes:
        steps = [step for step in walk.steps if step.episode_id == episode.id]
        await _replay_episode(db, held, row, episode, steps)
    ended = ManualClock(row.finished_at)
    await usecases.finish_verification(db, held, verdict=row.verdict, clock=ended)


async def _replay_episode(
    db: Database,
    held: Claim,
    row: VerificationRow,
    episode: EpisodeRow,
    steps: Sequence[StepRow],
) -> None:
    assert episode.judgement is not None, "only finished walks are written"
    assert episode.finished_at is not None, "only finished walks are written"
    began, ended = ManualClock(episode.started_at), ManualClock(episode.finished_at)
    await episode_usecases.start_episode(db, held, episode_id=episode.id, clock=began)
    substeps: Sequence[JsonValue] = [
        {"number": one.number, "text": one.text, "line": one.line}
        for one in episode.judgement.substeps
    ]
    await episode_usecases.record_event(
        db,
        held,
        type="procedure_read",
        clock=began,
        episode_id=episode.id,
        data={"title": row.document_title, "substeps": substeps},
    )
    for step in steps:
        await episode_usecases.record_step(
            db, held, step, done=step.number, total=row.total, clock=ManualClock(step.ended_at)
        )
    await episode_usecases.enter_phase(
        db, held, episode.id, EpisodePhase.DESTROY, clock=ended, facts=episode.facts
    )
    await episode_usecases.finish_episode(
        db, held, episode.id, episode.judgement, lost=False, clock=ended
    )


def queued(row: VerificationRow) -> VerificationRow:
    """The verification as it was when it was asked for."""
    return replace(
        row,
        state=JobState.QUEUED,
        finished_at=None,
        verdict=None,
        claim_epoch=0,
        done=0,
        message="",
    )


async def insert_all(db: Database, walks: Iterable[WalkRows]) -> None:
    """Write walks without events and steps, many in a transaction."""
    batch: list[WalkRows] = []
    for walk in walks:
        batch.append(walk)
        if len(batch) == _BATCH:
            await _insert(db, batch)
            batch = []
    await _insert(db, batch)


async def _insert(db: Database, walks: Sequence[WalkRows]) -> None:
    async def work(tx: Transaction) -> None:
        for walk in walks:
            await repository.insert_verification(tx, walk.verification)
            for episode in walk.episodes:
                await episode_repository.insert_episode(tx, episode)

    await db.run(work)
