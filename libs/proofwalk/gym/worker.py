"""An event loop in a thread of its own, for callers that have none, or have one that
must not be theirs.

`run` waits for a coroutine with a deadline; `close` cancels what is left and ends loop
and thread. The thread is a daemon, so that a program that forgot to close still ends;
ending what the loop holds is then the finalizer's work (`env`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from proofwalk.kernel.errors import ProofwalkError, Status, conflict

T = TypeVar("T")
_JOIN_S = 10.0


class LoopThread:
    """A running event loop, from construction to `close`."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return not self._thread.is_alive() or self._loop.is_closed()

    def run(self, work: Coroutine[Any, Any, T], seconds: float, what: str) -> T:
        """Result of `work`; raises `gym.timeout` after `seconds`, and cancels it."""
        if self.closed or threading.current_thread() is self._thread:
            work.close()
            raise conflict(
                "gym.closed", f"{what}: the environment is closed or is called from its own thread"
            )
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except TimeoutError as error:
            if future.done():
                raise
            future.cancel()
            raise ProofwalkError(
                "gym.timeout",
                f"{what} took more than {seconds:g} s",
                status=Status.DEADLINE_EXCEEDED,
                retryable=True,
            ) from error
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what runs, end the loop, wait for the thread; safe to repeat."""
        if self.closed:
            return
        future = asyncio.run_coroutine_threadsafe(_drain(), self._loop)
        try:
            future.result(_JOIN_S)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_JOIN_S)

    def end_with(self, last: Callable[[], Awaitable[None]], seconds: float) -> None:
        """Run `last` and close, from any thread: from the loop's own (a garbage
        collection may happen there) without waiting for it."""
        if self.closed:
            return
        if threading.current_thread() is self._thread:
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


async def _drain() -> None:
    """Cancel every other task and wait for it, then for threads and generators of the
    loop."""
    loop = asyncio.get_running_loop()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
