"""A simulation: a softmax policy over three ways of doing a task, one of which the
environment breaks more often than the others.

The better way is right 9 times of 10 but needs resources, so that in 6 episodes of 10
the environment fails; the other is right every second time and never meets a failure.
Excluding failures learns the better way; counting them as noughts learns to avoid what
breaks.
"""

from __future__ import annotations

import math
from random import Random

from proofwalk.rl.advantages import normalised

_RIGHT = (0.9, 0.5, 0.0)
_BREAKS = (0.6, 0.0, 0.0)


def _learned(*, excluded: bool, seed: int) -> list[float]:
    """The policy after 120 batches of 4 groups of 16, by the policy gradient of a
    softmax."""
    chance, logits = Random(seed), [0.0, 0.0, 0.0]
    for _ in range(120):
        shares = _softmax(logits)
        ways = [[chance.choices(range(3), shares)[0] for _ in range(16)] for _ in range(4)]
        rewards: list[list[float | None]] = []
        for group in ways:
            broken = [chance.random() < _BREAKS[way] for way in group]
            right = [float(chance.random() < _RIGHT[way]) for way in group]
            rewards.append(
                [
                    (None if excluded else 0.0) if b else r
                    for b, r in zip(broken, right, strict=True)
                ],
            )
        found = normalised(rewards)
        gradient = [0.0, 0.0, 0.0]
        for group, values in zip(ways, found.values, strict=True):
            for way, value in zip(group, values, strict=True):
                for arm in range(3):
                    gradient[arm] += (
                        (value or 0.0) * ((arm == way) - shares[arm]) / max(found.counted, 1)
                    )
        logits = [logit + 0.5 * part for logit, part in zip(logits, gradient, strict=True)]
    return _softmax(logits)


def _softmax(logits: list[float]) -> list[float]:
    parts = [math.exp(logit) for logit in logits]
    return [part / sum(parts) for part in parts]


def test_excluded_failures_leave_the_better_way_learned_and_noughts_unlearn_it() -> None:
    for seed in range(3):
        assert _learned(excluded=True, seed=seed)[0] > 0.9
        assert _learned(excluded=False, seed=seed)[0] < 0.2
