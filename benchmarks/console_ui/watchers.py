"""What live watchers of one walk cost the rollout role: its processor time with none,
with one and with many.

The installation is a process of its own with nothing else to do. Here is the walk, a
verification that this process holds and takes steps of, and here are the watchers: the
calls that the gateway makes for each page that is open. What the process uses beyond
its use without watchers is theirs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import psutil

from benchmarks.console_ui.crowds import crowd
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.database import Database
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.gateway.keys import URL_FILE
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.installation import client_key
from proofwalk.platform.seeding.history import Ending
from proofwalk.platform.seeding.verifications import queued
from proofwalk.platform.settings import Settings
from proofwalk.rollout import episode_usecases, usecases
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.rollout.usecases import Claim

_START_S = 120.0
_STEP_S = 0.5
_TTL = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of so many watchers."""

    watchers: int
    seconds: float
    processor_s: float
    """Of the whole installation meanwhile."""
    steps: int
    """That were taken meanwhile."""
    events: int
    """That all watchers got."""

    def as_row(self) -> Mapping[str, float]:
        return {
            "watchers": self.watchers,
            "processor_ms_per_s": round(self.processor_s / self.seconds * 1000, 1),
            "steps": self.steps,
            "events_per_watcher": round(self.events / max(1, self.watchers), 1),
        }


async def costs(home: Path, *, crowds: Sequence[int], seconds: float) -> Sequence[Cost]:
    """With each number of watchers in turn, for so many seconds each."""
    settings = Settings(home=home)
    async with _installation(settings) as child:
        database = Database(settings.database_url_of("rollout"))
        try:
            walk = await _walk(database)
            return [
                await _measured(child, settings, walk, database, watchers, seconds)
                for watchers in crowds
            ]
        finally:
            await database.close()


@asynccontextmanager
async def _installation(settings: Settings) -> AsyncIterator[ChildProcess]:
    home = settings.home.absolute()
    command = ["-m", "proofwalk.cli.main", "demo-console", "--empty", "--home", str(home)]
    child = await start_child([sys.executable, *command], name="demo-console", env=dict(os.environ))
    try:
        async with asyncio.timeout(_START_S):
            while not (home / "run" / URL_FILE).is_file():
                if child.returncode is not None:
                    raise RuntimeError("the installation ended before it served")
                await asyncio.sleep(0.2)
        client_key(settings)
        yield child
    finally:
        await asyncio.shield(child.terminate())


@dataclass(frozen=True, kw_only=True)
class _Walk:
    held: Claim
    episode_id: str


async def _walk(database: Database) -> _Walk:
    """A verification that is walked here: its claim keeps the installation's own worker
    from it."""
    clock = SystemClock()
    ids = RandomIds(clock)
    (rows,) = crowd(1, ids=ids, now=datetime.now(UTC), endings=(Ending.VERIFIED,))
    row = replace(queued(rows.verification), created_at=clock.now())
    await usecases.create_verification(database, row)
    held = await usecases.claim(database, row.id, holder="bench", ttl=_TTL, clock=clock)
    assert held is not None, "a worker was faster: the walk is the installation's"
    episode_id = ids.new("ep")
    await episode_usecases.start_episode(database, held, episode_id=episode_id, clock=clock)
    return _Walk(held=held, episode_id=episode_id)


async def _measured(
    child: ChildProcess,
    settings: Settings,
    walk: _Walk,
    database: Database,
    watchers: int,
    seconds: float,
) -> Cost:
    (process,) = psutil.Process(child.pid).children()
    async with AsyncExitStack() as exits:
        channel = await exits.enter_async_context(
            grpc.aio.insecure_channel(settings.address_of("rollout"))
        )
        counts = [0] * watchers
        stub = RolloutStub(channel)
        tasks = [
            asyncio.create_task(_watch(stub, walk.held.verification_id, counts, number))
            for number in range(watchers)
        ]
        exits.push_async_callback(_end, tasks)
        await _caught_up(database, walk, counts, tasks)
        before, events, began = _processor_s(process), sum(counts), time.monotonic()
        steps = await _take_steps(database, walk, until=began + seconds)
        took = time.monotonic() - began
        used = _processor_s(process) - before
        return Cost(
            watchers=watchers,
            seconds=took,
            processor_s=used,
            steps=steps,
            events=sum(counts) - events,
        )


async def _caught_up(
    database: Database,
    walk: _Walk,
    counts: Sequence[int],
    tasks: Sequence[asyncio.Task[None]],
) -> None:
    """Until every watcher has what was there when it came: that is not what is
    measured. Raises what a watcher has failed with."""
    row, _ = await usecases.read_verification(database, walk.held.verification_id, caller=ITSELF)
    async with asyncio.timeout(_START_S):
        while any(count < row.event_count for count in counts):
            for task in tasks:
                if task.done():
                    await task
            await asyncio.sleep(0.1)


def _processor_s(process: psutil.Process) -> float:
    """Of the process that has the roles, without what it started, such as Redis."""
    times = process.cpu_times()
    return float(times.user + times.system)


async def _watch(stub: RolloutStub, verification_id: str, counts: list[int], number: int) -> None:
    request = pb.WatchEventsRequest(
        caller=pb.Caller(principal="bench", operator=True), verification_id=verification_id
    )
    async for _ in stub.WatchEvents(request):
        counts[number] += 1


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _take_steps(database: Database, walk: _Walk, *, until: float) -> int:
    clock, taken = SystemClock(), 0
    last = len(await episode_usecases.read_steps(database, walk.episode_id))
    while time.monotonic() < until:
        taken += 1
        now = clock.now()
        step = StepRow(
            episode_id=walk.episode_id,
            number=last + taken,
            substep="1",
            thought="The button is there.",
            action='{"type": "click", "id": 7}',
            result="clicked",
            ok=True,
            url="https://console.example/",
            screenshot="",
            started_at=now,
            ended_at=now,
        )
        await episode_usecases.record_step(database, walk.held, step, done=1, total=4, clock=clock)
        await asyncio.sleep(_STEP_S)
    return taken
