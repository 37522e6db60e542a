"""From rollout groups to advantages: AliyunConsoleAgent §5.2, "Two-Layer Advantage Normalization". Pure Python, no torch.

Layer 1 puts each task's rewards on one scale, (r - μ_k) / (σ_k + ε); layer 2 does the same over the batch, (Â - μ_batch) / max(σ_batch, ε).
What an episode may say is decided before: `kernel.reward` gives a typed outcome its reward or excludes
it, which is None here. None (the environment failed, the judges split, nothing was proven) enters no
mean, no deviation and no gradient. Adding such an episode to a batch changes nothing, which is what
makes training on a flaky environment safe.

Where the paper is silent we took:
- σ is the population deviation (divide by n), in both layers. Layer 2 cancels the factor between that and n - 1 when groups are of one size.
- "Uninformative" tasks (σ_k = 0: all counted rewards equal, or fewer than two counted) are "effectively skipped": they are left out of
  μ_batch and σ_batch, and their advantages are exactly 0, not -μ_batch / σ_batch. Counting their zeros in σ_batch, the other reading of
  "all per-task-normalized advantages in the batch", would multiply everybody else's advantage by a common 1/sqrt(informative share).
- The mean of a group's rewards is over the episodes that count, so a group of 16 that lost three is normalised as one of 13.
- Which G of the 1.25 G rollouts are used: the first G counted ones in launch order, never by reward or by who finished first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from proofwalk.kernel.errors import invalid

EPSILON = 1e-6
"""The paper's "small constant for numerical stability"; the figure is ours."""


@dataclass(frozen=True, kw_only=True)
class Advantages:
    """`values[k][i]` of rollout i of group k: None for an excluded episode, 0.0 throughout an uninformative group."""

    values: tuple[tuple[float | None, ...], ...]
    informative: tuple[bool, ...]
    """Per group: at least two counted rewards that differ."""
    spread: float
    """What layer 2 divides by: max(σ_batch, ε)."""
    counted: int
    excluded: int


def normalised(groups: Sequence[Sequence[float | None]], *, epsilon: float = EPSILON) -> Advantages:
    """Both layers. `groups[k]` are the rewards of task k's rollouts in launch order, None = excluded.

    Any finite rewards, not only the paper's binary ones. Raises `rl.reward_invalid` for NaN and infinities.
    """
    for number, group in enumerate(groups):
        for reward in group:
            if reward is not None and not math.isfinite(reward):
                raise invalid("rl.reward_invalid", f"a reward of group {number} is {reward}", hint="exclude the episode (None)")
    layered = [per_task(group, epsilon=epsilon) for group in groups]
    informative = tuple(any(value for value in group if value is not None) for group in layered)
    pooled = [value for group, told in zip(layered, informative, strict=True) if told for value in group if value is not None]
    centre, spread = _moments(pooled) if pooled else (0.0, 1.0)
    spread = max(spread, epsilon)

    def final(value: float | None, told: bool) -> float | None:
        if value is None:
            return None
        return (value - centre) / spread if told else 0.0

    values = tuple(tuple(final(value, told) for value in group) for group, told in zip(layered, informative, strict=True))
    counted = sum(reward is not None for group in groups for reward in group)
    excluded = sum(map(len, groups)) - counted
    return Advantages(values=values, informative=informative, spread=spread, counted=counted, excluded=excluded)


def per_task(rewards: Sequence[float | None], *, epsilon: float = EPSILON) -> tuple[float | None, ...]:
    """Layer 1 for one task: Â_{k,i} = (r_{k,i} - μ_k) / (σ_k + ε) over its counted rewards; zeros where they are all equal."""
    counted = [reward for reward in rewards if reward is not None]
    if len(counted) < 2 or min(counted) == max(counted):
        return tuple(None if reward is None else 0.0 for reward in rewards)
    centre, spread = _moments(counted)
    return tuple(None if reward is None else (reward - centre) / (spread + epsilon) for reward in rewards)


def oversampled(group_size: int, factor: float = 1.25) -> int:
    """How many rollouts to start so that `group_size` of them are likely to count: ceil(factor · G), 20 for the paper's 16."""
    if group_size < 0 or factor < 1:
        raise ValueError(f"{factor} times {group_size}")
    return math.ceil(Fraction(str(factor)) * group_size)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which rollouts of a group are used, and how many more to start so that G count."""

    kept: tuple[int, ...]
    """Indices in launch order, at most G, all of them counted."""
    excluded: tuple[int, ...]
    """Indices of the episodes that say nothing about the policy."""
    missing: int
    """Counted rollouts short of G."""
    to_start: int
    """`missing`, oversampled; 0 when the group is full."""


def choose(rewards: Sequence[float | None], group_size: int, factor: float = 1.25) -> Choice:
    """The first `group_size` counted rollouts of a group, and the resampling plan when there are too few."""
    counted = [index for index, reward in enumerate(rewards) if reward is not None]
    missing = max(0, group_size - len(counted))
    return Choice(
        kept=tuple(counted[:group_size]),
        excluded=tuple(index for index, reward in enumerate(rewards) if reward is None),
        missing=missing,
        to_start=oversampled(missing, factor),
    )


def deviation(values: Sequence[float]) -> float:
    """σ, of the population; 0 of nothing."""
    return _moments(values)[1] if values else 0.0


def _moments(values: Sequence[float]) -> tuple[float, float]:
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
