"""What the judgement of an episode rests on: the walk's facts, and the reward's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.outcomes import (
    Decision,
    EnvCause,
    Finding,
)
from proofwalk.kernel.readings import SubStepReading


class WalkEnding(StrEnum):
    """How a walk ended."""

    COMPLETED = "completed"
    FINDING = "finding"
    GAVE_UP = "gave_up"
    BUDGET = "budget"
    ACTION_FAILURES = "action_failures"
    ENVIRONMENT = "environment"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class WalkedSubStep:
    """What the walk did about one sub-step."""

    number: str
    text: str
    line: int
    executed: bool
    optional: bool
    reason: str
    steps: int
    started_at: datetime | None
    ended_at: datetime | None
    unplaced: tuple[str, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    reading: SubStepReading | None = None


@dataclass(frozen=True, kw_only=True)
class WalkFacts:
    """What the walk left behind."""

    ending: WalkEnding
    reason: str
    substeps: tuple[WalkedSubStep, ...]
    finding: Finding | None = None
    finding_substep: str = ""
    went_on: bool = False
    """With a finding: the walk got round it and went on."""
    touched: bool = True
    """Whether the walk had acted, or loaded a page for a second look, before it
    ended."""
    noted: tuple[Finding, ...] = ()
    """What in the document was not so although the walk went on."""
    cause: EnvCause | None = None
    code: str = ""
    answer: str = ""
    """What the agent told at its end."""


@dataclass(frozen=True, kw_only=True)
class RewardFacts:
    """What the log said, or the judges, or both."""

    decision: Decision
    reason: str
    rule: str = ""
    """The rule that was asked; empty for none."""
    matched: tuple[AuditEvent, ...] = ()
    observed: tuple[AuditEvent, ...] = ()
