"""One episode: lease → provision → sandbox → walk → judge → destroy → release, each effect behind an intent row.

There is one code path, whether an episode goes well, fails, is cancelled or is taken over by another worker:

1. `proceed` walks through the phases; each effect is intended in SQL, carried out under a request id made from the episode's id, and
   settled with what it gave;
2. the judgement is stored before anything is taken back, so that a successor knows the verdict without walking again;
3. `undo` reads the open intents and takes back whatever they name. An intent without a result is *asked again* under the same
   request id, which either finds what was made or makes it, and then takes that back. So nothing is forgotten, and a
   successor (`adopt`) needs nothing but the rows.

An exception is never a reward of 0: every failure leaves here as an `Outcome` with its cause.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import structlog

from proofwalk.agent.environment import StepEvent
from proofwalk.agent.walk import Walk
from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.procedures.model import Procedure
from proofwalk.rollout import judgement_record, usecases
from proofwalk.rollout.domain import Decision, RewardFacts, WalkEnding, judge
from proofwalk.rollout.leases_kept import Holds, Interrupted
from proofwalk.rollout.ports import AccountLease, JudgedEvent, Peers, Provisioned, Reward, Sandbox, WalkListeners, WalkOrder
from proofwalk.rollout.repository import EpisodeRow, StepRow, VerificationRow
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.rollout.walk_facts import event_refs, facts_of

T = TypeVar("T")
log = structlog.get_logger()

_CAUSES = {
    EpisodePhase.PARSE: EnvCause.ACCOUNT,
    EpisodePhase.LEASE: EnvCause.ACCOUNT,
    EpisodePhase.PROVISION: EnvCause.PROVISION,
    EpisodePhase.SANDBOX: EnvCause.SANDBOX,
    EpisodePhase.WALK: EnvCause.SANDBOX,
    EpisodePhase.JUDGE: EnvCause.AUDIT_LATE,
}


@dataclass(frozen=True, kw_only=True)
class EpisodeDeps:
    """What an episode works with."""

    db: Database
    peers: Peers
    blobs: Blobs
    clock: Clock
    settings: RolloutSettings


class EpisodeRun:
    """One worker's run of one episode, under one claim."""

    def __init__(
        self, deps: EpisodeDeps, held: usecases.Claim, row: VerificationRow, episode: EpisodeRow, procedure: Procedure
    ) -> None:
        self._deps = deps
        self._held = held
        self._row = row
        self._episode = episode
        self._procedure = procedure
        self._phase = episode.phase
        self._seconds: dict[str, float] = {}
        self._ttl = timedelta(seconds=deps.settings.hold_ttl_s)
        self._holds = Holds(deps.db, deps.peers, held, clock=deps.clock, ttl=self._ttl)
        self._on_demand = 0

    async def run(self) -> Outcome:
        """Run a fresh episode to its end; raises only `lease.stale_epoch` (taken over) and cancellation (drain)."""
        try:
            record = await self._holds.guard(self._proceed(), heed_cancel=True)
        except Interrupted as interruption:
            record = judgement_record.bare(interruption.outcome, seconds=self._seconds)
        except ProofwalkError as error:
            if error.code == "lease.stale_epoch" and not await self._still_held():
                raise
            record = judgement_record.bare(self._failure(error), seconds=self._seconds)
        return await self._close(record, lost=False)

    async def adopt(self) -> Outcome:
        """End an episode whose worker is gone: keep its judgement if it had one, take everything back, close it."""
        stored = self._episode.facts.get("judgement")
        if stored is not None:
            return await self._close(dict(stored), lost=False)
        reason = f"the worker was lost during the phase {self._episode.phase.value!r}"
        cause = _CAUSES.get(self._episode.phase, EnvCause.SANDBOX)
        outcome = Outcome(kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=reason, code="episode.lost")
        return await self._close(judgement_record.bare(outcome), lost=True)

    async def _still_held(self) -> bool:
        try:
            await usecases.renew_claim(self._deps.db, self._held, ttl=self._ttl, clock=self._deps.clock)
        except ProofwalkError:
            return False
        return True

    def _failure(self, error: ProofwalkError) -> Outcome:
        quota = error.code.endswith(".quota")
        cause = EnvCause.QUOTA if quota else _CAUSES.get(self._phase, EnvCause.SANDBOX)
        return Outcome(kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=error.message, code=error.code)

    async def _enter(self, phase: EpisodePhase, **facts: Any) -> None:
        self._phase = phase
        await usecases.enter_phase(self._deps.db, self._held, self._episode.id, phase, clock=self._deps.clock, facts=facts)

    async def _say(self, type: str, **data: Any) -> None:
        await usecases.record_event(
            self._deps.db, self._held, type=type, clock=self._deps.clock, episode_id=self._episode.id, data=data
        )

    async def _effect(self, key: str, call: Callable[[], Awaitable[T]], result: Callable[[T], dict[str, Any]]) -> T:
        """Intend, do, settle. The intent survives a crash between any two of them."""
        started = self._deps.clock.monotonic()
        await usecases.intend(self._deps.db, self._held, self._episode.id, key, clock=self._deps.clock)
        value = await call()
        await usecases.settle(self._deps.db, self._held, self._episode.id, key, result=result(value), clock=self._deps.clock)
        self._seconds[key] = round(self._deps.clock.monotonic() - started, 4)
        return value

    async def _proceed(self) -> dict[str, Any]:
        lease = await self._lease()
        made = await self._provision(lease)
        sandbox = await self._sandbox()
        walk = await self._walk(lease, made, sandbox)
        # The browser is of no further use, and a page that lives on could still change something in the judged window.
        await self._release_sandbox(sandbox)
        return await self._judge(lease, made, walk)

    async def _lease(self) -> AccountLease:
        await self._enter(EpisodePhase.LEASE)
        lease = await self._effect(
            "account",
            lambda: self._patiently(self._acquire_account, self._deps.settings.account_wait_s),
            lambda lease: {
                "lease_id": lease.lease_id,
                "epoch": lease.epoch,
                "account_id": lease.account_id,
                "external_id": lease.external_id,
            },
        )
        self._holds.hold_account(lease)
        await self._say("account_leased", account=lease.external_id, epoch=lease.epoch)
        return lease

    async def _acquire_account(self) -> AccountLease:
        return await self._deps.peers.accounts.acquire(
            request_id=f"{self._episode.id}:account", target=self._row.target, holder=self._episode.id, ttl=self._ttl
        )

    async def _patiently(self, call: Callable[[], Awaitable[T]], wait_s: float) -> T:
        """Call again while nothing is free, at most `wait_s`."""
        end = self._deps.clock.monotonic() + wait_s
        pause = 0.2
        while True:
            try:
                return await call()
            except ProofwalkError as error:
                if error.status is not Status.RESOURCE_EXHAUSTED or self._deps.clock.monotonic() + pause > end:
                    raise
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 3.0)

    async def _provision(self, lease: AccountLease) -> Provisioned | None:
        if not self._row.meta_yaml and not self._row.meta_id:
            return None
        await self._enter(EpisodePhase.PROVISION)
        made = await self._effect(
            "provision",
            lambda: self._deps.peers.provisioner.provision(
                request_id=f"{self._episode.id}:provision",
                lease=lease,
                meta_yaml=self._row.meta_yaml,
                meta_id=self._row.meta_id,
                region=self._row.region,
            ),
            lambda made: {"provisioning_id": made.provisioning_id},
        )
        await self._say("resources_provisioned", description=made.description, resources=list(made.resources))
        return made

    async def _sandbox(self) -> Sandbox:
        await self._enter(EpisodePhase.SANDBOX)
        sandbox = await self._effect(
            "sandbox",
            lambda: self._patiently(self._acquire_sandbox, self._deps.settings.sandbox_wait_s),
            lambda sandbox: {"sandbox_id": sandbox.sandbox_id, "epoch": sandbox.epoch, "warm": sandbox.warm},
        )
        self._holds.hold_sandbox(sandbox)
        await self._say("sandbox_acquired", sandbox=sandbox.sandbox_id, warm=sandbox.warm)
        return sandbox

    async def _acquire_sandbox(self) -> Sandbox:
        return await self._deps.peers.sandboxes.acquire(
            request_id=f"{self._episode.id}:sandbox",
            tool="chromium",
            holder=self._episode.id,
            ttl=self._ttl,
            allowed_hosts=self._deps.peers.walker.allowed_hosts(self._row.target),
        )

    async def _walk(self, lease: AccountLease, made: Provisioned | None, sandbox: Sandbox) -> Walk:
        await self._enter(EpisodePhase.WALK)
        started = self._deps.clock.monotonic()
        login = await self._deps.peers.accounts.console_login(lease)
        order = WalkOrder(
            episode_id=self._episode.id,
            procedure=self._procedure,
            policy=self._row.policy,
            target=self._row.target,
            cdp_endpoint=sandbox.cdp_endpoint,
            login=login,
            binds=made.binds if made else {},
            resources=made.description if made else "",
            region=self._row.region,
        )
        listeners = WalkListeners(
            on_step=self._on_step,
            on_signed_in=self._on_signed_in,
            provision=lambda need: self._provision_on_demand(lease, need),
            should_stop=lambda: False,  # a cancellation interrupts the walk through its holds
        )
        walk = await self._deps.peers.walker.walk(order, listeners)
        self._seconds["walk"] = round(self._deps.clock.monotonic() - started, 4)
        await self._say("walk_finished", ending=type(walk.ending).__name__, steps=walk.steps)
        return walk

    async def _on_signed_in(self, seconds: float) -> None:
        self._seconds["sign_in"] = round(seconds, 4)
        await self._say("signed_in")

    async def _on_step(self, step: StepEvent) -> None:
        screenshot = ""
        if step.screenshot and self._deps.settings.screenshots:
            screenshot = await self._deps.blobs.put(step.screenshot)
        row = StepRow(
            episode_id=self._episode.id,
            number=step.step,
            substep=step.substep,
            thought=step.thought,
            action=step.action,
            result=step.result,
            ok=step.ok,
            url=step.url,
            screenshot=screenshot,
            started_at=step.started_at,
            ended_at=step.ended_at,
        )
        await usecases.record_step(
            self._deps.db, self._held, row, done=step.substep_index, total=len(self._procedure.substeps), clock=self._deps.clock
        )

    async def _provision_on_demand(self, lease: AccountLease, need: str) -> str:
        self._on_demand += 1
        key = f"on_demand_{self._on_demand}"
        made = await self._effect(
            key,
            lambda: self._deps.peers.provisioner.provision_on_demand(
                request_id=f"{self._episode.id}:{key}",
                lease=lease,
                need=need,
                context=f"{self._row.document_title}: {self._procedure.title}",
                region=self._row.region,
            ),
            lambda made: {"provisioning_id": made.provisioning_id},
        )
        await self._say("on_demand_provisioned", need=need, report=made.report, rounds=made.rounds)
        return made.report

    async def _judge(self, lease: AccountLease, made: Provisioned | None, walk: Walk) -> dict[str, Any]:
        await self._enter(EpisodePhase.JUDGE, start=isoformat(walk.started_at), end=isoformat(walk.ended_at))
        started = self._deps.clock.monotonic()
        facts = facts_of(walk, self._procedure)
        reward: Reward | None = None
        decision = Decision.NO_RULE
        if facts.ending is WalkEnding.COMPLETED and self._row.rule_yaml:
            reward = await self._deps.peers.rewards.judge(
                request_id=f"{self._episode.id}:judge",
                lease=lease,
                rule_yaml=self._row.rule_yaml,
                start=walk.started_at,
                end=walk.ended_at,
                outputs=made.outputs if made else {},
            )
            decision = Decision(reward.decision)
        elif facts.ending in (WalkEnding.COMPLETED, WalkEnding.FINDING):
            reward = Reward(
                reward=-1, decision=decision, reason="", observed=await self._events(lease, walk.started_at, walk.ended_at)
            )
        judgement = judge(
            facts,
            RewardFacts(
                decision=decision,
                reason=reward.reason if reward else "",
                matched=event_refs(reward.matched) if reward else (),
                observed=event_refs(reward.observed) if reward else (),
            ),
        )
        self._seconds["judge"] = round(self._deps.clock.monotonic() - started, 4)
        record = judgement_record.dump(judgement, reward, seconds=self._seconds, cost=walk.cost)
        await self._say(
            "episode_judged", outcome=judgement.outcome.kind.value, decision=decision.value, reason=judgement.outcome.reason
        )
        return record

    async def _events(self, lease: AccountLease, start: datetime, end: datetime) -> list[JudgedEvent]:
        """What the log shows so far: evidence beside a finding, on which nothing depends."""
        if not self._deps.peers.walker.has_audit_log(self._row.target):
            return []
        try:
            return list(await self._deps.peers.rewards.events(lease, start=start, end=end))
        except ProofwalkError as error:
            log.warning("events_not_read", code=error.code, reason=error.message)
            return []

    async def _close(self, record: dict[str, Any], *, lost: bool) -> Outcome:
        """Store the judgement, take everything back, finish."""
        await self._enter(EpisodePhase.DESTROY, judgement=record)
        started = self._deps.clock.monotonic()
        try:
            async with asyncio.timeout(self._deps.settings.undo_s):
                await self._holds.guard(self._undo(), heed_cancel=False)
        except (ProofwalkError, Interrupted, TimeoutError) as error:
            if isinstance(error, ProofwalkError) and error.code == "lease.stale_epoch" and not await self._still_held():
                raise
            log.error("cleanup_failed", episode=self._episode.id, reason=str(error))
            await self._say("cleanup_failed", reason=str(error))
        record["seconds"] = {**record["seconds"], "cleanup": round(self._deps.clock.monotonic() - started, 4)}
        outcome = judgement_record.outcome_of(record)
        await usecases.finish_episode(
            self._deps.db, self._held, self._episode.id, outcome, lost=lost, judgement=record, clock=self._deps.clock
        )
        return outcome

    async def _undo(self) -> None:
        """Take back what the open intents name: the browser first, then the resources, then the account."""
        intents = {intent.key: intent for intent in await usecases.open_intents(self._deps.db, self._episode.id)}
        if "sandbox" in intents:
            result = intents["sandbox"].result
            sandbox = (
                Sandbox(sandbox_id=result["sandbox_id"], epoch=result["epoch"], cdp_endpoint="", warm=False) if result else None
            )
            found = sandbox or await _ask_again(self._acquire_sandbox)
            if found is not None:
                await self._release_sandbox(found)
            else:
                await self._mark_undone("sandbox", {})
        if "account" not in intents:
            return
        result = intents["account"].result
        lease = (
            AccountLease(
                lease_id=result["lease_id"],
                account_id=result["account_id"],
                external_id=result["external_id"],
                target=self._row.target,
                epoch=result["epoch"],
            )
            if result
            else await _ask_again(self._acquire_account)
        )
        if lease is None:
            await self._mark_undone("account", {})
            return
        self._holds.hold_account(lease)
        try:
            await self._sweep(lease)
            await self._enter(EpisodePhase.RELEASE)
            self._holds.account = None
            released = await self._deps.peers.accounts.release(lease)
        except ProofwalkError as error:
            if error.code != "lease.stale_epoch":
                raise
            # The pool has taken the account back already: it quarantines, sweeps and proves it by itself.
            await self._mark_undone("account", {"stale": True})
            return
        await self._mark_undone("account", {"clean": released.clean})
        await self._say(
            "account_released",
            account=lease.external_id,
            clean=released.clean,
            unproven=released.unproven,
            leftovers=[f"{left.product}/{left.type} {left.id}" for left in released.leftovers],
        )

    async def _sweep(self, lease: AccountLease) -> None:
        inspection = await self._deps.peers.accounts.inspect(lease)
        swept = await self._deps.peers.provisioner.sweep(lease, inspection.leftovers)
        for intent in await usecases.open_intents(self._deps.db, self._episode.id):
            if intent.key == "provision" or intent.key.startswith("on_demand_"):
                await self._mark_undone(intent.key, {})
        await self._say("resources_destroyed", swept=swept)

    async def _release_sandbox(self, sandbox: Sandbox) -> None:
        self._holds.sandbox = None
        refused: dict[str, int] = {}
        with contextlib.suppress(_Gone):
            refused = dict(await _gone_is_fine(self._deps.peers.sandboxes.release(sandbox)))
        await self._mark_undone("sandbox", {"refused_hosts": refused})

    async def _mark_undone(self, key: str, result: dict[str, Any]) -> None:
        await usecases.undone(self._deps.db, self._held, self._episode.id, key, result=result, clock=self._deps.clock)


async def _ask_again(acquire: Callable[[], Awaitable[T]]) -> T | None:
    """What an intent without a result made; None when it made nothing and nothing is free to be made now."""
    try:
        return await acquire()
    except ProofwalkError as error:
        if error.status is Status.RESOURCE_EXHAUSTED:
            return None
        raise


class _Gone(Exception):
    """What was to be released is not there any more."""


async def _gone_is_fine(call: Awaitable[T]) -> T:
    try:
        return await call
    except ProofwalkError as error:
        if error.code in ("sandbox.not_found", "lease.stale_epoch"):
            raise _Gone from error
        raise
