"""What can be done to verifications: one function, one transaction. Their episodes:
`episode_usecases`.

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
from proofwalk.kernel.jobs import JobState, advance
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.rollout import episode_repository, group_repository, repository
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.judgement import Verdict
from proofwalk.rollout.judgement_codec import encode_verdict
from proofwalk.rollout.pulses import Beat
from proofwalk.rollout.repository import EventRow, VerificationRow
from proofwalk.rollout.selections import EVERY, Selection
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
        return row, await episode_repository.list_episodes(tx, verification_id)


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
        episodes = await episode_repository.list_episodes_of(tx, [row.id for row in rows])
        return [(row, episodes[row.id]) for row in rows]
