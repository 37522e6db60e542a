"""What a walk may still ask its model: calls, cost and seconds of one verification,
shared by its episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Bounds(Protocol):
    """The most that questions to a model may take."""

    @property
    def calls(self) -> int: ...

    @property
    def cost(self) -> float:
        """The most that calls may cost, in the price table's currency. 0 sets no
        limit."""
        ...

    @property
    def seconds(self) -> float: ...


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What questions to a model have taken."""

    calls: int = 0
    cost: float = 0.0
    """In the price table's currency."""
    seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            calls=self.calls + other.calls,
            cost=self.cost + other.cost,
            seconds=self.seconds + other.seconds,
        )


NOTHING_SPENT = Spent()


@dataclass(kw_only=True)
class ModelBudget:
    """Bounds, what earlier episodes have spent of them, and what this one has."""

    settings: Bounds
    earlier: Spent = NOTHING_SPENT
    spent: Spent = NOTHING_SPENT

    @property
    def used_up(self) -> str:
        """The bound that is reached, in words; empty while something is left."""
        bounds, total = self.settings, self.earlier + self.spent
        if total.calls >= bounds.calls:
            return f"the model's budget of {bounds.calls} calls is used up"
        if bounds.cost and total.cost >= bounds.cost:
            return f"the model's budget of {bounds.cost:g} in cost is used up"
        if total.seconds >= bounds.seconds:
            return f"the model's budget of {bounds.seconds:g} s is used up"
        return ""

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.settings.seconds - (self.earlier + self.spent).seconds)

    def add(self, spent: Spent) -> None:
        """Add what a question has taken."""
        self.spent += spent

    def exhaust_seconds(self) -> None:
        """Count all remaining time as spent, whatever the clock measured."""
        self.spent += Spent(seconds=self.seconds_left)
