"""Works verifications off: claims them, runs their episodes, writes the one verdict.

A doorbell on the stream says "look"; `chassis.claims` looks, and at its own period too.
`Worker.attend` claims by compare-and-swap: whoever does not get the claim does nothing.
A bound number of verifications is worked on at a time. On drain each one is given back
with its claim, so that the next process adopts its open episode at once instead of
waiting for the claim to end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta

import structlog

from proofwalk.agent.core.budget import NOTHING_SPENT
from proofwalk.chassis.claims import ClaimLoop, given_back
from proofwalk.chassis.tracing import trace_id
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.kernel.outcomes import Outcome, OutcomeKind
from proofwalk.rollout import episode_usecases, usecases
from proofwalk.rollout.claimed_episode import ClaimedEpisode, EpisodeDeps
from proofwalk.rollout.conclusion import Attempt, concluded, wants_another
from proofwalk.rollout.episode import EpisodeRun
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.judgement import Judgement, Verdict
from proofwalk.rollout.repository import VerificationRow

STREAM = "rollout.verifications"
"""Rung when a verification is queued or is to be cancelled; entries carry
`verification_id`."""
GROUP = "rollout"

log = structlog.get_logger()


class Worker:
    """Runs verifications, at most `settings.concurrency` at a time."""

    def __init__(
        self,
        deps: EpisodeDeps,
        *,
        ids: IdSource,
        holder: str,
        finished: Callable[[VerificationRow, OutcomeKind], None] = lambda row, outcome: None,
    ) -> None:
        """`finished` is told of each verification that this worker has finished, and of
        its outcome."""
        self._deps = deps
        self._finished = finished
        self._ids = ids
        self._holder = holder
        self._loop = ClaimLoop(
            waiting=self._waiting,
            attend=self.attend,
            concurrency=deps.settings.concurrency,
            period_s=deps.settings.reconcile_s,
            named="job_id",
        )

    def wake(self) -> None:
        """A doorbell: look at the rows now."""
        self._loop.wake()

    async def run(self) -> None:
        """Look and attend, for ever. Cancelled, it gives back what it holds."""
        await self._loop.run()

    async def _waiting(self, limit: int) -> Sequence[str]:
        return await usecases.waiting(
            self._deps.db,
            clock=self._deps.clock,
            limit=limit,
            shares=self._deps.settings.shares,
        )

    async def attend(self, verification_id: str) -> None:
        """Claim a verification and work on it to its end; nothing happens when it is
        not to be had."""
        ttl = timedelta(seconds=self._deps.settings.hold_ttl_s)
        held = await usecases.claim(
            self._deps.db, verification_id, holder=self._holder, ttl=ttl, clock=self._deps.clock
        )
        if held is None:
            return
        with structlog.contextvars.bound_contextvars(
            job_id=verification_id, lease_epoch=held.epoch
        ):
            try:
                await self._verify(held)
            except asyncio.CancelledError:
                await self._give_back(held)
                raise

    async def _give_back(self, held: usecases.Claim) -> None:
        await given_back(usecases.give_back(self._deps.db, held, clock=self._deps.clock))

    async def _verify(self, held: usecases.Claim) -> None:
        row, episodes = await usecases.read_verification(
            self._deps.db, held.verification_id, caller=ITSELF
        )
        for episode in episodes:
            if episode.phase is not EpisodePhase.DONE:
                log.info("episode_adopted", episode=episode.id, phase=episode.phase.value)
                await EpisodeRun(self._claimed(held, row, episode)).adopt()
        while True:
            row, episodes = await usecases.read_verification(
                self._deps.db, held.verification_id, caller=ITSELF
            )
            attempts = [_attempt(episode) for episode in episodes]
            if row.state is JobState.CANCELLING:
                outcome = Outcome(kind=OutcomeKind.CANCELLED, reason="cancelled by request")
                await self._finish(held, row, Judgement(outcome=outcome), episodes)
                return
            lost_allowed = self._deps.settings.lost_allowed
            if not wants_another(
                attempts,
                allowed=row.order.attempts,
                lost_allowed=lost_allowed,
                second_sighting=not row.group_id,
            ):
                await self._finish(held, row, concluded(episodes), episodes)
                return
            with self._deps.tracing.linked_span("rollout episode", {}):
                await self._walk(held, row, episodes)

    async def _walk(
        self, held: usecases.Claim, row: VerificationRow, before: Sequence[EpisodeRow]
    ) -> None:
        """The next episode, from its beginning to its end."""
        trace = trace_id()
        episode = await episode_usecases.start_episode(
            self._deps.db,
            held,
            episode_id=self._ids.new("ep"),
            clock=self._deps.clock,
            trace_id=trace,
        )
        with structlog.contextvars.bound_contextvars(attempt=episode.number, trace_id=trace):
            spent = sum((one.asked for one in _judgements(before)), NOTHING_SPENT)
            claimed = self._claimed(held, row, episode)
            outcome = await EpisodeRun(claimed, spent=spent).run()
            log.info("episode_ended", outcome=outcome.kind.value, reason=outcome.reason)

    def _claimed(
        self, held: usecases.Claim, row: VerificationRow, episode: EpisodeRow
    ) -> ClaimedEpisode:
        return ClaimedEpisode(deps=self._deps, claim=held, row=row, episode=episode)

    async def _finish(
        self,
        held: usecases.Claim,
        row: VerificationRow,
        judgement: Judgement,
        episodes: Sequence[EpisodeRow],
    ) -> None:
        seconds = (self._deps.clock.now() - row.created_at).total_seconds()
        verdict = Verdict(
            judgement=judgement,
            seconds=round(seconds, 3),
            cost=sum(one.cost for one in _judgements(episodes)),
            episodes=len(episodes),
        )
        await usecases.finish_verification(
            self._deps.db, held, verdict=verdict, clock=self._deps.clock
        )
        self._finished(row, judgement.outcome.kind)


def _attempt(episode: EpisodeRow) -> Attempt:
    assert episode.judgement is not None, "an episode that is over is judged"
    return Attempt(outcome=episode.judgement.outcome, lost=episode.lost)


def _judgements(episodes: Sequence[EpisodeRow]) -> list[Judgement]:
    return [one.judgement for one in episodes if one.judgement is not None]
