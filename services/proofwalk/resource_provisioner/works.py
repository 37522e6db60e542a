"""Tasks that outlive the calls that asked for them: at most one for a key, all owned by
one loop.

`done` starts the work for a key, or attaches to it, and waits; a caller that goes away
leaves the work running. What the work raises is told to whoever waits and otherwise
logged: the rows say where it stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

log = structlog.get_logger()


class Works:
    """The loop's tasks. `run` is a background loop of the role."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None
        self._started = asyncio.Event()

    async def run(self) -> None:
        """Own the tasks until cancelled; they are cancelled with it."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            self._started.set()
            await asyncio.Event().wait()

    def begin(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        """Have the work for a key done, unless it is being done."""
        _ = self._task(key, work)

    def _task(self, key: str, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        task = self._tasks.get(key)
        if task is not None and not task.done():
            return task
        if self._group is None:
            raise RuntimeError("the loop that owns the tasks does not run")
        task = self._group.create_task(self._guarded(key, work), name=f"work {key}")
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._forget(key, done))
        return task

    async def done(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start or attach, and wait."""
        await self._started.wait()
        await asyncio.wait({self._task(key, work)})

    async def stop(self, key: str) -> None:
        """Cancel the work for a key, if there is any, and wait until it has ended."""
        task = self._tasks.get(key)
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait({task})

    def _forget(self, key: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]

    async def _guarded(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:
            # The row keeps the state that was reached, and the periodic look goes on
            # from there.
            log.exception("work_failed", key=key, error=error)
