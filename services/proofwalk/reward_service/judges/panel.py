"""Both judges about one episode: wait for the log, ask those that have not answered,
keep what each says, agree or not.

Each answer is stored as it comes, under the request and the judge's family, and is not
asked for again. A decision is stored once. `judge_away` is none: asking again asks only
who is missing. `audit_late` is none: asking again looks and asks again. Nothing here
turns a failure into a reward: a judge that cannot be asked is `judge_away`, a log that
cannot be read is an error of the cloud.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.rpc import deadlines
from proofwalk.cloud.adapters import Clouds
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import ProofwalkError, conflict, exhausted, invalid
from proofwalk.kernel.evidence import Pause
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.outcomes import Decision, EnvCause
from proofwalk.models.fence import Fence
from proofwalk.reward_service import polling, repository
from proofwalk.reward_service.confined import Cited
from proofwalk.reward_service.domain import Watch
from proofwalk.reward_service.gauges import JudgeMetrics
from proofwalk.reward_service.judges.answers import JudgeAnswer, Verdict, normal
from proofwalk.reward_service.judges.case import Case, LogState, WalkToJudge, event_line
from proofwalk.reward_service.judges.consensus import consensus
from proofwalk.reward_service.judges.judge import Judge
from proofwalk.reward_service.judges.question import Source
from proofwalk.reward_service.pauses import WalkLog
from proofwalk.reward_service.repository import Judged
from proofwalk.reward_service.settings import RewardServiceSettings
from proofwalk.reward_service.usecases import Accounts, check_window, stretches, window_of

_DAY = timedelta(days=1)
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class PanelOrder:
    """What is to be judged by models."""

    request_id: str
    lease: LeaseRef
    start: datetime
    end: datetime
    walk: WalkToJudge
    pauses: tuple[Pause, ...] = ()
    clock_off_s: float = 0.0

    @property
    def fingerprint(self) -> str:
        """The same for the same question."""
        asked = [
            "models",
            self.lease.target,
            isoformat(self.start),
            isoformat(self.end),
            self.walk.digest,
            *stretches(self.pauses),
            *([self.clock_off_s] if self.clock_off_s else []),
        ]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The use case and what it needs."""

    judges: Sequence[Judge]
    """None, or two of different families."""
    database: Database
    clouds: Clouds
    accounts: Accounts
    settings: RewardServiceSettings
    clock: Clock
    metrics: JudgeMetrics
    mask: Callable[[str], str]
    """Takes registered secrets out of a line."""
    new_code: Callable[[], str]
    """A random text that nobody who writes a page or a document can know."""

    def check_set(self) -> None:
        """Raises `judges.not_set`."""
        if not self.judges:
            raise conflict(
                "judges.not_set",
                "no judges are set here, so what no rule decides stays undecided",
                hint=(
                    "set PROOFWALK_REWARD_SERVICE__JUDGES__0__ENDPOINT and …__FAMILY, and the same"
                    " for 1, or write a rule"
                ),
            )

    async def judge(self, order: PanelOrder) -> Judged:
        """See the contract. Raises `judges.not_set`, `judges.bad_walk`,
        `judges.budget_spent`, `reward.*`, `lease.*`, `cloud.*`."""
        self.check_set()
        if not order.request_id:
            raise invalid(
                "reward.no_request_id",
                "a judgement needs a request id",
                hint="send the episode's id and the attempt",
            )
        check_window(order.start, order.end, order.pauses)
        order.walk.check()
        async with self.database.read() as transaction:
            stored = await repository.find(transaction, order.request_id)
        if stored is not None and stored.fingerprint != order.fingerprint:
            raise conflict(
                "reward.request_mismatch",
                f"{order.request_id!r} was asked before with another question",
            )
        if stored is not None and stored.decision.is_final:
            return stored
        case, watch = await self._case(order)
        # What was said in sight of a late log is no answer once there is more to see.
        anew = stored is not None and stored.decision == Decision.AUDIT_LATE
        answers = await self.ask(order.request_id, case, anew=anew)
        return await self._store(order, case, watch, answers)

    async def _case(self, order: PanelOrder) -> tuple[Case, Watch | None]:
        audit = (await self.clouds.get(order.lease.target)).audit
        if audit is None:
            return Case(walk=order.walk, log=LogState.ABSENT), None
        log = WalkLog(audit, order.pauses)
        account = await self.accounts.account(
            lease_id=order.lease.lease_id, epoch=order.lease.epoch
        )
        until = order.end + timedelta(seconds=self.settings.judges_delta_s)
        watch = Watch(window=window_of(log, order.start, until, clock_off_s=order.clock_off_s))

        async def complete() -> bool | None:
            return True if watch.complete else None

        await polling.poll(
            log,
            account,
            watch,
            complete,
            settings=self.settings,
            clock=self.clock,
            reserve_s=max(judge.settings.deadline_s for judge in self.judges),
        )
        events = tuple(sorted(watch.events.values(), key=lambda event: (event.time, event.id)))
        state = LogState.COMPLETE if watch.complete else LogState.LATE
        return Case(walk=order.walk, log=state, events=events), watch

    async def ask(
        self, request_id: str, case: Case, *, anew: bool = False
    ) -> tuple[JudgeAnswer, ...]:
        """What both judges say about a case, in the order of their families. Who has
        answered for this request is not asked again, unless `anew`. Raises
        `judges.budget_spent`."""
        async with self.database.read() as transaction:
            found = () if anew else await repository.find_answers(transaction, request_id)
            known = {one.family: one for one in found}
            spent = await repository.tokens_since(transaction, self.clock.now() - _DAY)
        missing = [judge for judge in self.judges if judge.family not in known]
        allowed = self.settings.judges_daily_tokens
        if missing and allowed and spent >= allowed:
            raise exhausted(
                "judges.budget_spent",
                f"the judges have taken {spent} tokens in a day, and {allowed} are allowed",
                hint="raise PROOFWALK_REWARD_SERVICE__JUDGES_DAILY_TOKENS, or wait",
                cause=EnvCause.MODEL,
            )
        async with asyncio.TaskGroup() as group:
            asked = {
                judge.family: group.create_task(self._ask(judge, request_id, case, anew=anew))
                for judge in missing
            }
        families = sorted(judge.family for judge in self.judges)
        return tuple(known.get(family) or asked[family].result() for family in families)

    async def _ask(self, judge: Judge, request_id: str, case: Case, *, anew: bool) -> JudgeAnswer:
        """A judge's answer, stored; `away` is not."""
        within = max(
            deadlines.bounded(judge.settings.deadline_s + polling.ANSWER_MARGIN_S)
            - polling.ANSWER_MARGIN_S,
            0,
        )
        # A code of its own for each judge: what one endpoint repeats is of no use to a
        # page that another one sees.
        fence = Fence(self.new_code(), self.mask)
        try:
            answer = await judge.judge(case, fence, within_s=within)
        except ProofwalkError as error:
            _log.warning(
                "judge_away",
                judge=judge.name,
                family=judge.family,
                code=error.code,
                reason=error.message,
            )
            self.metrics.answers.labels(judge.family, Verdict.AWAY.value).inc()
            return JudgeAnswer(
                family=judge.family,
                judge=judge.name,
                model="",
                verdict=Verdict.AWAY,
                reason=f"{error.code}: {error.message}",
                answered_at=self.clock.now(),
            )

        async def put(transaction: Transaction) -> JudgeAnswer:
            # Two calls of one request may have asked side by side: the first answer
            # stays.
            former = [
                one
                for one in await repository.find_answers(transaction, request_id)
                if one.family == judge.family
            ]
            if former and not anew:
                return former[0]
            await repository.put_answer(transaction, request_id, answer)
            return answer

        kept = await self.database.run(put)
        if kept is answer:
            self.metrics.answers.labels(judge.family, kept.verdict.value).inc()
        return kept

    async def _store(
        self, order: PanelOrder, case: Case, watch: Watch | None, answers: Sequence[JudgeAnswer]
    ) -> Judged:
        decision, reason = consensus(answers, case.log)
        judged = Judged(
            request_id=order.request_id,
            fingerprint=order.fingerprint,
            target=order.lease.target,
            rule="",
            rule_yaml="",
            outputs={},
            start=order.start,
            end=order.end,
            delta_s=self.settings.judges_delta_s,
            decision=decision,
            reason=reason,
            matched=_cited(case, answers) if decision.tells else (),
            missing=(),
            violations=(),
            events=case.events,
            complete=case.log is LogState.COMPLETE,
            polls=watch.looks if watch else 0,
            judged_at=self.clock.now(),
            answers=tuple(answers),
        )

        async def put(transaction: Transaction) -> Judged:
            former = await repository.find(transaction, order.request_id)
            if former is not None and former.decision.is_final:
                return former
            await repository.put(transaction, judged)
            return judged

        kept = await self.database.run(put)
        if kept is judged:
            self.metrics.judgements.labels(decision.value).inc()
        verdicts = {one.family: one.verdict.value for one in kept.answers}
        _log.info(
            "models_judged",
            request_id=order.request_id,
            decision=kept.decision.value,
            verdicts=verdicts,
        )
        return kept


def _cited(case: Case, answers: Sequence[JudgeAnswer]) -> tuple[Cited, ...]:
    """The events that judges quoted, each with who did."""
    found = []
    for event in case.events:
        line = normal(event_line(event))
        who = [
            one.who
            for one in answers
            if any(item.source == Source.EVENTS and item.quote in line for item in one.evidence)
        ]
        if who:
            found.append(Cited(event_id=event.id, expectation=f"cited by {' and '.join(who)}"))
    return tuple(found)
