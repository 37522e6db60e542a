"""What dies and what becomes of it: a run's process, the role, a claim. A fake process
stands for training."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.chassis.database import Database
from proofwalk.chassis.processes import start_child
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import unavailable
from proofwalk.trainer import usecases
from tests.fixtures.liveness import is_alive
from tests.trainer.kit import QUICK, fake, get, happens, running, start, until, watch

SERVE = """
import asyncio, sys
from pathlib import Path
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.trainer import main
from tests.trainer.kit import QUICK, fake
async def serve():
    settings = ProcessSettings(home=Path(sys.argv[1]), redis_url=sys.argv[2])
    async with Process(settings, [main.role(QUICK, program=fake("steps=400", "pace=0.02"))]):
        await asyncio.sleep(300)
asyncio.run(serve())
"""


def pids(folder: Path) -> list[int]:
    path = folder / "starts"
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


async def test_a_process_that_dies_is_started_again_and_no_step_is_told_twice(
    process_settings: ProcessSettings, config: str
) -> None:
    async with running(process_settings, program=fake("die_at=7", "times=2")) as (stub, process):
        await start(stub, "r", config)
        assert [metric.step for metric in await watch(stub, "r")] == list(range(1, 13))
        run = await until(stub, "r", "finished")
        assert (run.crashes, run.step, run.error_code) == (2, 12, "")
        assert len(pids(Path(run.folder))) == 3
        assert process.metrics.get_sample_value("proofwalk_trainer_crashes_total") == 2
        assert (
            process.metrics.get_sample_value("proofwalk_trainer_steps_total", {"method": "sft"})
            == 12
        )
    lines = (Path(run.folder) / "metrics.jsonl").read_text().splitlines()
    assert len(lines) == 12


async def test_a_process_that_dies_every_time_makes_the_run_fail(
    process_settings: ProcessSettings, config: str
) -> None:
    async with running(process_settings, program=fake("die_at=7", "times=99")) as (stub, _):
        await start(stub, "r", config)
        assert [metric.step for metric in await watch(stub, "r")] == list(range(1, 7))
        run = await get(stub, "r")
        assert (run.state, run.crashes, run.error_code) == (
            "failed",
            QUICK.attempts,
            "trainer.child_died",
        )
        assert "signal 9" in run.error_message
        assert len(pids(Path(run.folder))) == QUICK.attempts
        # The page is written behind the row.
        await happens(lambda: "trainer.child_died" in (Path(run.folder) / "index.html").read_text())
        assert (await start(stub, "r", config, resume=True)).crashes == 0


@pytest.mark.parametrize(("retryable", "starts"), [("0", 1), ("1", QUICK.attempts)])
async def test_a_failure_with_a_code_ends_the_run_with_it(
    process_settings: ProcessSettings, config: str, retryable: str, starts: int
) -> None:
    async with running(
        process_settings, program=fake("fail=rl.run_differs", f"retryable={retryable}")
    ) as (stub, _):
        await start(stub, "r", config)
        run = await until(stub, "r", "failed")
    assert (run.error_code, run.error_message) == ("rl.run_differs", "it cannot be")
    assert len(pids(Path(run.folder))) == starts


async def test_a_role_that_ends_hands_its_run_back_saved(
    process_settings: ProcessSettings, config: str
) -> None:
    program = fake("steps=80", "hold_at=6")
    async with running(process_settings, program=program) as (stub, _):
        await start(stub, "r", config)
        async for metric in stub.WatchRun(pb.WatchRunRequest(run_id="r"), timeout=20):
            if metric.step == 6:
                break
    folder = process_settings.state_path("trainer") / "runs" / "r"
    assert not psutil.pid_exists(pids(folder)[0])
    last = max(int(path.name[5:]) for path in (folder / "checkpoints").glob("step-*"))
    assert last == 6
    # saved where it was asked to end, nothing is lost
    assert len((folder / "metrics.jsonl").read_text().splitlines()) == last
    async with running(process_settings, program=program) as (stub, _):
        assert [metric.step for metric in await watch(stub, "r")] == list(range(1, 81))
        run = await get(stub, "r")
        assert (run.state, run.crashes) == ("finished", 0)


async def test_a_role_that_ends_kills_a_run_that_does_not(
    process_settings: ProcessSettings, config: str
) -> None:
    settings = QUICK.model_copy(update={"drain_s": 0.2})
    async with running(
        process_settings, settings, program=fake("steps=999", "deaf=1", "pace=0.1")
    ) as (stub, _):
        run = await start(stub, "r", config)
        await happens(lambda: bool(pids(Path(run.folder))))
    assert not psutil.pid_exists(pids(Path(run.folder))[0])
    async with running(process_settings, program=fake()) as (stub, _):
        assert (await until(stub, "r", "finished")).step == 12


async def test_a_killed_role_takes_the_process_with_it_and_the_next_goes_on(
    process_settings: ProcessSettings, config: str, tmp_path: Path
) -> None:
    program = fake("steps=400", "pace=0.02")
    async with running(process_settings, program=program) as (stub, _):
        run = await start(stub, "r", config)
    folder = Path(run.folder)
    before = len(pids(folder))
    with (tmp_path / "log").open("wb") as output:
        argv = [
            sys.executable,
            "-c",
            SERVE,
            str(process_settings.home),
            process_settings.redis_url.get_secret_value(),
        ]
        role = await start_child(argv, stdout=output, stderr=output)
        try:
            await happens(
                lambda: len(pids(folder)) > before and (folder / "metrics.jsonl").exists(), 30
            )
            child = psutil.Process(pids(folder)[-1])
            [server] = psutil.Process(role.pid).children()
            os.kill(server.pid, signal.SIGKILL)
            await happens(lambda: not is_alive(child))
        finally:
            await role.kill()
    async with running(process_settings, program=fake("steps=30")) as (stub, _):
        finished = await until(stub, "r", "finished", timeout_s=30)
        assert finished.crashes == 0
        steps = [metric.step for metric in await watch(stub, "r")]
        assert steps == sorted(set(steps))
        assert steps[:30] == list(range(1, 31))


async def test_a_claim_that_was_taken_over_ends_the_process(
    process_settings: ProcessSettings, config: str
) -> None:
    clock = SystemClock()
    async with running(process_settings, program=fake("steps=9999")) as (stub, process):
        run = await start(stub, "r", config)
        await happens(lambda: bool(pids(Path(run.folder))))
        database = Database(process_settings.database_url_of("trainer"))
        try:
            later = _Later(clock, 100)
            taken = await usecases.claim(
                database, "r", holder="another", ttl=timedelta(seconds=600), clock=later
            )
            assert taken is not None
            assert taken[1].child is not None
            await happens(lambda: not psutil.pid_exists(pids(Path(run.folder))[0]))
            await happens(
                lambda: process.metrics.get_sample_value("proofwalk_trainer_running") == 0
            )
            assert (await get(stub, "r")).state == "running"
            assert len(pids(Path(run.folder))) == 1
        finally:
            await database.close()


async def test_what_a_predecessor_left_running_is_ended_first(
    process_settings: ProcessSettings, config: str
) -> None:
    left = await start_child([sys.executable, "-c", "import time; time.sleep(300)"])
    try:
        async with running(process_settings, program=fake("steps=9999")) as (stub, _):
            await start(stub, "r", config)
            await until(stub, "r", "running")
        database = Database(process_settings.database_url_of("trainer"))
        try:
            taken = await usecases.claim(
                database, "r", holder="dead", ttl=timedelta(seconds=0), clock=SystemClock()
            )
            assert taken is not None
            await usecases.note_child(database, taken[0], left.identity)
        finally:
            await database.close()
        async with running(process_settings, program=fake()) as (stub, _):
            await until(stub, "r", "finished")
        async with asyncio.timeout(30):
            assert await left.wait() != 0
    finally:
        await left.kill()


async def test_rows_that_are_away_for_a_while_stop_no_run(
    process_settings: ProcessSettings, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = {"renew": 3, "keep_metrics": 5}

    def flaky(name: str) -> Any:
        work = getattr(usecases, name)

        async def call(*arguments: Any, **more: Any) -> Any:
            if pids(folder) and away[name] > 0:
                away[name] -= 1
                raise unavailable("database.unavailable", "the database cannot be reached")
            return await work(*arguments, **more)

        return call

    for name in away:
        monkeypatch.setattr(usecases, name, flaky(name))
    folder = process_settings.state_path("trainer") / "runs" / "r"
    settings = QUICK.model_copy(update={"hold_ttl_s": 4.0})
    async with running(process_settings, settings, program=fake("steps=120", "pace=0.03")) as (
        stub,
        _,
    ):
        await start(stub, "r", config)
        assert [metric.step for metric in await watch(stub, "r")] == list(range(1, 121))
        assert (await get(stub, "r")).crashes == 0
    assert away == {"renew": 0, "keep_metrics": 0}
    assert len(pids(folder)) == 1


async def test_a_stop_reaches_a_run_whose_process_keeps_dying(
    process_settings: ProcessSettings, config: str
) -> None:
    settings = QUICK.model_copy(update={"attempts": 100, "retry_s": 0.2})
    async with running(process_settings, settings, program=fake("die_at=3", "times=99")) as (
        stub,
        _,
    ):
        await start(stub, "r", config)
        await happens(lambda: len(pids(process_settings.state_path("trainer") / "runs" / "r")) > 1)
        await stub.StopRun(pb.StopRunRequest(run_id="r"), timeout=5)
        run = await until(stub, "r", "stopped")
        assert run.step == 0  # from its beginning, since there was no checkpoint


class _Later:
    """A clock that is ahead."""

    def __init__(self, clock: SystemClock, seconds: float) -> None:
        self._clock = clock
        self._ahead = seconds

    def now(self) -> datetime:
        return self._clock.now() + timedelta(seconds=self._ahead)

    def monotonic(self) -> float:
        return self._clock.monotonic() + self._ahead
