"""How an episode's facts become an outcome and sub-step results. Pure.

Three things are kept apart: what the policy *claims* (it called the task complete),
what was *executed* (the walk's records), and what is *verified* (the audit log, else
two judges, else the page). A claim carries no weight.

Evidence is a ladder: `audit` > `validator` > `judges` > `page` > `none`. `validator` is
of desktops alone, which `validated` judges. `page` is a sighting of the walk itself
(`kernel.expectations`), in the last sub-step or before sub-steps whose reading asks for
nothing more. `accept` is the lowest rung that a user takes for proof.
Rules of judgement, by what the walk ended with, and what log and judges say:

- with a finding, or it went on behind one: suspected, whatever the log says;
  `conclusion` asks for the second witness
- with completion, and the log
  - confirms: verified, on the log's evidence
  - denies: agent_failure, for it was done by the letter, and yet the log lacks the
    effect; suspected where the walk noted on its way what in the document is not so
  - denies by the agent's answer, which is wrong or lacks a field: agent_failure
  - is met but for free text of the answer: verified on the judges' evidence where both
    agree that the text is right, unproven where nobody judged
  - is late: env_failure(audit_late), never 0
  - says nothing, for the rule asks for more work than judging may take: judge_split,
    never 0
- with completion, and no rule, where both judges
  - agree on success: verified, on what they cite; on failure: agent_failure
  - do not agree: judge_split; one is away: env_failure(model), never 0
- with completion, and no rule and no judges, or no log: what the page shows, `page` or
  `none`
  - on a rung that is accepted: verified; below it: unproven
- with completion, and something asked for was not executed or not understood: unproven,
  whatever was seen
- without a finding: gave up, budget, failed actions: agent_failure
- with a failing environment: env_failure(cause)

Apart from the outcome stands whether the goal was reached (`Goal`): every ending that
the walk came to by itself asks the log. A finding of something that could not be done
is contradicted where the log confirms the rule by an event of that sub-step or a later
one, unless the walk got round it and went on; and one of a walk that had touched
nothing, or gone past words that it did not understand, is no sighting at all.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.kernel.outcomes import (
    Decision,
    EnvCause,
    Evidence,
    FindingKind,
    Goal,
    Outcome,
    OutcomeKind,
)
from proofwalk.rollout.facts import RewardFacts, WalkEnding, WalkFacts
from proofwalk.rollout.findings import judge_finding, with_noted
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.proof import proof_of, unread_outcome
from proofwalk.rollout.substep_results import attribute, nothing_shown, result_of

_GOALS = {
    Decision.CONFIRMED: Goal.YES,
    Decision.JUDGED_SUCCESS: Goal.YES,
    Decision.DENIED: Goal.NO,
    Decision.JUDGED_FAILURE: Goal.NO,
    Decision.ANSWER_WRONG: Goal.NO,
    Decision.ANSWER_MISSING: Goal.NO,
}


def judge(walk: WalkFacts, reward: RewardFacts, *, accept: Evidence = Evidence.PAGE) -> Judgement:
    """The table in the module's docstring; `accept` is the lowest rung that counts as
    proof."""
    goal = _GOALS.get(reward.decision, Goal.UNKNOWN)
    judged = _judged(walk, reward, accept)
    told = judged.finding
    noted = tuple(one for one in walk.noted if told is None or not one.repeats(told))
    if goal is Goal.YES:  # What was to be kept is kept, however the form did it.
        noted = tuple(one for one in noted if one.kind is not FindingKind.MISSING_STEP)
    return replace(judged, goal=goal, noted=noted, answer=walk.answer)


def _judged(walk: WalkFacts, reward: RewardFacts, accept: Evidence) -> Judgement:
    match walk.ending:
        case WalkEnding.FINDING:
            return judge_finding(walk, reward)
        case WalkEnding.COMPLETED:
            return _completed(walk, reward, accept)
        case WalkEnding.ENVIRONMENT:
            cause = walk.cause or EnvCause.SANDBOX
            return nothing_shown(
                walk,
                Outcome(
                    kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=walk.reason, code=walk.code
                ),
            )
        case WalkEnding.CANCELLED:
            return nothing_shown(walk, Outcome(kind=OutcomeKind.CANCELLED, reason=walk.reason))
        case WalkEnding.GAVE_UP | WalkEnding.BUDGET | WalkEnding.ACTION_FAILURES:
            return nothing_shown(
                walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=walk.reason, code=walk.code)
            )


def _completed(walk: WalkFacts, reward: RewardFacts, accept: Evidence) -> Judgement:
    """Judge a walk that came to its end: by what says that it failed, then by what is
    missing from the proof."""
    against = _against(reward)
    if against is not None and reward.decision is Decision.DENIED and walk.noted:
        return judge_finding(with_noted(walk), reward)
    if against is not None:
        return nothing_shown(walk, against)
    evidence, reason = proof_of(walk, reward)
    skipped = [step for step in walk.substeps if not step.executed and not step.optional]
    if skipped:
        reason = f"sub-step {skipped[0].number} was not executed: {skipped[0].reason}"
        return nothing_shown(
            walk, Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="walk.incomplete")
        )
    unread = next(filter(None, map(unread_outcome, walk.substeps)), None)
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
        substeps=tuple(result_of(step, events) for step in walk.substeps),
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
        case Decision.ANSWER_WRONG | Decision.ANSWER_MISSING | Decision.ANSWER_NOT_JUDGED:
            return replace(_ANSWERED[reward.decision], reason=reward.reason)
        case Decision.DENIED:
            reason = f"walked to its end, but the audit log denies the effect: {reward.reason}"
            return Outcome(kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="reward.denied")
        case (
            Decision.CONFIRMED | Decision.JUDGED_SUCCESS | Decision.NO_RULE | Decision.NO_AUDIT_LOG
        ):
            return None


_ANSWERED = {
    Decision.ANSWER_WRONG: Outcome(kind=OutcomeKind.AGENT_FAILURE, reason="", code="answer.wrong"),
    Decision.ANSWER_MISSING: Outcome(
        kind=OutcomeKind.AGENT_FAILURE, reason="", code="answer.missing"
    ),
    Decision.ANSWER_NOT_JUDGED: Outcome(
        kind=OutcomeKind.UNPROVEN, reason="", code="answer.not_judged"
    ),
}
"""Outcome of what the log does not deny, and the agent's answer does not prove."""


def _unproven(
    walk: WalkFacts, reward: RewardFacts, evidence: Evidence, outcome: Outcome
) -> Judgement:
    """Nothing of it is verified; what the log shows is kept, and on which rung it would
    stand."""
    shown = nothing_shown(walk, outcome)
    return replace(
        shown, evidence=evidence, audit_events=tuple(event.id for event in reward.matched)
    )
