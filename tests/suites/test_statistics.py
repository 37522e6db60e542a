"""Intervals, estimators and the bootstrap against values worked by hand."""

from __future__ import annotations

import math
from random import Random

import pytest

from proofwalk.suites.counting.statistics import (
    crossed_bootstrap,
    deviation,
    mean,
    paired_bootstrap,
    pass_at_k,
    quantile,
    share_of_tasks,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # (p + z²/2n ± z·√(p(1-p)/n + z²/4n²)) / (1 + z²/n) with z = 1.95996
        (5, 10, 0.2366, 0.7634),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (95, 100, 0.8882, 0.9785),
        (1, 1, 0.2065, 1.0),
    ],
)
def test_wilson(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert found is not None
    assert found.value == successes / trials
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_wilson_without_trials_and_with_nonsense() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


def test_mean_and_deviation() -> None:
    assert mean([1, 2, 3, 4]) == 2.5
    assert deviation([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx(math.sqrt(32 / 7))
    assert deviation([7]) == 0.0


@pytest.mark.parametrize(
    ("runs", "successes", "k", "expected"),
    [
        (3, 0, 3, 0.0),
        (3, 1, 3, 1.0),
        (3, 1, 1, 1 / 3),
        (5, 2, 3, 1 - 1 / 10),
        (4, 4, 2, 1.0),
        (10, 1, 5, 0.5),
    ],
)
def test_pass_at_k(runs: int, successes: int, k: int, expected: float) -> None:
    assert pass_at_k(runs, successes, k) == pytest.approx(expected)


def test_quantiles_are_linear_between_neighbours() -> None:
    assert quantile([0, 10], 0.25) == 2.5
    assert quantile([1, 2, 3], 0.5) == 2
    assert quantile([5], 0.975) == 5


def test_a_share_of_grouped_trials_is_wider_than_of_independent_ones() -> None:
    """Twenty tasks that always or never pass say less than sixty independent runs."""
    groups = [(3, 3)] * 10 + [(0, 3)] * 10
    grouped, independent = share_of_tasks(groups, chance=Random(1)), wilson(30, 60)
    assert grouped is not None
    assert independent is not None
    assert grouped.value == independent.value == 0.5
    assert grouped.high - grouped.low > independent.high - independent.low
    assert share_of_tasks([], chance=Random(1)) is None


def test_single_trials_are_bounded_by_wilson() -> None:
    assert share_of_tasks([(1, 1)] * 5 + [(0, 1)] * 5, chance=Random(1)) == wilson(5, 10)


def test_the_paired_bootstrap_of_a_constant_difference_has_no_width() -> None:
    found = paired_bootstrap([0.25] * 8, chance=Random(3), resamples=200)
    assert (found.value, found.low, found.high) == (0.25, 0.25, 0.25)
    assert found.p == pytest.approx(2 / 201)


def test_the_paired_bootstrap_finds_no_difference_where_there_is_none() -> None:
    found = paired_bootstrap([1.0, -1.0] * 20, chance=Random(3), resamples=2000)
    assert found.value == 0
    assert found.low < 0 < found.high
    assert found.p > 0.8
    assert found.high == pytest.approx(1.96 / math.sqrt(40), abs=0.06)


def test_the_paired_bootstrap_is_repeatable_and_refuses_nothing() -> None:
    differences = [0.0, 1.0, 0.0, -1.0, 1.0, 1.0]
    assert paired_bootstrap(differences, chance=Random(9), resamples=500) == paired_bootstrap(
        differences, chance=Random(9), resamples=500
    )
    with pytest.raises(ValueError, match="no task"):
        paired_bootstrap([], chance=Random(9))


def test_the_crossed_bootstrap_is_as_wide_as_seeds_and_tasks_differ() -> None:
    constant = crossed_bootstrap([[0.25] * 4] * 3, chance=Random(3), resamples=200)
    assert (constant.value, constant.low, constant.high) == (0.25, 0.25, 0.25)
    seeds = crossed_bootstrap([[1.0] * 20, [-1.0] * 20], chance=Random(3), resamples=2000)
    tasks = crossed_bootstrap([[1.0, -1.0] * 10] * 2, chance=Random(3), resamples=2000)
    assert seeds.value == tasks.value == 0.0
    assert (seeds.low, seeds.high) == (-1.0, 1.0), "two seeds say little of a third"
    assert -0.6 < tasks.low < -0.2
    assert 0.2 < tasks.high < 0.6
    with pytest.raises(ValueError, match="no task"):
        crossed_bootstrap([], chance=Random(3))
