"""What can be done to rows of trials: one function, one transaction. The work itself is
`trying`'s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import exhausted
from proofwalk.resource_provisioner import trial_repository as repository
from proofwalk.resource_provisioner.trials import Trial, TrialEnd, TrialStage

MOST_UNENDED = 20
INTERRUPTED = "meta.trial_interrupted"


async def ask(db: Database, trial: Trial) -> Trial:
    """The trial of this version that has not ended, or this one. Raises
    `meta.too_many_trials`."""

    async def work(tx: Transaction) -> Trial:
        unended = await repository.unended(tx)
        for known in unended:
            if (known.meta_id, known.version) == (trial.meta_id, trial.version):
                return known
        if len(unended) >= MOST_UNENDED:
            raise exhausted(
                "meta.too_many_trials",
                f"{len(unended)} trials have not ended, and they go one after the other",
                hint="wait for some of them to end",
            )
        await repository.add(tx, trial)
        return trial

    return await db.run(work)


async def next_queued(db: Database) -> Trial | None:
    """The trial that was asked for the longest ago and is not begun."""
    async with db.read() as tx:
        unended = await repository.unended(tx)
    return next((one for one in unended if one.stage is TrialStage.QUEUED), None)


async def moved(db: Database, trial: Trial, *, was: TrialStage) -> bool:
    """Store a trial at its new stage; False where another process has moved it."""
    return await db.run(lambda tx: repository.save(tx, trial, was=was))


async def end_interrupted(db: Database, *, clock: Clock) -> int:
    """End the trials that were under way when the role stopped: what they made goes
    with their lease. Return how many."""

    async def work(tx: Transaction) -> int:
        under_way = [
            one for one in await repository.unended(tx) if one.stage is not TrialStage.QUEUED
        ]
        for one in under_way:
            ended = replace(
                one,
                stage=TrialStage.ENDED,
                end=TrialEnd.UNCHECKED,
                error_code=INTERRUPTED,
                error_message="the resource provisioner stopped while it was under way",
                ended_at=clock.now(),
            )
            await repository.save(tx, ended, was=one.stage)
        return len(under_way)

    return await db.run(work)


async def of_record(db: Database, meta_id: str, *, limit: int) -> Sequence[Trial]:
    """Trials of a record's versions, the newest first."""
    async with db.read() as tx:
        return await repository.of_record(tx, meta_id, limit=limit)
