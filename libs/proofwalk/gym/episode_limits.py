"""Limits of an episode."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of an episode; times are in seconds."""

    steps: int = 20
    failures: int = 3
    """Failed actions in a row."""
    browser: float = 60.0
    start: float = 90.0
    """From an empty tab to the task's goal."""
    observe: float = 60.0
    perform: float = 150.0
    """More than the longest wait that an action may ask for (120 s)."""
    validate: float = 30.0
    close: float = 30.0

    @property
    def reset(self) -> float:
        """All of a reset, the close of the last episode included."""
        return self.close + self.browser + self.start + self.observe

    @property
    def step(self) -> float:
        """All of a step."""
        return self.perform + self.validate + self.observe
