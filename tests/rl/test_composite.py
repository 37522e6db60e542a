"""RiskWebWorld's composite reward: Eq. 1 by hand, and what never changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.rl import rollouts
from proofwalk.rl.composite import Walked, composite
from proofwalk.rl.rollouts import Rollout, RolloutGroup
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings

EPISODES = st.lists(
    st.builds(
        Walked,
        reward=st.sampled_from([None, 0.0, 0.1, 0.3, 1.0]),
        steps=st.integers(1, 30),
        malformed=st.just(0),
    ),
    max_size=8,
)


def test_equation_1_by_hand() -> None:
    """The shortest success has 4 steps; one of 6 is half of that longer, a failure of 8
    that was reasonable is one such length longer, with two unusable answers."""
    group = [
        Walked(reward=1.0, steps=4),
        Walked(reward=1.0, steps=6),
        Walked(reward=0.3, steps=8, malformed=2),
        Walked(reward=None, steps=0),
    ]
    assert composite(group, decay=0.95, per_step=0.02) == [
        pytest.approx(1.0 + 0.08),
        pytest.approx(0.95**0.5 + 0.12),
        pytest.approx(0.3 * 0.95 + 0.02 * (6 - 2)),
        None,
    ]


def test_a_group_in_which_nothing_came_off_is_not_shortened() -> None:
    group = [Walked(reward=0.0, steps=2), Walked(reward=0.0, steps=9, malformed=9)]
    assert composite(group, decay=0.95, per_step=0.02) == [
        pytest.approx(0.04),
        pytest.approx(-0.18),
    ]


@given(EPISODES)
def test_without_decay_and_form_it_is_the_reward(group: list[Walked]) -> None:
    assert composite(group, decay=1.0, per_step=0.0) == [one.reward for one in group]


@given(EPISODES)
def test_decay_takes_and_never_turns(group: list[Walked]) -> None:
    """A success stays above every failure, and a longer success below a shorter one."""
    found = composite(group, decay=0.95, per_step=0.0)
    for one, value in zip(group, found, strict=True):
        assert (value is None) == (one.reward is None)
        if value is not None and one.reward is not None:
            assert 0.0 <= value <= one.reward
    right = [
        (one.steps, value)
        for one, value in zip(group, found, strict=True)
        if one.reward == 1.0 and value is not None
    ]
    assert [value for _, value in sorted(right)] == sorted(
        (value for _, value in right), reverse=True
    )


def test_a_batch_has_the_composite_reward_where_it_is_asked_for() -> None:
    def rollout(name: str, reward: float | None, steps: int, malformed: int = 0) -> Rollout:
        samples = tuple(Sample(prompt=(5,), completion=(6,)) for _ in range(steps - malformed))
        return Rollout(
            episode=name, reward=reward, samples=samples, steps=steps, malformed=malformed
        )

    group = RolloutGroup(
        task="t", rollouts=(rollout("a", 1.0, 2), rollout("b", 1.0, 4), rollout("c", None, 1))
    )
    settings = GrpoSettings(group_size=2, oversampling=1.0, length_decay=0.5, format_reward=0.02)
    batch = rollouts.batch([group], 0, settings)
    assert batch.metrics["reward"] == pytest.approx((1.0 + 0.04 + 0.5 + 0.08) / 2)
    assert batch.metrics["excluded"] == 1
    advantages = {sample.episode: sample.advantage for sample in batch.samples}
    assert advantages["a"] > 0 > advantages["b"], "the shorter success is preferred"
    plain = rollouts.batch([group], 0, GrpoSettings(group_size=2, oversampling=1.0))
    assert plain.samples == (), "without, the group tells nothing"
