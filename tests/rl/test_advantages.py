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
    left: tuple[tuple[float | None, ...], ...], right: tuple[tuple[float | None, ...], ...], tolerance: float = 1e-9
) -> bool:
    return all(
        len(a) == len(b) and all(_close(x, y, tolerance) for x, y in zip(a, b, strict=True))
        for a, b in zip(left, right, strict=True)
    )


def test_the_values_of_a_batch_worked_by_hand() -> None:
    # Group 1: mean 1/4, deviation sqrt(3)/4: 3/4 over it is sqrt(3), -1/4 over it is -1/sqrt(3). Group 2: mean 1/2, deviation 1/2: +-1.
    # Both groups have mean 0 and deviation 1, so the second layer changes nothing. Group 3 says nothing.
    found = normalised([[1.0, 0.0, 0.0, 0.0], [1.0, None, 0.0], [1.0, 1.0, None]], epsilon=1e-12)
    expected = ((math.sqrt(3), *[-1 / math.sqrt(3)] * 3), (1.0, None, -1.0), (0.0, 0.0, None))
    assert _same(found.values, expected)
    assert found.informative == (True, True, False)
    assert (found.counted, found.excluded) == (8, 2)


def test_the_second_layer_undoes_what_a_large_epsilon_did_to_the_first() -> None:
    # ε = 1/2: 1/2 over (1/2 + 1/2) is 1/2, and the batch's deviation is 1/2.
    assert _same(normalised([[1.0, 0.0]], epsilon=0.5).values, ((1.0, -1.0),))
    assert _close(per_task([1.0, 0.0], epsilon=0.5)[0], 0.5)


def test_uninformative_tasks_are_left_out_of_the_moments_of_the_batch() -> None:
    alone = normalised([[1.0, 0.0, 0.0, 0.0]])
    beside = normalised([[1.0, 0.0, 0.0, 0.0], [0.0] * 16, [1.0] * 16, [1.0, None, None], []])
    assert beside.values[0] == alone.values[0]
    assert beside.values[1:] == ((0.0,) * 16, (0.0,) * 16, (0.0, None, None), ())


@given(_batches)
def test_the_batch_has_mean_nought_and_deviation_one_or_is_all_nought(groups: list[list[float | None]]) -> None:
    found = normalised(groups)
    told = [v for group, t in zip(found.values, found.informative, strict=True) if t for v in group if v is not None]
    if told:
        assert abs(math.fsum(told) / len(told)) < 1e-9
        assert math.isclose(math.fsum(v * v for v in told) / len(told), 1.0, rel_tol=1e-9)
    else:
        assert all(value == 0.0 for group in found.values for value in group if value is not None)


@given(_batches, st.floats(-100, 100), st.floats(0.1, 100))
def test_shifting_and_scaling_all_rewards_changes_nothing(groups: list[list[float | None]], shift: float, scale: float) -> None:
    moved = [[None if r is None else r * scale + shift for r in group] for group in groups]
    assert _same(normalised(groups).values, normalised(moved).values, 1e-4)  # but for ε beside σ


@given(st.lists(_binary, min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_groups_and_of_rollouts_does_not_matter(groups: list[list[float | None]], chance: object) -> None:
    orders = [list(range(len(group))) for group in groups]
    for order in orders:
        chance.shuffle(order)  # type: ignore[attr-defined]
    outer = list(range(len(groups)))
    chance.shuffle(outer)  # type: ignore[attr-defined]
    mixed = normalised([[groups[k][i] for i in orders[k]] for k in outer]).values
    plain = normalised(groups).values
    assert _same(mixed, tuple(tuple(plain[k][i] for i in orders[k]) for k in outer))


@given(_batches, st.data())
def test_an_excluded_episode_changes_nobody_elses_advantage(groups: list[list[float | None]], data: st.DataObject) -> None:
    k = data.draw(st.integers(0, len(groups) - 1))
    at = data.draw(st.integers(0, len(groups[k])))
    more = [list(group) for group in groups]
    more[k].insert(at, None)
    plain, found = normalised(groups), normalised(more)
    assert found.values[k][at] is None
    assert tuple(v for i, v in enumerate(found.values[k]) if i != at) == plain.values[k]
    assert [v for i, v in enumerate(found.values) if i != k] == [v for i, v in enumerate(plain.values) if i != k]
    assert (found.counted, found.excluded) == (plain.counted, plain.excluded + 1)


@given(_batches)
def test_counting_an_excluded_episode_as_nought_would_change_advantages(groups: list[list[float | None]]) -> None:
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
