"""`make bench-soak`: does anything grow while an installation works for a long time?

All roles apart, on PostgreSQL, with real browsers; two tenants ask for the example's
quickest document again and again, replayed from its compiled walk. After every 50 jobs
the sizes are looked at: each role's memory, descriptors and threads, Redis' keys and
memory, and the rows of each table. `slopes` tells what grows, per 1,000 jobs. Rows of
verifications, their events and steps grow by design: they are the history. What is not
history must not grow, and at the end nothing may be left (`left`).

A soak is one installation's life, so that a run that is stopped begins anew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks import record
from benchmarks.chaos.cluster import ACCOUNTS, Build, Cluster
from benchmarks.chaos.members import REDIS, ROLES
from benchmarks.chaos.rows import Reader
from benchmarks.chaos.starting import start_all
from benchmarks.record import ROOT, Load
from benchmarks.soak.slopes import Look, slopes
from proofwalk.chassis.redis_connections import connect
from proofwalk.cli.documents import asked_of
from proofwalk.cli.order_options import Given
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.order import Order
from proofwalk.platform.client import Client

DOCUMENT = ROOT / "examples" / "docs" / "01-vpc-create-vpc.md"
JOBS, EVERY = 10_000, 50
TENANTS = ("ant", "bee")
_POLL_S, _JOB_S, _REST_S = 0.2, 300.0, 120.0
_TABLES = "select relname, n_live_tup from pg_stat_user_tables"


class Soak:
    """An installation at work, and what was seen of it."""

    def __init__(self, cluster: Cluster, jobs: int) -> None:
        self._cluster = cluster
        self._reader = Reader(cluster)
        self._jobs = jobs
        self._taken = 0
        self._looking = asyncio.Lock()
        self.outcomes: Counter[str] = Counter()
        self.looks: list[Look] = []

    async def work(self) -> None:
        """All jobs, as many at a time as there are accounts."""
        async with asyncio.TaskGroup() as group:
            for number in range(ACCOUNTS):
                group.create_task(self._one_after_another(TENANTS[number % len(TENANTS)]))

    async def left(self) -> Sequence[str]:
        """What is there after the time to settle."""
        return await self._reader.settled(within_s=_REST_S)

    async def _one_after_another(self, tenant: str) -> None:
        order = Order(target="devcloud", attempts=3, policy="replay")
        request = await asyncio.to_thread(asked_of, str(DOCUMENT), Given(order=order))
        async with self._cluster.client(tenant) as client:
            while self._taken < self._jobs:
                self._taken += 1
                made = await client.create(request, key=f"soak-{self._taken}")
                self.outcomes[await _outcome(client, made["verification_id"])] += 1
                if (done := self.outcomes.total()) % EVERY == 0:
                    await self._look(done)

    async def _look(self, jobs: int) -> None:
        async with self._looking:
            sizes: dict[str, float] = {}
            for role in (*ROLES, REDIS):
                sizes |= {
                    f"{role}.{name}": size for name, size in self._cluster.sizes(role).items()
                }
            tables = await self._reader.fetch("rollout", _TABLES)
            sizes |= {f"rows.{row['relname']}": float(row["n_live_tup"]) for row in tables}
            redis = connect(f"unix://{self._cluster.socket_of(REDIS)}")
            try:
                sizes["redis.keys"] = float(await redis.dbsize())
            finally:
                await redis.aclose()
            self.looks.append(Look(jobs=jobs, sizes=sizes))
            print(f"{jobs}: {dict(self.outcomes)}", file=sys.stderr, flush=True)


async def _outcome(client: Client, verification_id: str) -> str:
    """How a job ended; `late` if it did not."""
    end = time.monotonic() + _JOB_S
    while time.monotonic() < end:
        try:
            found = await client.get(verification_id)
        except ProofwalkError as error:
            return f"error {error.code}"
        if found["state"] == "finished":
            return str(found["verdict"]["outcome"])
        await asyncio.sleep(_POLL_S)
    return "late"


async def measure(jobs: int) -> dict[str, Any]:
    """The figures of so many jobs."""
    with Cluster(Build(postgres=True, tenants=TENANTS)) as cluster:
        await start_all(cluster)
        soak, began = Soak(cluster, jobs), time.monotonic()
        await soak.work()
        seconds = time.monotonic() - began
        left = await soak.left()
    grown = slopes(soak.looks)
    first, last = soak.looks[0].sizes, soak.looks[-1].sizes
    return {
        "jobs": soak.outcomes.total(),
        "outcomes": dict(soak.outcomes),
        "jobs_an_hour": round(soak.outcomes.total() / seconds * 3600),
        "left": list(left),
        "per_1000_jobs": dict(sorted(grown.items())),
        "first": {name: first[name] for name in sorted(first)},
        "last": {name: last[name] for name in sorted(last)},
    }


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=JOBS)
    asked = parser.parse_args()
    before = Load.now()
    figures = await measure(max(asked.jobs, 2 * EVERY))
    print(json.dumps(figures, indent=1))
    content = {
        **await record.head("soak", n=figures["jobs"]),
        "planned": JOBS,
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
    }
    folder = record.RESULTS if asked.jobs >= JOBS // 10 else ROOT / "build" / "soak"
    print(record.write_part("soak", content, folder=folder))


if __name__ == "__main__":
    asyncio.run(main())
