"""One edge under one condition.

A cell has a proxy and a client of its own. First a control: a call that nothing
disturbs has to be answered, or the cell is not measured. Then the condition is set
while the connection lives, and `CALLS` calls are made one after the other; then it is
lifted, and calls are made until one is answered (`recovered_s`). At last the client is
closed, and what is still there `SETTLE_S` later was left behind: tasks that its calls
started, connections, and what the edge finds at upstream.

A call that is not over `PATIENCE_S` after its deadline is cancelled. A code is that of
the `ProofwalkError` that the caller was told; what was raised and is none is written
with an exclamation mark.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Coroutine, Generator, Mapping
from contextvars import Context, ContextVar
from typing import Any
from weakref import WeakSet

from benchmarks.faults.conditions import (
    BlackHole,
    Condition,
    Cut,
    Direction,
    HalfOpen,
    Latency,
    Pass,
    Refuse,
    Reset,
    Slow,
)
from benchmarks.faults.counting import Cell, Ended
from benchmarks.faults.edges import Call, Edge
from benchmarks.faults.proxy import FaultProxy
from proofwalk.chassis.tasks import end
from proofwalk.kernel.errors import ProofwalkError

CALLS = 2
PATIENCE_S = 30.0
RECOVERY_S = 60.0
SETTLE_S = 8.0
_PAUSE_S = 0.1
_COMES = 1 / 2
"""What still comes of a connection's first answer, with what is said at its
beginning."""

_STARTED: ContextVar[WeakSet[asyncio.Task[Any]]] = ContextVar("tasks of a cell")


def conditions(answered: int) -> Mapping[str, Condition]:
    """By name. `answered`: bytes of answers on a connection with one call, so that
    another is cut in the middle of its first answer."""
    middle = max(1, int(answered * _COMES))
    return {
        "latency": Latency(0.2, jitter_s=0.05),
        "black hole": BlackHole(),
        "half-open, no answers": HalfOpen(Direction.ANSWERS),
        "half-open, no requests": HalfOpen(Direction.REQUESTS),
        # Requests arrive, so that what comes back is what is slow.
        "1 B/s": Slow(1, frozenset({Direction.ANSWERS})),
        "reset": Reset(after_bytes=middle),
        "cut": Cut(after_bytes=middle),
        "refuse": Refuse(),
    }


CONDITIONS = tuple(conditions(0))


def remember_tasks() -> None:
    """Have the running loop remember which cell started a task."""

    def task_of(
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        **options: Any,
    ) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
        started = _STARTED.get(None)
        if started is not None:
            started.add(task)
        return task

    asyncio.get_running_loop().set_task_factory(task_of)


async def measure(edge: Edge, condition: str, *, seed: int) -> Cell:
    """Measure a cell."""
    began = time.monotonic()
    async with FaultProxy(edge.upstream, seed=seed) as proxy:
        started: WeakSet[asyncio.Task[Any]] = WeakSet()
        tried = asyncio.create_task(_try(edge, condition, proxy, started))
        try:
            cell = await tried
        finally:
            await end([tried])
        left = (*await _left(proxy, started), *await edge.left())
    seconds = round(time.monotonic() - began, 1)
    return cell.at_rest(left, seconds=seconds)


async def _try(
    edge: Edge, condition: str, proxy: FaultProxy, started: WeakSet[asyncio.Task[Any]]
) -> Cell:
    async with edge.opened(proxy) as call:
        control = await _ended(call, edge.deadline_s, started)
        if control.code or not control.ended:
            return _cell(edge, condition, control=control)
        before = await edge.attempts(proxy)
        connections = proxy.connections
        proxy.condition = conditions(proxy.newest_answered)[condition]
        async with _Stalls() as stalls:
            calls = [await _ended(call, edge.deadline_s, started) for _ in range(CALLS)]
        attempts = await edge.attempts(proxy) - before
        connections = proxy.connections - connections
        proxy.condition = Pass()
        recovered_s = await _recovered(call, edge.deadline_s, started)
        return _cell(
            edge,
            condition,
            control=control,
            calls=tuple(calls),
            attempts=attempts,
            connections=connections,
            stalled_s=stalls.longest_s,
            recovered_s=recovered_s,
        )


class _Stalls:
    """How long the bench's own loop stood still, in which every role runs too: a call
    cannot end meanwhile, whatever its deadline."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> _Stalls:
        self._watch = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watch is not None:
            await end([self._watch])

    async def _beat(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(_PAUSE_S)
            stalled = time.monotonic() - began - _PAUSE_S
            self.longest_s = max(self.longest_s, round(stalled, 3))


def _cell(edge: Edge, condition: str, **measured: Any) -> Cell:
    return Cell(
        edge=edge.name,
        condition=condition,
        deadline_s=edge.deadline_s,
        **measured,
    )


async def _ended(call: Call, deadline_s: float, started: WeakSet[asyncio.Task[Any]]) -> Ended:
    """Make a call, with a context of its own, and look how it ends."""
    began = time.monotonic()
    context = Context()
    context.run(_STARTED.set, started)
    task = asyncio.get_running_loop().create_task(_awaited(call), context=context)
    try:
        await asyncio.wait({task}, timeout=deadline_s + PATIENCE_S)
        seconds = round(time.monotonic() - began, 3)
        if not task.done():
            return Ended(seconds=seconds, code="", ended=False)
        error = task.exception()
        _clear(error)
        return Ended(seconds=seconds, code=_code(error))
    finally:
        await end([task])


async def _awaited(call: Call) -> None:
    await call()


def _clear(error: BaseException | None) -> None:
    """Have an error hold nothing of what raised it: a call in one of its frames keeps a
    connection open."""
    seen: list[BaseException] = []
    # One that was kept and raised again can be in its own context.
    while error is not None and error not in seen:
        seen.append(error)
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def _code(error: BaseException | None) -> str:
    if error is None:
        return ""
    return error.code if isinstance(error, ProofwalkError) else f"!{type(error).__name__}"


async def _recovered(
    call: Call, deadline_s: float, started: WeakSet[asyncio.Task[Any]]
) -> float | None:
    """Seconds until a call is answered; None if none was in `RECOVERY_S`."""
    began = time.monotonic()
    while time.monotonic() - began < RECOVERY_S:
        ended = await _ended(call, deadline_s, started)
        if ended.ended and not ended.code:
            return round(time.monotonic() - began, 3)
        await asyncio.sleep(_PAUSE_S)
    return None


async def _left(proxy: FaultProxy, started: WeakSet[asyncio.Task[Any]]) -> list[str]:
    until = time.monotonic() + SETTLE_S
    while True:
        tasks = [task for task in started if not task.done()]
        if (not tasks and not proxy.open) or time.monotonic() > until:
            break
        await asyncio.sleep(_PAUSE_S)
    connections = [f"{proxy.open} connections"] if proxy.open else []
    return [*(f"task {task.get_coro()}" for task in tasks), *connections]
