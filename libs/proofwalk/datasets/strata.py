"""How far the tasks of a collection are solved: ComputerRL's outcome stratification
(§3.1).

A task is solved when every walk of it that says something succeeded, partly solved when
some did, unsolved when none did. What is partly solved is walked more often, by a model
that learned from the walks so far; what is unsolved by a pool of models
(`models.pool`). Walks of all teachers count together. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from proofwalk.kernel.reward import Reward
from proofwalk.suites.counting.results import truth_of
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Task


class Stratum(StrEnum):
    """What the walks of a task came to."""

    SOLVED = "solved"
    PARTLY = "partly"
    UNSOLVED = "unsolved"


def strata_of(tasks: Mapping[str, Task], rows: Iterable[Row]) -> dict[str, Stratum]:
    """The stratum of each task that a walk says something of, by id. Rows of tasks that
    are not among these are passed over."""
    passed: dict[str, list[bool]] = {}
    for row in rows:
        task = tasks.get(row.task)
        if task is None or row.digest != task.digest:
            continue
        reward = row.reward(truth_of(row, task))
        if isinstance(reward, Reward):
            passed.setdefault(row.task, []).append(reward.value == 1)
    return {
        task: Stratum.SOLVED if all(walks) else Stratum.PARTLY if any(walks) else Stratum.UNSOLVED
        for task, walks in passed.items()
    }
