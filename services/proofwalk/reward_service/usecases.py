"""Judging by a rule, and listing events. Polling happens outside of transactions; a
judgement is stored in one. `rescoring` judges what is stored again.

A request that was decided is answered from its row; `audit_late` is no decision, so
asking again looks again. An interrupted judgement leaves nothing behind but a count:
the next one reads the same log. A rule is read and applied in another process
(`confined`); one that takes more than it may is decided as `rule_too_costly`, and so is
a request whose judgement took its process along `begun_allowed` times.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from proofwalk.chassis.database import Database, Transaction
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.ports import AuditLog, CloudAccount
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid
from proofwalk.kernel.evidence import AuditEvent, Pause, WalkWindow
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service import polling, repository
from proofwalk.reward_service.confined import Decided, Question, RuleFacts, Rules
from proofwalk.reward_service.domain import Watch, Window
from proofwalk.reward_service.pauses import WalkLog
from proofwalk.reward_service.repository import Judged
from proofwalk.reward_service.settings import RewardServiceSettings

MAX_WINDOW = timedelta(days=2)
UNREAD = RuleFacts(name="", delta_s=0.0)
"""A rule that is not read again."""
MOST_PAUSES = 50
TOO_COSTLY = "rule.too_costly"
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Accounts(Protocol):
    """What the account pool tells a judge."""

    async def account(self, *, lease_id: str, epoch: int) -> CloudAccount:
        """The leased account with its access key, if it has one. Raises
        `lease.not_found`, `lease.stale_epoch`."""
        ...


@dataclass(frozen=True, kw_only=True)
class JudgeOrder:
    """What is to be judged."""

    request_id: str
    lease: LeaseRef
    rule_yaml: str
    start: datetime
    end: datetime
    outputs: Mapping[str, str]
    pauses: tuple[Pause, ...] = ()
    answer: str = ""
    """What the agent told, as it told it."""
    clock_off_s: float = 0.0
    """See `kernel.evidence.WalkWindow`."""

    @property
    def fingerprint(self) -> str:
        """The same for the same question."""
        asked = [
            self.lease.target,
            self.rule_yaml,
            isoformat(self.start),
            isoformat(self.end),
            sorted(self.outputs.items()),
            *stretches(self.pauses),
            *([self.answer] if self.answer else []),
            *([self.clock_off_s] if self.clock_off_s else []),
        ]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Judging:
    """The use cases and what they need."""

    database: Database
    clouds: Clouds
    accounts: Accounts
    rules: Rules
    settings: RewardServiceSettings
    clock: Clock

    async def check(self, rule_yaml: str) -> str:
        """The rule's name and version. Raises `rule.*`."""
        return (await self.rules.check(rule_yaml)).name

    async def judge(self, order: JudgeOrder) -> Judged:
        """See the contract. Raises `rule.*`, `reward.bad_window`,
        `reward.request_mismatch`, `lease.*`, `cloud.*`."""
        check_window(order.start, order.end, order.pauses)
        if not order.request_id:
            raise invalid(
                "reward.no_request_id",
                "a judgement needs a request id",
                hint="send the episode's id and the attempt",
            )
        async with self.database.read() as transaction:
            stored = await repository.find(transaction, order.request_id)
        if stored is not None and stored.fingerprint != order.fingerprint:
            raise conflict(
                "reward.request_mismatch",
                f"{order.request_id!r} was asked before with another question",
            )
        if stored is not None and stored.decision.is_final:
            return stored
        begun = await self.database.run(
            lambda tx: repository.begin(tx, order.request_id, self.clock.now())
        )
        try:
            return await self._judge(order, begun)
        finally:
            # Cancelled or failed, it has ended; only a process that was killed leaves
            # its row behind.
            await asyncio.shield(
                self.database.run(lambda tx: repository.ended(tx, order.request_id))
            )

    async def _judge(self, order: JudgeOrder, begun: int) -> Judged:
        if begun > self.settings.begun_allowed:
            reason = (
                f"judging by this rule was begun {begun - 1} times and took the process along each"
                " time"
            )
            return await self._store(
                order, UNREAD, Decided(decision=Decision.RULE_TOO_COSTLY, reason=reason), watch=None
            )
        rule, watch = UNREAD, None
        try:
            rule = await self.rules.check(order.rule_yaml, start=order.start, outputs=order.outputs)
            audit = (await self.clouds.get(order.lease.target)).audit
            if audit is None:
                return await self._store(order, rule, await self._without_log(order), watch=None)
            account = await self.accounts.account(
                lease_id=order.lease.lease_id, epoch=order.lease.epoch
            )
            log = WalkLog(audit, order.pauses)
            until = order.end + timedelta(seconds=rule.delta_s)
            watch = Watch(window=window_of(log, order.start, until, clock_off_s=order.clock_off_s))
            decided = await self._watch(order, log, account, watch)
        except ProofwalkError as error:
            if error.code != TOO_COSTLY:
                raise
            events = len(watch.events) if watch else 0
            decided = Decided(
                decision=Decision.RULE_TOO_COSTLY, reason=f"{error.message}, with {events} events"
            )
        return await self._store(order, rule, decided, watch=watch)

    async def _without_log(self, order: JudgeOrder) -> Decided:
        """What can be told without a log: that an answer is wrong."""
        against = await self.rules.judge(
            Question(
                rule_yaml=order.rule_yaml,
                start=order.start,
                outputs=order.outputs,
                events=(),
                complete=False,
                answer=order.answer,
            )
        )
        reason = f"target {order.lease.target!r} has no audit log"
        return against or Decided(decision=Decision.NO_AUDIT_LOG, reason=reason)

    async def events(self, lease: LeaseRef, window: WalkWindow) -> Sequence[AuditEvent]:
        """The visible events of a window; none where the target has no log."""
        check_window(window.start, window.end, window.pauses)
        log = (await self.clouds.get(lease.target)).audit
        if log is None:
            return ()
        return await WalkLog(log, window.pauses).events(
            await self.accounts.account(lease_id=lease.lease_id, epoch=lease.epoch),
            start=window.start,
            end=window.end,
        )

    async def forget(self) -> int:
        """Drop judgements that are older than they are kept."""
        before = self.clock.now() - timedelta(days=self.settings.keep_days)
        return await self.database.run(
            lambda transaction: repository.drop_before(transaction, before)
        )

    async def _watch(
        self, order: JudgeOrder, log: AuditLog, account: CloudAccount, watch: Watch
    ) -> Decided:
        def question(late: str = "") -> Question:
            return Question(
                rule_yaml=order.rule_yaml,
                start=order.start,
                outputs=order.outputs,
                events=tuple(watch.events.values()),
                complete=watch.complete,
                late=late,
                answer=order.answer,
            )

        async def decide() -> Decided | None:
            return await self.rules.judge(question())

        decided = await polling.poll(
            log, account, watch, decide, settings=self.settings, clock=self.clock
        )
        if decided is None:
            decided = await self.rules.judge(question(watch.why_late))
        assert decided is not None, "a question that says why it is late has an answer"
        return decided

    async def _store(
        self, order: JudgeOrder, rule: RuleFacts, decided: Decided, *, watch: Watch | None
    ) -> Judged:
        events = (
            tuple(sorted(watch.events.values(), key=lambda event: (event.time, event.id)))
            if watch
            else ()
        )
        judged = Judged(
            request_id=order.request_id,
            fingerprint=order.fingerprint,
            target=order.lease.target,
            rule=rule.name,
            rule_yaml=order.rule_yaml,
            outputs=order.outputs,
            start=order.start,
            end=order.end,
            delta_s=rule.delta_s,
            decision=decided.decision,
            reason=decided.reason,
            matched=decided.matched,
            missing=decided.missing,
            violations=decided.violations,
            answer=order.answer,
            answered=decided.answered,
            events=events,
            complete=watch.complete if watch else False,
            polls=watch.looks if watch else 0,
            judged_at=self.clock.now(),
        )

        async def put(transaction: Transaction) -> Judged:
            # Two calls of one request may have watched side by side: the first decision
            # stays.
            former = await repository.find(transaction, order.request_id)
            if former is not None and former.decision.is_final:
                return former
            await repository.put(transaction, judged)
            return judged

        kept = await self.database.run(put)
        _log.info(
            "reward_judged",
            request_id=order.request_id,
            rule=kept.rule,
            decision=kept.decision.value,
            polls=kept.polls,
        )
        return kept


def window_of(log: AuditLog, start: datetime, end: datetime, *, clock_off_s: float = 0.0) -> Window:
    """The window that a log is watched for; `end` includes Δ."""
    return Window(
        start=start,
        end=end,
        delivery_bound=timedelta(seconds=log.delivery_bound_s),
        self_recording=log.self_recording,
        clock_off_s=clock_off_s,
    )


def stretches(pauses: Sequence[Pause]) -> list[list[str]]:
    """Pauses as a question's fingerprint has them."""
    return [[isoformat(one.start), isoformat(one.end)] for one in pauses]


def check_window(start: datetime, end: datetime, pauses: Sequence[Pause] = ()) -> None:
    """Raises `reward.bad_window`."""
    if len(pauses) > MOST_PAUSES or not all(start <= one.start <= one.end <= end for one in pauses):
        raise invalid(
            "reward.bad_window",
            f"pauses lie within their window, at most {MOST_PAUSES}, and end after they begin",
        )
    if not start <= end <= start + MAX_WINDOW:
        raise invalid(
            "reward.bad_window",
            f"a window goes from start to end within {MAX_WINDOW.days} days, not {start} to {end}",
        )
