"""The walk of one episode: ordered, listened to, and given on demand what it lacks.

`EpisodeWalk.walk` says to the walker what is to be walked and with what, keeps the
trajectory and a row of each step while it walks, and has resources made that a sub-step
turns out to need, with the walk paused. What others ask of it afterwards it keeps: the
steps as a judge reads them, the pauses that the judged window leaves out, the models
that acted, and whether the policy came to its end.

Invariants: a step is in SQL before the next one begins; a pause is kept although what
it was for was not made. Next: `episode_judging`, which is told what was walked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial

from pydantic import SecretStr

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.walk_record import Walk
from proofwalk.desktop.osworld.task import OsworldTask
from proofwalk.kernel.clock import SteadyClock
from proofwalk.kernel.errors import ProofwalkError, unimplemented
from proofwalk.kernel.evidence import Pause
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.needs import Need, Report
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.procedures.model import Procedure
from proofwalk.rollout import episode_usecases, replays
from proofwalk.rollout.claimed_episode import ClaimedEpisode
from proofwalk.rollout.effects import Effects
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.rollout.judged_walk import step_to_judge
from proofwalk.rollout.leases_kept import Interrupted
from proofwalk.rollout.ports import (
    AccountLease,
    JudgedStep,
    Provisioned,
    Sandbox,
    WalkListeners,
)
from proofwalk.rollout.recordings import EpisodeRecording
from proofwalk.rollout.walk_order import WalkOrder


class EpisodeWalk:
    """One episode's walk, and what is known of it."""

    def __init__(
        self,
        claimed: ClaimedEpisode,
        effects: Effects,
        recording: EpisodeRecording,
        *,
        spent: Spent = NOTHING_SPENT,
    ) -> None:
        """`spent`: what earlier episodes of the verification have taken of the budget
        for asking a model."""
        self._deps, self._held = claimed.deps, claimed.claim
        self._row, self._episode = claimed.row, claimed.episode
        self._effects = effects
        self._recording = recording
        self._spent = spent
        # One ruler for the walk, its steps and its pauses, so that the window judged
        # keeps its order and its length though the wall clock is set meanwhile.
        self._clock = SteadyClock(self._deps.clock)
        self._on_demand = 0
        self.steps: list[JudgedStep] = []
        self.pauses: list[Pause] = []
        self.versions: dict[str, None] = {}
        """The models that acted, in the order of their first answer."""
        self.completed = False
        """Whether the policy said that it was done."""

    async def walk(
        self,
        procedure: Procedure,
        sandbox: Sandbox,
        *,
        lease: AccountLease | None = None,
        made: Provisioned | None = None,
        task: OsworldTask | None = None,
    ) -> Walk:
        """Walk the procedure in the sandbox. `lease`: None on a desktop, where nobody
        signs in; `task`: what is set up there. Raises `Interrupted` when there is no
        login."""
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
        walk = await self._deps.peers.walker.walk(order, listeners, clock=self._clock)
        self.completed = isinstance(walk.ending, Completed)
        self._effects.seconds["walk"] = round(self._deps.clock.monotonic() - started, 4)
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
        of_group = (self._row.id,) if self._row.group_id else ()
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
                    *of_group,
                )
            ),
            temperature=self._row.temperature,
            spent=self._spent,
            screenshots=self._deps.settings.screenshots,
        )

    async def _on_signed_in(self, seconds: float) -> None:
        self._effects.seconds["sign_in"] = round(seconds, 4)
        await self._effects.say("signed_in")

    async def _on_step(self, total: int, step: StepEvent) -> None:
        await self._recording.step(step)
        self.versions.update(
            dict.fromkeys(
                one.completion.model for one in step.all_exchanges if one.completion.model
            )
        )
        judged = step_to_judge(step)
        if judged is not None:
            self.steps.append(judged)
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
        await episode_usecases.record_step(
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
        began = self._clock.now()
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
            self.pauses.append(Pause(start=began, end=self._clock.now()))
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
