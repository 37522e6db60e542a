"""Works off what waits in rows: looks for it, has it claimed and attended to, a bound
number at a time.

A doorbell (`wake`) says "look", and nothing else; a periodic look finds what no
doorbell announced: what another process of the role queued, or left when it fell
silent. Attending begins with a claim by compare-and-swap, which is the role's own:
whoever does not get the claim does nothing, so that looking twice costs a query and no
more. Nothing that one row's work or a look raises ends the loop: it is logged, and the
next look comes a period later, so that rows which cannot be reached, or claimed, are
not asked for without a pause. Used by `rollout.worker` and `trainer.worker`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import structlog

from proofwalk.kernel.errors import ProofwalkError

_GIVE_BACK_S = 5.0
log = structlog.get_logger()


class ClaimLoop:
    """Attends to rows, at most `concurrency` at a time."""

    def __init__(
        self,
        *,
        waiting: Callable[[int], Awaitable[Sequence[str]]],
        attend: Callable[[str], Awaitable[None]],
        concurrency: int,
        period_s: float,
        named: str,
    ) -> None:
        """`waiting(limit)` tells ids of rows that may be claimed, oldest first;
        `attend(id)` claims one and works on it to its end. `named`: what an id is
        called in log lines."""
        self._waiting = waiting
        self._attend_to = attend
        self._concurrency = concurrency
        self._period_s = period_s
        self._named = named
        self._busy: set[str] = set()
        self._draining = False
        self._rung = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def wake(self) -> None:
        """Look at the rows now."""
        self._rung.set()

    async def run(self) -> None:
        """Look, attend, wait for the next ring or the next period. Cancelled, it
        cancels what it attends to."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._rung.clear()
                await self._look(tasks)
                try:
                    async with asyncio.timeout(self._period_s):
                        await self._rung.wait()
                except TimeoutError:
                    continue

    async def drain(self) -> None:
        """Take nothing more, and wait until nothing is attended to."""
        self._draining = True
        await self._idle.wait()

    async def _look(self, tasks: asyncio.TaskGroup) -> None:
        room = self._concurrency - len(self._busy)
        if room <= 0 or self._draining:
            return
        try:
            waiting = await self._waiting(room + len(self._busy))
        except ProofwalkError as error:
            log.warning("rows_not_read", code=error.code, reason=error.message)
            return
        except Exception as error:
            # A bug in one look must not end the work on what is claimed; the next look
            # may succeed.
            log.exception("looking_crashed", error=error)
            return
        for one in [found for found in waiting if found not in self._busy][:room]:
            self._busy.add(one)
            self._idle.clear()
            task = tasks.create_task(self._attend(one), name=f"attend {one}")
            task.add_done_callback(partial(self._done, one))

    def _done(self, one: str, task: asyncio.Task[bool]) -> None:
        self._busy.discard(one)
        if not self._busy:
            self._idle.set()
        if not task.cancelled() and task.result():
            self.wake()

    async def _attend(self, one: str) -> bool:
        """Whether it was attended to; what failed waits for the next period."""
        with structlog.contextvars.bound_contextvars(**{self._named: one}):
            try:
                await self._attend_to(one)
            except ProofwalkError as error:
                # The claim was taken over, or the rows cannot be reached: whoever holds
                # it next goes on from what is stored.
                log.warning("claim_left", code=error.code, reason=error.message)
                return False
            except Exception as error:
                # One row's work must not end the process that works on the others; its
                # claim ends, and it is tried again.
                log.exception("attending_crashed", error=error)
                return False
            return True


async def given_back(giving: Awaitable[Any]) -> None:
    """Await the release of a claim for a bounded time. One that fails is told and left:
    the claim ends by itself."""
    try:
        async with asyncio.timeout(_GIVE_BACK_S):
            await giving
    except (ProofwalkError, TimeoutError) as error:
        log.warning("claim_not_given_back", reason=str(error))
