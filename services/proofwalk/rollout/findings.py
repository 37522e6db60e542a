"""Judgements of walks that ended with a finding, or went on behind one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.outcomes import (
    Decision,
    Evidence,
    Finding,
    FindingKind,
    Outcome,
    OutcomeKind,
    SubStepStatus,
)
from proofwalk.rollout.facts import RewardFacts, WalkedSubStep, WalkFacts
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.substep_results import attribute, result_of

SEEN_ONCE = "finding.seen_once"
"""Code of a finding that waits for its second witness."""
CONTRADICTED, AFTER_UNREAD, CLAIMED, NOT_DONE = (
    "finding.contradicted",
    "finding.after_unread",
    "finding.claimed",
    "finding.not_done",
)
"""Codes of findings for which no second witness is asked."""
_IMPOSSIBLE = frozenset(
    {FindingKind.RENAMED, FindingKind.MISSING, FindingKind.DISABLED, FindingKind.MISSING_STEP}
)
"""Kinds that say of a step that it cannot be done as it is written."""
_BEHIND = "it comes after a finding, and nothing confirms what came of it"


def with_noted(walk: WalkFacts) -> WalkFacts:
    """The walk as one that found what it noted: best a step that is missing, else the
    first. It has to have noted something."""
    left_out = (one for one in walk.noted if one.kind is FindingKind.MISSING_STEP)
    found = next(left_out, walk.noted[0])
    before = [step.number for step in walk.substeps if step.line <= found.line]
    return replace(walk, finding=found, finding_substep=before[-1] if before else "", went_on=True)


def judge_finding(walk: WalkFacts, reward: RewardFacts) -> Judgement:
    assert walk.finding is not None, "a walk that ends with a finding carries it"
    events = attribute(walk.substeps, reward.observed)
    confirmed = reward.decision in (Decision.CONFIRMED, Decision.JUDGED_SUCCESS)
    results = []
    reached = False
    for step in walk.substeps:
        if step.number == walk.finding_substep:
            reached = True
            results.append(
                result_of(step, events, status=SubStepStatus.DEFECT, reason=walk.finding.message)
            )
        elif reached and walk.went_on:
            shown = confirmed or not step.executed
            results.append(
                result_of(step, events)
                if shown
                else result_of(step, events, status=SubStepStatus.NOT_VERIFIED, reason=_BEHIND)
            )
        elif reached:
            results.append(
                result_of(
                    step,
                    {},
                    status=SubStepStatus.NOT_VERIFIED,
                    reason=f"not reached: sub-step {walk.finding_substep} could not be done",
                )
            )
        else:
            results.append(result_of(step, events))
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
    if (
        finding.kind is FindingKind.WRONG_OUTCOME
        and reward.decision is Decision.DENIED
        and walk.finding_substep == walk.substeps[-1].number
    ):
        reason = f"the log does not show that it was done, so nothing had to follow: {message}"
        return Outcome(kind=kind, reason=reason, code=NOT_DONE)
    # What was done under another name is in the log because the walk went on, and no
    # word against the finding.
    if (
        reward.decision is Decision.CONFIRMED
        and finding.kind in _IMPOSSIBLE
        and begun is not None
        and not walk.went_on
    ):
        since = begun.replace(microsecond=0)
        before = [event for event in reward.matched if event.time < since]
        late = [
            event
            for event in reward.matched
            if event.time >= since and not _is_read_again(event, before)
        ]
        if late:
            reason = (
                f"the audit log shows that it was done all the same ({late[0].name}): {message}"
            )
            return Outcome(kind=kind, reason=reason, code=CONTRADICTED)
    return Outcome(kind=kind, reason=message, code=SEEN_ONCE)


def _is_read_again(event: AuditEvent, before: Sequence[AuditEvent]) -> bool:
    """True for what was read before the sub-step already: the second look loads a page
    again, which does nothing that the sentence asks for."""
    return not event.write and any(
        (one.service, one.name, one.request, tuple(one.resources))
        == (event.service, event.name, event.request, tuple(event.resources))
        for one in before
    )


def _before(walk: WalkFacts) -> Sequence[WalkedSubStep]:
    """The sub-steps up to that of the finding; what stands behind it cannot have led to
    it."""
    numbers = [step.number for step in walk.substeps]
    at = (
        numbers.index(walk.finding_substep) + 1 if walk.finding_substep in numbers else len(numbers)
    )
    return walk.substeps[:at]
