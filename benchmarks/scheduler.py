"""`python -m benchmarks.scheduler`: the scheduler's own code against simulated
machines, up to 100,000 sandboxes.

For each N: nodes with room for N and a tenth more, shards of `--shard-size`, and
schedulers that share them. Time on the machines is simulated (`simulation.machines`);
what the schedulers do is real, rows in SQLite (or `--database` on PostgreSQL), and a
look that takes longer than its period makes the simulated clock wait for it, on the
slowest scheduler, as if each had a core of its own. Measured:

    seconds_to_ready   simulated, from a demand for N to N ready ones
    loop_seconds       real, the slowest look at one shard; `looks` has them at rest, and while a twentieth of its pods crash every period
    placements_per_s   real, granted requests of `--askers` at once in one process, while N are there

The peer of a grant is the statement without which none can be: the same rows'
compare-and-swap alone, in the same run on the same database.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import update

from benchmarks import record
from benchmarks.record import Load
from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.migrations import migrate
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.domain import SandboxState, Shard
from proofwalk.sandbox_scheduler.repository import sandboxes
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings
from proofwalk.sandbox_scheduler.simulation.backend import SimulatedBackend
from proofwalk.sandbox_scheduler.simulation.machines import Machines, Timing

_ROOM = 100
_PERIOD_S = 2.0
_TTL = timedelta(hours=1)


class Experiment:
    """N sandboxes wanted, and the schedulers that see to it."""

    def __init__(
        self, db: Database, *, sandboxes: int, shard_size: int, schedulers: int, seed: int
    ) -> None:
        self.sandboxes = sandboxes
        self.clock = ManualClock()
        nodes = -(-sandboxes * 11 // (10 * _ROOM))
        self.machines = Machines(nodes=nodes, room=_ROOM, timing=Timing(failure=0.01), seed=seed)
        told: dict[str, Any] = {
            "quota": sandboxes,
            "warm": sandboxes,
            "shard_size": shard_size,
            "burst": shard_size,
            "shard_ttl_s": 600.0,
            "start_s": 600.0,
            "check_s": _PERIOD_S,
        }
        self.settings = SandboxSchedulerSettings(**told)
        self.backends = [
            SimulatedBackend(self.machines, since=self.clock.now()) for _ in range(schedulers)
        ]
        ids = RandomIds(self.clock)
        self.clusters = [
            Cluster(
                backend,
                db=db,
                clock=self.clock,
                ids=ids,
                settings=self.settings,
                owner=f"scheduler_{number}",
            )
            for number, backend in enumerate(self.backends)
        ]

    async def period(self) -> None:
        """One look of each scheduler, and then time: the period, or what the slowest
        look took."""
        slowest = 0.0
        for cluster in self.clusters:
            began = time.perf_counter()
            await cluster.look()
            slowest = max(slowest, time.perf_counter() - began)
        self.pass_time(max(_PERIOD_S, slowest))

    def pass_time(self, seconds: float) -> None:
        """On the machines and for leases."""
        self.clock.advance(seconds)
        self.machines.advance(seconds)

    async def until_ready(self) -> float:
        """Simulated seconds until all are warm."""
        began = self.clock.monotonic()
        while (await self.clusters[0].census()).warm < self.sandboxes:
            await self.period()
        return self.clock.monotonic() - began


async def loop_seconds(
    experiment: Experiment, shards: Sequence[Shard], *, churn: float, looks: int
) -> list[float]:
    """Real seconds of single looks, at one shard after the other; between them a share
    of its pods crash."""
    cluster = experiment.clusters[0]
    taken = []
    for number in range(looks):
        shard = shards[number % len(shards)]
        pods = list(experiment.machines.pods(f"{shard.tool}-{shard.version}-s{shard.number}"))
        for pod in pods[: int(len(pods) * churn)]:
            experiment.machines.crash(pod)
        experiment.pass_time(_PERIOD_S)
        began = time.perf_counter()
        await cluster.look_at(shard)
        taken.append(time.perf_counter() - began)
    return taken


async def placements(experiment: Experiment, *, count: int, askers: int) -> float:
    """Granted requests a second, asked for by so many at once."""
    numbers = iter(range(count))

    async def ask() -> None:
        for number in numbers:
            cluster = experiment.clusters[number % len(experiment.clusters)]
            row = await cluster.acquire(
                request_id=f"r{number}",
                tool="chromium",
                holder="bench",
                ttl=_TTL,
                allowed_hosts=["console.example:443"],
            )
            if row.state is not SandboxState.LEASED or not row.warm:
                raise AssertionError(f"not a grant of a warm sandbox: {row}")

    began = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(askers)))
    return count / (time.perf_counter() - began)


async def swaps(db: Database, ids: Sequence[str]) -> float:
    """The peer: as many compare-and-swaps of a row, and nothing else, a second."""

    async def swap(sandbox_id: str) -> None:
        async def work(tx: Transaction) -> None:
            await tx.execute(
                update(sandboxes)
                .where(sandboxes.c.id == sandbox_id, sandboxes.c.epoch == 0)
                .values(holder="peer")
            )

        await db.run(work)

    began = time.perf_counter()
    for each in ids:
        await swap(each)
    return len(ids) / (time.perf_counter() - began)


async def measured(count: int, options: argparse.Namespace, url: str) -> dict[str, Any]:
    """Everything for one N."""
    db = Database(url)
    try:
        await migrate(db, "proofwalk.sandbox_scheduler")
        shards = -(-count // options.shard_size)
        schedulers = min(shards, options.schedulers)
        experiment = Experiment(
            db,
            sandboxes=count,
            shard_size=options.shard_size,
            schedulers=schedulers,
            seed=options.seed,
        )
        began = time.perf_counter()
        ready = await experiment.until_ready()
        real = time.perf_counter() - began
        mine = await experiment.clusters[0].claim()
        at_rest = await loop_seconds(experiment, mine, churn=0.0, looks=options.looks)
        churning = await loop_seconds(experiment, mine, churn=0.05, looks=options.looks)
        # What nobody has seen for a while is not granted: all shards are looked at
        # again.
        await experiment.until_ready()
        rows = [
            row.id for row in await experiment.clusters[0].rows() if row.state is SandboxState.WARM
        ]
        granted = min(options.placements, len(rows) // 2)
        alone = await swaps(db, rows[-granted:])
        per_s = await placements(experiment, count=granted, askers=options.askers)
        return {
            "shards": shards,
            "schedulers": schedulers,
            "nodes": len(experiment.machines.nodes),
            "seconds_to_ready": round(ready, 1),
            "real_seconds_to_ready": round(real, 1),
            "loop_seconds": round(max(*at_rest, *churning), 4),
            "looks": {"at_rest": record.spread(at_rest), "churning": record.spread(churning)},
            "placements_per_s": round(per_s, 1),
            "swaps_per_s": round(alone, 1),
            "placement_to_swap": round(alone / per_s, 2),
        }
    finally:
        await db.close()


async def run(options: argparse.Namespace) -> None:
    # A line for each sandbox that crashes would be most of the work.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    load = Load.now()
    figures: dict[str, Any] = {}
    for count in options.sandboxes:
        with tempfile.TemporaryDirectory() as folder:
            url = options.database or f"sqlite:///{Path(folder)}/rows.sqlite3"
            figures[str(count)] = await measured(count, options, url)
            print(f"{count}: {figures[str(count)]}", file=sys.stderr)
    slowest = max(figure["loop_seconds"] for figure in figures.values())
    content = {
        **await record.head("scheduler", n=options.looks),
        "load": str(load),
        "asked": {
            "shard_size": options.shard_size,
            "askers": options.askers,
            "placements": options.placements,
            "period_s": _PERIOD_S,
            "database": "postgresql" if options.database else "sqlite",
            "seed": options.seed,
        },
        "figures": {**figures, "slowest_look_of_period": round(slowest / _PERIOD_S, 3)},
    }
    print(f"written to {record.write('scheduler', content)}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sandboxes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--shard-size", type=int, default=1_000)
    parser.add_argument("--schedulers", type=int, default=10)
    parser.add_argument("--looks", type=int, default=20)
    parser.add_argument("--placements", type=int, default=1_000)
    parser.add_argument("--askers", type=int, default=16)
    parser.add_argument("--database", default="")
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
