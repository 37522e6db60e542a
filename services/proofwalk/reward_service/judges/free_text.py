"""Both judges about the free text of an answer that a rule has left open.

The rule has spoken before: what it can compare is right, and nothing forbidden
happened. Its row is what is read and what is replaced, so that a request has one
decision, whoever made it. The judges are shown the stored events, which are complete:
no rule with an answer is met before. `judge_away` replaces nothing: asking again asks
only who is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import structlog

from proofwalk.chassis.database import Transaction
from proofwalk.kernel.answers import FieldVerdict
from proofwalk.kernel.errors import not_found
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service import repository
from proofwalk.reward_service.judges.case import Case, LogState, WalkToJudge
from proofwalk.reward_service.judges.field_consensus import field_consensus
from proofwalk.reward_service.judges.panel import Panel
from proofwalk.reward_service.repository import Judged

_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class FreeText:
    """The use case and what it needs."""

    panel: Panel

    async def judge(self, request_id: str, walk: WalkToJudge) -> Judged:
        """See the contract. Raises `judges.not_set`, `judges.bad_walk`,
        `judges.budget_spent`, `reward.not_found`."""
        self.panel.check_set()
        walk.check()
        async with self.panel.database.read() as transaction:
            stored = await repository.find(transaction, request_id)
        if stored is None:
            raise not_found(
                "reward.not_found",
                f"nothing was judged under {request_id!r}",
                hint="judge by the rule first",
            )
        if stored.decision is not Decision.ANSWER_NOT_JUDGED:
            return stored
        case = Case(
            walk=walk,
            log=LogState.COMPLETE,
            events=stored.events,
            free_text=tuple(
                one for one in stored.answered if one.verdict is FieldVerdict.NOT_JUDGED
            ),
        )
        answers = await self.panel.ask(request_id, case)
        consensus = field_consensus(stored.answered, answers)
        judged = replace(
            stored,
            decision=consensus.decision,
            reason=consensus.reason,
            answered=consensus.fields,
            answers=answers,
            judged_at=self.panel.clock.now(),
        )
        if not judged.decision.is_final:
            return judged
        return await self._store(judged)

    async def _store(self, judged: Judged) -> Judged:
        async def put(transaction: Transaction) -> Judged:
            # Two calls of one request may have asked side by side: the first decision
            # stays.
            former = await repository.find(transaction, judged.request_id)
            if former is not None and former.decision is not Decision.ANSWER_NOT_JUDGED:
                return former
            await repository.put(transaction, judged)
            return judged

        kept = await self.panel.database.run(put)
        if kept is judged:
            self.panel.metrics.judgements.labels(kept.decision.value).inc()
        _log.info(
            "free_text_judged",
            request_id=kept.request_id,
            decision=kept.decision.value,
            verdicts={one.family: one.verdict.value for one in kept.answers},
        )
        return kept
