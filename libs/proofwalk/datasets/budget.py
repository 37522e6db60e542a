"""How often a task is walked for its successes: the dynamic compute budget of EvoCUA
§5.2 (Eq. 1).

A spectrum pairs budgets k_1 < … < k_n with falling pass rates τ_1 > … > τ_n. A task
is walked k_i times, for the first i at which its pass rate over them reaches τ_i:

    K* = k_{i*},  i* = min{i | SR(k_i) >= τ_i}                                  (Eq. 1)

and k_n times where none does. What is done well costs little, and most goes to the
tasks at the edge of what the policy can do. Walks that say nothing about the policy
(the environment failed, the judges were split) count neither way. Pure.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.kernel.errors import ProofwalkError, invalid

MOST = 100
"""Walks of a task at most."""


@dataclass(frozen=True)
class Spectrum:
    """Budgets with their pass rates."""

    levels: tuple[tuple[int, float], ...]

    def runs_for(self, passed: Sequence[bool | None]) -> int:
        """K* as far as it can be told of the walks so far, in order; None is a walk
        that says nothing. More than there are walks: so many are to be there before
        more can be told."""
        for budget, rate in self.levels:
            if len(passed) < budget:
                return budget
            told = [one for one in passed[:budget] if one is not None]
            if told and sum(told) / len(told) >= rate:
                return budget
        return self.levels[-1][0]


def spectrum(text: str) -> Spectrum:
    """Reads `2:1,4:0.5,8:0.25`. Raises `data.bad_budget`."""
    levels = []
    for part in text.split(","):
        budget, _, rate = part.partition(":")
        try:
            levels.append((int(budget), float(rate or 0)))
        except ValueError:
            raise _bad(f"{part!r} is no number of walks with a pass rate") from None
    if any(not 1 <= budget <= MOST or not 0 <= rate <= 1 for budget, rate in levels):
        raise _bad(f"walks are 1 to {MOST}, pass rates 0 to 1")
    if any(one[0] >= other[0] or one[1] <= other[1] for one, other in itertools.pairwise(levels)):
        raise _bad("budgets have to rise, and their pass rates to fall")
    return Spectrum(tuple(levels))


def _bad(why: str) -> ProofwalkError:
    return invalid(
        "data.bad_budget",
        f"the budget cannot be used: {why}",
        hint="for example 2:1,4:0.5,8 (two walks where both pass, four where half do, else eight)",
    )
