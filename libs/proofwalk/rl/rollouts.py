"""What GRPO and WebRL learn from: groups of rollouts, who gives them, and which of them
count. No torch in what this module does itself.

A `RolloutSource` walks tasks with the policy it was last given (a service with its own
inference engine, or a toy in a test). `gather` asks it for oversampled groups, then
once more for those that lost too many episodes to the environment; `usable` leaves out
what says nothing about the policy and what is too old, and takes G of each group;
`batch`, for GRPO, writes on each step what it is given of its trajectory's advantage
(`credit`), or on the few of them that are drawn. Next: `rollout_loop`, `grpo`, `webrl`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from proofwalk.kernel.errors import invalid
from proofwalk.rl.advantages import Advantages, choose, normalised, oversampled
from proofwalk.rl.composite import Walked, composite
from proofwalk.rl.credit import compared, per_state, states_of
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings, RolloutSettings

TextOf = Callable[[Sequence[int]], str]
"""What a prompt's tokens say."""
_VERSION = "step-"
_EVEN = 0.3
"""Share of the chance that every step has alike."""


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """One episode of one task."""

    episode: str
    """Unique in the run."""
    reward: float | None
    """None: it says nothing about the policy (`advantages.reward_of`)."""
    samples: tuple[Sample, ...]
    """Its steps in order; may be empty when excluded."""
    steps: int = 0
    """Answers that were given, those without a sample too; 0: as many as samples."""
    malformed: int = 0
    """Answers among them that could not be used."""


@dataclass(frozen=True, kw_only=True)
class RolloutGroup:
    """Episodes of the same task, in launch order."""

    task: str
    rollouts: tuple[Rollout, ...]


class RolloutSource(Protocol):
    """Walks tasks with the policy."""

    def tasks(self, step: int) -> Sequence[str]:
        """The tasks of update `step`'s batch: a function of the step, so that a resumed
        run asks for the same."""
        ...

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        """That many episodes of each task. Blocks until they are there; a deadline is
        the source's to keep, and its failure to raise."""
        ...

    def publish(self, version: str, model: Any) -> None:
        """New weights to act with from now on. Called with the bare model on rank 0,
        before the first step and after every update."""
        ...


@dataclass(frozen=True, kw_only=True)
class RolloutBatch:
    """What an update learns from, and the figures about where it came from."""

    samples: tuple[Sample, ...]
    metrics: Mapping[str, float]


def version_of(step: int) -> str:
    """The name of the policy after `step` updates."""
    return f"{_VERSION}{step:08d}"


def step_of(version: str) -> int:
    """How many updates were done when a policy with this name was given away."""
    return int(version.removeprefix(_VERSION))


def staleness(version: str, step: int) -> int:
    """Updates between the policy that acted and the current one; a sample without a
    version is current. Raises `rl.version_unknown`."""
    if not version:
        return 0
    number = version.removeprefix(_VERSION)
    if not version.startswith(_VERSION) or not number.isdecimal() or int(number) > step:
        raise invalid(
            "rl.version_unknown",
            f"a rollout names the policy {version!r}, which this run has not published",
        )
    return step - int(number)


def gather(source: RolloutSource, step: int, settings: RolloutSettings) -> list[RolloutGroup]:
    """The groups of a step: 1.25 G episodes a task, then up to `resampling_rounds`
    times what a group lacks, oversampled again."""
    tasks = list(source.tasks(step))
    if not tasks or len(set(tasks)) != len(tasks):
        raise invalid(
            "rl.tasks_invalid", f"step {step} needs tasks, each named once, and has {tasks!r}"
        )
    found: dict[str, list[Rollout]] = {task: [] for task in tasks}
    wanted = dict.fromkeys(tasks, oversampled(settings.group_size, settings.oversampling))
    for _ in range(settings.resampling_rounds + 1):
        for group in source.roll(wanted, step):
            if group.task not in found:
                raise invalid(
                    "rl.tasks_invalid",
                    f"the source gave rollouts of {group.task!r}, which nobody asked for",
                )
            found[group.task] += group.rollouts
        choices = {
            task: choose(
                [rollout.reward for rollout in rollouts], settings.group_size, settings.oversampling
            )
            for task, rollouts in found.items()
        }
        wanted = {task: choice.to_start for task, choice in choices.items() if choice.to_start}
        if not wanted:
            break
    return [RolloutGroup(task=task, rollouts=tuple(rollouts)) for task, rollouts in found.items()]


def steps_of(groups: Sequence[RolloutGroup]) -> int:
    """Answers that were given in all episodes of these groups, as far as the source
    tells: those of an episode that the environment failed it does not."""
    return sum(one.steps or len(one.samples) for group in groups for one in group.rollouts)


def batch(
    groups: Sequence[RolloutGroup], step: int, settings: GrpoSettings, *, text: TextOf | None = None
) -> RolloutBatch:
    """Groups to samples with advantages. `text` reads prompts, which credit by state
    needs.

    Metrics: those of `figures`; informative (share of groups); with credit by state,
    compared (share of the informative groups' steps that were not alone in their
    state).
    """
    used = [usable(_rewarded(group, settings), step, settings) for group in groups]
    by_step = settings.group_statistics == "steps"
    advantages = normalised(
        [[rollout.reward for rollout in group.rollouts] for group in used],
        batch=settings.batch_statistics,
        lengths=(
            [[len(rollout.samples) for rollout in group.rollouts] for group in used]
            if by_step
            else None
        ),
    )
    samples: list[Sample] = []
    alone: list[bool] = []
    for index, group in enumerate(used):
        if advantages.informative[index] or settings.train_on_uninformative:
            credits, single = _credits(group.rollouts, index, advantages, settings, text)
            alone += single
            for rollout, values in zip(group.rollouts, credits, strict=True):
                samples += _drawn(rollout, values, step, settings)
    measured = figures(used, step)
    measured["informative"] = sum(advantages.informative) / len(groups)
    if alone:
        measured["compared"] = alone.count(False) / len(alone)
    return RolloutBatch(samples=tuple(samples), metrics=measured)


def _rewarded(group: RolloutGroup, settings: GrpoSettings) -> RolloutGroup:
    """The group with its composite rewards, where there is anything to them."""
    if settings.length_decay == 1 and settings.format_reward == 0:
        return group
    rewards = composite(
        [
            Walked(reward=one.reward, steps=one.steps or len(one.samples), malformed=one.malformed)
            for one in group.rollouts
        ],
        decay=settings.length_decay,
        per_step=settings.format_reward,
    )
    return replace(
        group,
        rollouts=tuple(
            replace(one, reward=reward) for one, reward in zip(group.rollouts, rewards, strict=True)
        ),
    )


@dataclass(frozen=True, kw_only=True)
class Usable:
    """The episodes of a group that are learned from, and how many are not."""

    rollouts: tuple[Rollout, ...]
    excluded: int
    stale: int
    surplus: int
    short: bool


def usable(group: RolloutGroup, step: int, settings: RolloutSettings) -> Usable:
    """The first G episodes that count and are not too old. Raises `rl.rollout_invalid`,
    `rl.version_unknown`, `rl.logprobs_missing`."""
    stale = [_is_stale(rollout, group.task, step, settings) for rollout in group.rollouts]
    rewards = [
        None if old else rollout.reward for rollout, old in zip(group.rollouts, stale, strict=True)
    ]
    choice = choose(rewards, settings.group_size, settings.oversampling)
    return Usable(
        rollouts=tuple(group.rollouts[index] for index in choice.kept),
        excluded=sum(rollout.reward is None for rollout in group.rollouts),
        stale=sum(stale),
        surplus=len(rewards) - rewards.count(None) - len(choice.kept),
        short=choice.missing > 0,
    )


def _is_stale(rollout: Rollout, task: str, step: int, settings: RolloutSettings) -> bool:
    """Whether an episode that would count was acted by too old a policy. Raises
    `rl.rollout_invalid`, `rl.version_unknown`, `rl.logprobs_missing`."""
    if rollout.reward is None:
        return False
    if not rollout.samples:
        raise invalid(
            "rl.rollout_invalid", f"the episode {rollout.episode} of {task} counts and has no steps"
        )
    behind = [staleness(sample.policy_version, step) for sample in rollout.samples]
    for sample, updates in zip(rollout.samples, behind, strict=True):
        if updates and not len(sample.old_logprobs):
            raise invalid(
                "rl.logprobs_missing",
                f"the episode {rollout.episode} was acted by {sample.policy_version} and does not"
                " say with which probabilities",
                hint="record the engine's log-probabilities, or roll out with the current policy",
            )
    return max(behind) > settings.max_staleness


def figures(used: Sequence[Usable], step: int) -> dict[str, float]:
    """Metrics of a batch: reward (mean of the episodes used), counted, excluded, stale,
    surplus (counted beyond G), short_groups (fewer than G), episode_steps and
    completion_tokens (means), staleness (mean)."""
    flat = [rollout for group in used for rollout in group.rollouts]
    steps = [sample for rollout in flat for sample in rollout.samples]
    measured = {
        "counted": float(len(flat)),
        "excluded": float(sum(group.excluded for group in used)),
        "stale": float(sum(group.stale for group in used)),
        "surplus": float(sum(group.surplus for group in used)),
        "short_groups": float(sum(group.short for group in used)),
    }
    if flat:
        measured |= {
            "reward": (
                sum(rollout.reward for rollout in flat if rollout.reward is not None) / len(flat)
            ),
            "episode_steps": len(steps) / len(flat),
            "completion_tokens": sum(len(sample.completion) for sample in steps) / len(steps),
            "staleness": (
                sum(staleness(sample.policy_version, step) for sample in steps) / len(steps)
            ),
        }
    return measured


def surprise(sample: Sample) -> float:
    """-Σ_t log π_old(a_t) of its learned tokens, by the engine that sampled them."""
    return -sum(sample.old_logprobs[index] for index in sample.learned)


def chances(samples: Sequence[Sample]) -> list[float]:
    """q_s of steps whose answers came with their log-probabilities: in proportion to
    the surprise -Σ_t log π_old(a_t) of their learned tokens times the size of their
    advantage, and for `_EVEN` of it to neither, so that no step's weight 1/q_s grows
    beyond n/`_EVEN` (a defensive mixture: Hesterberg, 1995).

    A token's score ∇log π has the size of 1 - π: where the policy was certain there is
    next to nothing to learn.
    """
    sizes = [max(surprise(sample), 0.0) * abs(sample.advantage) for sample in samples]
    whole = sum(sizes)
    if not whole:
        return [1 / len(samples)] * len(samples)
    return [_EVEN / len(samples) + (1 - _EVEN) * size / whole for size in sizes]


def _credits(
    group: Sequence[Rollout],
    index: int,
    advantages: Advantages,
    settings: GrpoSettings,
    text: TextOf | None,
) -> tuple[list[list[float]], list[bool]]:
    """The advantage of each step of a group's episodes; and of all of them, with credit
    by state, whether they were alone in theirs."""
    if settings.credit != "state":
        shared = settings.credit == "share"
        return [
            [(value or 0.0) / (len(rollout.samples) if shared else 1)] * len(rollout.samples)
            for rollout, value in zip(group, advantages.values[index], strict=True)
        ], []
    if text is None:
        raise ValueError("credit by state compares what was read, and nobody reads it")
    states = states_of([[text(sample.prompt) for sample in rollout.samples] for rollout in group])
    layered = per_state([rollout.reward for rollout in group if rollout.reward is not None], states)
    credits = [[value / advantages.spread for value in values] for values in layered]
    return credits, (
        [not told for row in compared(states) for told in row]
        if advantages.informative[index]
        else []
    )


def _drawn(
    rollout: Rollout, advantages: Sequence[float], step: int, settings: GrpoSettings
) -> Sequence[Sample]:
    """The steps that are learned from, in order: a function of seed, step and episode,
    so that a resumed run draws the same. Steps that credit by state gives nothing are
    left out where there is no penalty that they could count for.

    Points at equal distances from a random one on (systematic sampling): a step with
    chance q is hit k·q times on average, and a hit weighs 1/(k·q).
    """
    whole = sum(len(sample.learned) for sample in rollout.samples)
    bare = settings.credit == "state" and settings.kl_coefficient == 0
    samples = [
        replace(
            sample,
            advantage=advantage,
            episode=rollout.episode,
            episode_tokens=whole if bare else sample.episode_tokens,
        )
        for sample, advantage in zip(rollout.samples, advantages, strict=True)
        if advantage or not bare
    ]
    count = settings.steps_per_episode
    if settings.step_sampling == "all" or count >= len(samples):
        return samples
    random = Random(f"{settings.seed}/{step}/{rollout.episode}")  # noqa: S311  # drawn again by who resumes
    if settings.step_sampling == "uniform" or not all(
        len(sample.old_logprobs) for sample in samples
    ):
        chosen = sorted(random.sample(range(len(samples)), count))
        weight = len(samples) / count
        return [
            replace(samples[index], weight=samples[index].weight * weight, episode_tokens=whole)
            for index in chosen
        ]
    found = chances(samples)
    first, passed, drawn = random.random(), 0.0, []
    for sample, chance in zip(samples, found, strict=True):
        # Of the points first, first + 1, … those in [passed, passed + k·q).
        hits = math.ceil(passed + count * chance - first) - math.ceil(passed - first)
        passed += count * chance
        if hits > 0:
            drawn.append(
                replace(
                    sample, weight=sample.weight * hits / (count * chance), episode_tokens=whole
                )
            )
    return drawn
