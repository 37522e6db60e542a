"""`make bench-upgrade`: can releases be replaced role by role, forth and back, while
verifications are under way?

An installation of all roles apart, on PostgreSQL, with real browsers, is begun with the
release before this one (`releases`). It is brought to this one, to the one made up
after it, and back to this one, each role for itself (`rolling`), while two tenants have
documents verified without a pause (`traffic`). Afterwards the history is checked as a
round of chaos is: no job lost, none decided twice, no wrong verdict, nothing left.

`before`: roles of two releases stood beside each other in every step but the last of a
move. `failed_calls` counts answers to clients that were no success, by code;
`not_retryable` those among them that a client could not have repeated. A run is one
installation's life (a quarter of an hour), and begins anew when it is stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks import record
from benchmarks.chaos.checks import Record, untold, violations
from benchmarks.chaos.cluster import Build, Cluster
from benchmarks.chaos.history import Entry, History, Said
from benchmarks.chaos.jobs import TENANTS
from benchmarks.chaos.rows import Reader, Rows
from benchmarks.chaos.starting import start_all
from benchmarks.record import Load
from benchmarks.upgrade.releases import Release, checked_out, commit_before, made_up_after
from benchmarks.upgrade.rolling import Move, move
from benchmarks.upgrade.traffic import Traffic

WORK = record.ROOT / "build" / "upgrade"
_REST_S = 120.0


async def measure(before: Release, way: Sequence[Release]) -> tuple[Sequence[Move], Record]:
    """Bring an installation of `before` along the way. Raises AssertionError with the
    logs where a release does not start."""
    history = History(WORK / "history.jsonl")
    build = Build(postgres=True, tenants=TENANTS, tree=before.folder)
    with Cluster(build) as cluster:
        await start_all(cluster)
        traffic = Traffic(cluster.client, history)
        moves = []
        async with asyncio.TaskGroup() as group:
            group.create_task(traffic.flow())
            for release in way:
                moves.append(await move(cluster, release, traffic))
            traffic.stop()
        reader = Reader(cluster)
        left = await reader.settled(within_s=_REST_S)
        rows: Rows = await reader.all()
    return moves, Record(jobs=traffic.jobs, entries=history.entries, rows=rows, left=left)


def figures_of(moves: Sequence[Move], seen: Record) -> dict[str, Any]:
    """What the run showed."""
    steps = [step for one in moves for step in one.steps]
    away = sorted(step.away_s for step in steps)
    failed = _failed(seen.entries)
    return {
        "moves": len(moves),
        "steps": len(steps),
        "jobs": len(seen.jobs),
        "verified": sum(row["outcome"] == "verified" for row in seen.rows.verifications),
        "told": len(seen.jobs) - sum(untold(seen).values()),
        "untold": dict(untold(seen)),
        "violations": len(violations(seen)),
        "ran_on_later_tables": len(moves[-1].ran_on_later),
        "away_median_s": away[len(away) // 2],
        "away_longest_s": away[-1],
        "failed_calls": dict(Counter(str(one.about["code"]) for one in failed)),
        "not_retryable": sum(not one.about["retryable"] for one in failed),
    }


def _failed(entries: Sequence[Entry]) -> Sequence[Entry]:
    return [one for one in entries if one.said is Said.FAILED]


def main() -> int:
    """0 when nothing broke, 1 otherwise."""
    options = _options()
    head = asyncio.run(record.head("upgrade", n=0))
    load = Load.now()
    WORK.mkdir(parents=True, exist_ok=True)
    before = checked_out("before", options.before or commit_before(), WORK)
    this = checked_out("this", "HEAD", WORK)
    after = made_up_after(this, WORK)
    moves, seen = asyncio.run(measure(before, [this, after, this]))
    figures = figures_of(moves, seen)
    content = {
        **head,
        "n": figures["steps"],
        "before": before.commit,
        "load": [str(load), str(Load.now())],
        "figures": figures,
        "violations": list(violations(seen)),
        "moves": [asdict(one) for one in moves],
    }
    print(json.dumps(figures, indent=1))
    print(record.write("upgrade", content), file=sys.stderr)
    return 1 if figures["violations"] or figures["not_retryable"] else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", default="", help="the earlier release's revision in git")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
