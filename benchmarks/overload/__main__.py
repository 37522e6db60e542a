"""`make bench-overload`: what becomes of an installation that is asked for five times
as much as it can do?

Three phases of one installation with real browsers on PostgreSQL, all roles apart:

1. *peak*: a tenant keeps six verifications unfinished; so many are verified a minute;
2. *overload*: it asks for five times that rate without looking at the answers, and
   reads at five times the rate that its key may; another tenant asks for one after the
   other;
3. *after*: nobody asks until all is done, and then as in the first phase.

`goodput_ratio` is what was verified a minute in the second phase over the first,
`after_ratio` the third over the first. Everything that was not taken has to be a 429
that says when to come again (`others`, `without_a_time`); memory is the resident set
of each role's process. `neighbour` is how long the other tenant's verifications took,
beside how long one took that had the installation to itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Mapping
from typing import Any

from benchmarks import record
from benchmarks.chaos.cluster import Build, Cluster
from benchmarks.chaos.members import ROLES
from benchmarks.chaos.rows import Reader
from benchmarks.chaos.starting import start_all
from benchmarks.overload.crowds import REFUSED, TAKEN, Tenant, at_a_rate, one_after_another
from benchmarks.record import ROOT, Load
from proofwalk.cli.documents import asked_of
from proofwalk.cli.order_options import Given
from proofwalk.orders.body import to_body
from proofwalk.orders.order import Order

DOCUMENT = ROOT / "examples" / "docs" / "01-vpc-create-vpc.md"
UNFINISHED, TIMES, READS_PER_S = 12, 5, 20
IN_HAND = 6
_SETTINGS = {
    "GATEWAY__LIMITS__UNFINISHED_JOBS": str(UNFINISHED),
    "GATEWAY__LIMITS__REQUESTS_PER_S": str(READS_PER_S),
    "GATEWAY__LIMITS__BURST": str(READS_PER_S),
}
_LOOK_S, _DRAIN_S = 1.0, 600.0


class Place:
    """A running installation with its tenants."""

    def __init__(self, cluster: Cluster, seconds: float) -> None:
        self._cluster = cluster
        self._reader = Reader(cluster)
        self._seconds = seconds
        server = f"http://127.0.0.1:{cluster.gateway_port}"
        asked = asked_of(str(DOCUMENT), Given(order=Order(target="devcloud", attempts=3)))
        body: Any = to_body(asked)
        self.greedy = Tenant(server, cluster.keys["greedy"], body)
        self.reader = Tenant(server, cluster.keys["reader"], body)
        self.modest = Tenant(server, cluster.keys["modest"], body)

    async def verified(self) -> int:
        """How many have been verified so far."""
        query = "select count(*) as n from rollout_verifications where outcome = 'verified'"
        return int((await self._reader.fetch("rollout", query))[0]["n"])

    async def unfinished(self) -> int:
        """How many wait or are worked on."""
        query = "select count(*) as n from rollout_verifications where state <> 'finished'"
        return int((await self._reader.fetch("rollout", query))[0]["n"])

    def memory(self) -> Mapping[str, float]:
        """Resident megabytes of each role's process."""
        return {role: self._cluster.sizes(role)["mb"] for role in ROLES}

    async def peak(self) -> float:
        """Verified a minute while `IN_HAND` are always unfinished."""
        until = asyncio.get_running_loop().time() + self._seconds
        before, began = await self.verified(), time.monotonic()
        async with asyncio.TaskGroup() as group:
            for _ in range(IN_HAND):
                group.create_task(one_after_another(self.greedy, until=until))
            rate = group.create_task(self._rate(before, began, until))
        return await rate

    async def overload(self, peak: float) -> tuple[float, list[float]]:
        """Verified a minute at `TIMES` the peak, and how long the neighbour's took."""
        until = asyncio.get_running_loop().time() + self._seconds
        before, began = await self.verified(), time.monotonic()
        asking = at_a_rate(self.greedy.create, per_s=peak * TIMES / 60, until=until)
        reading = at_a_rate(self.reader.read, per_s=READS_PER_S * TIMES, until=until)
        async with asyncio.TaskGroup() as group:
            group.create_task(asking)
            group.create_task(reading)
            beside = group.create_task(one_after_another(self.modest, until=until))
            rate = group.create_task(self._rate(before, began, until))
        return await rate, await beside

    async def drained_s(self) -> float:
        """Seconds until nothing is unfinished."""
        began = time.monotonic()
        while await self.unfinished():
            if time.monotonic() > began + _DRAIN_S:
                raise AssertionError(f"not done after {_DRAIN_S:g} s:\n{self._cluster.logs()}")
            await asyncio.sleep(_LOOK_S)
        return round(time.monotonic() - began, 1)

    async def _rate(self, before: int, began: float, until: float) -> float:
        await asyncio.sleep(max(0.0, until - asyncio.get_running_loop().time()))
        return (await self.verified() - before) / (time.monotonic() - began) * 60


async def measure(seconds: float) -> dict[str, Any]:
    """The figures, from phases of so many seconds."""
    build = Build(postgres=True, tenants=("greedy", "modest", "reader"), settings=_SETTINGS)
    with Cluster(build) as cluster:
        await start_all(cluster)
        place = Place(cluster, seconds)
        async with place.greedy, place.modest, place.reader:
            alone = await one_after_another(place.modest, until=_in(seconds / 3))
            at_rest = place.memory()
            peak = await place.peak()
            drained_before = await place.drained_s()
            place.greedy.answers = type(place.greedy.answers)()
            beyond, beside = await place.overload(peak)
            at_worst = place.memory()
            refused, drained = place.greedy.answers, await place.drained_s()
            place.greedy.answers = type(place.greedy.answers)()
            after = await place.peak()
            await place.drained_s()
            at_last = place.memory()
    reads = place.reader.answers
    return {
        "peak_per_min": round(peak, 2),
        "overload_per_min": round(beyond, 2),
        "after_per_min": round(after, 2),
        "goodput_ratio": round(beyond / peak, 3) if peak else None,
        "after_ratio": round(after / peak, 3) if peak else None,
        "asked": sum(refused.statuses.values()),
        "taken": refused.statuses[TAKEN],
        "refused": refused.statuses[REFUSED],
        "reads": dict(sorted(reads.statuses.items())),
        "others": refused.others(TAKEN, REFUSED) + reads.others(200, REFUSED),
        "without_a_time": refused.without_a_time + reads.without_a_time,
        "refusal_ms": _milliseconds([*refused.refusal_s, *reads.refusal_s]),
        "neighbour_s": {"alone": _median(alone), "beside": _median(beside)},
        "drained_s": {"after_peak": drained_before, "after_overload": drained},
        "resident_mb": {
            role: {"rest": at_rest[role], "overload": at_worst[role], "after": at_last[role]}
            for role in ROLES
        },
    }


def _in(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


def _median(values: list[float]) -> float | None:
    return round(statistics.median(values), 1) if values else None


def _milliseconds(seconds: list[float]) -> dict[str, float | None]:
    ordered = sorted(seconds)
    if len(ordered) < 2:
        return {"p50": None, "p99": None}
    cuts = statistics.quantiles(ordered, n=100, method="inclusive")
    return {"p50": round(cuts[49] * 1000, 1), "p99": round(cuts[98] * 1000, 1)}


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=300.0, help="of each phase")
    asked = parser.parse_args()
    before = Load.now()
    figures = await measure(asked.seconds)
    print(json.dumps(figures, indent=1))
    if asked.seconds < 300:
        return
    content = {
        **await record.head("overload", n=figures["asked"]),
        "seconds_a_phase": asked.seconds,
        "times": TIMES,
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
    }
    print(record.write("overload", content))


if __name__ == "__main__":
    asyncio.run(main())
