"""Answers of an episode to `reset` and `step`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from proofwalk.console.acting.results import ActionResult
from proofwalk.console.observation import Observation
from proofwalk.gym.tasks import Validation
from proofwalk.kernel.outcomes import Outcome, OutcomeKind

ResetMode = Literal["full", "soft"]
"""`full`: a fresh browser context; `soft`: the same one, wiped (`renewal`)."""


@dataclass(frozen=True, kw_only=True)
class Begun:
    """The start of an episode."""

    observation: Observation
    goal: str
    seed: int
    trace_id: str
    mode: ResetMode
    """How it was reset; `full` although `soft` was asked for when there was nothing to
    wipe, or wiping failed."""


@dataclass(frozen=True, kw_only=True)
class Stepped:
    """What a step led to."""

    action: str
    """As JSON, or as it was given when it is no action."""
    observation: Observation
    """The page after the action; after a failure of the browser, the last one that was
    seen."""
    result: ActionResult
    reward: float
    terminated: bool = False
    truncated: bool = False
    outcome: Outcome | None = None
    """Set exactly when the episode has ended."""
    validation: Validation = field(default_factory=Validation)

    @property
    def reward_valid(self) -> bool:
        """Whether the reward says anything about the policy."""
        return self.outcome is None or self.outcome.kind is not OutcomeKind.ENV_FAILURE
