"""WebRL's difficulty filter (§2.1): a new task is trained on where the critic's value
of its initial state lies between 0.05 and 0.75.

The value is the chance that the policy's walk will succeed, told at the first question.
Who has no critic has no filter, and the evolution says so (`Evolution.filtered`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofwalk.kernel.errors import invalid
from proofwalk.suites.model import Task

LOW, HIGH = 0.05, 0.75
Value = Callable[[Task], float | None]
"""A task's value at its first question, from 0 to 1; None where nobody has told it."""


@dataclass(frozen=True, kw_only=True)
class ValueFilter:
    """Keeps tasks that are neither out of reach nor known already."""

    value: Value
    low: float = LOW
    high: float = HIGH

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high <= 1:
            raise invalid(
                "curriculum.bad_bounds",
                f"values are kept from {self.low} to {self.high}, which is no part of 0 to 1",
                hint="the paper keeps 0.05 to 0.75",
            )
