"""How good a run's policy is: its success on the validation tasks, which are walked in
groups like those that are learned from, and never learned from. Next: `group_rollouts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import structlog

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.reward import value_of
from proofwalk.rl.rollouts import version_of
from proofwalk.rl.settings import RolloutSettings
from proofwalk.suites.model import Task
from proofwalk.trainer.group_fetching import Wanted
from proofwalk.trainer.group_limits import LARGEST_GROUP
from proofwalk.trainer.group_store import Kept
from proofwalk.trainer.group_tasks import group_id, reward_of_member

Walked = Callable[[Sequence[Wanted]], Sequence[Mapping[int, Kept]]]
"""What is finished of each group when all of it is, or when time is up."""
log = structlog.get_logger()


class Validation:
    """Of one run."""

    def __init__(
        self, tasks: Mapping[str, Task], *, runs: int, run_id: str, settings: RolloutSettings
    ) -> None:
        """`runs`: episodes of each task."""
        self._tasks = tasks
        self._runs = runs
        self._run_id = run_id
        self._settings = settings

    def scored(self, step: int, walked: Walked) -> float:
        """The share of successes among the episodes of the validation tasks that say
        something about the policy, with the weights of this step, at the temperature
        that users' verifications are walked at. Tasks of which all episodes say nothing
        are walked again as often as groups are.

        An episode that other weights acted in, since the run was resumed while it was
        under way, says nothing. Blocks. Raises `trainer.validation_untold` when none
        says anything.
        """
        episodes = dict.fromkeys(self._tasks, self._runs)
        rewards: dict[str, list[float]] = {}
        for _ in range(self._settings.resampling_rounds + 1):
            left = [task for task in self._tasks if not rewards.get(task)]
            if not left:
                break
            groups = [self._wanted(task, step, episodes[task]) for task in left]
            for group, kept in zip(groups, walked(groups), strict=True):
                told = [
                    value_of(reward_of_member(group.task, one.member))
                    for one in kept.values()
                    if self._acted(one.member, step)
                ]
                rewards[group.task.id] = [reward for reward in told if reward is not None]
                episodes[group.task.id] = min(episodes[group.task.id] + self._runs, LARGEST_GROUP)
        flat = [reward for values in rewards.values() for reward in values]
        if not flat:
            raise unavailable(
                "trainer.validation_untold",
                f"no validation episode at step {step} says anything about the policy: the"
                " environment failed, or other weights acted",
                hint=(
                    "see the outcomes of the groups, and that the policy asks the inference role;"
                    " the run goes on from its checkpoint"
                ),
            )
        log.info(
            "validated",
            step=step,
            told=len(flat),
            silent=sum(not values for values in rewards.values()),
        )
        return sum(flat) / len(flat)

    def _wanted(self, task: str, step: int, episodes: int) -> Wanted:
        return Wanted(
            part=f"v{step:08d}",
            id=group_id(self._run_id, f"v{step}", task),
            task=self._tasks[task],
            episodes=episodes,
            temperature=None,
            trajectories=False,
        )

    def _acted(self, member: pb.GroupMember, step: int) -> bool:
        """Whether the weights of a step, and no others, acted in an episode; policies
        that ask no model have none."""
        ours = rf"{re.escape(self._run_id)}@{version_of(step)}(\+\d+)?"
        return all(re.fullmatch(ours, version) for version in member.policy_versions)
