"""Coverage: lines and branches of our code that the tests reach, by coverage.py.

Its settings stand in pyproject.toml. Processes that tests start are measured, too,
where coverage's own hook is installed with it; what a SIGKILL ends leaves nothing.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.health.copies import environment
from benchmarks.health.suite_runs import Scope, run
from proofwalk.kernel.json_values import JsonObject, JsonValue, int_of, object_of

_SEED = 0


@dataclass(frozen=True, kw_only=True)
class Count:
    """What was reached of what there is."""

    lines: int = 0
    of_lines: int = 0
    branches: int = 0
    of_branches: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            lines=self.lines + other.lines,
            of_lines=self.of_lines + other.of_lines,
            branches=self.branches + other.branches,
            of_branches=self.of_branches + other.of_branches,
        )

    @property
    def share(self) -> float | None:
        """Of lines and branches together, as coverage.py's own percentage."""
        total = self.of_lines + self.of_branches
        return round((self.lines + self.branches) / total, 4) if total else None


def measure(scope: Scope, root: Path, folder: Path, *, within_s: float) -> Path | None:
    """The report of the tests under coverage, of an earlier call or of this one. None
    if they did not come to their end."""
    report = folder / "coverage.json"
    if report.is_file():
        return report
    folder.mkdir(parents=True, exist_ok=True)
    more = {"COVERAGE_FILE": str(folder / "data")}
    coverage = (sys.executable, "-m", "coverage")
    subprocess.run([*coverage, "erase"], cwd=root, env={**environment(root), **more}, check=True)
    program = [
        *(*coverage, "run", "-m", "pytest"),
        *scope.arguments(folder / "tests.xml", seed=_SEED),
    ]
    if not run(program, root, within_s=within_s, more=more):
        return None
    for arguments in (["combine", "-q"], ["json", "-q", "-o", str(report)]):
        subprocess.run(
            [*coverage, *arguments], cwd=root, env={**environment(root), **more}, check=True
        )
    return report


def figures_of(report: JsonObject) -> JsonObject:
    """The whole and each package of `coverage json`'s report."""
    packages: defaultdict[str, Count] = defaultdict(Count)
    for path, file in object_of(report["files"]).items():
        packages[_package(path)] += _count(object_of(object_of(file)["summary"]))
    whole = sum(packages.values(), Count())
    return {
        "share": whole.share,
        "lines": f"{whole.lines} of {whole.of_lines}",
        "branches": f"{whole.branches} of {whole.of_branches}",
        "packages": {name: count.share for name, count in sorted(packages.items())},
    }


def _count(summary: Mapping[str, JsonValue]) -> Count:
    return Count(
        lines=int_of(summary["covered_lines"]),
        of_lines=int_of(summary["num_statements"]),
        branches=int_of(summary["covered_branches"]),
        of_branches=int_of(summary["num_branches"]),
    )


def _package(path: str) -> str:
    """`kernel` of `libs/proofwalk/kernel/leases.py`."""
    return path.partition("proofwalk/")[2].partition("/")[0]
