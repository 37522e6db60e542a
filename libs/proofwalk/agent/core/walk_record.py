"""What a walk leaves: its ending, a record of each sub-step and the history of its
steps.

`Walk` is a claim. What is `Completed` here becomes *verified* only when the audit log
agrees (`reward_service`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.agent.core.endings import Ending, Unachievable
from proofwalk.agent.core.policy import PastStep
from proofwalk.console.observation import Observation
from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.needs import Report
from proofwalk.kernel.outcomes import Finding, distinct
from proofwalk.kernel.readings import SubStepReading


class WalkStatus(StrEnum):
    """How far a sub-step came in the walk; the judge turns it into a
    `SubStepStatus`."""

    DONE = "done"
    DEFECT = "defect"
    NOT_EXECUTED = "not_executed"


@dataclass(frozen=True, kw_only=True)
class SubStepRecord:
    """What became of one sub-step."""

    number: str
    status: WalkStatus
    reason: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    steps: int = 0
    unplaced: tuple[str, ...] = ()
    """Words of the sub-step that the policy could not connect with anything it did."""
    evidence: str = ""
    """What the page showed when the sub-step ended: its address, title and messages."""
    sightings: tuple[Sighting, ...] = ()
    """What was looked for in the sub-step, and what the walk itself saw. The last look
    for each expectation counts."""
    reading: SubStepReading | None = None
    """What the sub-step asks for beside what was executed; None if the policy read
    nothing."""
    acted: bool = False
    """True if the sub-step changed something in the console."""
    noted: tuple[Finding, ...] = ()
    """Faults of the document in the sub-step that did not stop the walk."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A walk that has ended."""

    records: tuple[SubStepRecord, ...]
    """One for each sub-step of the procedure, in its order."""
    ending: Ending
    started_at: datetime
    ended_at: datetime
    steps: int
    final: Observation | None
    """The page at the terminal action."""
    reports: tuple[Report, ...] = ()
    """Reports of on-demand provisioning."""
    history: tuple[PastStep, ...] = ()
    looks: tuple[Observation, ...] = ()
    """The pages of `history`, one for each step, if they were recorded
    (`replay.recording`)."""
    replay: JsonObject = field(default_factory=dict)
    """The counters of a replay."""
    cost: float = 0.0
    spent: Spent = NOTHING_SPENT
    """The walk's share of a cascade's budget."""
    clock_off_s: float = 0.0
    """See `kernel.evidence.WalkWindow`."""
    score: float | None = None
    """What the task's own validator gives for what was left behind, 0 to 1; None where
    it has none, or the walk did not come to its end."""

    @property
    def noted(self) -> tuple[Finding, ...]:
        """Faults of the document that did not stop the walk, in order."""
        return distinct(finding for record in self.records for finding in record.noted)

    @property
    def finding(self) -> Finding | None:
        """The defect that ended the walk, if the policy named one."""
        return self.ending.finding if isinstance(self.ending, Unachievable) else None


def dated(record: SubStepRecord, last_act: int) -> SubStepRecord:
    """Return the record with each sighting marked if it is after the walk's last
    act."""
    dated = tuple(replace(one, after_last_act=one.step > last_act) for one in record.sightings)
    return replace(record, sightings=dated)
