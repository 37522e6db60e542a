"""From rollout groups to advantages: AliyunConsoleAgent §5.2, "Two-Layer Advantage
Normalization"; at the end, WebRL's from a value function (`mixed`). Pure Python, no
torch.

Layer 1 puts each task's rewards on one scale, (r - μ_k) / (σ_k + ε); layer 2 does the
same over the batch, (Â - μ_batch) / max(σ_batch, ε), "computed over all
per-task-normalized advantages in the batch". The zeros of uninformative groups are
among them. Every group's Â has mean 0, so μ_batch is 0 and they stay 0; σ_batch is the
square root of the informative groups' share of the episodes (but for ε), and the others
are multiplied by 1/sqrt(share): a batch in which little tells is stepped on as far as
one in which all does. `informative` pools informative groups alone, which makes layer 2
the identity (but for ε), and `none` leaves it out.

What an episode may say is decided before: `kernel.reward` gives a typed outcome its
reward or excludes it, which is None here. None (the environment failed, the judges
split, nothing was proven) enters no mean, no deviation and no gradient. Adding such an
episode to a batch changes nothing, which is what makes training on a flaky environment
safe.

Where the paper is silent we took:
- σ is the population deviation (divide by n), in both layers. Layer 2 cancels the
  factor between that and n - 1 when groups are of one size.
- "Uninformative" tasks (σ_k = 0: all counted rewards equal, or fewer than two counted)
  have advantages of exactly 0, whatever rounding makes of μ_batch.
- The mean of a group's rewards is over the episodes that count, so a group of 16 that
  lost three is normalised as one of 13.
- ComputerRL's step-level form (its §3.2) takes μ_k and σ_k over all steps of all
  trajectories, each with its trajectory's reward, and has no second layer: `lengths`
  are the trajectories' steps.
- Which G of the 1.25 G rollouts are used: the first G counted ones in launch order,
  never by reward or by who finished first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from proofwalk.kernel.errors import invalid

BatchStatistics = Literal["all", "informative", "none"]
"""What σ_batch is computed over: every advantage of the batch (the paper), those of
informative groups, or nothing: no second layer."""
EPSILON = 1e-6
"""The paper's "small constant for numerical stability"; the figure is ours."""


@dataclass(frozen=True, kw_only=True)
class Advantages:
    """`values[k][i]` of rollout i of group k: None for an excluded episode, 0.0
    throughout an uninformative group."""

    values: tuple[tuple[float | None, ...], ...]
    informative: tuple[bool, ...]
    """Per group: at least two counted rewards that differ."""
    spread: float
    """What layer 2 divides by: max(σ_batch, ε); 1 without it, and where no group is
    informative."""
    counted: int
    excluded: int


def normalised(
    groups: Sequence[Sequence[float | None]],
    *,
    epsilon: float = EPSILON,
    batch: BatchStatistics = "all",
    lengths: Sequence[Sequence[int]] | None = None,
) -> Advantages:
    """Both layers. `groups[k]` are the rewards of task k's rollouts in launch order,
    None = excluded.

    `lengths[k][i]`: steps of rollout i, where a group's moments are over steps instead
    of rollouts; with `batch` none, since such a group's advantages do not have mean 0
    over rollouts. Any finite rewards, not only the paper's binary ones. Raises
    `rl.reward_invalid` for NaN and infinities.
    """
    for number, group in enumerate(groups):
        for reward in group:
            if reward is not None and not math.isfinite(reward):
                raise invalid(
                    "rl.reward_invalid",
                    f"a reward of group {number} is {reward}",
                    hint="exclude the episode (None)",
                )
    if lengths is not None and batch != "none":
        raise ValueError(f"moments over steps with a second layer over {batch}")
    weights: Sequence[Sequence[int] | None] = [None] * len(groups) if lengths is None else lengths
    layered = [
        per_task(group, epsilon=epsilon, lengths=steps)
        for group, steps in zip(groups, weights, strict=True)
    ]
    informative = tuple(any(value for value in group if value is not None) for group in layered)
    pooled = [
        value
        for group, told in zip(layered, informative, strict=True)
        if batch != "none" and (told or batch == "all")
        for value in group
        if value is not None
    ]
    centre, spread = _moments(pooled) if any(pooled) else (0.0, 1.0)
    spread = max(spread, epsilon)

    def final(value: float | None, told: bool) -> float | None:
        if value is None:
            return None
        return (value - centre) / spread if told else 0.0

    values = tuple(
        tuple(final(value, told) for value in group)
        for group, told in zip(layered, informative, strict=True)
    )
    counted = sum(reward is not None for group in groups for reward in group)
    excluded = sum(map(len, groups)) - counted
    return Advantages(
        values=values, informative=informative, spread=spread, counted=counted, excluded=excluded
    )


def per_task(
    rewards: Sequence[float | None],
    *,
    epsilon: float = EPSILON,
    lengths: Sequence[int] | None = None,
) -> tuple[float | None, ...]:
    """Layer 1 for one task: Â_{k,i} = (r_{k,i} - μ_k) / (σ_k + ε) over its counted
    rewards, each as often as its rollout has steps where `lengths` says so; zeros where
    they are all equal."""
    counted = [reward for reward in rewards if reward is not None]
    if len(counted) < 2 or min(counted) == max(counted):
        return tuple(None if reward is None else 0.0 for reward in rewards)
    if lengths is not None:
        counted = [
            r
            for r, steps in zip(rewards, lengths, strict=True)
            if r is not None
            for _ in range(steps)
        ]
    centre, spread = _moments(counted)
    return tuple(
        None if reward is None else (reward - centre) / (spread + epsilon) for reward in rewards
    )


def oversampled(group_size: int, factor: float = 1.25) -> int:
    """How many rollouts to start so that `group_size` of them are likely to count:
    ceil(factor · G), 20 for the paper's 16."""
    if group_size < 0 or factor < 1:
        raise ValueError(f"{factor} times {group_size}")
    return math.ceil(Fraction(str(factor)) * group_size)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which rollouts of a group are used, and how many more to start so that G
    count."""

    kept: tuple[int, ...]
    """Indices in launch order, at most G, all of them counted."""
    excluded: tuple[int, ...]
    """Indices of the episodes that say nothing about the policy."""
    missing: int
    """Counted rollouts short of G."""
    to_start: int
    """`missing`, oversampled; 0 when the group is full."""


def choose(rewards: Sequence[float | None], group_size: int, factor: float = 1.25) -> Choice:
    """The first `group_size` counted rollouts of a group, and the resampling plan when
    there are too few."""
    counted = [index for index, reward in enumerate(rewards) if reward is not None]
    missing = max(0, group_size - len(counted))
    return Choice(
        kept=tuple(counted[:group_size]),
        excluded=tuple(index for index, reward in enumerate(rewards) if reward is None),
        missing=missing,
        to_start=oversampled(missing, factor),
    )


def mixed(
    values: Sequence[float], outcome: float, *, mixing: float, discount: float
) -> list[float]:
    """WebRL's advantage of each step of a trajectory (its Eq. 15; Eq. 8 without
    discount), where nothing is earned before the last step T:

        A_t = λ (r_t + γ V(s_{t+1}) - V(s_t)) + (1 - λ) (γ^{T-t} r_T - V(s_t))

    `values` are V(s_0) … V(s_T), and `outcome` is r_T; nothing is expected behind T.
    """
    last = len(values) - 1
    following = [discount * value for value in values[1:]] + [outcome]
    return [
        mixing * (following[t] - value) + (1 - mixing) * (discount ** (last - t) * outcome - value)
        for t, value in enumerate(values)
    ]


def deviation(values: Sequence[float]) -> float:
    """σ, of the population; 0 of nothing."""
    return _moments(values)[1] if values else 0.0


def _moments(values: Sequence[float]) -> tuple[float, float]:
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
