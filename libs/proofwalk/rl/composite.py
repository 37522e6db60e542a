"""The composite reward of RiskWebWorld (App. G, Eq. 1): what a walk came to, less for
every step more than the group's shortest success took, plus a little for each answer in
the form that was asked for.

    R(τ) = R_comp · γ^((|τ| - |τ|_min) / |τ|_min) + Σ_i R_step(a_i)            (Eq. 1)

R_comp (Eq. 2) is the episode's reward as `kernel.reward` gives it, with its tiers for
failures; γ = 0.95 and R_step = ±0.02 are the paper's. |τ| counts answers, unusable ones
among them. The paper takes |τ|_min over the group's trajectories that complete the
task: here those of the greatest reward in the group, and there is no decay where that
is 0. Excluded episodes stay excluded, and shorten nothing. Pure; next: `rollouts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Walked:
    """One episode of a group."""

    reward: float | None
    """R_comp; None is excluded."""
    steps: int
    """|τ|, at least 1 unless excluded."""
    malformed: int = 0
    """Answers among them that could not be used."""


def composite(group: Sequence[Walked], *, decay: float, per_step: float) -> list[float | None]:
    """R(τ) of each episode, in order. `decay` is γ, `per_step` the size of R_step."""
    counted = [one for one in group if one.reward is not None]
    best = max((one.reward for one in counted if one.reward is not None), default=0.0)
    shortest = min((one.steps for one in counted if one.reward == best), default=1)
    return [
        None
        if one.reward is None
        else one.reward * _decayed(one.steps, shortest, decay if best > 0 else 1.0)
        + per_step * (one.steps - 2 * one.malformed)
        for one in group
    ]


def _decayed(steps: int, shortest: int, decay: float) -> float:
    """γ^((|τ| - |τ|_min) / |τ|_min); 1 for a walk that is shorter than any success."""
    return float(decay ** (max(steps - shortest, 0) / shortest))
