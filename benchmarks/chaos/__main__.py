"""`make chaos`: does anything that may fail change a verdict, lose a job or leave
something behind?

Rounds of jobs and faults (`rounds`) follow one another until 300 faults have been
*effective* (`effects`); only those count. A round is journalled for the commit that it
measured when it is over; the same command goes on where it was stopped, and `--minutes`
bounds a call. It writes `benchmarks/results/chaos.json` when enough faults are there,
and what there is to `build/chaos/results` until then. It ends with 0 if nothing broke.

Faults that this machine cannot do (a disk of one's own needs the right to mount, a
moved clock libfaketime) are left out, and named in the result.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from pathlib import Path

from benchmarks import record
from benchmarks.chaos.cluster import FAKETIME
from benchmarks.chaos.counting import Kept, figures_of, keep, read
from benchmarks.chaos.faults import FaultKind, deal
from benchmarks.chaos.jobs import plan_jobs
from benchmarks.chaos.rounds import BLOB_MB, Round, run_round
from benchmarks.record import Load
from proofwalk.kernel.clock import SystemClock

WORK = record.ROOT / "build" / "chaos"
EFFECTIVE = 300
JOBS, FAULTS = 8, 10
SEED = 27


def impossible() -> tuple[FaultKind, ...]:
    """Kinds of fault that this machine cannot do."""
    no_clock = () if FAKETIME.is_file() else (FaultKind.CLOCK,)
    return no_clock if os.geteuid() == 0 else (*no_clock, FaultKind.DISK_FULL)


def plan_round(number: int, without: tuple[FaultKind, ...]) -> Round:
    """The round of a number."""
    return Round(
        number=number,
        jobs=plan_jobs(SEED * 10_000 + number, many=JOBS),
        faults=deal(SEED, first=number * FAULTS, many=FAULTS, without=without),
        blob_mb=0 if FaultKind.DISK_FULL in without else BLOB_MB,
    )


async def _more(journal: Path, known: list[Kept], *, until: float, rounds: int) -> None:
    without = impossible()
    while sum(one.effective for one in known) < EFFECTIVE and time.monotonic() < until:
        if rounds and len(known) >= rounds:
            return
        number = max((one.number for one in known), default=-1) + 1
        result = await run_round(plan_round(number, without), WORK)
        known.append(keep(journal, result))
        print(f"round {number}: {known[-1].told()}", file=sys.stderr, flush=True)


def main() -> int:
    """0 when nothing broke, 1 otherwise."""
    options = _options()
    head = asyncio.run(record.head("chaos", n=0))
    journal = WORK / f"{head['commit']}.jsonl"
    before = Load.now()
    until = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    known = read(journal)
    asyncio.run(_more(journal, known, until=until, rounds=options.rounds))
    figures = figures_of(known)
    content = {
        **head,
        "n": figures["effective_faults"],
        "seed": SEED,
        "not_done": list(impossible()),
        "jobs_a_round": JOBS,
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
    }
    whole = figures["effective_faults"] >= EFFECTIVE
    folder = record.RESULTS if whole else WORK / "results"
    print(json.dumps(figures, indent=1))
    print(f"written to {record.write_part('chaos', content, folder=folder)}")
    return 1 if figures["violations"] else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=0, help="stop when so many are there")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="stop after so long; the command goes on later"
    )
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
