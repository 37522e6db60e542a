"""One episode: lease → provision → sandbox → walk → judge → destroy → release, each
effect behind an intent row.

There is one code path, whether an episode goes well, fails, is cancelled or is taken
over by another worker:

1. `proceed` walks through the phases; each effect is intended in SQL, carried out under
   a request id made from the episode's id, and settled with what it gave;
2. the judgement is stored before anything is taken back, so that a successor knows the
   verdict without walking again;
3. `effects.Effects.take_back` reads the open intents and takes back whatever they name,
   so that nothing is forgotten, and a successor (`adopt`) needs nothing but the rows.

An exception is never a reward of 0: every failure leaves here as an `Outcome` with its
cause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial

import structlog
from pydantic import SecretStr

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.policy import Task
from proofwalk.agent.core.walk_record import Walk
from proofwalk.desktop.osworld.task import OsworldTask
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import ProofwalkError, unimplemented
from proofwalk.kernel.evidence import AuditEvent, Pause, WalkWindow
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.needs import Need, Report
from proofwalk.kernel.outcomes import Decision, EnvCause, Evidence, Outcome, OutcomeKind
from proofwalk.procedures.model import Procedure
from proofwalk.rollout import replays, usecases
from proofwalk.rollout.desktop_tasks import chosen_of, read_desktop_task
from proofwalk.rollout.domain import judge
from proofwalk.rollout.effects import Effects, EpisodeDeps
from proofwalk.rollout.evidence import with_evidence
from proofwalk.rollout.facts import RewardFacts, WalkEnding, WalkFacts
from proofwalk.rollout.judged_walk import step_to_judge, walk_to_judge
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.leases_kept import Interrupted
from proofwalk.rollout.ports import (
    AccountLease,
    JudgedStep,
    JudgedWalk,
    Provisioned,
    Reward,
    Sandbox,
    WalkListeners,
)
from proofwalk.rollout.recordings import EpisodeRecording
from proofwalk.rollout.repository import EpisodeRow, StepRow, VerificationRow
from proofwalk.rollout.role_choice import RoleChoice, choose_role
from proofwalk.rollout.validated import judge_by_score
from proofwalk.rollout.walk_facts import facts_of
from proofwalk.rollout.walk_order import WalkOrder

log = structlog.get_logger()

_CAUSES = {
    EpisodePhase.PARSE: EnvCause.ACCOUNT,
    EpisodePhase.LEASE: EnvCause.ACCOUNT,
    EpisodePhase.PROVISION: EnvCause.PROVISION,
    EpisodePhase.SANDBOX: EnvCause.SANDBOX,
    EpisodePhase.WALK: EnvCause.SANDBOX,
    EpisodePhase.JUDGE: EnvCause.AUDIT_LATE,
}


class EpisodeRun:
    """One worker's run of one episode, under one claim."""

    def __init__(
        self,
        deps: EpisodeDeps,
        held: usecases.Claim,
        row: VerificationRow,
        episode: EpisodeRow,
        *,
        spent: Spent = NOTHING_SPENT,
    ) -> None:
        """`spent`: what earlier episodes of the verification have taken of the budget
        for asking a model."""
        self._deps = deps
        self._held = held
        self._row = row
        self._episode = episode
        self._effects = Effects(deps, held, row, episode)
        self._seconds = self._effects.seconds
        self._spent = spent
        self._on_demand = 0
        self._pauses: list[Pause] = []
        self._steps: list[JudgedStep] = []
        self._of_group = (row.id,) if row.group_id else ()
        self._versions: dict[str, None] = {}
        self._completed = False
        """The models that acted, in the order of their first answer."""
        self._recording = EpisodeRecording(
            row, episode, folder=deps.journals, blobs=deps.blobs, clock=deps.clock
        )

    async def run(self) -> Outcome:
        """Run a fresh episode to its end; raises only `lease.stale_epoch` (taken over)
        and cancellation (drain)."""
        try:
            judgement = await self._effects.holds.guard(self._proceed(), heed_cancel=True)
        except Interrupted as interruption:
            judgement = self._untold(interruption.outcome)
        except ProofwalkError as error:
            if error.code == "lease.stale_epoch" and not await self._still_held():
                raise
            judgement = self._untold(self._failure(error))
        except Exception as error:
            log.exception("episode_crashed", error=error)
            outcome = Outcome(
                kind=OutcomeKind.ENV_FAILURE,
                cause=_CAUSES.get(self._effects.phase, EnvCause.SANDBOX),
                reason=(
                    f"Proofwalk itself failed in the phase {self._effects.phase.value!r}"
                    f" ({type(error).__name__}); its log says why"
                ),
                code="internal",
            )
            judgement = self._untold(outcome)
        return await self._close(judgement, lost=False)

    async def adopt(self) -> Outcome:
        """End an episode whose worker is gone: keep its judgement if it had one, take
        everything back, close it."""
        if self._episode.judgement is not None:
            return await self._close(self._episode.judgement, lost=False)
        reason = f"the worker was lost during the phase {self._episode.phase.value!r}"
        cause = _CAUSES.get(self._episode.phase, EnvCause.SANDBOX)
        outcome = Outcome(
            kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=reason, code="episode.lost"
        )
        return await self._close(Judgement(outcome=outcome), lost=True)

    def _untold(self, outcome: Outcome) -> Judgement:
        """Of an episode that ended before anything could be judged."""
        return Judgement(outcome=outcome, seconds=dict(self._seconds))

    async def _still_held(self) -> bool:
        try:
            ttl = timedelta(seconds=self._deps.settings.hold_ttl_s)
            await usecases.renew_claim(self._deps.db, self._held, ttl=ttl, clock=self._deps.clock)
        except ProofwalkError:
            return False
        return True

    def _failure(self, error: ProofwalkError) -> Outcome:
        """What the error says itself, else the part of the environment that the phase
        works with."""
        cause = error.cause or _CAUSES.get(self._effects.phase, EnvCause.SANDBOX)
        if error.code == "lease.stale_epoch":
            # the claim was looked at; what other roles check is the account's lease
            cause = EnvCause.ACCOUNT
        return Outcome(
            kind=OutcomeKind.ENV_FAILURE, cause=cause, reason=error.message, code=error.code
        )

    async def _proceed(self) -> Judgement:
        if self._deps.peers.walker.tool(self._row.order.target) == "desktop":
            return await self._proceed_on_desktop()
        procedure = await self._parse()
        lease = await self._lease(procedure)
        made = await self._provision(lease)
        sandbox = await self._sandbox()
        walk = await self._walk(procedure, lease, made, sandbox)
        # The browser is of no further use, and a page that lives on could still change
        # something in the judged window.
        await self._effects.release_sandbox(sandbox)
        return await self._judge(procedure, lease, made, walk)

    async def _proceed_on_desktop(self) -> Judgement:
        """A desktop's task needs no account and no resources, and has its own judge."""
        content = await self._deps.blobs.get(self._row.document_digest)
        task = read_desktop_task(self._row.document_name, content)
        procedure = chosen_of(task, self._row.document_name).procedure
        sandbox = await self._sandbox()
        walk = await self._walk(procedure, None, None, sandbox, task=task)
        await self._effects.release_sandbox(sandbox)
        await self._effects.enter(EpisodePhase.JUDGE)
        await self._effects.holds.refuse_ended()
        judgement = judge_by_score(facts_of(walk, procedure), walk.score)
        await self._effects.say(
            "episode_judged",
            outcome=judgement.outcome.kind.value,
            score=walk.score,
            reason=judgement.outcome.reason,
        )
        return with_evidence(
            judgement, None, seconds=self._seconds, cost=walk.cost, spent=walk.spent
        )

    async def _parse(self) -> Procedure:
        content = await self._deps.blobs.get(self._row.document_digest)
        chosen = await self._deps.documents.procedure(
            self._row.document_name,
            content,
            self._row.media_type,
            procedure_id=self._row.procedure_id or None,
        )
        return chosen.procedure

    async def _choose_role(self, procedure: Procedure) -> RoleChoice:
        """Whose account signs in, if nobody chose it when the verification was asked
        for: the document, or nobody. It is stored, so that every episode has it."""
        target = self._row.order.target
        roles = await self._deps.peers.accounts.roles(target)
        choice = choose_role(procedure, roles, order="", meta="", target=target)
        return await usecases.keep_role(self._deps.db, self._held, choice)

    async def _lease(self, procedure: Procedure) -> AccountLease:
        await self._effects.enter(EpisodePhase.LEASE)
        choice = self._row.signed_in_as or await self._choose_role(procedure)
        self._row = replace(self._row, signed_in_as=choice)
        self._effects.role = choice.role
        if choice.code:
            raise Interrupted(
                Outcome(
                    kind=OutcomeKind.ENV_FAILURE,
                    cause=EnvCause.ACCOUNT,
                    reason=choice.why,
                    code=choice.code,
                )
            )
        lease = await self._effects.lease_account()
        demand = self._row.demand(choice.role)
        await self._effects.say(
            "account_leased",
            account=lease.external_id,
            epoch=lease.epoch,
            role=demand.role,
            site=demand.site,
            purpose=demand.purpose,
        )
        return lease

    async def _provision(self, lease: AccountLease) -> Provisioned | None:
        asked = self._row.order
        if not asked.meta and not asked.meta_id:
            return None
        await self._effects.enter(EpisodePhase.PROVISION)
        made = await self._effects.do(
            "provision",
            lambda: self._deps.peers.provisioner.provision(
                request_id=f"{self._episode.id}:provision",
                lease=lease,
                order=asked,
            ),
            lambda made: {"provisioning_id": made.provisioning_id},
        )
        self._effects.holds.hold_resources(made.provisioning_id, made.expires_at)
        await self._effects.say(
            "resources_provisioned",
            description=made.description,
            resources=list(made.resources),
            price=made.price,
        )
        return made

    async def _sandbox(self) -> Sandbox:
        await self._effects.enter(EpisodePhase.SANDBOX)
        sandbox = await self._effects.acquire_sandbox()
        await self._effects.say("sandbox_acquired", sandbox=sandbox.sandbox_id, warm=sandbox.warm)
        return sandbox

    async def _login(self, lease: AccountLease) -> Mapping[str, SecretStr]:
        try:
            return await self._deps.peers.accounts.console_login(lease)
        except ProofwalkError as error:
            outcome = Outcome(
                kind=OutcomeKind.ENV_FAILURE,
                cause=EnvCause.ACCOUNT,
                reason=f"no login: {error.message}",
                code=error.code,
            )
            raise Interrupted(outcome) from error

    async def _walk(
        self,
        procedure: Procedure,
        lease: AccountLease | None,
        made: Provisioned | None,
        sandbox: Sandbox,
        *,
        task: OsworldTask | None = None,
    ) -> Walk:
        """`lease`: None on a desktop, where nobody signs in; `task`: what is set up
        there."""
        await self._effects.enter(EpisodePhase.WALK)
        started = self._deps.clock.monotonic()
        login = await self._login(lease) if lease is not None else {}
        order = await self._order(procedure, sandbox, made, login=login, task=task)
        await self._recording.begin(order)
        listeners = WalkListeners(
            on_step=partial(self._on_step, len(procedure.substeps)),
            on_signed_in=self._on_signed_in,
            provision=partial(self._provision_on_demand, lease, procedure.title),
            should_stop=lambda: False,  # a cancellation interrupts the walk through its holds
            keep=self._recording.keep,
        )
        walk = await self._deps.peers.walker.walk(order, listeners)
        self._completed = isinstance(walk.ending, Completed)
        self._seconds["walk"] = round(self._deps.clock.monotonic() - started, 4)
        await self._effects.say(
            "walk_finished", ending=type(walk.ending).__name__, steps=walk.steps
        )
        if walk.replay:
            await self._effects.say("walk_replayed", **walk.replay)
        return walk

    async def _order(
        self,
        procedure: Procedure,
        sandbox: Sandbox,
        made: Provisioned | None,
        *,
        login: Mapping[str, SecretStr],
        task: OsworldTask | None,
    ) -> WalkOrder:
        asked = self._row.order
        return WalkOrder(
            episode_id=self._episode.id,
            procedure=procedure,
            asked=asked,
            task=task,
            cdp_endpoint=sandbox.cdp_endpoint,
            login=login,
            secret_names=self._deps.peers.walker.secret_names(asked.target, login),
            binds=made.binds if made else {},
            resources=made.description if made else "",
            replay_json=(
                await replays.script_to_replay(self._deps.db, self._row)
                if asked.policy == replays.REPLAY
                else ""
            ),
            # What is walked for training is no script for who inspects the document.
            keeps_looks=(
                replays.is_compiled(asked.policy) and not self._row.group_id and task is None
            ),
            outputs=made.outputs if made else {},
            seed=":".join(
                (
                    self._row.document_digest,
                    asked.scenario,
                    str(self._episode.number),
                    *self._of_group,
                )
            ),
            temperature=self._row.temperature,
            spent=self._spent,
            screenshots=self._deps.settings.screenshots,
        )

    async def _on_signed_in(self, seconds: float) -> None:
        self._seconds["sign_in"] = round(seconds, 4)
        await self._effects.say("signed_in")

    async def _on_step(self, total: int, step: StepEvent) -> None:
        await self._recording.step(step)
        self._versions.update(
            dict.fromkeys(
                one.completion.model for one in step.all_exchanges if one.completion.model
            )
        )
        judged = step_to_judge(step)
        if judged is not None:
            self._steps.append(judged)
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
            self._deps.db,
            self._held,
            row,
            done=step.substep_index,
            total=total,
            clock=self._deps.clock,
        )

    async def _provision_on_demand(
        self, lease: AccountLease | None, title: str, need: Need
    ) -> Report:
        if lease is None:
            raise unimplemented("desktop.no_resources", "a desktop's task has what it has")
        self._on_demand += 1
        key = f"on_demand_{self._on_demand}"
        asked = replace(
            need,
            document_digest=self._row.document_digest,
            procedure=f"{self._row.document_title}: {title}",
        )
        began = self._deps.clock.now()
        try:
            made = await self._effects.do(
                key,
                lambda: self._deps.peers.provisioner.provision_on_demand(
                    request_id=f"{self._episode.id}:{key}",
                    lease=lease,
                    need=asked,
                    order=self._row.order,
                ),
                lambda made: {
                    "provisioning_id": made.provisioning_id,
                    "meta_id": made.meta_id,
                    "meta_version": made.meta_version,
                },
            )
        finally:
            # What could not be made in the end may be in the log all the same.
            self._pauses.append(Pause(start=began, end=self._deps.clock.now()))
        self._effects.holds.hold_resources(made.provisioning_id, made.expires_at)
        await self._effects.say(
            "on_demand_provisioned",
            need=need.text,
            report=made.report.text,
            resources=[asdict(one) for one in made.report.resources],
            record=f"{made.meta_id}@{made.meta_version}" if made.meta_id else "",
            rounds=made.rounds,
        )
        return made.report

    async def _judge(
        self, procedure: Procedure, lease: AccountLease, made: Provisioned | None, walk: Walk
    ) -> Judgement:
        await self._effects.enter(
            EpisodePhase.JUDGE, start=isoformat(walk.started_at), end=isoformat(walk.ended_at)
        )
        started = self._deps.clock.monotonic()
        facts = facts_of(walk, procedure)
        reward = await self._reward(procedure, lease, made, walk, facts)
        # Whatever the log and the page say of a walk that lost what it stood on, it is
        # not the agent's doing.
        await self._effects.holds.refuse_ended()
        decision = reward.decision if reward is not None else Decision.NO_RULE
        judgement = judge(
            facts,
            RewardFacts(
                decision=decision,
                reason=reward.reason if reward else "",
                rule=reward.rule if reward else "",
                matched=tuple(one.event for one in reward.matched) if reward else (),
                observed=tuple(reward.observed) if reward else (),
            ),
            accept=Evidence(self._row.order.accept),
        )
        if judgement.outcome.kind is OutcomeKind.VERIFIED and walk.looks:
            await self._compile(procedure, made, walk, judgement, reward)
        self._seconds["judge"] = round(self._deps.clock.monotonic() - started, 4)
        judges = (
            {"judges": [f"{one.judge} ({one.family}): {one.verdict}" for one in reward.judges]}
            if reward
            else {}
        )
        await self._effects.say(
            "episode_judged",
            outcome=judgement.outcome.kind.value,
            decision=decision.value,
            reason=judgement.outcome.reason,
            **judges,
        )
        return with_evidence(
            judgement, reward, seconds=self._seconds, cost=walk.cost, spent=walk.spent
        )

    async def _reward(
        self,
        procedure: Procedure,
        lease: AccountLease,
        made: Provisioned | None,
        walk: Walk,
        facts: WalkFacts,
    ) -> Reward | None:
        """Return what the log says by the rule, with what judges say of free text that
        the rule leaves open, or, without a rule, what judges say of a completed walk.
        If neither says anything, the reward of a completed walk or of a finding has the
        events alone; other walks have none."""
        reward: Reward | None = None
        ending = facts.ending
        if self._row.order.rule and ending not in (WalkEnding.ENVIRONMENT, WalkEnding.CANCELLED):
            reward = await self._asked_of_the_log(lease, made, walk, facts)
            left_open = reward is not None and reward.decision is Decision.ANSWER_NOT_JUDGED
            if left_open and ending is WalkEnding.COMPLETED:
                judged = await self._deps.peers.rewards.judge_free_text(
                    request_id=f"{self._episode.id}:judge",
                    walk=self._walk_to_judge(procedure, walk, made),
                )
                reward = judged or reward
        elif ending is WalkEnding.COMPLETED:
            reward = await self._deps.peers.rewards.judge_by_models(
                request_id=f"{self._episode.id}:judge",
                lease=lease,
                window=self._window(walk),
                walk=self._walk_to_judge(procedure, walk, made),
            )
        if reward is None and ending in (WalkEnding.COMPLETED, WalkEnding.FINDING):
            reward = Reward(
                decision=Decision.NO_RULE,
                reason="",
                observed=await self._events(lease, self._window(walk)),
            )
        return reward

    def _walk_to_judge(
        self, procedure: Procedure, walk: Walk, made: Provisioned | None
    ) -> JudgedWalk:
        return walk_to_judge(
            procedure,
            walk,
            self._steps,
            made,
            document=self._row.document_title,
            console=self._row.order.target,
        )

    async def _asked_of_the_log(
        self, lease: AccountLease, made: Provisioned | None, walk: Walk, facts: WalkFacts
    ) -> Reward | None:
        """Return what the rule says of the walk's window. A log that cannot be read
        raises if the outcome needs it, else returns None."""
        try:
            return await self._deps.peers.rewards.judge(
                request_id=f"{self._episode.id}:judge",
                lease=lease,
                rule_yaml=self._row.order.rule,
                window=self._window(walk),
                outputs=made.outputs if made else {},
                answer=facts.answer,
            )
        except ProofwalkError as error:
            if facts.ending is WalkEnding.COMPLETED:
                raise
            log.warning("goal_not_asked", code=error.code, reason=error.message)
            return None

    async def _compile(
        self,
        procedure: Procedure,
        made: Provisioned | None,
        walk: Walk,
        judgement: Judgement,
        reward: Reward | None,
    ) -> None:
        """Keep the walk for the next inspection of this document; the verdict does not
        depend on it."""
        task = Task(
            procedure=procedure,
            binds=made.binds if made else {},
            resources=made.description if made else "",
        )
        events = [*reward.observed, *(one.event for one in reward.matched)] if reward else []
        try:
            script = await replays.compiled(
                task, walk, judgement, events, policy=self._row.order.policy
            )
        except Exception as error:  # whatever is wrong with the compiler, the episode was verified
            log.exception("walk_not_compiled", error=error)
            await self._effects.say("walk_not_compiled", reason=str(error) or type(error).__name__)
            return
        await replays.keep(
            self._deps.db, self._held, self._row, self._episode.id, script, clock=self._deps.clock
        )

    def _window(self, walk: Walk) -> WalkWindow:
        return WalkWindow(start=walk.started_at, end=walk.ended_at, pauses=tuple(self._pauses))

    async def _events(self, lease: AccountLease, window: WalkWindow) -> list[AuditEvent]:
        """What the log shows so far: evidence beside a finding, on which nothing
        depends."""
        if not self._deps.peers.walker.has_audit_log(self._row.order.target):
            return []
        try:
            return list(await self._deps.peers.rewards.events(lease, window))
        except ProofwalkError as error:
            log.warning("events_not_read", code=error.code, reason=error.message)
            return []

    async def _close(self, judgement: Judgement, *, lost: bool) -> Outcome:
        """Store the judgement, take everything back, finish."""
        kept = await self._recording.publish(judgement, lost=lost)
        if self._versions:
            kept["policy_versions"] = list(self._versions)
        if self._completed:
            kept["completed"] = True
        await self._effects.enter(EpisodePhase.DESTROY, judgement, **kept)
        await self._recording.forget()
        started = self._deps.clock.monotonic()
        try:
            async with asyncio.timeout(self._deps.settings.undo_s):
                await self._effects.take_back()
        except Exception as error:
            if (
                isinstance(error, ProofwalkError)
                and error.code == "lease.stale_epoch"
                and not await self._still_held()
            ):
                raise
            # What is left is ended by its own lease; the intents that stay open say
            # what that was.
            log.exception("cleanup_failed", episode=self._episode.id, error=error)
            await self._effects.say("cleanup_failed", reason=str(error) or type(error).__name__)
        cleanup = round(self._deps.clock.monotonic() - started, 4)
        judgement = replace(judgement, seconds={**judgement.seconds, "cleanup": cleanup})
        await usecases.finish_episode(
            self._deps.db,
            self._held,
            self._episode.id,
            judgement,
            lost=lost,
            clock=self._deps.clock,
        )
        return judgement.outcome
