"""When the answers of two judges about a walk make a reward. Pure.
`field_consensus` says the same of the free text of an answer.

AliyunConsoleAgent §5.2, Eq. 1, for tasks without a rule: r = 1 when both judges agree
on success, 0 when both agree on failure, -1 otherwise.

| answers                                         | decision         | reward |
|-------------------------------------------------|------------------|--------|
| both success                                    | `judged_success` | 1      |
| both failure                                    | `judged_failure` | 0      |
| both failure, and the log had not caught up     | `audit_late`     | -1, no decision: what they missed may still come |
| one of them away                                | `judge_away`     | -1, no decision: asking again asks again |
| different, cannot tell, or no usable answer     | `judge_split`    | -1     |
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.judges.answers import JudgeAnswer, Verdict
from proofwalk.reward_service.judges.case import LogState

_SAID = 300


def who_is_away(answers: Sequence[JudgeAnswer]) -> str:
    """Which judge could not be asked, and why; empty if both were. Raises `ValueError`
    for another number than two, or for one family."""
    if len(answers) != 2 or answers[0].family == answers[1].family:
        raise ValueError("a consensus is between two judges of different families")
    away = [one for one in answers if one.verdict is Verdict.AWAY]
    return f"the judge {away[0].who} could not be asked: {away[0].reason[:_SAID]}" if away else ""


def consensus(answers: Sequence[JudgeAnswer], log: LogState) -> tuple[Decision, str]:
    """The decision that two answers in sight of such a log allow, and why. Raises
    `ValueError` for another number, or for one family."""
    away = who_is_away(answers)
    if away:
        return Decision.JUDGE_AWAY, away
    verdicts = {one.verdict for one in answers}
    who = " and ".join(one.who for one in answers)
    if verdicts == {Verdict.SUCCESS}:
        return Decision.JUDGED_SUCCESS, f"{who} agree on success: {answers[0].reason[:_SAID]}"
    if verdicts == {Verdict.FAILURE} and log is LogState.LATE:
        return (
            Decision.AUDIT_LATE,
            (
                f"{who} agree on failure, but the audit log is late, so that absence from it proves"
                " nothing"
            ),
        )
    if verdicts == {Verdict.FAILURE}:
        return Decision.JUDGED_FAILURE, f"{who} agree on failure: {answers[0].reason[:_SAID]}"
    said = "; ".join(f"{one.who} says {one.verdict.value}: {one.reason[:_SAID]}" for one in answers)
    return Decision.JUDGE_SPLIT, f"the judges do not agree: {said}"
