"""What the consensus of two judges comes to if each is wrong at a known rate. Pure.

A judge says success or failure, and is wrong with probability p, the other one with q.
Both agree if both are right or both are wrong; the rest is excluded (AliyunConsoleAgent
§5.2, Eq. 1). If they err independently,

    told wrong = pq      told right = (1 - p)(1 - q)      excluded = p(1 - q) + q(1 - p)
    ensemble error = pq / (pq + (1 - p)(1 - q))

Judges that learned of the same texts do not err independently. `shared` is the share of
trajectories on which both go by one draw, so that whoever is wrong more rarely errs
only where the other one does. Each judge's own rate stays what it is:

    told wrong = s min(p, q) + (1 - s) pq
    told right = s (1 - max(p, q)) + (1 - s)(1 - p)(1 - q)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How often each of two judges is wrong."""

    first: float
    second: float


@dataclass(frozen=True, kw_only=True)
class Expected:
    """How many trajectories two judges tell wrong and right, and of how many."""

    wrong: float
    right: float
    of: float

    @property
    def ensemble_error(self) -> float:
        """The share that is wrong, of what is told."""
        return self.wrong / (self.wrong + self.right)

    @property
    def excluded(self) -> float:
        return 1 - (self.wrong + self.right) / self.of


def expected(rates: Rates, count: int, *, shared: float = 0.0) -> Expected:
    """What is to be expected of `count` trajectories."""
    p, q = rates.first, rates.second
    return Expected(
        wrong=count * (shared * min(p, q) + (1 - shared) * p * q),
        right=count * (shared * (1 - max(p, q)) + (1 - shared) * (1 - p) * (1 - q)),
        of=count,
    )


def together(parts: Iterable[Expected]) -> Expected:
    """Several classes as one."""
    every = tuple(parts)
    return Expected(
        wrong=sum(one.wrong for one in every),
        right=sum(one.right for one in every),
        of=sum(one.of for one in every),
    )
