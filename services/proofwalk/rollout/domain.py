"""How an episode's facts become an outcome and sub-step results. Pure.

Three things are kept apart: what the policy *claims* (it called the task complete),
what was *executed* (the walk's records), and what is *verified* (the audit log, else
two judges, else the page). A claim carries no weight.

Evidence is a ladder: `audit` > `judges` > `page` > `none`. `page` is a sighting of the
walk itself (`kernel.expectations`), in the last sub-step or before sub-steps whose
reading asks for nothing more. `accept` is the lowest rung that a user takes for proof.
Rules of judgement:

| walk ended with | the log says | outcome | |---|---|---| | a finding, or went on
behind one | anything | suspected: `conclusion` asks for the second witness | |
completion | confirmed | verified, on the log's evidence | | completion | denied |
agent_failure: done by the letter, and yet the log lacks the effect | | completion |
late | env_failure(audit_late), never 0 | | completion | nothing, for the rule asks for
more work than judging may take | judge_split, never 0 | | completion | no rule, and
both judges agree on success | verified, on what the judges cite | | completion | no
rule, and both judges agree on failure | agent_failure | | completion | no rule, and the
judges do not agree | judge_split | | completion | no rule, and a judge is away |
env_failure(model), never 0 | | completion | no rule and no judges, or no log | what the
page shows: `page` or `none` | | completion | evidence on a rung that is accepted |
verified | | completion | evidence below the rung that is accepted | unproven | |
completion | something asked for was not executed or not understood | unproven, whatever
was seen | | no finding, gave up, budget, failed actions | - | agent_failure | | a
failing environment | - | env_failure(cause) |

Apart from the outcome stands whether the goal was reached (`Goal`): every ending that
the walk came to by itself asks the log. A finding of something that could not be done
is contradicted where the log confirms the rule by an event of that sub-step or a later
one, unless the walk got round it and went on; and one of a walk that had touched
nothing, or gone past words that it did not understand, is no sighting at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.outcomes import (
    Decision,
    EnvCause,
    Evidence,
    Finding,
    FindingKind,
    Goal,
    Outcome,
    OutcomeKind,
    SubStepStatus,
)
from proofwalk.kernel.readings import SubStepReading
from proofwalk.rollout.judgement import Judgement, SubStepResult


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


@dataclass(frozen=True, kw_only=True)
class RewardFacts:
    """What the log said, or the judges."""

    decision: Decision
    reason: str
    matched: tuple[AuditEvent, ...] = ()
    observed: tuple[AuditEvent, ...] = ()


SEEN_ONCE = "finding.seen_once"
"""Code of a finding that waits for its second witness."""
CONTRADICTED, AFTER_UNREAD, CLAIMED = (
    "finding.contradicted",
    "finding.after_unread",
    "finding.claimed",
)
"""Codes of findings for which no second witness is asked."""
_IMPOSSIBLE = frozenset(
    {FindingKind.RENAMED, FindingKind.MISSING, FindingKind.DISABLED, FindingKind.MISSING_STEP}
)
"""Kinds that say of a step that it cannot be done as it is written."""
_BEHIND = "it comes after a finding, and nothing confirms what came of it"
_GOALS = {
    Decision.CONFIRMED: Goal.YES,
    Decision.JUDGED_SUCCESS: Goal.YES,
    Decision.DENIED: Goal.NO,
    Decision.JUDGED_FAILURE: Goal.NO,
}


def judge(walk: WalkFacts, reward: RewardFacts, *, accept: Evidence = Evidence.PAGE) -> Judgement:
    """The table in the module's docstring; `accept` is the lowest rung that counts as
    proof."""
    goal = _GOALS.get(reward.decision, Goal.UNKNOWN)
    return replace(_judged(walk, reward, accept), goal=goal, noted=walk.noted)


def _judged(walk: WalkFacts, reward: RewardFacts, accept: Evidence) -> Judgement:
    match walk.ending:
        case WalkEnding.FINDING:
            return _defect(walk, reward)
        case WalkEnding.COMPLETED:
            return _completed(walk, reward, accept)
        case WalkEnding.ENVIRONMENT:
            cause = walk.cause or EnvCause.SANDBOX
            return _nothing_shown(
                walk,
                Outcome(
                    kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=walk.reason, code=walk.code
                ),
            )
        case WalkEnding.CANCELLED:
            return _nothing_shown(walk, Outcome(kind=OutcomeKind.CANCELLED, reason=walk.reason))
        case WalkEnding.GAVE_UP | WalkEnding.BUDGET | WalkEnding.ACTION_FAILURES:
            return _nothing_shown(
                walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=walk.reason, code=walk.code)
            )


def _completed(walk: WalkFacts, reward: RewardFacts, accept: Evidence) -> Judgement:
    """Judge a walk that came to its end: by what says that it failed, then by what is
    missing from the proof."""
    against = _against(reward)
    if against is not None:
        return _nothing_shown(walk, against)
    evidence, reason = _proof(walk, reward)
    skipped = [step for step in walk.substeps if not step.executed and not step.optional]
    if skipped:
        reason = f"sub-step {skipped[0].number} was not executed: {skipped[0].reason}"
        return _nothing_shown(
            walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="walk.incomplete")
        )
    unread = next(filter(None, map(_unread, walk.substeps)), None)
    if unread is not None:
        return _unproven(walk, reward, evidence, unread)
    if not evidence.reaches(accept):
        below = (
            f"{reason}; proof has to be {accept.value!r} or stronger, and this is"
            f" {evidence.value!r}"
        )
        return _unproven(
            walk,
            reward,
            evidence,
            Outcome(kind=OutcomeKind.UNPROVEN, reason=below, code="walk.unproven"),
        )
    events = attribute(walk.substeps, reward.observed)
    return Judgement(
        outcome=Outcome(kind=OutcomeKind.VERIFIED, reason=reason),
        evidence=evidence,
        substeps=tuple(_result(step, events) for step in walk.substeps),
        audit_events=tuple(event.id for event in reward.matched),
    )


def _against(reward: RewardFacts) -> Outcome | None:
    """Return the outcome of a completed walk that the log or the judges do not confirm;
    None if they confirm it, or have nothing to say."""
    match reward.decision:
        case Decision.AUDIT_LATE:
            return Outcome(
                kind=OutcomeKind.ENV_FAILURE,
                cause=EnvCause.AUDIT_LATE,
                reason=reward.reason or "the audit log did not arrive in time",
                code="reward.audit_late",
            )
        case Decision.JUDGE_AWAY:
            return Outcome(
                kind=OutcomeKind.ENV_FAILURE,
                cause=EnvCause.MODEL,
                reason=reward.reason,
                code="judges.away",
            )
        case Decision.JUDGE_SPLIT:
            return Outcome(kind=OutcomeKind.JUDGE_SPLIT, reason=reward.reason, code="judges.split")
        case Decision.RULE_TOO_COSTLY:
            return Outcome(
                kind=OutcomeKind.JUDGE_SPLIT, reason=reward.reason, code="rule.too_costly"
            )
        case Decision.JUDGED_FAILURE:
            reason = f"walked to its end; no rule was given, and {reward.reason}"
            return Outcome(
                kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="reward.judged_failure"
            )
        case Decision.DENIED:
            reason = f"walked to its end, but the audit log denies the effect: {reward.reason}"
            return Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="reward.denied")
        case (
            Decision.CONFIRMED | Decision.JUDGED_SUCCESS | Decision.NO_RULE | Decision.NO_AUDIT_LOG
        ):
            return None


def _proof(walk: WalkFacts, reward: RewardFacts) -> tuple[Evidence, str]:
    """Return how strong the proof of a completed walk is, and the proof in words: by
    the log, else by the judges, else by the page."""
    if reward.decision is Decision.CONFIRMED:
        return Evidence.AUDIT, reward.reason or "the audit log confirms the rule"
    if reward.decision is Decision.JUDGED_SUCCESS:
        return Evidence.JUDGES, f"walked to its end; no rule was given, and {reward.reason}"
    return _by_the_page(walk, reward)


def _by_the_page(walk: WalkFacts, reward: RewardFacts) -> tuple[Evidence, str]:
    """Return what the page proves where neither the log nor a judge says anything, and
    the proof in words."""
    why = (
        "no rule was given"
        if reward.decision is Decision.NO_RULE
        else "the target has no audit log"
    )
    shown = page_proof(walk.substeps)
    if shown is None:
        return (
            Evidence.NONE,
            f"walked to its end; {why}, and nothing on the page was seen to prove it",
        )
    told = f"walked to its end; {why}, so this rests on the page alone (weaker evidence)"
    return (
        Evidence.PAGE,
        f"{told}: “{shown.expectation.text}” was looked for after the last act, and seen",
    )


def page_proof(substeps: Sequence[WalkedSubStep]) -> Sighting | None:
    """The sighting that proves the procedure's effect. Behind it stand only sub-steps
    whose reading says that nothing more was asked than was done: one that nobody read
    may have asked for an act."""
    for step in reversed(substeps):
        found = next((one for one in reversed(step.sightings) if one.proves), None)
        if found is not None:
            return found
        read = step.reading is not None and step.reading.complete
        if not read and not (step.optional and not step.executed):
            return None
    return None


def _unread(step: WalkedSubStep) -> Outcome | None:
    """Why a sub-step that was declared done is not: a span that nobody understood, or
    an act that nobody did."""
    if step.reading is None or step.reading.complete or not step.executed:
        return None
    kind = OutcomeKind.UNPROVEN
    if step.reading.not_understood:
        span = step.reading.not_understood[0]
        return Outcome(
            kind=kind,
            reason=f"line {span.line} was not understood: “{span.text}”",
            code="walk.not_understood",
        )
    asked = step.reading.undone[0].asked
    return Outcome(
        kind=kind,
        reason=f"sub-step {step.number} asks to {asked}, and that was not done",
        code="walk.not_executed",
    )


def _unproven(
    walk: WalkFacts, reward: RewardFacts, evidence: Evidence, outcome: Outcome
) -> Judgement:
    """Nothing of it is verified; what the log shows is kept, and on which rung it would
    stand."""
    shown = _nothing_shown(walk, outcome)
    return replace(
        shown, evidence=evidence, audit_events=tuple(event.id for event in reward.matched)
    )


def _defect(walk: WalkFacts, reward: RewardFacts) -> Judgement:
    assert walk.finding is not None, "a walk that ends with a finding carries it"
    events = attribute(walk.substeps, reward.observed)
    confirmed = reward.decision in (Decision.CONFIRMED, Decision.JUDGED_SUCCESS)
    results = []
    reached = False
    for step in walk.substeps:
        if step.number == walk.finding_substep:
            reached = True
            results.append(
                _result(step, events, status=SubStepStatus.DEFECT, reason=walk.finding.message)
            )
        elif reached and walk.went_on:
            shown = confirmed or not step.executed
            results.append(
                _result(step, events)
                if shown
                else _result(step, events, status=SubStepStatus.NOT_VERIFIED, reason=_BEHIND)
            )
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
        outcome=_suspicion(walk, walk.finding, reward),
        evidence=Evidence.PAGE,
        substeps=tuple(results),
        finding=walk.finding,
        audit_events=tuple(event.id for event in reward.observed),
    )


def _suspicion(walk: WalkFacts, finding: Finding, reward: RewardFacts) -> Outcome:
    """A finding of one episode, with what speaks against it, if anything does."""
    message, kind = finding.message, OutcomeKind.SUSPECTED
    if not walk.touched:
        return Outcome(
            kind=kind, reason=f"claimed by a policy that had done nothing: {message}", code=CLAIMED
        )
    unread = next(
        (
            step.reading.not_understood[0]
            for step in _before(walk)
            if step.reading and step.reading.not_understood
        ),
        None,
    )
    if unread is not None:
        reason = (
            f"line {unread.line} was not understood (“{unread.text}”), so this may follow from it:"
            f" {message}"
        )
        return Outcome(kind=kind, reason=reason, code=AFTER_UNREAD)
    begun = next(
        (step.started_at for step in walk.substeps if step.number == walk.finding_substep), None
    )
    # What was done under another name is in the log because the walk went on, and no
    # word against the finding.
    if (
        reward.decision is Decision.CONFIRMED
        and finding.kind in _IMPOSSIBLE
        and begun is not None
        and not walk.went_on
    ):
        late = [event for event in reward.matched if event.time >= begun.replace(microsecond=0)]
        if late:
            reason = (
                f"the audit log shows that it was done all the same ({late[0].name}): {message}"
            )
            return Outcome(kind=kind, reason=reason, code=CONTRADICTED)
    return Outcome(kind=kind, reason=message, code=SEEN_ONCE)


def _before(walk: WalkFacts) -> Sequence[WalkedSubStep]:
    """The sub-steps up to that of the finding; what stands behind it cannot have led to
    it."""
    numbers = [step.number for step in walk.substeps]
    at = (
        numbers.index(walk.finding_substep) + 1 if walk.finding_substep in numbers else len(numbers)
    )
    return walk.substeps[:at]


def _nothing_shown(walk: WalkFacts, outcome: Outcome) -> Judgement:
    """An outcome that says nothing about the document: no sub-step is verified by it,
    whatever was executed."""
    results = tuple(
        SubStepResult(
            number=step.number,
            text=step.text,
            line=step.line,
            status=SubStepStatus.NOT_VERIFIED,
            reason=(
                f"executed, but {outcome.reason}"
                if step.executed
                else (step.reason or outcome.reason)
            ),
            steps=step.steps,
            unplaced=step.unplaced,
            sightings=step.sightings,
            reading=step.reading,
        )
        for step in walk.substeps
    )
    return Judgement(outcome=outcome, evidence=Evidence.NONE, substeps=results)


def _result(
    step: WalkedSubStep,
    events: Mapping[str, tuple[str, ...]],
    *,
    status: SubStepStatus | None = None,
    reason: str = "",
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
        sightings=step.sightings,
        reading=step.reading,
    )


def attribute(
    substeps: Sequence[WalkedSubStep], events: Sequence[AuditEvent]
) -> Mapping[str, tuple[str, ...]]:
    """Which events fell into which sub-step, by sub-step number.

    Audit logs keep whole seconds, so a sub-step begins at its second; an event goes to
    the last sub-step that had begun by then and to no other.
    """
    found: dict[str, tuple[str, ...]] = {}
    for event in events:
        begun = [
            step
            for step in substeps
            if step.started_at is not None and step.started_at.replace(microsecond=0) <= event.time
        ]
        if begun:
            found[begun[-1].number] = (*found.get(begun[-1].number, ()), event.id)
    return found
