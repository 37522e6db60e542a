"""What SFT learns of the successes that earlier runs had: ComputerRL's Entropulse
(§3.3).

Reinforcement narrows what a policy does, and ends when it explores no more. The
successes of its run come from many policies, one for each step, and lie in the run's
folder with the tokens that were read and written (`group_store`). Of each task some are
drawn at random, whatever the step, and learned by SFT from the run's last checkpoint;
the run of reinforcement that begins with what comes of it has it as its reference,
which resets that too.

What is learned is the tokens themselves, by the mask that the run itself learned by
(`group_trajectories.own`): nothing is written as text and tokenized again. Episodes of
validations are not learned from. A run is read once it has ended, so that who resumes
draws the same. Blocks; no torch. Next: `learning`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import conflict
from proofwalk.kernel.reward import Reward
from proofwalk.suites.model import Task
from proofwalk.trainer.configuration import SuccessesConfig
from proofwalk.trainer.ended_runs import EndedRun, ended_run
from proofwalk.trainer.group_store import Kept, RolloutStore
from proofwalk.trainer.group_tasks import reward_of_member
from proofwalk.trainer.group_trajectories import Attempt, own


@dataclass(frozen=True, kw_only=True)
class Success:
    """One episode, with the answers in which there is something to learn."""

    episode: str
    attempts: tuple[Attempt, ...]
    forced: bool
    """Tokens that the form decided are learned too."""


def drawn_successes(config: SuccessesConfig, *, seed: int, clock: Clock) -> list[Success]:
    """At most `per_task` successes of each task, in the order of tasks, runs and steps:
    a function of the seed and of the runs. Raises as `ended_run`,
    `trainer.no_successes`."""
    of_task: dict[str, list[Success]] = {}
    for path in config.runs:
        for task, success in _successes(ended_run(path), clock):
            of_task.setdefault(task, []).append(success)
    drawn: list[Success] = []
    for task, episodes in sorted(of_task.items()):
        random = Random(f"{seed}/{task}")  # noqa: S311  # drawn again by who resumes
        chosen = random.sample(range(len(episodes)), min(config.per_task, len(episodes)))
        drawn += [episodes[index] for index in sorted(chosen)]
    if not drawn:
        raise conflict(
            "trainer.no_successes",
            f"the runs in {', '.join(map(str, config.runs))} have no success with its tokens",
            hint="learn from a collection instead: proofwalk data samples",
        )
    return drawn


def _successes(run: EndedRun, clock: Clock) -> Iterator[tuple[str, Success]]:
    """The task of each success, and the success, in the order of the run's steps."""
    store = RolloutStore(run.rollouts_folder, clock=clock)
    forced = run.rollouts.grammar_forced_tokens == "train"
    for part, group, task in run.groups(store):
        for kept in store.read(part, group).values():
            attempts = tuple(one for one in kept.attempts if forced or _teaches(one))
            if kept.trouble is None and attempts and _succeeded(task, kept):
                episode = kept.member.verification_id
                yield task.id, Success(episode=episode, attempts=attempts, forced=forced)


def _teaches(attempt: Attempt) -> bool:
    mask = own(attempt)
    return not mask or any(mask)


def _succeeded(task: Task, kept: Kept) -> bool:
    reward = reward_of_member(task, kept.member)
    return isinstance(reward, Reward) and reward.value == 1
