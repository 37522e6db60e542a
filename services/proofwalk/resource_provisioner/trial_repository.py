"""All SQL over trials of records. Each function takes a transaction that its caller
ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert, select, update

from proofwalk.chassis.database import Transaction
from proofwalk.resource_provisioner.tables import trials
from proofwalk.resource_provisioner.trials import Trial, TrialEnd, TrialStage


async def add(tx: Transaction, trial: Trial) -> None:
    """A new trial."""
    await tx.execute(insert(trials).values(_values(trial)))


async def save(tx: Transaction, trial: Trial, *, was: TrialStage) -> bool:
    """Store a trial that is at the stage `was`; False where it is not, and stays."""
    same = (trials.c.id == trial.id) & (trials.c.stage == was.value)
    return (await tx.execute(update(trials).where(same).values(_values(trial)))).rowcount == 1


async def unended(tx: Transaction) -> Sequence[Trial]:
    """Trials that have not ended, in the order in which they were asked for."""
    query = select(trials).where(trials.c.stage != TrialStage.ENDED.value).order_by(trials.c.id)
    return [_trial(row) for row in (await tx.execute(query)).mappings()]


async def of_record(tx: Transaction, meta_id: str, *, limit: int) -> Sequence[Trial]:
    """Trials of a record's versions, the newest first."""
    query = (
        select(trials).where(trials.c.meta_id == meta_id).order_by(trials.c.id.desc()).limit(limit)
    )
    return [_trial(row) for row in (await tx.execute(query)).mappings()]


def _values(trial: Trial) -> dict[str, object]:
    return {**trial.__dict__, "stage": trial.stage.value, "end": trial.end or ""}


def _trial(row: Any) -> Trial:
    end = TrialEnd(row["end"]) if row["end"] else None
    return Trial(**{**row, "stage": TrialStage(row["stage"]), "end": end})
