"""One installation for the trials of a run, and a fresh one after a trial that failed;
a whole run writes its figures."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator

import pytest

from tests.chaos.cluster import ROOT, Cluster
from tests.chaos.trial import Result, record

WHOLE = 30


class Installations:
    """Gives the present installation, or starts one."""

    def __init__(self) -> None:
        self._present: Cluster | None = None
        self.results: list[Result] = []

    def get(self) -> Cluster:
        if self._present is None:
            self._present = Cluster().__enter__()
        return self._present

    def discard(self) -> None:
        if self._present is not None:
            self._present.close()
            self._present = None


@pytest.fixture(scope="session")
def installations() -> Iterator[Installations]:
    """The installations of this run."""
    kept = Installations()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    try:
        yield kept
    finally:
        kept.discard()
    if len(kept.results) == WHOLE:
        machine = (
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load"
            f" {os.getloadavg()[2]:.1f}"
        )
        results = sorted(kept.results, key=lambda result: result.plan.seed)
        record(
            results, ROOT / "benchmarks" / "results" / "chaos.json", commit=commit, machine=machine
        )
