"""An event loop in a thread of its own, for callers that have none, or have one that
must not be theirs.

`run` waits for a coroutine; what the loop was given beside it goes on between calls.
`close` cancels what is left and ends loop and thread. The thread is a daemon, so that a
program that forgot to close still ends; what the loop holds is its owner's to end.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_JOIN_S = 10.0


class LoopClosed(RuntimeError):
    """The loop was closed, or is called from its own thread."""


class LoopLate(TimeoutError):
    """The caller has waited as long as it wanted to."""


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

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in the loop's thread."""
        return threading.current_thread() is self._thread

    def run(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Result of `work`, which is cancelled when the caller stops waiting. Raises
        `LoopLate` after `seconds` (None: `work` has deadlines of its own),
        `LoopClosed`."""
        if self.closed or self.is_current:
            work.close()
            raise LoopClosed("the loop is closed or is called from its own thread")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except TimeoutError:
            if future.done():
                raise  # the work's own
            future.cancel()
            raise LoopLate from None
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
