"""What a walk has come to so far: the loop's mutable state, and what its current step
brought."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from proofwalk.agent.core.environment import Performed
from proofwalk.agent.core.policy import Decision, PastStep
from proofwalk.agent.core.sightings import Lookout
from proofwalk.agent.core.walk_record import SubStepRecord, WalkStatus
from proofwalk.console.observation import Observation
from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.needs import Report
from proofwalk.kernel.outcomes import Finding, distinct
from proofwalk.kernel.readings import SubStepReading
from proofwalk.models.client import Exchange
from proofwalk.procedures.model import SubStep


@dataclass(kw_only=True)
class Progress:
    """The loop's mutable state."""

    started_at: datetime
    deadline: float
    records: list[SubStepRecord] = field(default_factory=list)
    history: list[PastStep] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    unmet: dict[str, str] = field(default_factory=dict)
    """Needs that the provisioner refused, with its reason."""
    steps: int = 0
    failures: int = 0
    cost: float = 0.0
    last: Observation | None = None
    lookout: Lookout

    def record(
        self, course: Course, status: WalkStatus, ended_at: datetime, reason: str = ""
    ) -> None:
        """Append the record of the sub-step that ended at `ended_at`."""
        before = course.steps_before
        self.records.append(
            SubStepRecord(
                number=course.substep.number,
                status=status,
                reason=reason,
                started_at=course.started_at,
                ended_at=ended_at,
                steps=self.steps - before,
                unplaced=tuple(dict.fromkeys(course.unplaced)),
                evidence=_evidence(self.last),
                sightings=tuple({one.expectation: one for one in course.sightings}.values()),
                reading=course.reading,
                acted=self.lookout.last_act > before,
                noted=distinct(course.noted),
            )
        )


@dataclass(kw_only=True)
class Course:
    """What one sub-step has come to so far."""

    index: int
    substep: SubStep
    started_at: datetime
    steps_before: int
    """The walk's steps when the sub-step began."""
    unplaced: list[str] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    noted: list[Finding] = field(default_factory=list)
    reading: SubStepReading | None = None

    def add(self, decision: Decision) -> None:
        """Add what a decision says of the sub-step. The latest reading counts."""
        self.unplaced += decision.unplaced
        self.noted += decision.noted
        self.reading = decision.reading


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the policy answered, and what came of it."""

    decision: Decision | None = None
    """None if the answer could not be read."""
    carried: Performed
    decided: float
    """When the answer came, in seconds of the monotonic clock."""
    unread: tuple[Exchange, ...] = ()
    """The exchanges with a model that ended without a decision."""


@dataclass(frozen=True, kw_only=True)
class Times:
    """When a step began, was looked at and was acted on, in seconds of the monotonic
    clock."""

    started_at: datetime
    began: float
    looked: float
    acted: float


def _evidence(observation: Observation | None) -> str:
    if observation is None:
        return ""
    shown = [observation.url, observation.title, *observation.alerts[-2:]]
    return " · ".join(part for part in shown if part)
