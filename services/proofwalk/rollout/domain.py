"""How an episode's facts become an outcome, sub-step results and a verdict. Pure.

Three things are kept apart: what the policy *claims* (it called the task complete), what was *executed* (the walk's records), and
what is *verified* (the audit log, else two judges, else the page). A claim carries no weight. Rules of judgement:

| walk ended with | the log says | outcome |
|---|---|---|
| a finding | anything | doc_defect, on the page's evidence and the events up to it |
| completion | confirmed | verified, on the log's evidence |
| completion | denied | agent_failure: done by the letter, and yet the log lacks the effect |
| completion | late | env_failure(audit_late), never 0 |
| completion | nothing, for the rule asks for more work than judging may take | judge_split, never 0 |
| completion | no rule, and both judges agree on success | verified, on what the judges cite |
| completion | no rule, and both judges agree on failure | agent_failure |
| completion | no rule, and the judges do not agree | judge_split |
| completion | no rule, and a judge is away | env_failure(model), never 0 |
| completion | no rule and no judges, or no log | verified, on the page alone: weaker, and said so |
| no finding, gave up, budget, failed actions | - | agent_failure |
| a failing environment | - | env_failure(cause) |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from proofwalk.kernel.outcomes import EnvCause, Evidence, Finding, Outcome, OutcomeKind, SubStepStatus


class WalkEnding(StrEnum):
    """How a walk ended."""

    COMPLETED = "completed"
    FINDING = "finding"
    GAVE_UP = "gave_up"
    BUDGET = "budget"
    ACTION_FAILURES = "action_failures"
    ENVIRONMENT = "environment"
    CANCELLED = "cancelled"


class Decision(StrEnum):
    """What the reward service said."""

    CONFIRMED = "confirmed"
    DENIED = "denied"
    AUDIT_LATE = "audit_late"
    NO_AUDIT_LOG = "no_audit_log"
    NO_RULE = "no_rule"
    JUDGED_SUCCESS = "judged_success"
    JUDGED_FAILURE = "judged_failure"
    JUDGE_SPLIT = "judge_split"
    JUDGE_AWAY = "judge_away"
    RULE_TOO_COSTLY = "rule_too_costly"


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


@dataclass(frozen=True, kw_only=True)
class WalkFacts:
    """What the walk left behind."""

    ending: WalkEnding
    reason: str
    substeps: tuple[WalkedSubStep, ...]
    finding: Finding | None = None
    finding_substep: str = ""
    cause: EnvCause | None = None
    code: str = ""


@dataclass(frozen=True, kw_only=True)
class EventRef:
    """An audit event as far as a verdict needs it."""

    id: str
    time: datetime
    name: str


@dataclass(frozen=True, kw_only=True)
class RewardFacts:
    """What the log said, or the judges."""

    decision: Decision
    reason: str
    matched: tuple[EventRef, ...] = ()
    observed: tuple[EventRef, ...] = ()


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


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """An episode's outcome with what it rests on."""

    outcome: Outcome
    evidence: Evidence
    substeps: tuple[SubStepResult, ...]
    finding: Finding | None = None
    audit_events: tuple[str, ...] = ()


def judge(walk: WalkFacts, reward: RewardFacts) -> Judgement:
    """The table in the module's docstring."""
    match walk.ending:
        case WalkEnding.FINDING:
            return _defect(walk, reward)
        case WalkEnding.COMPLETED:
            return _completed(walk, reward)
        case WalkEnding.ENVIRONMENT:
            cause = walk.cause or EnvCause.SANDBOX
            return _nothing_shown(walk, Outcome(kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=walk.reason, code=walk.code))
        case WalkEnding.CANCELLED:
            return _nothing_shown(walk, Outcome(kind=OutcomeKind.CANCELLED, reason=walk.reason))
        case WalkEnding.GAVE_UP | WalkEnding.BUDGET | WalkEnding.ACTION_FAILURES:
            return _nothing_shown(walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=walk.reason, code=walk.code))


def _completed(walk: WalkFacts, reward: RewardFacts) -> Judgement:
    match reward.decision:
        case Decision.CONFIRMED:
            outcome = Outcome(kind=OutcomeKind.VERIFIED, reason=reward.reason or "the audit log confirms the rule")
            evidence = Evidence.AUDIT
        case Decision.JUDGED_SUCCESS:
            outcome = Outcome(kind=OutcomeKind.VERIFIED, reason=f"walked to its end; no rule was given, and {reward.reason}")
            evidence = Evidence.JUDGES
        case Decision.NO_RULE | Decision.NO_AUDIT_LOG:
            why = "no rule was given" if reward.decision is Decision.NO_RULE else "the target has no audit log"
            outcome = Outcome(
                kind=OutcomeKind.VERIFIED, reason=f"walked to its end; {why}, so this rests on the page alone (weaker evidence)"
            )
            evidence = Evidence.PAGE
        case Decision.AUDIT_LATE:
            outcome = Outcome(
                kind=OutcomeKind.ENV_FAILURE,
                cause=EnvCause.AUDIT_LATE,
                reason=reward.reason or "the audit log did not arrive in time",
                code="reward.audit_late",
            )
            return _nothing_shown(walk, outcome)
        case Decision.JUDGE_AWAY:
            away = Outcome(kind=OutcomeKind.ENV_FAILURE, cause=EnvCause.MODEL, reason=reward.reason, code="judges.away")
            return _nothing_shown(walk, away)
        case Decision.JUDGE_SPLIT:
            split = Outcome(kind=OutcomeKind.JUDGE_SPLIT, reason=reward.reason, code="judges.split")
            return _nothing_shown(walk, split)
        case Decision.RULE_TOO_COSTLY:
            undecided = Outcome(kind=OutcomeKind.JUDGE_SPLIT, reason=reward.reason, code="rule.too_costly")
            return _nothing_shown(walk, undecided)
        case Decision.JUDGED_FAILURE:
            failed = f"walked to its end; no rule was given, and {reward.reason}"
            return _nothing_shown(walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=failed, code="reward.judged_failure"))
        case Decision.DENIED:
            reason = f"walked to its end, but the audit log denies the effect: {reward.reason}"
            return _nothing_shown(walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="reward.denied"))
    skipped = [step for step in walk.substeps if not step.executed and not step.optional]
    if skipped:
        reason = f"sub-step {skipped[0].number} was not executed: {skipped[0].reason}"
        return _nothing_shown(walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="walk.incomplete"))
    events = attribute(walk.substeps, reward.observed)
    return Judgement(
        outcome=outcome,
        evidence=evidence,
        substeps=tuple(_result(step, events) for step in walk.substeps),
        audit_events=tuple(event.id for event in reward.matched),
    )


def _defect(walk: WalkFacts, reward: RewardFacts) -> Judgement:
    assert walk.finding is not None, "a walk that ends with a finding carries it"
    events = attribute(walk.substeps, reward.observed)
    results = []
    reached = False
    for step in walk.substeps:
        if step.number == walk.finding_substep:
            reached = True
            results.append(_result(step, events, status=SubStepStatus.DEFECT, reason=walk.finding.message))
        elif reached:
            results.append(
                _result(
                    step,
                    {},
                    status=SubStepStatus.NOT_VERIFIED,
                    reason=f"not reached: sub-step {walk.finding_substep} could not be done",
                )
            )
        else:
            results.append(_result(step, events))
    return Judgement(
        outcome=Outcome(kind=OutcomeKind.DOC_DEFECT, reason=walk.finding.message),
        evidence=Evidence.PAGE,
        substeps=tuple(results),
        finding=walk.finding,
        audit_events=tuple(event.id for event in reward.observed),
    )


def _nothing_shown(walk: WalkFacts, outcome: Outcome) -> Judgement:
    """An outcome that says nothing about the document: no sub-step is verified by it, whatever was executed."""
    results = tuple(
        SubStepResult(
            number=step.number,
            text=step.text,
            line=step.line,
            status=SubStepStatus.NOT_VERIFIED,
            reason=f"executed, but {outcome.reason}" if step.executed else (step.reason or outcome.reason),
            steps=step.steps,
            unplaced=step.unplaced,
        )
        for step in walk.substeps
    )
    return Judgement(outcome=outcome, evidence=Evidence.NONE, substeps=results)


def _result(
    step: WalkedSubStep, events: Mapping[str, tuple[str, ...]], *, status: SubStepStatus | None = None, reason: str = ""
) -> SubStepResult:
    if status is None:
        status = SubStepStatus.VERIFIED if step.executed else SubStepStatus.NOT_VERIFIED
    return SubStepResult(
        number=step.number,
        text=step.text,
        line=step.line,
        status=status,
        reason=reason or step.reason,
        steps=step.steps,
        audit_events=events.get(step.number, ()),
        unplaced=step.unplaced,
    )


def attribute(substeps: Sequence[WalkedSubStep], events: Sequence[EventRef]) -> Mapping[str, tuple[str, ...]]:
    """Which events fell into which sub-step, by sub-step number.

    Audit logs keep whole seconds, so a sub-step begins at its second; an event goes to the last sub-step that had begun by
    then and to no other.
    """
    found: dict[str, tuple[str, ...]] = {}
    for event in events:
        begun = [
            step for step in substeps if step.started_at is not None and step.started_at.replace(microsecond=0) <= event.time
        ]
        if begun:
            found[begun[-1].number] = (*found.get(begun[-1].number, ()), event.id)
    return found


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One episode as the decision about another one sees it."""

    outcome: Outcome
    lost: bool = False
    """Its worker died; that is nobody's failure and does not count against the attempts that were asked for."""


def wants_another(attempts: Sequence[Attempt], *, allowed: int, lost_allowed: int) -> bool:
    """Whether a verification goes on with another episode."""
    lost = sum(attempt.lost for attempt in attempts)
    counted = [attempt for attempt in attempts if not attempt.lost]
    if attempts and attempts[-1].lost:
        return lost <= lost_allowed and len(counted) < allowed
    if counted and not counted[-1].outcome.retryable:
        return False
    return len(counted) < allowed
