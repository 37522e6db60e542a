"""From groups of rollouts to a batch: who is asked for what, who counts, who is too
old."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.rollouts import (
    Rollout,
    RolloutGroup,
    batch,
    chances,
    gather,
    staleness,
    version_of,
)
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings

_SETTINGS = GrpoSettings(group_size=4, max_staleness=2)


def _rollout(
    name: str, reward: float | None, *, steps: int = 1, version: str = "", reported: bool = True
) -> Rollout:
    step = Sample(
        prompt=(2,),
        completion=(3, 4),
        old_logprobs=(-1.0, -1.0) if reported else (),
        policy_version=version,
    )
    return Rollout(episode=name, reward=reward, samples=(step,) * steps)


def _group(*rewards: float | None, task: str = "t") -> RolloutGroup:
    return RolloutGroup(
        task=task,
        rollouts=tuple(_rollout(f"{task}{n}", reward) for n, reward in enumerate(rewards)),
    )


class _Scripted:
    """Gives prepared rewards, and notes what it was asked for."""

    def __init__(self, rewards: Mapping[str, Sequence[float | None]]) -> None:
        self._left = {task: list(values) for task, values in rewards.items()}
        self.asked: list[dict[str, int]] = []

    def tasks(self, step: int) -> Sequence[str]:
        return tuple(self._left)

    def publish(self, version: str, model: Any) -> None: ...

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        self.asked.append(dict(wanted))
        return [
            _group(*(self._left[task].pop(0) for _ in range(count)), task=task)
            for task, count in wanted.items()
        ]


def test_groups_are_oversampled_and_what_the_environment_took_is_asked_for_once_more() -> None:
    source = _Scripted(
        {"a": [1.0, None, 0.0, 1.0, 0.0], "b": [None, None, None, 1.0, 0.0, 0.0, None, 1.0]}
    )
    groups = gather(source, 0, _SETTINGS)
    assert source.asked == [{"a": 5, "b": 5}, {"b": 3}]
    assert [len(group.rollouts) for group in groups] == [5, 8]
    made = batch(groups, 0, _SETTINGS)
    assert made.metrics == {
        "counted": 8.0,
        "excluded": 5.0,
        "stale": 0.0,
        "surplus": 0.0,
        "short_groups": 0.0,
        "informative": 1.0,
        "reward": 0.5,
        "episode_steps": 1.0,
        "completion_tokens": 2.0,
        "staleness": 0.0,
    }


def test_resampling_ends_after_its_rounds_and_the_group_is_used_as_it_is() -> None:
    source = _Scripted({"a": [None] * 3 + [1.0, 0.0] + [None] * 20})
    groups = gather(source, 0, _SETTINGS)
    assert [sum(asked.values()) for asked in source.asked] == [5, 3]
    made = batch(groups, 0, _SETTINGS)
    assert (made.metrics["counted"], made.metrics["short_groups"], made.metrics["excluded"]) == (
        2.0,
        1.0,
        6.0,
    )
    assert [sample.advantage for sample in made.samples] == pytest.approx([1.0, -1.0])


def test_every_step_of_a_trajectory_carries_its_advantage_and_its_episode() -> None:
    group = RolloutGroup(
        task="t",
        rollouts=(
            _rollout("good", 1.0, steps=3),
            _rollout("bad", 0.0, steps=2),
            _rollout("off", None),
        ),
    )
    made = batch([group], 0, _SETTINGS)
    assert [(sample.episode, round(sample.advantage, 3)) for sample in made.samples] == [
        ("good", 1.0)
    ] * 3 + [("bad", -1.0)] * 2
    assert made.metrics["episode_steps"] == 2.5


def test_an_update_may_learn_from_a_few_steps_of_each_episode_drawn_alike_by_who_resumes() -> None:
    def walked(name: str, reward: float, steps: int) -> Rollout:
        samples = [
            Sample(prompt=(2,), completion=(3, 4 + number), old_logprobs=(-1.0, -1.0))
            for number in range(steps)
        ]
        return Rollout(episode=name, reward=reward, samples=tuple(samples))

    group = RolloutGroup(task="t", rollouts=(walked("long", 1.0, 12), walked("short", 0.0, 2)))
    few = _SETTINGS.model_copy(update={"step_sampling": "uniform", "steps_per_episode": 3})

    def drawn(step: int) -> list[tuple[str, int]]:
        return [
            (sample.episode, sample.completion[1]) for sample in batch([group], step, few).samples
        ]

    assert [name for name, _ in drawn(0)] == ["long"] * 3 + ["short"] * 2
    assert drawn(0) == drawn(0) == sorted(drawn(0))
    assert {token for step in range(30) for name, token in drawn(step) if name == "long"} == set(
        range(4, 16)
    ), "each has its turn"
    assert batch([group], 0, few).metrics["episode_steps"] == 7.0, (
        "what was walked, not what was drawn"
    )


def test_unlikely_steps_are_drawn_more_often_and_every_step_counts_alike_on_average() -> None:
    surprises = (0.0, 0.1, 6.0, 0.0, 2.0, 0.1, 0.0, 1.0)
    samples = tuple(
        Sample(prompt=(2,), completion=(3, 4 + number), old_logprobs=(-value / 2, -value / 2))
        for number, value in enumerate(surprises)
    )
    walks = tuple(
        Rollout(episode=name, reward=reward, samples=samples)
        for name, reward in (("a", 1.0), ("b", 0.0))
    )
    settings = _SETTINGS.model_copy(update={"steps_per_episode": 3, "step_sampling": "surprisal"})
    steps = 2000
    seen, weight = Counter[int](), defaultdict[int, float](float)
    for step in range(steps):
        drawn = batch([RolloutGroup(task="t", rollouts=walks)], step, settings).samples
        assert drawn == batch([RolloutGroup(task="t", rollouts=walks)], step, settings).samples
        assert {sample.episode_tokens for sample in drawn} == {16}, "of the whole walk"
        for sample in drawn:
            seen[sample.completion[1] - 4] += 1
            weight[sample.completion[1] - 4] += sample.weight
    assert sum(chances(samples)) == pytest.approx(1)
    assert seen[2] == 2 * steps, "the one that nobody expected is always there"
    assert seen[0] < seen[7] < seen[4]
    assert max(weight.values()) < 1.2 * 2 * steps
    assert min(weight.values()) > 0.8 * 2 * steps


def test_what_is_not_learned_surprises_nobody() -> None:
    forced = Sample(prompt=(2,), completion=(3, 4), mask=(True, False), old_logprobs=(-1.0, -27.0))
    other = Sample(prompt=(2,), completion=(3,), old_logprobs=(-1.0,))
    assert chances([forced, other]) == [0.5, 0.5]


def test_a_walk_of_certain_steps_is_drawn_from_evenly() -> None:
    certain = tuple(Sample(prompt=(2,), completion=(3,), old_logprobs=(0.0,)) for _ in range(5))
    assert chances(certain) == [0.2] * 5


def test_surplus_rollouts_are_left_out_in_launch_order() -> None:
    made = batch([_group(1.0, None, 0.0, 1.0, 1.0, 0.0, 0.0)], 0, _SETTINGS)
    assert [sample.episode for sample in made.samples] == ["t0", "t2", "t3", "t4"]
    assert made.metrics["surplus"] == 2.0


def test_uninformative_groups_are_skipped_or_kept_for_their_penalty() -> None:
    groups = [_group(1.0, 1.0, 1.0, 1.0, task="easy"), _group(1.0, 0.0, 0.0, 0.0, task="hard")]
    made = batch(groups, 0, _SETTINGS)
    assert {sample.episode[:4] for sample in made.samples} == {"hard"}
    assert (made.metrics["informative"], made.metrics["reward"]) == (0.5, 0.625)
    kept = batch(groups, 0, _SETTINGS.model_copy(update={"train_on_uninformative": True}))
    assert [sample.advantage for sample in kept.samples[:4]] == [0.0] * 4
    assert len(kept.samples) == 8
    assert kept.samples[4:] == made.samples


def test_a_batch_without_a_counted_episode_is_empty_and_has_no_reward() -> None:
    made = batch([_group(None, None)], 0, _SETTINGS)
    assert made.samples == ()
    assert "reward" not in made.metrics
    assert made.metrics["excluded"] == 2.0


def test_what_was_acted_by_too_old_a_policy_is_left_out() -> None:
    fresh, old = version_of(8), version_of(7)
    group = RolloutGroup(
        task="t",
        rollouts=(
            _rollout("a", 1.0, version=fresh),
            _rollout("b", 0.0, version=old),
            _rollout("c", 0.0, version=fresh),
        ),
    )
    made = batch([group], 10, _SETTINGS)
    assert [sample.episode for sample in made.samples] == ["a", "c"]
    assert (made.metrics["stale"], made.metrics["excluded"], made.metrics["staleness"]) == (
        1.0,
        0.0,
        2.0,
    )


@pytest.mark.parametrize(
    ("group", "code"),
    [
        (
            RolloutGroup(task="t", rollouts=(Rollout(episode="e", reward=1.0, samples=()),)),
            "rl.rollout_invalid",
        ),
        (
            RolloutGroup(task="t", rollouts=(_rollout("e", 1.0, version="step-00000099"),)),
            "rl.version_unknown",
        ),
        (
            RolloutGroup(task="t", rollouts=(_rollout("e", 1.0, version="v7"),)),
            "rl.version_unknown",
        ),
        (
            RolloutGroup(
                task="t", rollouts=(_rollout("e", 1.0, version=version_of(9), reported=False),)
            ),
            "rl.logprobs_missing",
        ),
    ],
)
def test_a_rollout_that_cannot_be_learned_from_is_refused(group: RolloutGroup, code: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        batch([group], 10, _SETTINGS)
    assert caught.value.code == code


def test_tasks_are_named_once_and_no_others_are_taken() -> None:
    class Stranger(_Scripted):
        def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
            return [_group(1.0, task="strange")]

    class Twice(_Scripted):
        def tasks(self, step: int) -> Sequence[str]:
            return ("a", "a")

    for source in (Stranger({"a": []}), Twice({"a": []}), _Scripted({})):
        with pytest.raises(ProofwalkError) as caught:
            gather(source, 0, _SETTINGS)
        assert caught.value.code == "rl.tasks_invalid"


def test_versions_are_counted_in_updates() -> None:
    assert staleness(version_of(3), 5) == 2
    assert staleness("", 5) == 0
