"""One run of tests, as pytest reports it: which tests were green and which were red."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.health.copies import environment

_ENDED = (0, 1)
"""pytest's exit codes of a run that came to its end: all green, some red."""


class Colour(StrEnum):
    """How a test ended; one that was skipped or expected to fail has none."""

    GREEN = "green"
    RED = "red"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which tests are run: paths, an expression of markers, and in how many
    processes."""

    tests: tuple[str, ...]
    marks: str
    workers: int

    def arguments(self, report: Path, *, seed: int) -> list[str]:
        """pytest's arguments, as `make test` has them."""
        return [
            *("-q", "--tb=no", "-m", self.marks, "-n", str(self.workers)),
            *("--dist", "loadfile", "--no-loadscope-reorder"),
            *("-p", "no:cacheprovider", f"--randomly-seed={seed}", f"--junit-xml={report}"),
            *self.tests,
        ]


def colours(report: str) -> dict[str, Colour]:
    """The tests of a JUnit report. A test that is told of twice, because its teardown
    failed, is red."""
    ended: dict[str, Colour] = {}
    for case in ElementTree.fromstring(report).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        if case.find("failure") is not None or case.find("error") is not None:
            ended[name] = Colour.RED
        elif case.find("skipped") is None:
            ended.setdefault(name, Colour.GREEN)
    return ended


def run(
    program: Sequence[str], root: Path, *, within_s: float, more: Mapping[str, str] | None = None
) -> bool:
    """Run a program to its end, or end it with all that it started when time is up.
    True if it came to its end as pytest does."""
    process = subprocess.Popen(
        program,
        cwd=root,
        env={**environment(root), **(more or {})},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(within_s) in _ENDED
    except subprocess.TimeoutExpired:
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
