"""When the answers of two judges decide about the free text of an agent's answer. Pure.

A field is right or wrong where both judges say so; where they do not, nobody knows. An
answer is wrong if one field is, as with fields that are compared.

| the fields of free text              | decision         | reward |
|--------------------------------------|------------------|--------|
| one is wrong                         | `answer_wrong`   | 0      |
| each is right                        | `judged_success` | 1      |
| any other                            | `judge_split`    | -1     |
| a judge is away                      | `judge_away`     | -1, asked again |

A reason names fields, verdicts and what the agent said, never what a judge said: judges
know what was expected, and reasons are shown to agents that try again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofwalk.kernel.answers import AnsweredField, FieldVerdict
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.judges.answers import JudgeAnswer, Verdict
from proofwalk.reward_service.judges.consensus import who_is_away

_SHOWN = 120
_VERDICTS = {"yes": FieldVerdict.RIGHT, "no": FieldVerdict.WRONG}


@dataclass(frozen=True, kw_only=True)
class FieldConsensus:
    """A decision about an answer, why, and its fields with what both judges say."""

    decision: Decision
    reason: str
    fields: tuple[AnsweredField, ...]


def field_consensus(
    fields: Sequence[AnsweredField], answers: Sequence[JudgeAnswer]
) -> FieldConsensus:
    """What two answers allow about fields of which a rule has left the free text open.
    Raises `ValueError` for another number of answers, or for one family."""
    away = who_is_away(answers)
    if away:
        return FieldConsensus(decision=Decision.JUDGE_AWAY, reason=away, fields=tuple(fields))
    judged = tuple(
        one
        if one.verdict is not FieldVerdict.NOT_JUDGED
        else replace(one, verdict=_agreed(one.name, answers))
        for one in fields
    )
    who = " and ".join(one.who for one in answers)
    wrong = next((one for one in judged if one.verdict is FieldVerdict.WRONG), None)
    unsettled = next((one for one in judged if one.verdict is FieldVerdict.NOT_JUDGED), None)
    if wrong is not None:
        decision = Decision.ANSWER_WRONG
        reason = f"{who} agree that the answer's {wrong.name!r} is wrong: {wrong.value[:_SHOWN]!r}"
    elif unsettled is not None:
        decision = Decision.JUDGE_SPLIT
        words = "; ".join(f"{one.who} says {_word(unsettled.name, one)}" for one in answers)
        reason = (
            f"the judges do not agree whether the answer's {unsettled.name!r} is right: {words}"
        )
    else:
        decision = Decision.JUDGED_SUCCESS
        names = ", ".join(one.name for one in fields if one.verdict is FieldVerdict.NOT_JUDGED)
        reason = f"the rule is met, and {who} agree that the answer's {names} is right"
    return FieldConsensus(decision=decision, reason=reason, fields=judged)


def _agreed(name: str, answers: Sequence[JudgeAnswer]) -> FieldVerdict:
    words = {_word(name, one) for one in answers}
    if len(words) > 1:
        return FieldVerdict.NOT_JUDGED
    return _VERDICTS.get(words.pop(), FieldVerdict.NOT_JUDGED)


def _word(name: str, answer: JudgeAnswer) -> str:
    """What a judge says of a field; without a usable answer, its verdict."""
    if answer.verdict in (Verdict.MALFORMED, Verdict.AWAY):
        return answer.verdict.value
    return next((one.right for one in answer.fields if one.name == name), "cannot_tell")
