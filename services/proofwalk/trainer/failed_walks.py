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
from proofwalk.trainer.group_tasks import group_id, reward_of_member


def walks_of_run(path: Path, clock: Clock) -> tuple[Mapping[str, Task], list[Walk]]:
    """The run's tasks by id, and the walks that say something about its policy. Raises
    as `ended_run`, and `trainer.outcome_unknown`."""
    run = ended_run(path)
    tasks = run.tasks
    store = RolloutStore(run.rollouts_folder, clock=clock)
    walks = []
    for part in run.parts:
        for task_id, task in tasks.items():
            for member in store.members(part, group_id(path.name, part, task_id)):
                reward = reward_of_member(task, member)
                if isinstance(reward, Reward):
                    passed = reward.value == 1
                    walks.append(Walk(task=task_id, policy=run.rollouts.policy, passed=passed))
    return tasks, walks
