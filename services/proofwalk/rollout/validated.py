"""How a walk becomes a judgement where the task has a validator of its own. Pure.

The score decides, whatever the policy claims: the whole score of 1 is `verified`, less
is `agent_failure`. A walk without a score was ended by its environment, or by
somebody's wish, and is judged as any other.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.desktop.osworld.verdict import outcome_of
from proofwalk.kernel.outcomes import Decision, Evidence, Goal, OutcomeKind, SubStepStatus
from proofwalk.rollout.domain import judge
from proofwalk.rollout.facts import RewardFacts, WalkFacts
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.substep_results import nothing_shown, result_of


def judge_by_score(walk: WalkFacts, score: float | None) -> Judgement:
    """The judgement of a walk on a desktop."""
    if score is None:
        return judge(walk, RewardFacts(decision=Decision.NO_RULE, reason=""))
    outcome = outcome_of(score)
    if outcome.kind is not OutcomeKind.VERIFIED:
        return replace(
            nothing_shown(walk, outcome),
            evidence=Evidence.VALIDATOR,
            goal=Goal.NO,
            answer=walk.answer,
        )
    return Judgement(
        outcome=outcome,
        evidence=Evidence.VALIDATOR,
        goal=Goal.YES,
        substeps=tuple(
            result_of(step, {}, status=SubStepStatus.VERIFIED, reason=outcome.reason)
            for step in walk.substeps
        ),
        answer=walk.answer,
    )
