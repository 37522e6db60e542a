"""What is judged of one episode's walk on a console: the rule's word or the judges', as
one judgement.

`EpisodeJudging.judge` asks the reward role over the walk's window, brings together what
it says and what the walk saw (`domain.judge`), and keeps a verified walk as a script for
the document's next inspection. A desktop's walk is judged by its task's own program
(`validated`).

Invariant: a walk that lost what it stood on is no agent's failure, whatever the log
says; so the holds are asked after the reward and before the judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from proofwalk.agent.core.policy import Task
from proofwalk.agent.core.walk_record import Walk
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import AuditEvent, Pause, WalkWindow
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.outcomes import Decision, Evidence, OutcomeKind
from proofwalk.procedures.model import Procedure
from proofwalk.rollout import replays
from proofwalk.rollout.claimed_episode import ClaimedEpisode
from proofwalk.rollout.domain import judge
from proofwalk.rollout.effects import Effects
from proofwalk.rollout.evidence import with_evidence
from proofwalk.rollout.facts import RewardFacts, WalkEnding, WalkFacts
from proofwalk.rollout.judged_walk import walk_to_judge
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.ports import AccountLease, JudgedStep, JudgedWalk, Provisioned, Reward
from proofwalk.rollout.walk_facts import facts_of

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class WalkedEpisode:
    """A walk, and what it stood on."""

    procedure: Procedure
    lease: AccountLease
    provisioned: Provisioned | None
    walk: Walk
    steps: Sequence[JudgedStep]
    pauses: Sequence[Pause]

    @property
    def window(self) -> WalkWindow:
        """The part of the log that is the walk's own."""
        return WalkWindow(
            start=self.walk.started_at,
            end=self.walk.ended_at,
            pauses=tuple(self.pauses),
            clock_off_s=self.walk.clock_off_s,
        )


class EpisodeJudging:
    """One episode's judgement."""

    def __init__(self, claimed: ClaimedEpisode, effects: Effects) -> None:
        self._deps, self._held = claimed.deps, claimed.claim
        self._row, self._episode = claimed.row, claimed.episode
        self._effects = effects

    async def judge(self, walked: WalkedEpisode) -> Judgement:
        """What became of the walk. Raises what the reward role refuses, and
        `Interrupted` when something that the walk stood on was lost."""
        walk = walked.walk
        await self._effects.enter(
            EpisodePhase.JUDGE, start=isoformat(walk.started_at), end=isoformat(walk.ended_at)
        )
        started = self._deps.clock.monotonic()
        facts = facts_of(walk, walked.procedure)
        reward = await self._reward(walked, facts)
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
            await self._compile(walked, judgement, reward)
        self._effects.seconds["judge"] = round(self._deps.clock.monotonic() - started, 4)
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
            judgement, reward, seconds=self._effects.seconds, cost=walk.cost, spent=walk.spent
        )

    async def _reward(self, walked: WalkedEpisode, facts: WalkFacts) -> Reward | None:
        """Return what the log says by the rule, with what judges say of free text that
        the rule leaves open, or, without a rule, what judges say of a completed walk.
        If neither says anything, the reward of a completed walk or of a finding has the
        events alone; other walks have none."""
        reward: Reward | None = None
        ending = facts.ending
        if self._row.order.rule and ending not in (WalkEnding.ENVIRONMENT, WalkEnding.CANCELLED):
            reward = await self._asked_of_the_log(walked, facts)
            left_open = reward is not None and reward.decision is Decision.ANSWER_NOT_JUDGED
            if left_open and ending is WalkEnding.COMPLETED:
                judged = await self._deps.peers.rewards.judge_free_text(
                    request_id=f"{self._episode.id}:judge",
                    walk=self._walk_to_judge(walked),
                )
                reward = judged or reward
        elif ending is WalkEnding.COMPLETED:
            reward = await self._deps.peers.rewards.judge_by_models(
                request_id=f"{self._episode.id}:judge",
                lease=walked.lease,
                window=walked.window,
                walk=self._walk_to_judge(walked),
            )
        if reward is None and ending in (WalkEnding.COMPLETED, WalkEnding.FINDING):
            reward = Reward(
                decision=Decision.NO_RULE,
                reason="",
                observed=await self._events(walked),
            )
        return reward

    def _walk_to_judge(self, walked: WalkedEpisode) -> JudgedWalk:
        return walk_to_judge(
            walked.procedure,
            walked.walk,
            walked.steps,
            walked.provisioned,
            document=self._row.document_title,
            console=self._row.order.target,
        )

    async def _asked_of_the_log(self, walked: WalkedEpisode, facts: WalkFacts) -> Reward | None:
        """Return what the rule says of the walk's window. A log that cannot be read
        raises if the outcome needs it, else returns None."""
        try:
            return await self._deps.peers.rewards.judge(
                request_id=f"{self._episode.id}:judge",
                lease=walked.lease,
                rule_yaml=self._row.order.rule,
                window=walked.window,
                outputs=walked.provisioned.outputs if walked.provisioned else {},
                answer=facts.answer,
            )
        except ProofwalkError as error:
            if facts.ending is WalkEnding.COMPLETED:
                raise
            log.warning("goal_not_asked", code=error.code, reason=error.message)
            return None

    async def _compile(
        self, walked: WalkedEpisode, judgement: Judgement, reward: Reward | None
    ) -> None:
        """Keep the walk for the next inspection of this document; the verdict does not
        depend on it."""
        made = walked.provisioned
        task = Task(
            procedure=walked.procedure,
            binds=made.binds if made else {},
            resources=made.description if made else "",
        )
        events = [*reward.observed, *(one.event for one in reward.matched)] if reward else []
        try:
            script = await replays.compiled(
                task, walked.walk, judgement, events, policy=self._row.order.policy
            )
        except Exception as error:  # whatever is wrong with the compiler, the episode was verified
            log.exception("walk_not_compiled", error=error)
            await self._effects.say("walk_not_compiled", reason=str(error) or type(error).__name__)
            return
        await replays.keep(
            self._deps.db, self._held, self._row, self._episode.id, script, clock=self._deps.clock
        )

    async def _events(self, walked: WalkedEpisode) -> list[AuditEvent]:
        """What the log shows so far: evidence beside a finding, on which nothing
        depends."""
        if not self._deps.peers.walker.has_audit_log(self._row.order.target):
            return []
        try:
            return list(await self._deps.peers.rewards.events(walked.lease, walked.window))
        except ProofwalkError as error:
            log.warning("events_not_read", code=error.code, reason=error.message)
            return []
