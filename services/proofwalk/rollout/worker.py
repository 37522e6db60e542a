"""Works verifications off: claims them, runs their episodes, writes the one verdict.

A doorbell on the stream says "look", and nothing else; a periodic look at the rows finds what no doorbell announced (Redis lost
it, or a worker fell silent). `Worker.attend` claims by compare-and-swap: whoever does not get the claim does nothing. A bound number
of verifications is worked on at a time. On drain each one is given back with its claim, so that the next process adopts its open
episode at once instead of waiting for the claim to end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.rollout import judgement_record, usecases
from proofwalk.rollout.domain import Attempt, wants_another
from proofwalk.rollout.effects import EpisodeDeps
from proofwalk.rollout.episode import EpisodeRun
from proofwalk.rollout.repository import EpisodeRow, VerificationRow

STREAM = "rollout.verifications"
"""Rung when a verification is queued or is to be cancelled; entries carry `verification_id`."""
GROUP = "rollout"

log = structlog.get_logger()


class Worker:
    """Runs verifications, at most `settings.concurrency` at a time."""

    def __init__(self, deps: EpisodeDeps, *, ids: IdSource, holder: str) -> None:
        self._deps = deps
        self._ids = ids
        self._holder = holder
        self._busy: set[str] = set()
        self._rung = asyncio.Event()

    def wake(self) -> None:
        """A doorbell: look at the rows now."""
        self._rung.set()

    async def run(self) -> None:
        """Look, attend, wait for the next ring or the next period. Cancelled, it gives back what it holds."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._rung.clear()
                await self._look(tasks)
                try:
                    async with asyncio.timeout(self._deps.settings.reconcile_s):
                        await self._rung.wait()
                except TimeoutError:
                    continue

    async def _look(self, tasks: asyncio.TaskGroup) -> None:
        room = self._deps.settings.concurrency - len(self._busy)
        if room <= 0:
            return
        try:
            waiting = await usecases.waiting(self._deps.db, clock=self._deps.clock, limit=room + len(self._busy))
        except ProofwalkError as error:
            log.warning("rows_not_read", code=error.code, reason=error.message)
            return
        for verification_id in [found for found in waiting if found not in self._busy][:room]:
            self._busy.add(verification_id)
            task = tasks.create_task(self._attend(verification_id), name=f"verify {verification_id}")
            task.add_done_callback(partial(self._done, verification_id))

    def _done(self, verification_id: str, _: asyncio.Task[None]) -> None:
        self._busy.discard(verification_id)
        self.wake()

    async def _attend(self, verification_id: str) -> None:
        try:
            await self.attend(verification_id)
        except ProofwalkError as error:
            # The claim was taken over, or the rows cannot be reached: whoever holds it next goes on from the rows.
            log.warning("verification_left", job_id=verification_id, code=error.code, reason=error.message)
        except Exception as error:
            # One verification must not end the process that works on the others; its claim ends, and it is tried again.
            log.exception("verification_crashed", job_id=verification_id, error=error)

    async def attend(self, verification_id: str) -> None:
        """Claim a verification and work on it to its end; nothing happens when it is not to be had."""
        ttl = timedelta(seconds=self._deps.settings.hold_ttl_s)
        held = await usecases.claim(self._deps.db, verification_id, holder=self._holder, ttl=ttl, clock=self._deps.clock)
        if held is None:
            return
        with structlog.contextvars.bound_contextvars(job_id=verification_id, lease_epoch=held.epoch):
            try:
                await self._verify(held)
            except asyncio.CancelledError:
                await self._give_back(held)
                raise

    async def _give_back(self, held: usecases.Claim) -> None:
        try:
            async with asyncio.timeout(5):
                await usecases.give_back(self._deps.db, held, clock=self._deps.clock)
        except (ProofwalkError, TimeoutError) as error:
            log.warning("claim_not_given_back", reason=str(error))

    async def _verify(self, held: usecases.Claim) -> None:
        row, episodes = await usecases.read_verification(self._deps.db, held.verification_id)
        for episode in episodes:
            if episode.phase is not EpisodePhase.DONE:
                log.info("episode_adopted", episode=episode.id, phase=episode.phase.value)
                await EpisodeRun(self._deps, held, row, episode).adopt()
        while True:
            row, episodes = await usecases.read_verification(self._deps.db, held.verification_id)
            attempts = [_attempt(episode) for episode in episodes]
            if row.state is JobState.CANCELLING:
                outcome = Outcome(kind=OutcomeKind.CANCELLED, reason="cancelled by request")
                await self._finish(held, row, judgement_record.bare(outcome), episodes)
                return
            if not wants_another(attempts, allowed=row.attempts, lost_allowed=self._deps.settings.lost_allowed):
                await self._finish(held, row, _decisive(episodes), episodes)
                return
            episode = await usecases.start_episode(self._deps.db, held, episode_id=self._ids.new("ep"), clock=self._deps.clock)
            with structlog.contextvars.bound_contextvars(attempt=episode.number):
                outcome = await EpisodeRun(self._deps, held, row, episode).run()
                log.info("episode_ended", outcome=outcome.kind.value, reason=outcome.reason)

    async def _finish(
        self, held: usecases.Claim, row: VerificationRow, record: Mapping[str, Any], episodes: Sequence[EpisodeRow]
    ) -> None:
        seconds = (self._deps.clock.now() - row.created_at).total_seconds()
        cost = sum(float(episode.facts.get("judgement", {}).get("cost", 0.0)) for episode in episodes)
        verdict = {
            **record,
            "phase_seconds": record["seconds"],
            "seconds": round(seconds, 3),
            "cost": cost,
            "episodes": len(episodes),
        }
        await usecases.finish_verification(self._deps.db, held, verdict=verdict, clock=self._deps.clock)


def _attempt(episode: EpisodeRow) -> Attempt:
    outcome = Outcome(
        kind=OutcomeKind(episode.outcome),
        cause=EnvCause(episode.cause) if episode.cause else None,
        reason=episode.reason,
        code=episode.code,
    )
    return Attempt(outcome=outcome, lost=episode.lost)


def _decisive(episodes: Sequence[EpisodeRow]) -> Mapping[str, Any]:
    """The judgement that the verdict repeats: the last episode's that was not lost, else the last one's."""
    counted = [episode for episode in episodes if not episode.lost]
    judgement: Mapping[str, Any] = (counted or list(episodes))[-1].facts["judgement"]
    return judgement
