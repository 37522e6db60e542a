"""The walks of a run that has ended, for the curriculum of the next one
(`suites.evolution`): who passed which task, whatever the step. Blocks; no torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.reward import Reward
from proofwalk.suites.evolution.failures import Walk
from proofwalk.suites.model import Task
from proofwalk.trainer.ended_runs import ended_run
from proofwalk.trainer.group_store import RolloutStore
from proofwalk.trainer.group_tasks import reward_of_member


def walks_of_run(path: Path, clock: Clock) -> tuple[Mapping[str, Task], list[Walk]]:
    """The run's tasks by id, and the walks that say something about its policy. Raises
    as `ended_run`, and `trainer.outcome_unknown`."""
    run = ended_run(path)
    store = RolloutStore(run.rollouts_folder, clock=clock)
    walks = []
    for part, group, task in run.groups(store):
        for member in store.members(part, group):
            reward = reward_of_member(task, member)
            if isinstance(reward, Reward):
                passed = reward.value == 1
                walks.append(Walk(task=task.id, policy=run.rollouts.policy, passed=passed))
    return run.tasks, walks
