"""Sessions made, loaded and disposed of in one browser: how many a minute, and what one
more keeps in memory.

`raw` is the browser's own `Target.createBrowserContext`, a tab in it and a load, on one
DevTools connection; `ours` is a `ConsoleSession` with its guard and its scripts, all of
them sharing one `ConsoleBrowser`. Both load the console page of 150 controls, four at a
time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psutil

from proofwalk.console.browser.connection import ConsoleBrowser
from proofwalk.console.browser.devtools import DevTools
from proofwalk.console.browser.starting import started_browser
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.gym.renewal import renew
from proofwalk.kernel.clock import SystemClock

CLOCK = SystemClock()
CONCURRENCY = 4
LOAD_S = 30.0


class Sessions:
    """Where sessions are made: one browser, one driver, one page to load."""

    def __init__(
        self, browser: ConsoleBrowser, url: str, hosts: tuple[str, ...], folder: Path
    ) -> None:
        self.url = url
        self._browser = browser
        self._hosts = hosts
        self._folder = folder

    def connect(self) -> Any:
        """A session, as an async context manager."""
        return ConsoleSession.connect(
            self._browser,
            allowed_hosts=self._hosts,
            secrets={},
            clock=CLOCK,
            artifacts=self._folder,
        )

    async def one(self) -> None:
        """Make, load, dispose."""
        async with self.connect() as session:
            await session.open(self.url)


async def raw_context(devtools: DevTools, url: str) -> str:
    """A context with a tab that has loaded `url`; the context's id."""
    context = (
        await devtools.browser.send("Target.createBrowserContext", {"disposeOnDetach": True})
    )["browserContextId"]
    size = {"width": 1440, "height": 900}
    target = await devtools.browser.send(
        "Target.createTarget", {"url": "about:blank", "browserContextId": context, **size}
    )
    session = await devtools.attach(target["targetId"])
    loaded: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def arrived(_: dict[str, Any]) -> None:
        if not loaded.done():
            loaded.set_result(None)

    session.on("Page.loadEventFired", arrived)
    await session.send("Page.enable")
    await session.send("Page.navigate", {"url": url})
    async with asyncio.timeout(LOAD_S):
        await loaded
    return str(context)


def cpu_ms() -> float:
    """CPU time of this process and all below it, those included that have ended and
    were waited for: renderers come and go."""
    total = 0.0
    top = psutil.Process()
    for process in [top, *top.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += (
            times.user
            + times.system
            + (times.children_user + times.children_system if process != top else 0)
        )
    return total * 1000


async def rate(once: Callable[[], Awaitable[None]], seconds: float) -> dict[str, Any]:
    """How often a minute `once` is done, at a concurrency of four, and the CPU of
    each."""
    await once()
    done, ended = 0, time.monotonic() + seconds
    before, started = cpu_ms(), time.monotonic()

    async def worker() -> None:
        nonlocal done
        while time.monotonic() < ended:
            await once()
            done += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(CONCURRENCY):
            group.create_task(worker())
    took = time.monotonic() - started
    return {
        "a_minute": round(done / took * 60, 1),
        "n": done,
        "cpu_ms_each": round((cpu_ms() - before) / done, 1),
    }


async def raw_rate(endpoint: str, url: str, seconds: float) -> dict[str, Any]:
    async with DevTools.connect(endpoint, seconds=20) as devtools:

        async def once() -> None:
            context = await raw_context(devtools, url)
            await devtools.browser.send(
                "Target.disposeBrowserContext", {"browserContextId": context}
            )

        return await rate(once, seconds)


async def soft_rate(sessions: Sessions, seconds: float) -> dict[str, Any]:
    """Contexts wiped and kept (`gym.renewal`), four of them at once; without loading a
    page again, and with."""
    async with AsyncExitStack() as stack:
        free: asyncio.Queue[ConsoleSession] = asyncio.Queue(CONCURRENCY)
        for _ in range(CONCURRENCY):
            session = await stack.enter_async_context(sessions.connect())
            await session.open(sessions.url)
            free.put_nowait(session)

        async def wipe() -> None:
            session = await free.get()
            await renew(session)
            free.put_nowait(session)

        async def wipe_and_load() -> None:
            session = await free.get()
            await renew(session)
            await session.open(sessions.url)
            free.put_nowait(session)

        return {
            "wiped": await rate(wipe, seconds),
            "wiped_and_loaded": await rate(wipe_and_load, seconds),
        }


def memory_mb(root: int) -> float:
    """Proportional set size of a process and all below it, in MB: what is shared counts
    once."""
    total = 0
    top = psutil.Process(root)
    for process in [top, *top.children(recursive=True)]:
        try:
            total += process.memory_full_info().pss
        except psutil.Error:
            continue
    return total / 1e6


async def memory(executable: str, url: str, more: int) -> dict[str, Any]:
    """What each further raw context with a loaded page adds to the browser's
    processes."""
    known = set(psutil.Process().children(recursive=True))
    async with (
        started_browser(Path(executable)) as endpoint,
        DevTools.connect(endpoint, seconds=20) as devtools,
    ):
        own = next(p for p in psutil.Process().children() if p not in known and p.children())
        await raw_context(devtools, url)
        await asyncio.sleep(2)
        first = await asyncio.to_thread(memory_mb, own.pid)
        for _ in range(more):
            await raw_context(devtools, url)
        await asyncio.sleep(2)
        last = await asyncio.to_thread(memory_mb, own.pid)
        processes = len(own.children(recursive=True))
    return {
        "first_mb": round(first, 1),
        "each_further_mb": round((last - first) / more, 1),
        "n": more,
        "processes": processes,
    }


async def rates(
    executable: str, url: str, hosts: tuple[str, ...], folder: Path, seconds: float
) -> dict[str, Any]:
    """All rates in one browser."""
    async with (
        started_browser(Path(executable)) as endpoint,
        ConsoleBrowser.connect(endpoint) as browser,
    ):
        sessions = Sessions(browser, url, hosts, folder)
        return {
            "raw": await raw_rate(endpoint, url, seconds),
            "ours": await rate(sessions.one, seconds),
            "soft_resets": await soft_rate(sessions, seconds / 2),
        }
