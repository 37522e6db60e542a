"""What SFT learns of the successes that earlier runs had: ComputerRL's Entropulse
(§3.3).

Reinforcement narrows what a policy does, and ends when it explores no more. The
successes of its run come from many policies, one for each step, and lie in the run's
folder with the tokens that were read and written (`group_store`). Of each task some are
drawn at random, whatever the step, and learned by SFT from the run's last checkpoint;
the run of reinforcement that begins with what comes of it has it as its reference,
which resets that too.

Samples are the tokens themselves, with the mask that the run itself learned by
(`group_counting.own`): nothing is written as text and tokenized again. Episodes of
validations are not learned from. A run is read once it has ended, so that who resumes
draws the same. Blocks; no torch. Next: `learning`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import conflict
from proofwalk.kernel.reward import Reward
from proofwalk.rl.samples import Sample
from proofwalk.suites.model import Task
from proofwalk.trainer.configuration import SuccessesConfig
from proofwalk.trainer.ended_runs import EndedRun, ended_run
from proofwalk.trainer.group_counting import Told, samples_of
from proofwalk.trainer.group_store import Kept, RolloutStore
from proofwalk.trainer.group_tasks import group_id, reward_of_member

_STEP = re.compile(r"\d{8}")


def drawn_successes(config: SuccessesConfig, *, seed: int, clock: Clock) -> list[Sample]:
    """The steps of at most `per_task` successes of each task, in the order of tasks,
    runs and steps: a function of the seed and of the runs. Raises as `ended_run`,
    `trainer.no_successes`."""
    episodes_of: dict[str, list[tuple[Sample, ...]]] = {}
    for path in config.runs:
        run = ended_run(path)
        for task, samples in _successes(run, clock):
            episodes_of.setdefault(task, []).append(samples)
    drawn: list[Sample] = []
    for task, episodes in sorted(episodes_of.items()):
        random = Random(f"{seed}/{task}")  # noqa: S311  # drawn again by who resumes
        chosen = random.sample(range(len(episodes)), min(config.per_task, len(episodes)))
        drawn += [sample for index in sorted(chosen) for sample in episodes[index]]
    if not drawn:
        raise conflict(
            "trainer.no_successes",
            f"the runs in {', '.join(map(str, config.runs))} have no success with its tokens",
            hint="learn from a collection instead: proofwalk data samples",
        )
    return drawn


def _successes(run: EndedRun, clock: Clock) -> Iterator[tuple[str, tuple[Sample, ...]]]:
    """The task of each success, and its steps, in the order of the run's."""
    name, folder = run.folder.path.name, run.folder.path / "rollouts"
    store = RolloutStore(folder, clock=clock)
    told = Told(
        temperature=run.settings.temperature,
        forced=run.rollouts.grammar_forced_tokens == "train",
    )
    parts = sorted(path.stem for path in folder.glob("*.sqlite3") if _STEP.fullmatch(path.stem))
    tasks = sorted(run.tasks.items())
    for part in parts:
        for number, task in tasks:
            kept = store.read(part, group_id(name, part, number))
            for one in kept.values():
                if one.trouble is None and _succeeded(task, one):
                    episode = one.member.verification_id
                    samples = samples_of(one.attempts, episode=episode, told=told)
                    if samples:
                        yield number, samples


def _succeeded(task: Task, kept: Kept) -> bool:
    reward = reward_of_member(task, kept.member)
    return isinstance(reward, Reward) and reward.value == 1
