"""Ending asyncio tasks for sure.

A cancellation can be lost: `asyncio.wait_for` of Python 3.11 returns a result that
arrived in the same turn and forgets it, and libraries are built on that (redis-py sends
with it). So whoever ends a task asks again until it is done, and a loop that would go
on for ever asks `is_cancelled` once a turn.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from typing import Any

_AGAIN_S = 0.5
_CANCELLED_S = 5.0


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel the tasks, again and again, until all are done; what they raised is not
    raised here.

    Cancelled itself, it goes on for up to `_CANCELLED_S`, so that nothing is left
    without an owner, and then raises.
    """
    pending = {task for task in tasks if not task.done()}
    cancelled: asyncio.CancelledError | None = None
    give_up = math.inf
    while pending and time.monotonic() < give_up:
        for task in pending:
            task.cancel()
        try:
            await asyncio.wait(pending, timeout=_AGAIN_S)
        except asyncio.CancelledError as error:
            if cancelled is None:
                give_up = time.monotonic() + _CANCELLED_S
            cancelled = error
        done = {task for task in pending if task.done()}
        pending -= done
        for task in done:
            # Looked at, so that asyncio does not report it as never retrieved.
            if not task.cancelled():
                task.exception()
    if cancelled is not None:
        raise cancelled


def is_cancelled() -> bool:
    """Whether somebody has asked the current task to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
