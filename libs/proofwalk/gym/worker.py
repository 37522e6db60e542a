"""The event loop that an environment's browser and server live in: gymnasium's calls
block, and their caller may have a loop of its own.

Each call has a deadline. An environment that nobody closed is ended by its finalizer
(`env`), in whatever thread the collection happens.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from proofwalk.chassis.loop_thread import LoopClosed, LoopLate, LoopThread
from proofwalk.kernel.errors import ProofwalkError, Status, conflict

T = TypeVar("T")


class EnvLoop:
    """A running event loop, from construction to `close`."""

    def __init__(self, name: str) -> None:
        self._thread = LoopThread(name)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._thread.closed

    def run(self, work: Coroutine[Any, Any, T], seconds: float, what: str) -> T:
        """Result of `work`; raises `gym.timeout` after `seconds`, and cancels it."""
        try:
            return self._thread.run(work, seconds)
        except LoopClosed:
            raise conflict(
                "gym.closed", f"{what}: the environment is closed or is called from its own thread"
            ) from None
        except LoopLate as error:
            raise ProofwalkError(
                "gym.timeout",
                f"{what} took more than {seconds:g} s",
                status=Status.DEADLINE_EXCEEDED,
                retryable=True,
            ) from error

    def close(self) -> None:
        """Cancel what runs, end the loop, wait for the thread; safe to repeat."""
        self._thread.close()

    def end_with(self, last: Callable[[], Awaitable[None]], seconds: float) -> None:
        """Run `last` and close, from any thread: from the loop's own (a garbage
        collection may happen there) without waiting for it."""
        if self.closed:
            return
        if self._thread.is_current:
            threading.Thread(
                target=self._end, args=(last, seconds), name="worker-end", daemon=True
            ).start()
        else:
            self._end(last, seconds)

    def _end(self, last: Callable[[], Awaitable[None]], seconds: float) -> None:
        async def run() -> None:
            await last()

        try:
            self.run(run(), seconds, "closing")
        finally:
            self.close()
