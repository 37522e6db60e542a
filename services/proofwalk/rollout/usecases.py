"""What can be done to verifications and episodes: one function, one transaction.

A worker's functions take its `Claim` and begin with the compare-and-swap of
`repository.holding`; a worker whose claim was taken over gets `lease.stale_epoch` and
has changed nothing. Every change of state appends its event in the same transaction, so
that the history tells exactly what the rows say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, exhausted
from proofwalk.kernel.jobs import EpisodePhase, JobState, advance
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.rollout import group_repository, repository
from proofwalk.rollout.judgement import Judgement, Verdict
from proofwalk.rollout.judgement_codec import encode_verdict
from proofwalk.rollout.pulses import Beat
from proofwalk.rollout.repository import EpisodeRow, EventRow, IntentRow, StepRow, VerificationRow
from proofwalk.rollout.role_choice import RoleChoice
from proofwalk.rollout.selections import EVERY, Selection
from proofwalk.rollout.stored import EpisodeFacts, IntentResult
from proofwalk.rollout.turns import claimable


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A worker's hold on a verification."""

    verification_id: str
    epoch: int
    holder: str


async def create_verification(
    db: Database, row: VerificationRow, *, max_unfinished: int = 0
) -> VerificationRow:
    """Store a verification as queued. Idempotent by id and request digest; raises
    `verification.exists` for another request, and `limit.jobs` where its principal has
    `max_unfinished` (0: any number) already."""

    async def work(tx: Transaction) -> VerificationRow:
        known = _same_request(await repository.find_verification(tx, row.id), row.request_digest)
        if known is not None:
            return known
        await _room(tx, row.principal, max_unfinished)
        await repository.insert_verification(tx, row)
        await repository.append_event(
            tx,
            row.id,
            type="verification_queued",
            time=row.created_at,
            data={
                "document": row.document_name,
                "target": row.order.target,
                "policy": row.order.policy,
                **({"meta": row.kept_meta} if row.kept_meta else {}),
            },
        )
        return await repository.get_verification(tx, row.id, caller=ITSELF)

    return await db.run(work)


async def check_room(db: Database, principal: str, *, max_unfinished: int) -> None:
    """Raises `limit.jobs` where a principal has `max_unfinished` (0: any number)
    verifications that are not finished."""
    async with db.read() as tx:
        await _room(tx, principal, max_unfinished)


async def _room(tx: Transaction, principal: str, max_unfinished: int) -> None:
    if max_unfinished and await repository.count_unfinished(tx, principal) >= max_unfinished:
        raise exhausted(
            "limit.jobs",
            f"{max_unfinished} verifications of this key are not finished, and no more are taken",
            hint="wait for one of them to end, or cancel one",
            details={"retry_after_s": "5"},
        )


async def known_verification(
    db: Database, verification_id: str, *, request_digest: str
) -> VerificationRow | None:
    """The verification that this very request made before; raises `verification.exists`
    when another one did."""
    async with db.read() as tx:
        return _same_request(
            await repository.find_verification(tx, verification_id), request_digest
        )


def _same_request(known: VerificationRow | None, request_digest: str) -> VerificationRow | None:
    if known is not None and known.request_digest != request_digest:
        raise ProofwalkError(
            "verification.exists",
            f"verification {known.id!r} exists and was made from another request",
            status=Status.ALREADY_EXISTS,
            hint="use a fresh id for a fresh request",
        )
    return known


async def read_verification(
    db: Database, verification_id: str, *, caller: Caller
) -> tuple[VerificationRow, Sequence[EpisodeRow]]:
    """A verification that the caller sees, with its episodes; raises
    `verification.not_found`."""
    async with db.read() as tx:
        row = await repository.get_verification(tx, verification_id, caller=caller)
        return row, await repository.list_episodes(tx, verification_id)


async def read_events(
    db: Database, verification_id: str, *, caller: Caller, after: int, limit: int = 500
) -> tuple[VerificationRow, Sequence[EventRow]]:
    """A verification that the caller sees, and its events behind `after`, from one
    snapshot. Raises `verification.not_found`."""
    async with db.read() as tx:
        row = await repository.get_verification(tx, verification_id, caller=caller)
        return row, await repository.list_events(tx, verification_id, after=after, limit=limit)


async def read_beat(db: Database, verification_id: str) -> Beat:
    """Where a verification is; for those who may see it. Raises
    `verification.not_found`."""
    async with db.read() as tx:
        return await repository.beat_of(tx, verification_id)


async def request_cancel(
    db: Database, verification_id: str, *, caller: Caller, clock: Clock
) -> VerificationRow:
    """Ask for the end: its worker sees it soon, a queued one ends when a worker looks
    next, a finished one stays as it is. Raises `verification.not_found`."""

    async def work(tx: Transaction) -> VerificationRow:
        row = await repository.get_verification(tx, verification_id, caller=caller)
        if await cancel_in(tx, row, now=clock.now()):
            return await repository.get_verification(tx, verification_id, caller=caller)
        return row

    return await db.run(work)


async def cancel_in(tx: Transaction, row: VerificationRow, *, now: datetime) -> bool:
    """Ask for a verification's end within somebody's transaction; False when it was
    asked for already, or has come."""
    if row.state not in (JobState.QUEUED, JobState.RUNNING):
        return False
    await repository.update_verification(
        tx,
        row.id,
        state=advance(row.state, JobState.CANCELLING).value,
        cancel_requested_at=now,
        message="cancelling",
    )
    await repository.append_event(tx, row.id, type="verification_cancel_requested", time=now)
    return True


async def waiting(
    db: Database, *, clock: Clock, limit: int, shares: Mapping[str, float] | None = None
) -> Sequence[str]:
    """Verifications that no live worker holds, by whose turn it is (`turns`)."""
    async with db.read() as tx:
        return await claimable(tx, now=clock.now(), limit=limit, shares=shares or {})


async def claim(
    db: Database, verification_id: str, *, holder: str, ttl: timedelta, clock: Clock
) -> Claim | None:
    """Take a verification that nobody holds; None when somebody does, or when it is
    finished or unknown."""

    async def work(tx: Transaction) -> Claim | None:
        row = await repository.find_verification(tx, verification_id)
        now = clock.now()
        if row is None or row.state is JobState.FINISHED:
            return None
        if (
            row.state is not JobState.QUEUED
            and row.claim_expires_at is not None
            and row.claim_expires_at > now
        ):
            return None
        state = JobState.CANCELLING if row.state is JobState.CANCELLING else JobState.RUNNING
        epoch = row.claim_epoch + 1
        await repository.update_verification(
            tx,
            row.id,
            state=state.value,
            claim_holder=holder,
            claim_epoch=epoch,
            claim_expires_at=now + ttl,
        )
        return Claim(verification_id=row.id, epoch=epoch, holder=holder)

    return await db.run(work)


async def renew_claim(db: Database, held: Claim, *, ttl: timedelta, clock: Clock) -> JobState:
    """Extend a claim; returns the job's state, so that its worker learns of a
    cancellation. Raises `lease.stale_epoch`."""

    async def work(tx: Transaction) -> JobState:
        row = await repository.holding(tx, held.verification_id, epoch=held.epoch)
        await repository.update_verification(tx, row.id, claim_expires_at=clock.now() + ttl)
        return row.state

    return await db.run(work)


async def give_back(db: Database, held: Claim, *, clock: Clock) -> None:
    """Put a verification back into the queue (drain); its successor adopts or undoes
    the open episode."""

    async def work(tx: Transaction) -> None:
        row = await repository.holding(tx, held.verification_id, epoch=held.epoch)
        if row.state is JobState.RUNNING:
            await repository.update_verification(
                tx,
                row.id,
                state=advance(row.state, JobState.QUEUED).value,
                claim_holder="",
                claim_expires_at=None,
            )
        elif row.state is JobState.CANCELLING:
            await repository.update_verification(
                tx, row.id, claim_holder="", claim_expires_at=clock.now()
            )

    await db.run(work)


async def start_episode(
    db: Database, held: Claim, *, episode_id: str, clock: Clock, trace_id: str = ""
) -> EpisodeRow:
    """Open the next episode. `trace_id`: empty where nothing is traced."""

    async def work(tx: Transaction) -> EpisodeRow:
        row = await repository.holding(tx, held.verification_id, epoch=held.epoch)
        number = len(await repository.list_episodes(tx, row.id)) + 1
        episode = EpisodeRow(
            id=episode_id,
            verification_id=row.id,
            number=number,
            phase=EpisodePhase.PARSE,
            facts=EpisodeFacts(trace_id=trace_id) if trace_id else EpisodeFacts(),
            started_at=clock.now(),
        )
        await repository.insert_episode(tx, episode)
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
        episode = await repository.get_episode(tx, episode_id)
        kept = repository.facts_value(
            episode.facts | (facts or EpisodeFacts()), judgement or episode.judgement
        )
        await repository.update_episode(tx, episode_id, phase=phase.value, facts=kept)
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
        await repository.put_intent(
            tx, episode_id, key, state=state, result=result, now=clock.now()
        )

    await db.run(work)


async def open_intents(db: Database, episode_id: str) -> Sequence[IntentRow]:
    """Effects that took place, or may have, and were not taken back; newest first, the
    order in which they are undone."""
    async with db.read() as tx:
        rows = await repository.list_intents(tx, episode_id)
    return [row for row in reversed(rows) if row.state != "undone"]


async def record_step(
    db: Database, held: Claim, step: StepRow, *, done: int, total: int, clock: Clock
) -> None:
    """Keep one step, with its event and the job's progress."""

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.verification_id, epoch=held.epoch)
        await repository.insert_step(tx, step)
        await repository.update_episode(tx, step.episode_id, steps=step.number)
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
        episode = await repository.get_episode(tx, episode_id)
        if episode.phase is EpisodePhase.DONE:
            return
        now = clock.now()
        await repository.update_episode(
            tx,
            episode_id,
            phase=EpisodePhase.DONE.value,
            outcome=outcome.kind.value,
            cause=outcome.cause.value if outcome.cause else "",
            code=outcome.code,
            reason=outcome.reason,
            lost=lost,
            finished_at=now,
            facts=repository.facts_value(episode.facts, judgement),
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


async def finish_verification(db: Database, held: Claim, *, verdict: Verdict, clock: Clock) -> None:
    """Write the one verdict; a finished verification is never written again."""
    outcome = verdict.judgement.outcome

    async def work(tx: Transaction) -> None:
        row = await repository.holding(tx, held.verification_id, epoch=held.epoch)
        now = clock.now()
        await repository.update_verification(
            tx,
            row.id,
            state=advance(row.state, JobState.FINISHED).value,
            finished_at=now,
            verdict=encode_verdict(verdict),
            group_sequence=(
                await group_repository.count_finished(tx, row.group_id) if row.group_id else None
            ),
            claim_holder="",
            claim_expires_at=None,
            done=row.total if outcome.kind is OutcomeKind.VERIFIED else row.done,
            message=outcome.reason[:500],
        )
        await repository.append_event(
            tx,
            row.id,
            type="verification_finished",
            time=now,
            data={"outcome": outcome.kind.value, "reason": outcome.reason},
        )

    await db.run(work)


async def read_steps(db: Database, episode_id: str) -> Sequence[StepRow]:
    """The steps of an episode."""
    async with db.read() as tx:
        return await repository.list_steps(tx, episode_id)


async def page_of_verifications(
    db: Database,
    *,
    caller: Caller,
    limit: int,
    before: tuple[datetime, str] | None,
    selection: Selection = EVERY,
) -> Sequence[tuple[VerificationRow, Sequence[EpisodeRow]]]:
    """A page of what the caller sees of a selection, newest first, each with its
    episodes."""
    async with db.read() as tx:
        rows = await repository.list_verifications(
            tx, caller=caller, limit=limit, before=before, selection=selection
        )
        episodes = await repository.list_episodes_of(tx, [row.id for row in rows])
        return [(row, episodes[row.id]) for row in rows]
