"""`make bench-skips`: does anything end *verified* although one instruction of its
document was not read?

Each walk is the literal policy's, on a console as it is, of a document of `singles` in
which one instruction is said in words that a grammar may lack (`forms`, `documents`);
in every second walk the rule is taken away. `counting` says what a skip is. The
generated suite lies in build/skips/suite, rows are journalled as they come: the same
command goes on where an earlier one was stopped (`--anew` begins again), and every call
writes the result of all rows that there are: to build/skips/results where a `--sample`
was asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import record
from benchmarks.record import ROOT, Load
from benchmarks.skips import evidence
from benchmarks.skips.counting import figures_of, told
from benchmarks.skips.documents import SOURCE, SUITE, Change, planned
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Work, run_all
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.platform.suites import suite_of
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite

WORK = ROOT / "build" / "skips"
WALKS = 400
SEED = 20261123
POLICY, LEVEL = "literal", "calm"


async def run(
    changes: Sequence[Change], *, seed: int, parallel: int, minutes: float, anew: bool
) -> list[Row]:
    """The rows of these changes, as far as they come within `minutes` (0: no bound)."""
    by_id = {change.task.id: change for change in changes}
    about = {"benchmark": SUITE, "seed": seed, "policy": POLICY, "level": LEVEL}
    journal = Journal(WORK / "rows.jsonl", run=about, resume=not anew)
    works = [Work(task=change.walked, policy=POLICY, run=1, level=LEVEL) for change in changes]
    home = WORK / f"home-{os.getpid()}"

    def say(row: Row, done: int, total: int) -> None:
        print(f"{done}/{total} {told(row, by_id[row.task])}", file=sys.stderr, flush=True)

    async with laboratory(read_settings(), folder=WORK, parallel=parallel, home=home) as place:

        async def examine(work: Work, verification: Mapping[str, Any]) -> Mapping[str, Any]:
            return await evidence.look(place, home, by_id[work.task.id], verification)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(minutes * 60 or None):
                await run_all(
                    place,
                    works,
                    journal,
                    parallel=parallel,
                    ids=RandomIds(SystemClock()),
                    progress=say,
                    examine=examine,
                )
    return journal.rows(work.key for work in works)


def _written(changes: Sequence[Change], seed: int) -> None:
    """The changed documents, to be looked at and to be run one by one."""
    folder = WORK / "suite"
    shutil.rmtree(folder, ignore_errors=True)
    tasks = tuple(sorted((change.task for change in changes), key=lambda task: task.id))
    write_suite(Suite(id=SUITE, version=1, seed=seed, tasks=tasks), folder)


def main() -> int:
    """0 when no walk skipped anything in silence, 1 when one did, 3 when nothing could
    be run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sample", type=int, default=0, help=f"the first so many of the {WALKS} walks; 0: all"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="of documents and forms")
    parser.add_argument("--parallel", type=int, default=2, help="walks at a time")
    parser.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="stop after so long; the same command goes on later",
    )
    parser.add_argument("--anew", action="store_true", help="forget the rows that there are")
    options = parser.parse_args()
    changes = planned(suite_of(SOURCE, ROOT / "suites").tasks, walks=WALKS, seed=options.seed)
    changes = changes[: options.sample or None]
    _written(changes, options.seed)
    before = Load.now()
    try:
        rows = asyncio.run(
            run(
                changes,
                seed=options.seed,
                parallel=options.parallel,
                minutes=options.minutes,
                anew=options.anew,
            )
        )
    except ProofwalkError as error:
        print(error, file=sys.stderr)
        return 3
    content = {
        **asyncio.run(record.head("skips", n=len(rows))),
        "planned": WALKS,
        "seed": options.seed,
        "policy": POLICY,
        "level": LEVEL,
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures_of(rows, changes),
    }
    path = (
        record.write("skips", content)
        if not options.sample
        else record.write_part("skips", content, folder=WORK / "results")
    )
    figures = content["figures"]
    print(f"{figures}\nwritten to {path}", file=sys.stderr)
    return 3 if not rows else 1 if figures["skips"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
