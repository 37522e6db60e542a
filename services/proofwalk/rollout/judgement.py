"""What an episode came to, and what a verification came to: the one model of both.

`domain` decides a `Judgement`, `evidence` adds what the log and the judges showed,
`conclusion` makes the one of the verification from its episodes', and `judgement_codec`
writes and reads it as JSON. Rows, the contract and the report read these types and no
dictionary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.kernel.answers import AnsweredField
from proofwalk.kernel.evidence import AuditEvent, Citation
from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.outcomes import Evidence, Finding, Goal, Outcome, OutcomeKind, SubStepStatus
from proofwalk.kernel.readings import SubStepReading


@dataclass(frozen=True, kw_only=True)
class SubStepResult:
    """How a sub-step ended, for the report."""

    number: str
    text: str
    line: int
    status: SubStepStatus
    reason: str
    steps: int
    audit_events: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    reading: SubStepReading | None = None


@dataclass(frozen=True, kw_only=True)
class WindowEvent:
    """An event of the walk's window, and what the rule has to say to it."""

    event: AuditEvent
    matched: bool = False
    forbidden: bool = False
    expectation: str = ""
    """Which expectation of the rule it met."""


@dataclass(frozen=True, kw_only=True)
class JudgeAnswer:
    """What one judge said."""

    judge: str
    family: str
    model: str
    verdict: str
    reason: str
    evidence: tuple[Citation, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    currency: str = ""


@dataclass(frozen=True, kw_only=True)
class FindingSighting:
    """What one episode has to say to a finding: the first that saw it, and those that
    were asked for a second time."""

    episode: int
    outcome: OutcomeKind
    code: str
    reason: str
    goal: Goal
    finding: Finding | None
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """An outcome with what it rests on. One that has an outcome alone is of an episode
    that nothing could be told of."""

    outcome: Outcome
    evidence: Evidence = Evidence.NONE
    goal: Goal = Goal.UNKNOWN
    substeps: tuple[SubStepResult, ...] = ()
    finding: Finding | None = None
    noted: tuple[Finding, ...] = ()
    """What in the document is not so and was got round, whatever the outcome."""
    audit_events: tuple[str, ...] = ()
    """Ids of the events that the outcome rests on."""
    events: tuple[WindowEvent, ...] = ()
    """What the log shows of the walk's window, oldest first."""
    missing: tuple[str, ...] = ()
    """Expectations of the rule that no event met, in words."""
    rule: str = ""
    judges: tuple[JudgeAnswer, ...] = ()
    answer: str = ""
    """What the agent told at its end."""
    answered: tuple[AnsweredField, ...] = ()
    """Of a rule that expects an answer: each field that it asks for."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """How long each phase took."""
    cost: float = 0.0
    asked: Spent = NOTHING_SPENT
    """What it took of the budget for asking a model."""
    sightings: tuple[FindingSighting, ...] = ()
    """With a finding, in a verification's judgement: what its episodes saw of it, in
    their order."""
    second_sighting_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a verification came to: the judgement of its episodes, and what they took
    together."""

    judgement: Judgement
    seconds: float
    """From request to verdict."""
    cost: float
    episodes: int
