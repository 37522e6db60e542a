"""What a step is given of its trajectory's outcome."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.rl.advantages import per_task
from proofwalk.rl.credit import compared, per_state, states_of
from proofwalk.rl.rollouts import Rollout, RolloutGroup, batch
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings

_groups = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.lists(st.sampled_from("abcd"), max_size=5)),
    min_size=1,
    max_size=8,
).map(lambda pairs: tuple(zip(*pairs, strict=True)))


def test_names_that_one_episode_has_read_do_not_tell_states_apart() -> None:
    first = ["<button> Delete pw1a-harbor [4]\nCODE is bafobe.", "Type pw1a-harbor to confirm [1]"]
    second = ["<button> Delete pw9c-harbor [4]\nCODE is dimuka.", "<button> Edit pw9c-harbor [4]"]
    states = states_of([first, second])
    assert states[0][0] == states[1][0] == "<button> Delete •-harbor [4]\nCODE is •."
    assert len({*states[0], *states[1]}) == 3
    assert compared(states) == [[True, False], [True, False]]


def test_the_same_word_elsewhere_and_another_mark_are_another_state() -> None:
    states = states_of([["Save [4] Cancel [5]"], ["Cancel [4] Save [5]"], ["Save [5] Cancel [4]"]])
    assert len({state for (state,) in states}) == 3


def test_a_step_is_held_against_the_others_in_its_state() -> None:
    # Mean 1/2, deviation 1/2. All begin in `a`; the first goes wrong there, and is
    # alone from then on. In `b` one of three goes wrong.
    found = per_state(
        [0.0, 1.0, 1.0, 0.0],
        [["a", "lost", "lost too"], ["a", "b"], ["a", "b"], ["a", "b"]],
        epsilon=0.0,
    )
    assert found[0] == [-1.0, 0.0, 0.0], "what came after the mistake is not taught against"
    assert found[1] == found[2] == [1.0, pytest.approx(2 / 3)]
    assert found[3] == [-1.0, pytest.approx(-4 / 3)]


@given(_groups)
def test_what_a_state_gives_adds_up_to_nothing(
    group: tuple[tuple[float, ...], tuple[list[str], ...]],
) -> None:
    rewards, states = group
    found = per_state(rewards, states)
    sums: dict[str, list[float]] = {}
    for values, visited in zip(found, states, strict=True):
        for value, state in zip(values, visited, strict=True):
            sums.setdefault(state, []).append(value)
    for state, values in sums.items():
        assert math.fsum(values) == pytest.approx(0.0, abs=1e-6)
        if (
            len(values) == 1
            or len(
                {
                    reward
                    for reward, visited in zip(rewards, states, strict=True)
                    if state in visited
                }
            )
            == 1
        ):
            assert values == [0.0] * len(values)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=8))
def test_where_all_were_in_one_state_it_is_the_trajectory_s_advantage(rewards: list[float]) -> None:
    found = per_state(rewards, [["a"]] * len(rewards))
    assert [value for (value,) in found] == pytest.approx(list(per_task(rewards)), abs=1e-9)


_NAMES = {2: "open", 3: "pw1", 4: "pw2", 5: "lost", 6: "pw3"}


def _text(tokens: object) -> str:
    assert isinstance(tokens, tuple)
    return " ".join(_NAMES[token] for token in tokens)


def _walked(name: str, reward: float | None, *prompts: tuple[int, ...]) -> Rollout:
    samples = tuple(
        Sample(prompt=prompt, completion=(3, 4), old_logprobs=(-1.0, -1.0)) for prompt in prompts
    )
    return Rollout(episode=name, reward=reward, samples=samples)


GROUP = RolloutGroup(
    task="t",
    rollouts=(
        _walked("well", 1.0, (2, 3), (2, 2, 3)),
        _walked("badly", 0.0, (2, 4), (5, 4), (5, 5)),
        _walked("off", None, (2, 6), (5, 6)),
    ),
)


def test_an_update_learns_from_the_steps_that_can_be_held_against_others() -> None:
    settings = GrpoSettings(group_size=2, credit="state", kl_coefficient=0.0)
    made = batch([GROUP], 0, settings, text=_text)
    assert [
        (sample.episode, sample.prompt, round(sample.advantage, 4)) for sample in made.samples
    ] == [
        ("well", (2, 3), 1.0),
        ("badly", (2, 4), -1.0),
    ]
    assert [sample.episode_tokens for sample in made.samples] == [
        4,
        6,
    ], "a walk weighs as much as if all of it were there"
    assert made.metrics["compared"] == pytest.approx(2 / 5)
    assert made.metrics["episode_steps"] == 2.5


def test_with_a_penalty_every_step_counts_for_it() -> None:
    made = batch(
        [GROUP], 0, GrpoSettings(group_size=2, credit="state", kl_coefficient=0.1), text=_text
    )
    assert [round(sample.advantage, 4) for sample in made.samples] == [1.0, 0.0, -1.0, 0.0, 0.0]


def test_what_an_excluded_episode_has_read_is_no_state_of_the_group() -> None:
    settings = GrpoSettings(group_size=3, credit="state", kl_coefficient=0.0)
    lonely = RolloutGroup(task="t", rollouts=(*GROUP.rollouts[:2], _walked("off", None, (2, 3))))
    assert (
        batch([lonely], 0, settings, text=_text).samples
        == batch([GROUP], 0, settings, text=_text).samples
    )


def test_groups_that_tell_nothing_give_nothing_by_state() -> None:
    group = RolloutGroup(
        task="t", rollouts=tuple(_walked(name, 1.0, (2,), (2, 2)) for name in "ab")
    )
    made = batch(
        [group], 0, GrpoSettings(group_size=2, credit="state", kl_coefficient=0.0), text=_text
    )
    assert made.samples == ()
    assert "compared" not in made.metrics


def test_credit_by_state_needs_somebody_who_reads() -> None:
    with pytest.raises(ValueError, match="nobody reads it"):
        batch([GROUP], 0, GrpoSettings(group_size=2, credit="state"))
