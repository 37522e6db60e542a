"""Sessions that look, think for two seconds and look again: the latency of a look alone
and among many, and its CPU.

All share one browser, one connection and one event loop, as in a rollout worker. A look
is a whole one (`forget_view`, as after any action), with picture and marks. Who begins
when is spread over the time of thinking.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from benchmarks.observe.worker import Meter
from benchmarks.record import judged, spread
from benchmarks.sessions.lifecycles import CONCURRENCY, Sessions
from proofwalk.console.browser.connection import ConsoleBrowser
from proofwalk.console.browser.starting import started_browser
from proofwalk.console.session.console_session import ConsoleSession

THINK_S = 2.0
ALONE = 8


async def _looks(session: ConsoleSession, n: int, delay: float, taken: list[float]) -> None:
    await asyncio.sleep(delay)
    for _ in range(n):
        started = time.perf_counter()
        session.forget_view()
        await session.observe(narrow=True)
        taken.append((time.perf_counter() - started) * 1000)
        await asyncio.sleep(THINK_S)


async def measure(
    executable: str, url: str, hosts: tuple[str, ...], folder: Path, *, sessions: int, looks: int
) -> dict[str, Any]:
    """One session thinking alone, then `sessions` of them, in the same browser."""
    async with (
        started_browser(Path(executable)) as endpoint,
        ConsoleBrowser.connect(endpoint) as browser,
        AsyncExitStack() as stack,
    ):
        place = Sessions(browser, url, hosts, folder)
        gate = asyncio.Semaphore(CONCURRENCY)
        opened: list[ConsoleSession] = []

        async def more() -> None:
            async with gate:
                session = await stack.enter_async_context(place.connect())
                await session.open(url)
                await session.observe(narrow=True)
                opened.append(session)

        await more()
        alone: list[float] = []
        meter = Meter()
        await _looks(opened[0], ALONE, 0, alone)
        cpu_alone = meter.stop() / ALONE
        async with asyncio.TaskGroup() as group:
            for _ in range(sessions - 1):
                group.create_task(more())
        together: list[float] = []
        meter, started = Meter(), time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number, session in enumerate(opened):
                group.create_task(_looks(session, looks, THINK_S * number / sessions, together))
        took, cpu = time.monotonic() - started, meter.stop()
    return {
        "sessions": sessions,
        "think_s": THINK_S,
        "alone_ms": spread(alone),
        "together_ms": spread(together),
        "cpu_ms_a_step_alone": round(cpu_alone, 1),
        "cpu_ms_a_step_together": round(cpu / len(together), 1),
        "cores_used": round(cpu / 1000 / took, 2),
        "p50_times_alone": judged(
            statistics.median(together) / statistics.median(alone), at_most=1.3
        ),
    }
