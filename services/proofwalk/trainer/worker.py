"""Works runs off: `chassis.claims` looks for those that wait, each is claimed and
supervised, a bound number at a time.

On drain each run is asked to save, and is given back, so that the next process of the
role goes on with it at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import structlog

from proofwalk.chassis.claims import ClaimLoop, given_back
from proofwalk.trainer import usecases
from proofwalk.trainer.domain import Claim
from proofwalk.trainer.supervision import Drained, Supervision, Surroundings


class Worker:
    """Trains runs, at most `settings.concurrency` at a time."""

    def __init__(self, around: Surroundings, *, holder: str) -> None:
        self._around = around
        self._holder = holder
        self._loop = ClaimLoop(
            waiting=self._waiting,
            attend=self.attend,
            concurrency=around.settings.concurrency,
            period_s=around.settings.reconcile_s,
            named="run_id",
        )

    def wake(self) -> None:
        """Look at the rows now."""
        self._loop.wake()

    async def run(self) -> None:
        """Look and supervise, for ever. Cancelled, it kills the processes and gives
        their runs back."""
        await self._loop.run()

    async def drain(self) -> None:
        """Take nothing more, have what is trained saved, and hand it back."""
        self._around.draining.set()
        await self._loop.drain()

    async def _waiting(self, limit: int) -> Sequence[str]:
        return await usecases.waiting(self._around.db, clock=self._around.clock, limit=limit)

    async def attend(self, run_id: str) -> None:
        """Claim a run and supervise it to its end; nothing happens when it is not to be
        had."""
        ttl = timedelta(seconds=self._around.settings.hold_ttl_s)
        found = await usecases.claim(
            self._around.db, run_id, holder=self._holder, ttl=ttl, clock=self._around.clock
        )
        if found is None:
            return
        held, run = found
        self._around.metrics.running.inc()
        try:
            with structlog.contextvars.bound_contextvars(lease_epoch=held.epoch):
                await Supervision(self._around, held, run).train()
        except Drained:
            await self._give_back(held)
        except asyncio.CancelledError:
            await self._give_back(held)
            raise
        finally:
            self._around.metrics.running.dec()

    async def _give_back(self, held: Claim) -> None:
        await given_back(usecases.give_back(self._around.db, held, clock=self._around.clock))
