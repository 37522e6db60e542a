"""The tasks that policies failed at: WebRL's failure set (Algorithm 1, lines 5 and 20).

A walk counts where its outcome says something about the policy: an environment's
failure is no failure at the task. The oracle plays a script; a task that it failed at
is broken, and nothing is evolved from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from proofwalk.kernel.reward import Reward
from proofwalk.orders.order import SCRIPTED
from proofwalk.suites.counting.results import truth_of
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Task


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A walk that says something about its policy."""

    task: str
    policy: str
    passed: bool


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A task with at least one walk that failed."""

    task: Task
    walks: int
    failed: int


def walks_of(tasks: Mapping[str, Task], rows: Iterable[Row]) -> Iterator[Walk]:
    """The walks that rows tell of. A row of a task that is not there, or has changed
    since, does not count."""
    for row in rows:
        task = tasks.get(row.task)
        if task is not None and task.digest == row.digest and row.told:
            reward = row.reward(truth_of(row, task))
            passed = isinstance(reward, Reward) and reward.value == 1
            yield Walk(task=row.task, policy=row.policy, passed=passed)


def failures_of(tasks: Mapping[str, Task], walks: Iterable[Walk]) -> list[Failure]:
    """The tasks that somebody failed at, by id, but for those that the oracle did."""
    ends: dict[str, list[bool]] = {}
    broken: set[str] = set()
    for walk in walks:
        if walk.policy != SCRIPTED:
            ends.setdefault(walk.task, []).append(walk.passed)
        elif not walk.passed:
            broken.add(walk.task)
    return [
        Failure(task=tasks[name], walks=len(passes), failed=passes.count(False))
        for name, passes in sorted(ends.items())
        if name not in broken and not all(passes)
    ]
