"""A process that is told what to do by lines of JSON and answers in lines; must run
without the project's packages.

`{"do": "reset", "seed": 3}` calls the handler's `reset(seed=3)`, a function or a
coroutine function, and answers what it returns.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.observe.worker import Meter


class Taken:
    """What a block of work took: wall and CPU milliseconds, the CPU of this process and
    of those that it had started before the block."""

    ms = 0.0
    cpu_ms = 0.0

    def __enter__(self) -> Taken:
        self._meter = Meter()
        self._started = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.ms = (time.perf_counter() - self._started) * 1000
        self.cpu_ms = self._meter.stop()


def serve(handler: Any, close: Callable[[], Any]) -> None:
    """Answer until there are no more lines, then `close`. Coroutines run in one loop,
    which a handler without any does not get."""
    loop: asyncio.AbstractEventLoop | None = None

    def run(answer: Any) -> Any:
        nonlocal loop
        if not inspect.isawaitable(answer):
            return answer
        loop = loop or asyncio.new_event_loop()
        return loop.run_until_complete(answer)

    try:
        for line in sys.stdin:
            order = json.loads(line)
            told = run(getattr(handler, order.pop("do"))(**order))
            sys.stdout.write(json.dumps(told or {}) + "\n")
            sys.stdout.flush()
    finally:
        run(close())
        if loop is not None:
            loop.close()
