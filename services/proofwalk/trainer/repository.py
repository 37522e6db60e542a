"""All SQL of the trainer role: runs with their claims, and the metrics of their steps.

Writes of who trains a run are compare-and-swap on the claim: `holding` raises
`lease.stale_epoch` when it was taken over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    and_,
    insert,
    or_,
    select,
    update,
)

from proofwalk.chassis.database import Transaction, UtcDateTime, role_metadata
from proofwalk.chassis.processes import ProcessIdentity
from proofwalk.kernel.leases import stale_epoch
from proofwalk.trainer.domain import Failure, Measured, Run, RunState, run_not_found

METADATA = role_metadata()

runs = Table(
    "trainer_runs",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("config_digest", String(64), nullable=False),
    Column("config_yaml", Text, nullable=False),
    Column("method", String(16), nullable=False),
    Column("folder", Text, nullable=False),
    Column("steps", Integer, nullable=False),
    Column("step", Integer, nullable=False),
    Column("crashes", Integer, nullable=False),
    Column("error_code", String(128), nullable=False),
    Column("error_message", Text, nullable=False),
    Column("error_hint", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("finished_at", UtcDateTime),
    Column("claim_holder", String(128), nullable=False),
    Column("claim_epoch", Integer, nullable=False),
    Column("claim_expires_at", UtcDateTime),
    Column("child_pid", Integer),
    Column("child_started", Float),
    CheckConstraint(
        "state in ('queued','running','stopping','finished','failed','stopped')", name="state"
    ),
    CheckConstraint(
        "(state in ('finished','failed','stopped')) = (finished_at is not null)", name="finished"
    ),
    Index("ix_trainer_runs_state", "state", "claim_expires_at"),
    Index("ix_trainer_runs_created", "created_at", "id"),
)

metrics = Table(
    "trainer_metrics",
    METADATA,
    Column("run_id", String(64), ForeignKey("trainer_runs.id"), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("time", UtcDateTime, nullable=False),
    # Text: a loss may be NaN, which the engines' JSON types refuse.
    Column("measured", Text, nullable=False),
)


def _run(row: RowMapping) -> Run:
    failure = (
        Failure(code=row["error_code"], message=row["error_message"], hint=row["error_hint"])
        if row["error_code"]
        else None
    )
    child = (
        None
        if row["child_pid"] is None
        else ProcessIdentity(pid=row["child_pid"], started=row["child_started"])
    )
    left = {name: value for name, value in row.items() if not name.startswith(("error_", "child_"))}
    return Run(
        **{
            **left,
            "state": RunState(row["state"]),
            "folder": Path(row["folder"]),
            "failure": failure,
            "child": child,
        }
    )


def columns(
    *,
    state: RunState | None = None,
    failure: Failure | None = None,
    child: ProcessIdentity | None = None,
) -> dict[str, Any]:
    """A run's parts as columns. `failure` and `child` are always written; `state` when
    it is given."""
    return {
        **({} if state is None else {"state": state.value}),
        **failure_columns(failure),
        **child_columns(child),
    }


def failure_columns(failure: Failure | None) -> dict[str, Any]:
    told = failure or Failure(code="", message="")
    return {"error_code": told.code[:128], "error_message": told.message, "error_hint": told.hint}


def child_columns(child: ProcessIdentity | None) -> dict[str, Any]:
    return {
        "child_pid": None if child is None else child.pid,
        "child_started": None if child is None else child.started,
    }


async def insert_run(tx: Transaction, run: Run) -> None:
    plain = {
        name: value for name, value in run.__dict__.items() if name not in ("failure", "child")
    }
    values = {
        **plain,
        "folder": str(run.folder),
        **columns(state=run.state, failure=run.failure, child=run.child),
    }
    await tx.execute(insert(runs).values(values))


async def find_run(tx: Transaction, run_id: str) -> Run | None:
    row = (await tx.execute(select(runs).where(runs.c.id == run_id))).mappings().first()
    return None if row is None else _run(row)


async def get_run(tx: Transaction, run_id: str) -> Run:
    """Raises `trainer.run_not_found`."""
    found = await find_run(tx, run_id)
    if found is None:
        raise run_not_found(run_id)
    return found


async def list_runs(tx: Transaction, *, limit: int) -> Sequence[Run]:
    """Newest first."""
    query = select(runs).order_by(runs.c.created_at.desc(), runs.c.id.desc()).limit(limit)
    return [_run(row) for row in (await tx.execute(query)).mappings()]


async def claimable(tx: Transaction, *, now: datetime, limit: int) -> Sequence[str]:
    """Runs that nobody trains: first those whose role fell silent, then queued ones,
    each oldest first."""
    silent = and_(
        runs.c.state.in_([RunState.RUNNING.value, RunState.STOPPING.value]),
        or_(runs.c.claim_expires_at.is_(None), runs.c.claim_expires_at <= now),
    )
    query = (
        select(runs.c.id)
        .where(or_(runs.c.state == RunState.QUEUED.value, silent))
        .order_by(runs.c.state == RunState.QUEUED.value, runs.c.created_at, runs.c.id)
        .limit(limit)
    )
    return [row.id for row in await tx.execute(query)]


async def update_run(tx: Transaction, run_id: str, **values: Any) -> None:
    await tx.execute(update(runs).where(runs.c.id == run_id).values(**values))


async def holding(tx: Transaction, run_id: str, *, epoch: int) -> Run:
    """The run, locked, if `epoch` still is its claim's; raises `lease.stale_epoch`
    otherwise."""
    row = (
        (await tx.execute(select(runs).where(runs.c.id == run_id).with_for_update()))
        .mappings()
        .first()
    )
    if row is None:
        raise run_not_found(run_id)
    if row["claim_epoch"] != epoch or not row["claim_holder"]:
        raise stale_epoch(epoch, row["claim_epoch"])
    return _run(row)


async def put_metrics(
    tx: Transaction, run_id: str, rows: Mapping[int, Mapping[str, float]], *, now: datetime
) -> int:
    """Write steps; one that is there gets the values of the latest time that it was
    done. Returns how many are there for the first time."""
    first = 0
    for step, values in sorted(rows.items()):
        measured = json.dumps(dict(values))
        place = and_(metrics.c.run_id == run_id, metrics.c.step == step)
        if (await tx.execute(update(metrics).where(place).values(measured=measured))).rowcount == 0:
            await tx.execute(
                insert(metrics).values(run_id=run_id, step=step, time=now, measured=measured)
            )
            first += 1
    return first


async def list_metrics(
    tx: Transaction, run_id: str, *, after: int, limit: int
) -> Sequence[Measured]:
    """By step, from just behind `after` on."""
    query = (
        select(metrics.c.step, metrics.c.time, metrics.c.measured)
        .where(metrics.c.run_id == run_id, metrics.c.step > after)
        .order_by(metrics.c.step)
        .limit(limit)
    )
    return [
        Measured(step=row.step, time=row.time, values=json.loads(row.measured))
        for row in await tx.execute(query)
    ]
