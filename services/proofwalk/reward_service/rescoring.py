"""Judging stored events again, by the rule that they were judged by or another one.

Nothing is looked up and nothing is stored: a judgement keeps its question, its events
and whether they are all, so the same rule says the same of them for as long as they are
kept. A longer window than the one that was watched has a part that nobody has looked
at, and is late. What two judges said of free text counts again while a rule asks the
same of the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from proofwalk.chassis.database import Database
from proofwalk.kernel.answers import AnsweredField, FieldVerdict
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict, not_found
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service import repository
from proofwalk.reward_service.confined import Decided, Question, Rules
from proofwalk.reward_service.domain import Watch, Window
from proofwalk.reward_service.judges.answers import JudgeAnswer
from proofwalk.reward_service.judges.field_consensus import field_consensus
from proofwalk.reward_service.repository import Judged, ListedJudgement
from proofwalk.reward_service.usecases import TOO_COSTLY

_PAGE = 100
_LONGEST_PAGE = 500


@dataclass(frozen=True, kw_only=True)
class Rescoring:
    """The use cases and what they need."""

    database: Database
    rules: Rules
    clock: Clock

    async def list(self, page_token: str, limit: int) -> tuple[Sequence[ListedJudgement], str]:
        """A page of what is stored, and the token of the next one; empty on the last.
        A token is the last request id of the page before."""
        size = min(limit, _LONGEST_PAGE) if limit > 0 else _PAGE
        async with self.database.read() as transaction:
            rows = await repository.list_after(transaction, page_token, limit=size + 1)
        page = rows[:size]
        return page, page[-1].request_id if len(rows) > size else ""

    async def rescore(self, request_id: str, rule_yaml: str = "") -> Judged:
        """The stored events judged by a rule; without one, by the rule that they were
        judged by. Raises `reward.not_found`, `reward.no_events`, `reward.no_rule`,
        `rule.*`."""
        async with self.database.read() as transaction:
            stored = await repository.find(transaction, request_id)
        if stored is None:
            raise not_found(
                "reward.not_found",
                f"nothing was judged under {request_id!r}",
                hint="events are kept for a time; see keep_days",
            )
        rule_yaml = rule_yaml or stored.rule_yaml
        if not rule_yaml:
            raise conflict(
                "reward.no_rule",
                f"{request_id!r} was judged by models, without a rule",
                hint="name a rule to judge its events by",
            )
        if stored.decision == Decision.NO_AUDIT_LOG:
            return stored
        if not stored.polls:
            raise conflict(
                "reward.no_events",
                f"{request_id!r} was judged without an audit log, so no rule can judge it",
            )
        return await self._rescored(stored, rule_yaml)

    async def _rescored(self, stored: Judged, rule_yaml: str) -> Judged:
        rule = await self.rules.check(rule_yaml, start=stored.start, outputs=stored.outputs)
        until = stored.end + timedelta(seconds=rule.delta_s)
        events = tuple(event for event in stored.events if event.time <= until)
        window = Window(
            start=stored.start, end=until, delivery_bound=timedelta(), self_recording=False
        )
        question = Question(
            rule_yaml=rule_yaml,
            start=stored.start,
            outputs=stored.outputs,
            events=events,
            complete=stored.complete and rule.delta_s <= stored.delta_s,
            late=Watch(window=window).why_late,
            answer=stored.answer,
        )
        decided, answers = _with_judges(await self._decided(question), stored)
        return replace(
            stored,
            rule=rule.name,
            rule_yaml=rule_yaml,
            delta_s=rule.delta_s,
            decision=decided.decision,
            reason=decided.reason,
            matched=decided.matched,
            missing=decided.missing,
            violations=decided.violations,
            answered=decided.answered,
            events=events,
            complete=question.complete,
            polls=0,
            judged_at=self.clock.now(),
            answers=answers,
        )

    async def _decided(self, question: Question) -> Decided:
        try:
            decided = await self.rules.judge(question)
        except ProofwalkError as error:
            if error.code != TOO_COSTLY:
                raise
            return Decided(decision=Decision.RULE_TOO_COSTLY, reason=error.message)
        assert decided is not None, "a question that says why it is late has an answer"
        return decided


def _with_judges(decided: Decided, stored: Judged) -> tuple[Decided, Sequence[JudgeAnswer]]:
    """A decision by a rule with what judges have said of the free text that the rule
    leaves open, if that is what they were asked about."""
    undecided = stored.decision is Decision.ANSWER_NOT_JUDGED or not stored.answers
    if decided.decision is not Decision.ANSWER_NOT_JUDGED or undecided:
        return decided, ()
    left_open = [one for one in decided.answered if one.verdict is FieldVerdict.NOT_JUDGED]
    if not set(map(_question_of, left_open)) <= set(map(_question_of, stored.answered)):
        return decided, ()
    consensus = field_consensus(decided.answered, stored.answers)
    judged = replace(
        decided,
        decision=consensus.decision,
        reason=consensus.reason,
        answered=consensus.fields,
    )
    return judged, stored.answers


def _question_of(field: AnsweredField) -> tuple[str, str, str]:
    """What a judge is asked about a field."""
    return field.name, field.value, field.criterion
