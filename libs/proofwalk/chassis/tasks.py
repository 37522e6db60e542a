"""Ending asyncio tasks for sure.

A cancellation can be lost: `asyncio.wait_for` of Python 3.11 returns a result that arrived in the same turn and forgets it, and
libraries are built on that (redis-py sends with it). So whoever ends a task asks again until it is done, and a loop that would go
on for ever asks `is_cancelled` once a turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

_AGAIN_S = 0.5


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel the tasks, again and again, until all are done; what they raised is not raised here."""
    pending = {task for task in tasks if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        done, pending = await asyncio.wait(pending, timeout=_AGAIN_S)
        for task in done:
            # Looked at, so that asyncio does not report it as never retrieved.
            if not task.cancelled():
                task.exception()


def is_cancelled() -> bool:
    """Whether somebody has asked the current task to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
