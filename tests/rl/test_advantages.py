"""Two-layer normalisation: values by hand, and what must hold for any rewards."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.advantages import choose, normalised, oversampled, per_task

_binary = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=0, max_size=16)
_batches = st.lists(_binary, min_size=1, max_size=6)


def _close(left: object, right: object, tolerance: float = 1e-9) -> bool:
    if left is None or right is None:
        return left is right
    assert isinstance(left, float)
    assert isinstance(right, float)
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)


def _same(
    left: tuple[tuple[float | None, ...], ...],
    right: tuple[tuple[float | None, ...], ...],
    tolerance: float = 1e-9,
) -> bool:
    return all(
        len(a) == len(b) and all(_close(x, y, tolerance) for x, y in zip(a, b, strict=True))
        for a, b in zip(left, right, strict=True)
    )


def test_the_second_layer_as_the_paper_writes_it_worked_by_hand() -> None:
    # Layer 1. Group 1: mean 1/2, deviation 1/2: 1, -1. Group 2: all equal: 0, 0. Layer
    # 2 over 1, -1, 0, 0: mean 0, deviation sqrt((1 + 1 + 0 + 0) / 4) = 1/sqrt(2). So 1
    # becomes sqrt(2), -1 becomes -sqrt(2), 0 stays 0: half of the episodes tell,
    # 1/sqrt(1/2).
    found = normalised([[1.0, 0.0], [1.0, 1.0]], epsilon=1e-12)
    assert _same(found.values, ((math.sqrt(2), -math.sqrt(2)), (0.0, 0.0)))
    assert _close(found.spread, 1 / math.sqrt(2))
    assert found.informative == (True, False)
    # Over informative groups alone it does nothing, and without it nothing is what is
    # done.
    for batch in ("informative", "none"):
        assert _same(
            normalised([[1.0, 0.0], [1.0, 1.0]], epsilon=1e-12, batch=batch).values,
            ((1.0, -1.0), (0.0, 0.0)),
        )


def test_the_values_of_a_batch_worked_by_hand() -> None:
    # Group 1: mean 1/4, deviation sqrt(3)/4: 3/4 over it is sqrt(3), -1/4 over it is
    # -1/sqrt(3). Group 2: mean 1/2, deviation 1/2: +-1. Group 3 says nothing. Of the 8
    # that count 6 tell: σ_batch is sqrt(6/8).
    rewards: list[list[float | None]] = [[1.0, 0.0, 0.0, 0.0], [1.0, None, 0.0], [1.0, 1.0, None]]
    layer_1 = ((math.sqrt(3), *[-1 / math.sqrt(3)] * 3), (1.0, None, -1.0), (0.0, 0.0, None))
    found = normalised(rewards, epsilon=1e-12)
    assert _same(normalised(rewards, epsilon=1e-12, batch="none").values, layer_1)
    assert _same(
        found.values,
        tuple(
            tuple(None if value is None else value / math.sqrt(6 / 8) for value in group)
            for group in layer_1
        ),
    )
    assert found.informative == (True, True, False)
    assert (found.counted, found.excluded) == (8, 2)


def test_the_second_layer_undoes_what_a_large_epsilon_did_to_the_first() -> None:
    # ε = 1/2: 1/2 over (1/2 + 1/2) is 1/2, and the batch's deviation is 1/2.
    assert _same(normalised([[1.0, 0.0]], epsilon=0.5).values, ((1.0, -1.0),))
    assert _close(per_task([1.0, 0.0], epsilon=0.5)[0], 0.5)


def test_the_zeros_of_uninformative_tasks_stay_zeros_and_scale_the_others() -> None:
    alone = normalised([[1.0, 0.0, 0.0, 0.0]], epsilon=1e-12).values[0]
    rewards: list[list[float | None]] = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0] * 16,
        [1.0] * 16,
        [1.0, None, None],
        [],
    ]
    beside = normalised(rewards, epsilon=1e-12)
    assert beside.values[1:] == ((0.0,) * 16, (0.0,) * 16, (0.0, None, None), ())
    share = 4 / (4 + 16 + 16 + 1)
    assert _same(
        (beside.values[0],),
        (tuple(value / math.sqrt(share) for value in alone if value is not None),),
    )
    assert _same((normalised(rewards, epsilon=1e-12, batch="informative").values[0],), (alone,))


def test_moments_over_steps_count_a_long_walk_more_often() -> None:
    # ComputerRL §3.2: R has a reward for each step. One step of 1 and three of 0: mean
    # 1/4, deviation sqrt(3)/4.
    found = normalised(
        [[1.0, 0.0], [0.0, 0.0]], epsilon=1e-12, batch="none", lengths=[[1, 3], [2, 2]]
    )
    assert _same(found.values, ((math.sqrt(3), -1 / math.sqrt(3)), (0.0, 0.0)))
    even = normalised([[1.0, 0.0]], epsilon=1e-12, batch="none", lengths=[[2, 2]])
    assert _same(even.values, normalised([[1.0, 0.0]], epsilon=1e-12, batch="none").values)
    with pytest.raises(ValueError, match="second layer"):
        normalised([[1.0, 0.0]], lengths=[[1, 3]])


@given(_batches, st.sampled_from(["all", "informative"]))
def test_the_batch_has_mean_nought_and_deviation_one_or_is_all_nought(
    groups: list[list[float | None]], batch: str
) -> None:
    found = normalised(groups, batch=batch)  # type: ignore[arg-type]
    pooled = [
        v
        for group, told in zip(found.values, found.informative, strict=True)
        if told or batch == "all"
        for v in group
        if v is not None
    ]
    if any(found.informative):
        assert abs(math.fsum(pooled) / len(pooled)) < 1e-9
        assert math.isclose(math.fsum(v * v for v in pooled) / len(pooled), 1.0, rel_tol=1e-9)
    else:
        assert all(value == 0.0 for group in found.values for value in group if value is not None)


@given(_batches)
def test_the_two_readings_differ_by_the_share_of_episodes_that_tell(
    groups: list[list[float | None]],
) -> None:
    paper, pooled = normalised(groups), normalised(groups, batch="informative")
    telling = sum(
        v is not None for g, t in zip(groups, paper.informative, strict=True) if t for v in g
    )
    for ours, theirs in zip(pooled.values, paper.values, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            expected = (
                None if one is None else one / math.sqrt(telling / paper.counted) if one else 0.0
            )
            assert _close(other, expected)


@given(_batches, st.floats(-100, 100), st.floats(0.1, 100))
def test_shifting_and_scaling_all_rewards_changes_nothing(
    groups: list[list[float | None]], shift: float, scale: float
) -> None:
    moved = [[None if r is None else r * scale + shift for r in group] for group in groups]
    assert _same(normalised(groups).values, normalised(moved).values, 1e-4)  # but for ε beside σ


@given(st.lists(_binary, min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_groups_and_of_rollouts_does_not_matter(
    groups: list[list[float | None]], chance: object
) -> None:
    orders = [list(range(len(group))) for group in groups]
    for order in orders:
        chance.shuffle(order)  # type: ignore[attr-defined]
    outer = list(range(len(groups)))
    chance.shuffle(outer)  # type: ignore[attr-defined]
    mixed = normalised([[groups[k][i] for i in orders[k]] for k in outer]).values
    plain = normalised(groups).values
    assert _same(mixed, tuple(tuple(plain[k][i] for i in orders[k]) for k in outer))


@given(_batches, st.data())
def test_an_excluded_episode_changes_nobody_elses_advantage(
    groups: list[list[float | None]], data: st.DataObject
) -> None:
    k = data.draw(st.integers(0, len(groups) - 1))
    at = data.draw(st.integers(0, len(groups[k])))
    more = [list(group) for group in groups]
    more[k].insert(at, None)
    plain, found = normalised(groups), normalised(more)
    assert found.values[k][at] is None
    assert tuple(v for i, v in enumerate(found.values[k]) if i != at) == plain.values[k]
    assert [v for i, v in enumerate(found.values) if i != k] == [
        v for i, v in enumerate(plain.values) if i != k
    ]
    assert (found.counted, found.excluded) == (plain.counted, plain.excluded + 1)


@given(_batches)
def test_counting_an_excluded_episode_as_nought_would_change_advantages(
    groups: list[list[float | None]],
) -> None:
    zeroed = normalised([[0.0 if r is None else r for r in group] for group in groups])
    found = normalised(groups)
    lost = any(None in group and 1.0 in group for group in groups)
    differs = any(
        a is not None and b is not None and not _close(a, b)
        for left, right in zip(found.values, zeroed.values, strict=True)
        for a, b in zip(left, right, strict=True)
    )
    if lost:
        assert differs


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_reward_that_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(ProofwalkError) as caught:
        normalised([[1.0, bad]])
    assert caught.value.code == "rl.reward_invalid"


def test_oversampling_rounds_up_without_the_errors_of_binary_fractions() -> None:
    assert [oversampled(g) for g in (0, 1, 4, 8, 16)] == [0, 2, 5, 10, 20]
    assert oversampled(10, 1.1) == 11  # 1.1 * 10 is 11.000000000000002


def test_the_first_counted_rollouts_are_kept_and_what_lacks_is_planned() -> None:
    full = choose([None, 1.0, 0.0, None, 0.0, 1.0], 3)
    assert (full.kept, full.excluded, full.missing, full.to_start) == ((1, 2, 4), (0, 3), 0, 0)
    short = choose([None, 1.0, None], 4)
    assert (short.kept, short.missing, short.to_start) == ((1,), 3, 4)
