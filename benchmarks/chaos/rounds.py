"""One round: an installation is made, tenants ask for documents to be verified, faults
come one after another while anything is under way, and when all is over the history is
checked.

`faults` says what is done, `jobs` what is asked, `wires` what is between the parts,
`striking` how a fault is carried out, `effects` which of them count, `checks` what must
hold. Faults go on until every job has ended or the plan is through; thereafter the
installation has `REST_S` to come to rest.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.chaos.checks import Record, untold, violations
from benchmarks.chaos.cluster import Build, Cluster
from benchmarks.chaos.effects import Struck, recovery_s
from benchmarks.chaos.faults import Fault, FaultKind
from benchmarks.chaos.history import History, Said
from benchmarks.chaos.jobs import TENANTS, Job, carry_through, read_again
from benchmarks.chaos.rows import Reader
from benchmarks.chaos.starting import start_all
from benchmarks.chaos.striking import Scene, strike, work_is_under_way
from benchmarks.chaos.wires import Wires

JOBS_S, REST_S = 420.0, 120.0
BLOB_MB = 64
_LOOK_S = 0.1


@dataclass(frozen=True, kw_only=True)
class Round:
    """What is done in a round."""

    number: int
    jobs: Sequence[Job]
    faults: Sequence[Fault]
    postgres: bool = True
    blob_mb: int = BLOB_MB


@dataclass(frozen=True, kw_only=True)
class Strike:
    """A fault with what came of it."""

    struck: Struck
    recovery_s: float | None


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a round went. `untold`: jobs without a verdict about their document, by
    outcome."""

    round: Round
    strikes: Sequence[Strike]
    violations: Sequence[str]
    untold: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


async def run_round(plan: Round, folder: Path) -> Result:
    """Carry a round out. The history, and the parts' logs if something is broken, stay
    in `folder`."""
    history = History(folder / f"round-{plan.number}.jsonl")
    skewed = frozenset(one.target for one in plan.faults if one.kind is FaultKind.CLOCK)
    build = Build(postgres=plan.postgres, tenants=TENANTS, skewed=skewed, blob_mb=plan.blob_mb)
    with Cluster(build) as cluster:
        async with Wires(cluster) as wires:
            reader = Reader(cluster)
            await start_all(cluster, reached_at=wires.addresses)
            scene = Scene(cluster=cluster, wires=wires, reader=reader, history=history)
            async with _observed(scene):
                strikes = await _work(scene, plan)
                left = await reader.settled(within_s=REST_S)
            for job, made in _made(history, plan.jobs):
                await read_again(job, wires.client, history, made)
            record = Record(
                jobs=plan.jobs,
                entries=history.entries,
                rows=await reader.all(),
                left=left,
                skewed=skewed,
            )
            broken = violations(record)
            if broken:
                kept = folder / f"round-{plan.number}.logs"
                await asyncio.to_thread(
                    shutil.copytree, cluster.home / "logs", kept, dirs_exist_ok=True
                )
    return Result(
        round=plan,
        strikes=[
            Strike(struck=one, recovery_s=recovery_s(one, history.entries)) for one in strikes
        ],
        violations=broken,
        untold=dict(untold(record)),
        seconds=history.now(),
    )


async def _work(scene: Scene, plan: Round) -> Sequence[Struck]:
    """Jobs and faults at once, until the jobs have ended."""
    until = asyncio.get_running_loop().time() + JOBS_S
    strikes: list[Struck] = []

    async def troubles() -> None:
        for fault in plan.faults:
            await asyncio.sleep(fault.gap_s)
            while not await work_is_under_way(scene.reader):
                if all(job.done() for job in work):
                    return
                await asyncio.sleep(_LOOK_S)
            strikes.append(await strike(scene, fault))

    async with asyncio.TaskGroup() as group:
        work = [
            group.create_task(carry_through(job, scene.wires.client, scene.history, until=until))
            for job in plan.jobs
        ]
        trouble = group.create_task(troubles())
        await asyncio.wait(work)
        # A fault is never left half done: what it stopped has to go on.
        await trouble
    return strikes


@contextlib.asynccontextmanager
async def _observed(scene: Scene) -> AsyncIterator[None]:
    """Note every event of every job as it is there."""

    async def look() -> None:
        seen: set[tuple[str, int]] = set()
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                for row in await scene.reader.events():
                    known = (row["verification_id"], row["sequence"])
                    if known not in seen:
                        seen.add(known)
                        scene.history.add(known[0], Said.SEEN, row["type"], number=known[1])
            await asyncio.sleep(_LOOK_S)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking


def _made(history: History, jobs: Sequence[Job]) -> Sequence[tuple[Job, str]]:
    ids = {
        entry.who: str(entry.about["verification_id"])
        for entry in history.entries
        if entry.said is Said.OK and entry.act == "create"
    }
    return [(job, ids[job.key]) for job in jobs if job.key in ids]
