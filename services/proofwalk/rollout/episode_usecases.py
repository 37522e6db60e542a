"""What can be done to the episodes of a verification that a worker holds: one function,
one transaction, as in `usecases`, which has claims and what becomes of verifications.

Each function takes the worker's `Claim` and begins with the compare-and-swap of
`repository.holding`; a change of state appends its event in the same transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rollout import episode_repository, repository
from proofwalk.rollout.episode_repository import EpisodeRow, IntentRow, StepRow
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.role_choice import RoleChoice
from proofwalk.rollout.stored import EpisodeFacts, IntentResult
from proofwalk.rollout.usecases import Claim


async def start_episode(
    db: Database, held: Claim, *, episode_id: str, clock: Clock, trace_id: str = ""
) -> EpisodeRow:
    """Open the next episode. `trace_id`: empty where nothing is traced."""

    async def work(tx: Transaction) -> EpisodeRow:
        row = await repository.holding(tx, held.verification_id, epoch=held.epoch)
        number = len(await episode_repository.list_episodes(tx, row.id)) + 1
        episode = EpisodeRow(
            id=episode_id,
            verification_id=row.id,
            number=number,
            phase=EpisodePhase.PARSE,
            facts=EpisodeFacts(trace_id=trace_id) if trace_id else EpisodeFacts(),
            started_at=clock.now(),
        )
        await episode_repository.insert_episode(tx, episode)
        await repository.append_event(
            tx,
            row.id,
            type="episode_started",
            time=clock.now(),
            episode_id=episode_id,
            data={"number": number},
        )
        await repository.update_verification(
            tx, row.id, message=f"episode {number} of at most {row.order.attempts}", done=0
        )
        return episode

    return await db.run(work)


async def enter_phase(
    db: Database,
    held: Claim,
    episode_id: str,
    phase: EpisodePhase,
    *,
    clock: Clock,
    facts: EpisodeFacts | None = None,
    judgement: Judgement | None = None,
) -> None:
    """Move an episode on, with what its successor would need to know; a judgement takes
    the place of the one before."""

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.verification_id, epoch=held.epoch)
        episode = await episode_repository.get_episode(tx, episode_id)
        kept = episode_repository.facts_value(
            episode.facts | (facts or EpisodeFacts()), judgement or episode.judgement
        )
        await episode_repository.update_episode(tx, episode_id, phase=phase.value, facts=kept)
        await repository.update_verification(tx, held.verification_id, message=phase.value)

    await db.run(work)


async def keep_role(db: Database, held: Claim, choice: RoleChoice) -> RoleChoice:
    """Store whose account the episodes of a verification sign in with, and return it;
    the first choice stays."""

    async def work(tx: Transaction) -> RoleChoice:
        row = await repository.holding(tx, held.verification_id, epoch=held.epoch)
        if row.signed_in_as is None:
            await repository.update_verification(
                tx, held.verification_id, signed_in_as=choice.to_stored()
            )
        return row.signed_in_as or choice

    return await db.run(work)


async def record_event(
    db: Database,
    held: Claim,
    *,
    type: str,
    clock: Clock,
    episode_id: str = "",
    data: JsonObject | None = None,
) -> None:
    """Append to the history on behalf of a worker."""

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.verification_id, epoch=held.epoch)
        await repository.append_event(
            tx, held.verification_id, type=type, time=clock.now(), episode_id=episode_id, data=data
        )

    await db.run(work)


async def intend(db: Database, held: Claim, episode_id: str, key: str, *, clock: Clock) -> None:
    """Say what is about to be done, before it is done."""
    await _put_intent(db, held, episode_id, key, state="intended", result={}, clock=clock)


async def settle(
    db: Database, held: Claim, episode_id: str, key: str, *, result: IntentResult, clock: Clock
) -> None:
    """Say that an intended effect took place, and what it gave."""
    await _put_intent(db, held, episode_id, key, state="done", result=result, clock=clock)


async def undone(
    db: Database, held: Claim, episode_id: str, key: str, *, result: IntentResult, clock: Clock
) -> None:
    """Say that an effect was taken back."""
    await _put_intent(db, held, episode_id, key, state="undone", result=result, clock=clock)


async def _put_intent(
    db: Database,
    held: Claim,
    episode_id: str,
    key: str,
    *,
    state: str,
    result: IntentResult,
    clock: Clock,
) -> None:
    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.verification_id, epoch=held.epoch)
        await episode_repository.put_intent(
            tx, episode_id, key, state=state, result=result, now=clock.now()
        )

    await db.run(work)


async def open_intents(db: Database, episode_id: str) -> Sequence[IntentRow]:
    """Effects that took place, or may have, and were not taken back; newest first, the
    order in which they are undone."""
    async with db.read() as tx:
        rows = await episode_repository.list_intents(tx, episode_id)
    return [row for row in reversed(rows) if row.state != "undone"]


async def record_step(
    db: Database, held: Claim, step: StepRow, *, done: int, total: int, clock: Clock
) -> None:
    """Keep one step, with its event and the job's progress."""

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.verification_id, epoch=held.epoch)
        await episode_repository.insert_step(tx, step)
        await episode_repository.update_episode(tx, step.episode_id, steps=step.number)
        await repository.update_verification(
            tx,
            held.verification_id,
            done=done,
            total=total,
            message=f"sub-step {step.substep}: {step.thought}"[:500],
        )
        await repository.append_event(
            tx,
            held.verification_id,
            type="step_taken",
            time=clock.now(),
            episode_id=step.episode_id,
            data={
                "step": step.number,
                "substep": step.substep,
                "thought": step.thought,
                "action": step.action,
                "result": step.result,
                "ok": step.ok,
                "url": step.url,
                "screenshot": step.screenshot,
            },
        )

    await db.run(work)


async def finish_episode(
    db: Database, held: Claim, episode_id: str, judgement: Judgement, *, lost: bool, clock: Clock
) -> None:
    """Close an episode with its judgement."""
    outcome = judgement.outcome

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.verification_id, epoch=held.epoch)
        episode = await episode_repository.get_episode(tx, episode_id)
        if episode.phase is EpisodePhase.DONE:
            return
        now = clock.now()
        await episode_repository.update_episode(
            tx,
            episode_id,
            phase=EpisodePhase.DONE.value,
            outcome=outcome.kind.value,
            cause=outcome.cause.value if outcome.cause else "",
            code=outcome.code,
            reason=outcome.reason,
            lost=lost,
            finished_at=now,
            facts=episode_repository.facts_value(episode.facts, judgement),
        )
        await repository.append_event(
            tx,
            held.verification_id,
            type="episode_finished",
            time=now,
            episode_id=episode_id,
            data={
                "number": episode.number,
                "outcome": outcome.kind.value,
                "cause": outcome.cause.value if outcome.cause else "",
                "reason": outcome.reason,
                "lost": lost,
            },
        )

    await db.run(work)


async def read_steps(db: Database, episode_id: str) -> Sequence[StepRow]:
    """The steps of an episode."""
    async with db.read() as tx:
        return await episode_repository.list_steps(tx, episode_id)
