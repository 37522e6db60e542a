"""What `benchmarks.rollout_signal` says of scores of which it is known what they
hold."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.rollout_signal import Vector, centred, gradient, promise, ridge

OPERATIONS = [f"operation-{number % 5}" for number in range(200)]


def made(*, shared: float, seed: int = 0) -> tuple[Vector, Vector]:
    """Scores of 200 walks in 400 dimensions, of which the first tells success by
    `shared`, and their centred rewards."""
    random = np.random.default_rng(seed)
    scores = random.normal(size=(200, 400))
    rewards = (shared * scores[:, 0] + random.normal(size=200) > 0).astype(float)
    return scores @ scores.T, centred(rewards, OPERATIONS)


def test_advantages_are_less_the_mean_of_the_own_task() -> None:
    assert centred(np.array([1.0, 0.0, 1.0, 1.0]), ["a", "a", "b", "b"]).tolist() == [
        0.5,
        -0.5,
        0.0,
        0.0,
    ]


def test_scores_that_say_nothing_of_success_promise_nothing() -> None:
    found = [promise(*made(shared=0.0, seed=seed), OPERATIONS).value for seed in range(20)]
    assert abs(np.mean(found)) < 0.02


def test_a_direction_that_operations_share_promises_success_and_more_walks_promise_more() -> None:
    kernel, advantages = made(shared=3.0)
    whole = promise(kernel, advantages, OPERATIONS)
    few = np.mean(
        [promise(kernel, advantages, OPERATIONS, walks=20, seed=seed).value for seed in range(20)]
    )
    # E[a f] / sqrt(E[f²]) is at most the rewards' deviation, which is a half.
    assert 4 * whole.error < whole.value < 0.5
    assert few < 0.8 * whole.value


def test_what_one_operation_alone_knows_is_not_promised_to_the_others() -> None:
    random = np.random.default_rng(0)
    scores = np.zeros((200, 5))
    own = np.array([int(name[-1]) for name in OPERATIONS])
    scores[np.arange(200), own] = random.normal(size=200)
    advantages = centred((scores.sum(1) > 0).astype(float), OPERATIONS)
    assert promise(scores @ scores.T, advantages, OPERATIONS).value == 0.0


def test_a_ridge_is_not_led_by_the_walks_of_the_greatest_scores() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(200, 50))
    rewards = (scores[:, 0] > 0).astype(float)
    scores[::10] *= 30 * random.normal(size=(20, 1))
    kernel, advantages = scores @ scores.T, centred(rewards, OPERATIONS)
    quiet = [name if index % 10 else "loud" for index, name in enumerate(OPERATIONS)]
    led = promise(kernel, advantages, quiet, gradient).value
    assert promise(kernel, advantages, quiet, ridge(0.01)).value > led


@pytest.mark.parametrize("strength", [1e3, 1e6])
def test_a_ridge_without_end_is_the_gradient(strength: float) -> None:
    kernel, advantages = made(shared=1.0)
    assert promise(kernel, advantages, OPERATIONS, ridge(strength)).value == pytest.approx(
        promise(kernel, advantages, OPERATIONS).value, abs=2e-3
    )
