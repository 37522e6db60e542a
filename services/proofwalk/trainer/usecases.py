"""What can be done to runs: one function, one transaction.

Functions of who trains a run take its `Claim` and begin with the compare-and-swap of
`repository.holding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.processes import ProcessIdentity
from proofwalk.kernel.clock import Clock
from proofwalk.trainer import repository
from proofwalk.trainer.domain import (
    ENDED,
    Claim,
    Failure,
    Measured,
    Run,
    RunState,
    not_resumable,
    run_exists,
)


async def known_run(db: Database, run_id: str, *, config_digest: str) -> Run | None:
    """The run that this configuration was started as before. Raises
    `trainer.run_exists`."""
    async with db.read() as tx:
        return _same(await repository.find_run(tx, run_id), config_digest)


async def start_run(db: Database, run: Run) -> Run:
    """Store a run as queued. Idempotent by id and configuration; raises
    `trainer.run_exists`."""

    async def work(tx: Transaction) -> Run:
        known = _same(await repository.find_run(tx, run.id), run.config_digest)
        if known is not None:
            return known
        await repository.insert_run(tx, run)
        return await repository.get_run(tx, run.id)

    return await db.run(work)


def _same(known: Run | None, config_digest: str) -> Run | None:
    if known is not None and known.config_digest != config_digest:
        raise run_exists(known.id)
    return known


async def resume_run(db: Database, run_id: str) -> Run:
    """Queue a stopped or failed run again; one that is under way or waits stays as it
    is. Raises `trainer.not_resumable` for a finished one."""

    async def work(tx: Transaction) -> Run:
        run = await repository.get_run(tx, run_id)
        if run.state is RunState.FINISHED:
            raise not_resumable(run)
        if run.state in ENDED:
            await repository.update_run(
                tx,
                run_id,
                finished_at=None,
                crashes=0,
                **repository.columns(state=RunState.QUEUED, failure=None, child=run.child),
            )
        return await repository.get_run(tx, run_id)

    return await db.run(work)


async def request_stop(db: Database, run_id: str, *, clock: Clock) -> Run:
    """A queued run is stopped; a running one is to stop at its next step; any other
    stays as it is. Raises `trainer.run_not_found`."""

    async def work(tx: Transaction) -> Run:
        run = await repository.get_run(tx, run_id)
        if run.state is RunState.QUEUED:
            await repository.update_run(
                tx, run_id, state=RunState.STOPPED.value, finished_at=clock.now()
            )
        elif run.state is RunState.RUNNING:
            await repository.update_run(tx, run_id, state=RunState.STOPPING.value)
        return await repository.get_run(tx, run_id)

    return await db.run(work)


async def read_run(db: Database, run_id: str) -> Run:
    """Raises `trainer.run_not_found`."""
    async with db.read() as tx:
        return await repository.get_run(tx, run_id)


async def read_runs(db: Database, *, limit: int) -> Sequence[Run]:
    """Newest first."""
    async with db.read() as tx:
        return await repository.list_runs(tx, limit=limit)


async def read_metrics(
    db: Database, run_id: str, *, after: int, limit: int = 500
) -> tuple[Run, Sequence[Measured]]:
    """The run and its metrics behind `after`, from one snapshot. Raises
    `trainer.run_not_found`."""
    async with db.read() as tx:
        return await repository.get_run(tx, run_id), await repository.list_metrics(
            tx, run_id, after=after, limit=limit
        )


async def waiting(db: Database, *, clock: Clock, limit: int) -> Sequence[str]:
    """Runs that nobody trains."""
    async with db.read() as tx:
        return await repository.claimable(tx, now=clock.now(), limit=limit)


async def claim(
    db: Database, run_id: str, *, holder: str, ttl: timedelta, clock: Clock
) -> tuple[Claim, Run] | None:
    """Take a run that nobody trains, with what its row said before; None when somebody
    does, or when it has ended."""

    async def work(tx: Transaction) -> tuple[Claim, Run] | None:
        run, now = await repository.get_run(tx, run_id), clock.now()
        if run.state in ENDED:
            return None
        if (
            run.state is not RunState.QUEUED
            and run.claim_expires_at is not None
            and run.claim_expires_at > now
        ):
            return None
        state = RunState.STOPPING if run.state is RunState.STOPPING else RunState.RUNNING
        epoch = run.claim_epoch + 1
        await repository.update_run(
            tx,
            run_id,
            state=state.value,
            started_at=run.started_at or now,
            claim_holder=holder,
            claim_epoch=epoch,
            claim_expires_at=now + ttl,
        )
        return Claim(run_id=run_id, epoch=epoch), run

    return await db.run(work)


async def renew(db: Database, held: Claim, *, ttl: timedelta, clock: Clock) -> RunState:
    """Extend a claim; the state tells of a stop that was asked for. Raises
    `lease.stale_epoch`."""

    async def work(tx: Transaction) -> RunState:
        run = await repository.holding(tx, held.run_id, epoch=held.epoch)
        await repository.update_run(tx, run.id, claim_expires_at=clock.now() + ttl)
        return run.state

    return await db.run(work)


async def give_back(db: Database, held: Claim, *, clock: Clock) -> None:
    """Let a run go (drain): it is queued again, or, if it is to stop, free for the next
    role to stop it."""

    async def work(tx: Transaction) -> None:
        run = await repository.holding(tx, held.run_id, epoch=held.epoch)
        state = run.state if run.state is RunState.STOPPING else RunState.QUEUED
        await repository.update_run(
            tx, run.id, state=state.value, claim_holder="", claim_expires_at=None
        )

    await db.run(work)


async def note_child(db: Database, held: Claim, child: ProcessIdentity) -> None:
    """Write down which process trains the run, so that a successor can end it."""

    async def work(tx: Transaction) -> None:
        run = await repository.holding(tx, held.run_id, epoch=held.epoch)
        await repository.update_run(tx, run.id, **repository.child_columns(child))

    await db.run(work)


async def note_crash(db: Database, held: Claim, failure: Failure) -> Run:
    """Count a death of the run's process."""

    async def work(tx: Transaction) -> Run:
        run = await repository.holding(tx, held.run_id, epoch=held.epoch)
        await repository.update_run(
            tx, run.id, crashes=run.crashes + 1, **repository.columns(failure=failure, child=None)
        )
        return await repository.get_run(tx, run.id)

    return await db.run(work)


async def keep_metrics(
    db: Database, held: Claim, rows: Mapping[int, Mapping[str, float]], *, step: int, clock: Clock
) -> int:
    """Store steps, and how far the run is. Returns how many steps were done for the
    first time."""

    async def work(tx: Transaction) -> int:
        run = await repository.holding(tx, held.run_id, epoch=held.epoch)
        await repository.update_run(tx, run.id, step=step)
        return await repository.put_metrics(tx, run.id, rows, now=clock.now())

    return await db.run(work)


async def finish(
    db: Database, held: Claim, state: RunState, *, failure: Failure | None, clock: Clock
) -> Run:
    """End a run and let it go."""

    async def work(tx: Transaction) -> Run:
        run = await repository.holding(tx, held.run_id, epoch=held.epoch)
        await repository.update_run(
            tx,
            run.id,
            finished_at=clock.now(),
            claim_holder="",
            claim_expires_at=None,
            **repository.columns(state=state, failure=failure),
        )
        return await repository.get_run(tx, run.id)

    return await db.run(work)
