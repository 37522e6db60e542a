"""`make bench-judges`: how often the consensus of two judges is wrong, and how much it
excludes, against what their own rates say that it should.

Trajectories with a known truth (`trajectories`) go through the reward service's panel,
with two endpoints that are wrong at rates of their own by class (`erring`): once
independently, once with a share of trajectories on which both go by one draw. The rates
stand for models and are none's. What is measured is that the panel makes of two answers
what Eq. 1 says (AliyunConsoleAgent §5.2), through HTTP, reading, quotes and storing;
and what that comes to: the error among what is told, the share that is excluded, and
how both change when the judges err alike.

It writes `benchmarks/results/judges.json`; a part (`--sample`) goes to
`build/bench/results`. It ends with 0 if the theory lies in the 95 % intervals of all
trajectories of both arms, and every label is what the task's rule says. A part misses
one of the four intervals by chance about once in five.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import structlog

from benchmarks import record
from benchmarks.judges.court import Judged, judge_all
from benchmarks.judges.erring import FAMILIES, RATES, Draws
from benchmarks.judges.theory import Expected, expected, together
from benchmarks.judges.trajectories import Kind, labelled
from benchmarks.record import Load
from proofwalk.suites.storage import load_suite

SUITE = record.ROOT / "suites" / "console-278"
PARTS = record.ROOT / "build" / "bench" / "results"
SEED = 20261128
OF_EACH = 180
"""Trajectories of each class; the rarest, reversed operations, has 187."""
SHARED = 0.4
Figures = dict[str, Any]


def figures_of(rows: Sequence[Judged], theory: Expected) -> Figures:
    """What was told wrong of what was told, and what was excluded, beside the
    theory."""
    decided = [row for row in rows if row.succeeded is not None]
    wrong = sum(row.succeeded is not row.trajectory.succeeded for row in decided)
    return {
        "n": len(rows),
        "ensemble_error": record.share(wrong, len(decided)),
        "excluded": record.share(len(rows) - len(decided), len(rows)),
        "judge_error": {
            family: record.share(sum(is_wrong(row, family) for row in rows), len(rows))
            for family in FAMILIES
        },
        "theory": {
            "ensemble_error": round(theory.ensemble_error, 4),
            "excluded": round(theory.excluded, 4),
        },
    }


def is_wrong(row: Judged, family: str) -> bool:
    """Whether a judge said what is not so."""
    return row.verdicts[family] != ("success" if row.trajectory.succeeded else "failure")


def of_arm(rows: Sequence[Judged], *, shared: float) -> Figures:
    """The figures of an arm, and of each class in it."""
    by_kind = {kind: [row for row in rows if row.trajectory.kind is kind] for kind in Kind}
    theories = {
        kind: expected(RATES[kind], len(some), shared=shared) for kind, some in by_kind.items()
    }
    return {
        **figures_of(rows, together(theories.values())),
        "classes": {
            kind.value: {
                "rates": [RATES[kind].first, RATES[kind].second],
                **figures_of(some, theories[kind]),
            }
            for kind, some in by_kind.items()
        },
    }


def in_interval(figures: Figures, name: str) -> bool:
    """Whether the theory lies in the interval of what was measured."""
    measured = figures[name]
    if measured["value"] is None:
        return False
    return bool(measured["low"] <= figures["theory"][name] <= measured["high"])


async def run(of_each: int) -> Figures:
    """The whole result."""
    # The panel logs each judgement; the figures are what is looked at here.
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    began, before = time.monotonic(), Load.now()
    made = labelled(load_suite(SUITE).tasks, of_each=of_each, seed=SEED)
    arms: dict[str, Figures] = {}
    for name, shared in (("independent", 0.0), ("correlated", SHARED)):
        draws = Draws(seed=SEED, shared=shared)
        with tempfile.TemporaryDirectory(prefix="bench-judges-") as scratch:
            rows = await judge_all(made.trajectories, draws, Path(scratch))
        arms[name] = of_arm(rows, shared=shared)
    whole = [(arm, name) for arm in arms.values() for name in ("ensemble_error", "excluded")]
    parts = [
        (part, name)
        for arm in arms.values()
        for part in arm["classes"].values()
        for name in ("ensemble_error", "excluded")
    ]
    figures = {
        **arms["independent"],
        "correlated": {"shared": SHARED, **arms["correlated"]},
        "labels_that_the_rule_does_not_confirm": record.judged(made.not_confirmed, at_most=0),
        "intervals_with_the_theory": record.judged(
            sum(in_interval(*one) for one in whole), at_least=len(whole)
        ),
        "class_intervals_with_the_theory": {
            "count": sum(in_interval(*one) for one in parts),
            "of": len(parts),
        },
    }
    return {
        **await record.head("judges", n=len(made.trajectories)),
        "load": {"before": str(before), "after": str(Load.now())},
        "seconds": round(time.monotonic() - began, 1),
        "seed": SEED,
        "figures": figures,
    }


def main() -> int:
    """0 when the targets are met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sample", type=int, default=0, help="so many trajectories of each class; 0: all"
    )
    options = parser.parse_args()
    content = asyncio.run(run(options.sample or OF_EACH))
    print(json.dumps(content["figures"], indent=2))
    folder = PARTS if options.sample else record.RESULTS
    print(record.write_part("judges", content, folder=folder))
    judgements = [one for one in content["figures"].values() if isinstance(one, dict)]
    return 0 if all(one["met"] for one in judgements if "met" in one) else 1


if __name__ == "__main__":
    raise SystemExit(main())
