"""`make bench-curriculum BENCHFLAGS=COLLECTION`: can the tasks be done that are made of
what a policy failed at?

It writes `benchmarks/results/curriculum.json`. Tasks are evolved from the failures of a
collection or of a run of training (`proofwalk data curriculum`), and the oracle walks
all of them, or a sample that the seed draws. `feasible` counts those that it verified
and whose rule confirms what it left in the log; `share` is of those that were walked,
with Wilson's interval. `made` is before any walk, and nobody chose tasks by whether
they can be walked: what fails here is what `--without` leaves out. `dropped` counts
what was never a task, by the reason. Values are not filtered here; a critic would drop
tasks, and change none.

Rows are kept as they come, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from benchmarks import record
from proofwalk.experiments.bench import proof
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import run_all
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.platform.curriculum import Curriculum, evolved, walked_in
from proofwalk.platform.judging import judging
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.platform.suites import SUITES
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Task

_JOURNALS = record.ROOT / "build" / "curriculum"
_SUITE = "evolved"


def drawn(tasks: Sequence[Task], number: int, seed: int) -> list[Task]:
    """The tasks that are walked: so many of them, or all for 0."""
    if not number or number >= len(tasks):
        return list(tasks)
    return sorted(Random(f"{seed}/sample").sample(tasks, number), key=lambda task: task.id)


def figures_of(curriculum: Curriculum, rows: Sequence[Row]) -> JsonObject:
    """What was made, and how much of what was walked can be done."""
    evolution = curriculum.evolution
    feasible = [row for row in rows if row.passed and row.extra.get("confirmed")]
    walked = record.share(len(feasible), len(rows))
    proven = proof.figures_of(rows, len(rows))
    ways = {task.id: task.origin.changes[-1] for task in evolution.tasks if task.origin}
    return {
        "failed_at": len(curriculum.walked.failures),
        "parents": len(evolution.parents),
        "made": len(evolution.tasks),
        "walked": len(rows),
        "feasible": len(feasible),
        "share": walked["value"],
        "low": walked["low"],
        "high": walked["high"],
        "by_way": dict(evolution.by_way),
        "feasible_by_way": dict(Counter(ways[row.task] for row in feasible)),
        "dropped": {drop.value: count for drop, count in evolution.dropped.items()},
        "near_misses": proven["near_misses"],
        "accepted_wrong": proven["near_misses"] - proven["near_misses_rejected"],
        "failures": dict(Counter(row.failure for row in rows if not row.passed)),
        "seconds": record.spread([row.seconds for row in rows]),
    }


async def run(options: argparse.Namespace) -> None:
    walked = await asyncio.to_thread(walked_in, options.source, SystemClock())
    curriculum = await asyncio.to_thread(
        evolved,
        walked,
        options.count,
        suite_id=_SUITE,
        seed=options.seed,
        folder=record.ROOT / SUITES,
    )
    tasks = drawn(curriculum.suite.tasks, options.sample, options.seed)
    print(f"{len(curriculum.suite.tasks)} tasks made, {len(tasks)} walked", flush=True)
    head = await record.head("curriculum", n=len(tasks))
    about = {"suite": _SUITE, "seed": options.seed, "commit": head["commit"]}
    journal = Journal(_JOURNALS / f"{head['commit']}.{options.seed}.jsonl", run=about, resume=True)
    async with laboratory(read_settings(), folder=WORK, parallel=options.parallel) as place:
        rows = await run_all(
            place,
            proof.works_of(tasks, oracle_alone=True),
            journal,
            parallel=options.parallel,
            ids=RandomIds(SystemClock()),
            progress=_told,
            examine=proof.Examiner(place, judging=judging),
        )
    figures = figures_of(curriculum, rows)
    print(json.dumps(figures, indent=1))
    print(f"Written: {record.write('curriculum', {**head, 'figures': figures})}")


def _told(row: Row, done: int, total: int) -> None:
    end = "verified" if row.passed else f"{row.failure}: {row.reason}"
    print(f"[{done}/{total}] {row.task}: {end} ({row.seconds:.0f} s)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.curriculum",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "source", type=Path, help="a collection, or the folder of a run of training"
    )
    parser.add_argument("--count", type=int, default=220, help="tasks to make")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=0, help="the oracle walks so many; 0: all")
    parser.add_argument("--parallel", type=int, default=3)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
