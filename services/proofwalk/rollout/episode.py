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
cause. Next: `episode_walk` and `episode_judging`, the two phases that have much to say.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import structlog

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.json_values import JsonValue
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.procedures.model import Procedure
from proofwalk.rollout import episode_usecases, usecases
from proofwalk.rollout.claimed_episode import ClaimedEpisode
from proofwalk.rollout.desktop_tasks import chosen_of, read_desktop_task
from proofwalk.rollout.effects import Effects
from proofwalk.rollout.episode_judging import EpisodeJudging, WalkedEpisode
from proofwalk.rollout.episode_walk import EpisodeWalk
from proofwalk.rollout.evidence import with_evidence
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.leases_kept import Interrupted
from proofwalk.rollout.ports import AccountLease, Provisioned, Sandbox
from proofwalk.rollout.recordings import EpisodeRecording
from proofwalk.rollout.role_choice import RoleChoice, choose_role
from proofwalk.rollout.validated import judge_by_score
from proofwalk.rollout.walk_facts import facts_of

log = structlog.get_logger()

_SHOWN_SUBSTEPS = 200
_SHOWN_TEXT = 500
"""How much of a procedure the event says that names its sub-steps."""
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

    def __init__(self, claimed: ClaimedEpisode, *, spent: Spent = NOTHING_SPENT) -> None:
        """`spent`: what earlier episodes of the verification have taken of the budget
        for asking a model."""
        self._deps, self._held = claimed.deps, claimed.claim
        self._row, self._episode = claimed.row, claimed.episode
        self._effects = Effects(claimed)
        self._seconds = self._effects.seconds
        self._recording = EpisodeRecording(
            claimed.row,
            claimed.episode,
            folder=self._deps.journals,
            blobs=self._deps.blobs,
            clock=self._deps.clock,
        )
        self._walk = EpisodeWalk(claimed, self._effects, self._recording, spent=spent)
        self._judging = EpisodeJudging(claimed, self._effects)

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
        walk = await self._walk.walk(procedure, sandbox, lease=lease, made=made)
        # The browser is of no further use, and a page that lives on could still change
        # something in the judged window.
        await self._effects.release_sandbox(sandbox)
        return await self._judging.judge(
            WalkedEpisode(
                procedure=procedure,
                lease=lease,
                provisioned=made,
                walk=walk,
                steps=self._walk.steps,
                pauses=self._walk.pauses,
            )
        )

    async def _proceed_on_desktop(self) -> Judgement:
        """A desktop's task needs no account and no resources, and has its own judge."""
        content = await self._deps.blobs.get(self._row.document_digest)
        task = read_desktop_task(self._row.document_name, content)
        procedure = chosen_of(task, self._row.document_name).procedure
        await self._say_what_was_read(procedure)
        sandbox = await self._sandbox()
        walk = await self._walk.walk(procedure, sandbox, task=task)
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
        await self._say_what_was_read(chosen.procedure)
        return chosen.procedure

    async def _say_what_was_read(self, procedure: Procedure) -> None:
        """Name the sub-steps, for whoever watches the walk."""
        substeps: list[JsonValue] = [
            {"number": one.number, "text": one.text[:_SHOWN_TEXT], "line": one.span.line}
            for one in procedure.substeps[:_SHOWN_SUBSTEPS]
        ]
        await self._effects.say("procedure_read", title=procedure.title, substeps=substeps)

    async def _choose_role(self, procedure: Procedure) -> RoleChoice:
        """Whose account signs in, if nobody chose it when the verification was asked
        for: the document, or nobody. It is stored, so that every episode has it."""
        target = self._row.order.target
        roles = await self._deps.peers.accounts.roles(target)
        choice = choose_role(procedure, roles, order="", meta="", target=target)
        return await episode_usecases.keep_role(self._deps.db, self._held, choice)

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

    async def _close(self, judgement: Judgement, *, lost: bool) -> Outcome:
        """Store the judgement, take everything back, finish."""
        kept = await self._recording.publish(judgement, lost=lost)
        if self._walk.versions:
            kept["policy_versions"] = list(self._walk.versions)
        if self._walk.completed:
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
        await episode_usecases.finish_episode(
            self._deps.db,
            self._held,
            self._episode.id,
            judgement,
            lost=lost,
            clock=self._deps.clock,
        )
        return judgement.outcome
