"""The flake rate: the same tests run again and again, each time in another order.

A test is a flake if it was green in one run and red in another of the same code. One
that is red in every run is broken, which is another matter. A first failure counts,
though `make test` asks again what failed beside other tests.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.health.suite_runs import Colour, Scope, colours, run
from benchmarks.record import share
from proofwalk.kernel.json_values import JsonObject


@dataclass(frozen=True, kw_only=True)
class Flakes:
    """How often each test was of which colour."""

    runs: int
    green: Counter[str]
    red: Counter[str]

    @classmethod
    def of(cls, reports: Sequence[Mapping[str, Colour]]) -> Flakes:
        green, red = Counter[str](), Counter[str]()
        for report in reports:
            for name, colour in report.items():
                (green if colour is Colour.GREEN else red)[name] += 1
        return cls(runs=len(reports), green=green, red=red)

    @property
    def names(self) -> list[str]:
        """The tests of both colours."""
        return sorted(self.green.keys() & self.red.keys())

    def to_json(self) -> JsonObject:
        tests = self.green.keys() | self.red.keys()
        return {
            "runs": self.runs,
            "tests": len(tests),
            "rate": share(len(self.names), len(tests)),
            "flakes": {
                name: f"red in {self.red[name]} of {self.red[name] + self.green[name]}"
                for name in self.names
            },
            "always_red": sorted(self.red.keys() - self.green.keys()),
        }


def repeat(scope: Scope, root: Path, folder: Path, *, times: int, until: float) -> Flakes:
    """Runs by the seeds 1, 2, …: those whose report is in `folder`, and new ones as far
    as the time goes. A run that was cut off leaves no report."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(1, times + 1):
        report, unfinished = folder / f"{seed}.xml", folder / f"unfinished-{seed}.xml"
        if report.is_file():
            continue
        if (left_s := until - time.monotonic()) <= 0:
            break
        program = [sys.executable, "-m", "pytest", *scope.arguments(unfinished, seed=seed)]
        if run(program, root, within_s=left_s) and unfinished.is_file():
            unfinished.rename(report)
    reports = [path for path in folder.glob("*.xml") if path.stem.isdigit()]
    return Flakes.of([colours(path.read_text(encoding="utf-8")) for path in reports])
