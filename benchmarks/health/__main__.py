"""`make bench-health`: are the tests whole, sharp and steady?

Three parts. **coverage**: lines and branches that the tests reach. **mutation**: how
many seeded mutants the near tests notice, of the packages that judge, guard and count
(`benchmarks.health.packages`); a survivor is listed with its place and its change, so
that a person can tell what is equivalent from what is not held by a test. **flakes**:
tests that were both green and red over runs in ten orders.

What is measured is kept below `build/health`; the same command goes on where it was
stopped, and `--minutes` bounds a call. It writes `benchmarks/results/health.json` when
all of it is there, and what there is to `build/health/results` until then. It ends with
0 if no package is below its score and no test is a flake.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import record
from benchmarks.health import covered, flakes, scores
from benchmarks.health.copies import fresh
from benchmarks.health.flakes import Flakes
from benchmarks.health.journal import Trial
from benchmarks.health.mutants import sample
from benchmarks.health.mutation import Workbench, trials
from benchmarks.health.packages import PACKAGES, Package
from benchmarks.health.scores import Score
from benchmarks.health.suite_runs import Scope
from benchmarks.record import Load
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.json_values import JsonObject, JsonValue

WORK = record.ROOT / "build" / "health"
COVERAGE, MUTATION, FLAKES = PARTS = ("coverage", "mutation", "flakes")
MUTANTS, RUNS, SEED = 100, 10, 26
_LONGEST_S = 72 * 3600.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a call is to measure, and until when."""

    parts: tuple[str, ...]
    scope: Scope
    packages: tuple[Package, ...]
    mutants: int
    runs: int
    until: float


def reports_of(scope: Scope) -> Path:
    """The folder for reports of these tests at this commit. Earlier reports of code
    that no commit has are thrown away."""
    commit = record.commit()
    folder = WORK / f"{commit}-{hashlib.sha256(repr(scope).encode()).hexdigest()[:8]}"
    if commit.endswith("-dirty"):
        shutil.rmtree(folder, ignore_errors=True)
    return folder


def mutation(plan: Plan) -> dict[str, Score]:
    """Each package's score."""
    bench = Workbench(tree=WORK / "tree", program=WORK / "venv" / "bin" / "cosmic-ray")
    fresh(record.ROOT, bench.tree)
    by_package: dict[str, Score] = {}
    for package in plan.packages:
        candidates = bench.candidates(package)
        chosen = sample(candidates, size=plan.mutants, seed=SEED)
        rows: list[Trial] = []
        for trial in trials(bench, package, chosen, WORK / "mutants.jsonl", until=plan.until):
            rows.append(trial)
            print(scores.line(trial), file=sys.stderr, flush=True)
        by_package[package.name] = Score(
            trials=tuple(rows), planned=len(chosen), candidates=len(candidates)
        )
    return by_package


def main() -> int:
    """0 when no target of what was measured is missed, 1 otherwise."""
    plan = _plan()
    before, folder = Load.now(), reports_of(plan.scope)
    reached = flaking = None
    by_package: dict[str, Score] = {}
    if COVERAGE in plan.parts:
        reached = covered.measure(
            plan.scope, record.ROOT, folder / COVERAGE, within_s=plan.until - time.monotonic()
        )
    if MUTATION in plan.parts:
        by_package = mutation(plan)
    if FLAKES in plan.parts:
        flaking = flakes.repeat(
            plan.scope, record.ROOT, folder / FLAKES, times=plan.runs, until=plan.until
        )
    figures = _figures(reached, by_package, flaking)
    content = {
        **asyncio.run(record.head("health", n=scores.measured([*by_package.values()]))),
        "planned": {"mutants": plan.mutants, "runs": plan.runs, "tests": [*plan.scope.tests]},
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
    }
    results = record.RESULTS if _is_whole(plan, reached, by_package, flaking) else WORK / "results"
    print(json.dumps(figures, indent=1, ensure_ascii=False))
    print(f"written to {record.write_part('health', content, folder=results)}")
    missed = any(score.is_missed for score in by_package.values())
    return 1 if missed or (flaking is not None and flaking.names) else 0


def _figures(
    reached: Path | None, by_package: Mapping[str, Score], flaking: Flakes | None
) -> JsonObject:
    figures: dict[str, JsonValue] = {}
    if reached is not None:
        figures["coverage"] = covered.figures_of(json.loads(reached.read_text(encoding="utf-8")))
    if by_package:
        figures["mutation"] = {name: score.to_json() for name, score in by_package.items()}
    if flaking is not None:
        figures["flake_rate"] = flaking.to_json()
    return figures


def _is_whole(
    plan: Plan, reached: Path | None, by_package: Mapping[str, Score], flaking: Flakes | None
) -> bool:
    return (
        not plan.scope.tests
        and reached is not None
        and set(by_package) == {package.name for package in PACKAGES}
        and all(score.is_complete for score in by_package.values())
        and plan.mutants >= MUTANTS
        and flaking is not None
        and flaking.runs >= RUNS
    )


def _plan() -> Plan:
    names = {package.name: package for package in PACKAGES}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--marks", default="not long", help="the tests that count, by marker")
    parser.add_argument("--workers", type=int, default=2, help="processes that tests run in")
    parser.add_argument("--tests", nargs="+", default=(), help="only those at these paths")
    parser.add_argument("--packages", nargs="+", choices=[*names], default=[*names])
    parser.add_argument("--mutants", type=int, default=MUTANTS, help="of each package")
    parser.add_argument("--runs", type=int, default=RUNS, help="in which flakes are looked for")
    parser.add_argument("--minutes", type=float, default=_LONGEST_S / 60, help="stop after so long")
    options = parser.parse_args()
    scope = Scope(tests=tuple(options.tests), marks=options.marks, workers=options.workers)
    return Plan(
        parts=tuple(options.parts),
        scope=scope,
        packages=tuple(names[name] for name in options.packages),
        mutants=options.mutants,
        runs=options.runs,
        until=time.monotonic() + options.minutes * 60,
    )


if __name__ == "__main__":
    raise SystemExit(main())
