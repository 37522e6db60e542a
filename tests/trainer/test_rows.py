"""Runs and metrics as rows, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.chassis.processes import ProcessIdentity
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.trainer import repository, usecases
from proofwalk.trainer.domain import Claim, Failure, Run, RunState

TTL = timedelta(seconds=30)


def run_of(name: str, *, after_s: float = 0, **more: Any) -> Run:
    fields: dict[str, Any] = {
        "state": RunState.QUEUED,
        "config_digest": "d",
        "config_yaml": "c",
        "method": "sft",
        "steps": 9,
    }
    created = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=after_s)
    return Run(id=name, folder=Path("/runs") / name, created_at=created, **{**fields, **more})


async def taken(database: Database, name: str, clock: ManualClock) -> Claim:
    found = await usecases.claim(database, name, holder="me", ttl=TTL, clock=clock)
    assert found is not None
    return found[0]


async def test_the_migrated_tables_are_the_declared_ones(database: Database) -> None:
    await migrate(database, "proofwalk.trainer")
    assert await difference(database, "proofwalk.trainer", repository.METADATA) == []


async def test_a_run_is_claimed_by_one_and_taken_over_when_its_claim_ends(
    database: Database,
) -> None:
    await migrate(database, "proofwalk.trainer")
    clock = ManualClock()
    await asyncio.gather(*(usecases.start_run(database, run_of("a")) for _ in range(4)))
    claims = await asyncio.gather(
        *(
            usecases.claim(database, "a", holder=str(number), ttl=TTL, clock=clock)
            for number in range(6)
        )
    )
    [first] = [found[0] for found in claims if found is not None]
    assert await usecases.waiting(database, clock=clock, limit=9) == []
    await usecases.note_child(database, first, ProcessIdentity(pid=7, started=1.5))
    clock.advance(31)
    assert await usecases.waiting(database, clock=clock, limit=9) == ["a"]
    later = await usecases.claim(database, "a", holder="later", ttl=TTL, clock=clock)
    assert later is not None
    assert later[1].child == ProcessIdentity(pid=7, started=1.5)
    for late in (
        usecases.renew(database, first, ttl=TTL, clock=clock),
        usecases.keep_metrics(database, first, {1: {"loss": 1.0}}, step=1, clock=clock),
        usecases.finish(database, first, RunState.FINISHED, failure=None, clock=clock),
        usecases.note_crash(database, first, Failure(code="c", message="m")),
        usecases.give_back(database, first, clock=clock),
    ):
        with pytest.raises(ProofwalkError) as caught:
            await late
        assert caught.value.code == "lease.stale_epoch"
    assert (await usecases.read_metrics(database, "a", after=-1))[1] == []
    done = await usecases.finish(
        database,
        later[0],
        RunState.FAILED,
        failure=Failure(code="x.y", message="m", hint="h"),
        clock=clock,
    )
    assert (done.state, done.failure) == (
        RunState.FAILED,
        Failure(code="x.y", message="m", hint="h"),
    )
    assert await usecases.claim(database, "a", holder="me", ttl=TTL, clock=clock) is None


async def test_a_step_that_is_done_again_takes_the_place_of_the_first_time(
    database: Database,
) -> None:
    await migrate(database, "proofwalk.trainer")
    clock = ManualClock()
    await usecases.start_run(database, run_of("a"))
    held = await taken(database, "a", clock)
    first = await usecases.keep_metrics(
        database,
        held,
        {0: {"v": 1.0}, 1: {"loss": math.nan}, 2: {"loss": 2.0}},
        step=2,
        clock=clock,
    )
    seen = clock.now()
    clock.advance(5)
    second = await usecases.keep_metrics(
        database, held, {2: {"loss": 2.5}, 3: {"loss": 3.0}}, step=3, clock=clock
    )
    assert (first, second) == (3, 1)
    run, rows = await usecases.read_metrics(database, "a", after=0)
    assert run.step == 3
    assert [(row.step, row.time) for row in rows] == [(1, seen), (2, seen), (3, clock.now())]
    assert math.isnan(rows[0].values["loss"])
    assert rows[1].values == {"loss": 2.5}


async def test_runs_wait_in_order_behind_those_that_fell_silent(database: Database) -> None:
    await migrate(database, "proofwalk.trainer")
    clock = ManualClock()
    for place, name in enumerate("abcd"):
        await usecases.start_run(database, run_of(name, after_s=place))
    await taken(database, "c", clock)
    held = await taken(database, "d", clock)
    assert await usecases.request_stop(database, "b", clock=clock) == await usecases.request_stop(
        database, "b", clock=clock
    )
    assert await usecases.waiting(database, clock=clock, limit=9) == ["a"]
    assert (await usecases.request_stop(database, "d", clock=clock)).state is RunState.STOPPING
    await usecases.give_back(database, held, clock=clock)
    assert await usecases.waiting(database, clock=clock, limit=9) == ["d", "a"]
    clock.advance(31)
    assert await usecases.waiting(database, clock=clock, limit=9) == ["c", "d", "a"]
    assert [run.id for run in await usecases.read_runs(database, limit=3)] == ["d", "c", "b"]
    assert (await usecases.resume_run(database, "b")).state is RunState.QUEUED
    assert (await usecases.resume_run(database, "d")).state is RunState.STOPPING
