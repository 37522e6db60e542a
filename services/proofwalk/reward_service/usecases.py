"""Judging by a rule, listing and rescoring. Polling happens outside of transactions; a judgement is stored in one.

A request that was decided is answered from its row; `audit_late` is no decision, so asking again looks again. An interrupted
judgement leaves nothing behind: the next one reads the same log.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from proofwalk.chassis.database import Database, Transaction
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.ports import AuditEvent, AuditLog, CloudAccount
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import conflict, invalid, not_found
from proofwalk.reward_service import polling, repository
from proofwalk.reward_service.domain import Decision, Judgement, Watch, Window, give_up, judge
from proofwalk.reward_service.evaluation import Bindings, Evaluation, Match, bindings_of
from proofwalk.reward_service.repository import Cited, Judged
from proofwalk.reward_service.rules import Rule, parse_rule
from proofwalk.reward_service.settings import RewardServiceSettings

MAX_WINDOW = timedelta(days=2)
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class LeaseRef:
    """The lease under which the episode ran."""

    lease_id: str
    epoch: int
    target: str


class Accounts(Protocol):
    """What the account pool tells a judge."""

    async def account(self, *, lease_id: str, epoch: int) -> CloudAccount:
        """The leased account with its access key, if it has one. Raises `lease.not_found`, `lease.stale_epoch`."""
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

    @property
    def fingerprint(self) -> str:
        """The same for the same question."""
        asked = [self.lease.target, self.rule_yaml, isoformat(self.start), isoformat(self.end), sorted(self.outputs.items())]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Judging:
    """The use cases and what they need."""

    database: Database
    clouds: Clouds
    accounts: Accounts
    settings: RewardServiceSettings
    clock: Clock

    async def judge(self, order: JudgeOrder) -> Judged:
        """See the contract. Raises `rule.invalid`, `reward.bad_window`, `reward.request_mismatch`, `lease.*`, `cloud.*`."""
        rule = parse_rule(order.rule_yaml)
        bindings = bindings_of(rule, start=order.start, outputs=order.outputs)
        check_window(order.start, order.end)
        if not order.request_id:
            raise invalid("reward.no_request_id", "a judgement needs a request id", hint="send the episode's id and the attempt")
        async with self.database.read() as transaction:
            stored = await repository.find(transaction, order.request_id)
        if stored is not None and stored.fingerprint != order.fingerprint:
            raise conflict("reward.request_mismatch", f"{order.request_id!r} was asked before with another question")
        if stored is not None and Decision(stored.decision).is_final:
            return stored
        log = (await self.clouds.get(order.lease.target)).audit
        if log is None:
            empty = Evaluation(matched=(), missing=(), violations=())
            reason = f"target {order.lease.target!r} has no audit log"
            judgement = Judgement(decision=Decision.NO_AUDIT_LOG, reason=reason, evaluation=empty)
            return await self._store(order, rule, judgement, watch=None)
        account = await self.accounts.account(lease_id=order.lease.lease_id, epoch=order.lease.epoch)
        watch = Watch(window=window_of(log, order.start, order.end + timedelta(seconds=rule.delta_s)))
        judgement = await self._watch(rule, bindings, log, account, watch)
        return await self._store(order, rule, judgement, watch=watch)

    async def events(self, lease: LeaseRef, start: datetime, end: datetime) -> Sequence[AuditEvent]:
        """The visible events of a window; none where the target has no log."""
        check_window(start, end)
        log = (await self.clouds.get(lease.target)).audit
        if log is None:
            return ()
        return await log.events(await self.accounts.account(lease_id=lease.lease_id, epoch=lease.epoch), start=start, end=end)

    async def rescore(self, request_id: str, rule_yaml: str) -> Judged:
        """The stored events judged by another rule; nothing is stored. Raises `reward.not_found`, `rule.invalid`."""
        rule = parse_rule(rule_yaml)
        async with self.database.read() as transaction:
            stored = await repository.find(transaction, request_id)
        if stored is None:
            raise not_found(
                "reward.not_found", f"nothing was judged under {request_id!r}", hint="events are kept for a time; see keep_days"
            )
        if stored.decision == Decision.NO_AUDIT_LOG:
            return stored
        if not stored.polls:
            raise conflict("reward.no_events", f"{request_id!r} was judged without an audit log, so no rule can judge it")
        bindings = bindings_of(rule, start=stored.start, outputs=stored.outputs)
        until = stored.end + timedelta(seconds=rule.delta_s)
        events = tuple(event for event in stored.events if event.time <= until)
        # A longer window than the one that was watched has a part that nobody has looked at.
        complete = stored.complete and rule.delta_s <= stored.delta_s
        judgement = judge(rule, events, bindings, complete=complete)
        if judgement is None:
            window = Window(start=stored.start, end=until, delivery_bound=timedelta(), self_recording=False)
            watch = Watch(window=window, events={event.id: event for event in events})
            judgement = give_up(rule, watch, bindings)
        return _judged(
            rule, judgement, rule_yaml=rule_yaml, stored=stored, events=events, complete=complete, judged_at=self.clock.now()
        )

    async def forget(self) -> int:
        """Drop judgements that are older than they are kept."""
        before = self.clock.now() - timedelta(days=self.settings.keep_days)
        return await self.database.run(lambda transaction: repository.drop_before(transaction, before))

    async def _watch(self, rule: Rule, bindings: Bindings, log: AuditLog, account: CloudAccount, watch: Watch) -> Judgement:
        decided = await polling.poll(
            log,
            account,
            watch,
            lambda: judge(rule, tuple(watch.events.values()), bindings, complete=watch.complete),
            settings=self.settings,
            clock=self.clock,
        )
        return give_up(rule, watch, bindings) if decided is None else decided

    async def _store(self, order: JudgeOrder, rule: Rule, judgement: Judgement, *, watch: Watch | None) -> Judged:
        events = tuple(sorted(watch.events.values(), key=lambda event: (event.time, event.id))) if watch else ()
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
            decision=judgement.decision.value,
            reason=judgement.reason,
            matched=_cited(judgement.evaluation.matched),
            missing=judgement.evaluation.missing,
            violations=_cited(judgement.evaluation.violations),
            events=events,
            complete=watch.complete if watch else False,
            polls=watch.looks if watch else 0,
            judged_at=self.clock.now(),
        )

        async def put(transaction: Transaction) -> Judged:
            # Two calls of one request may have watched side by side: the first decision stays.
            former = await repository.find(transaction, order.request_id)
            if former is not None and Decision(former.decision).is_final:
                return former
            await repository.put(transaction, judged)
            return judged

        kept = await self.database.run(put)
        _log.info("reward_judged", request_id=order.request_id, rule=kept.rule, decision=kept.decision, polls=kept.polls)
        return kept


def window_of(log: AuditLog, start: datetime, end: datetime) -> Window:
    """The window that a log is watched for; `end` includes Δ."""
    bound = timedelta(seconds=log.delivery_bound_s)
    return Window(start=start, end=end, delivery_bound=bound, self_recording=log.self_recording)


def check_window(start: datetime, end: datetime) -> None:
    """Raises `reward.bad_window`."""
    if not start <= end <= start + MAX_WINDOW:
        raise invalid("reward.bad_window", f"a window goes from start to end within {MAX_WINDOW.days} days, not {start} to {end}")


def _cited(matches: Sequence[Match]) -> tuple[Cited, ...]:
    return tuple(Cited(event_id=match.event.id, expectation=match.expectation) for match in matches)


def _judged(
    rule: Rule,
    judgement: Judgement,
    *,
    rule_yaml: str,
    stored: Judged,
    events: Sequence[AuditEvent],
    complete: bool,
    judged_at: datetime,
) -> Judged:
    return Judged(
        request_id=stored.request_id,
        fingerprint=stored.fingerprint,
        target=stored.target,
        rule=rule.name,
        rule_yaml=rule_yaml,
        outputs=stored.outputs,
        start=stored.start,
        end=stored.end,
        delta_s=rule.delta_s,
        decision=judgement.decision.value,
        reason=judgement.reason,
        matched=_cited(judgement.evaluation.matched),
        missing=judgement.evaluation.missing,
        violations=_cited(judgement.evaluation.violations),
        events=events,
        complete=complete,
        polls=0,
        judged_at=judged_at,
    )
