"""Bounds of a walk: steps, failures and seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Bounds of a walk; times are in seconds."""

    steps_per_substep: int = 40
    consecutive_failures: int = 3
    """A wait whose text did not come neither counts as a failure nor ends a series of
    failures."""
    wall_seconds: float = 1800.0
    observe_seconds: float = 60.0
    perform_seconds: float = 150.0
    """More than the longest wait that an action may ask for (120 s)."""
    decide_seconds: float = 300.0
    provision_seconds: float = 1200.0
