"""Waiting for a page to come to rest, by promises in the page and events of the browser; never by a fixed sleep.

`scripts/quiet.js` in every document knows requests, short timers, finite animations and DOM changes, and tells noise (polling,
tickers, spinners that stay) from work. This side adds what a document cannot know: that a navigation has started and its
document is about to go. The wait is bounded; a page that is still busy then is reported as not quiet, which is no error.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from proofwalk.console.faults import WorldGone
from proofwalk.console.worlds import FrameWorld, Worlds

_WAIT = (
    "((q) => (q?.wait({bound}) ?? Promise.resolve('')).then((why) => why + '|' + (q?.closed().length ?? 0)))"
    "(globalThis[Symbol.for('proofwalk.quiet')])"
)


class Navigations:
    """Which frames of a tab are loading, from CDP's `Page` events of its main target."""

    def __init__(self) -> None:
        self._loading: set[str] = set()
        self._changed = asyncio.Event()

    def watch(self, worlds: Worlds) -> None:
        """Follow the tab behind `worlds`."""
        worlds.cdp.on("Page.frameStartedLoading", self._started)
        worlds.cdp.on("Page.frameStoppedLoading", self._stopped)
        worlds.cdp.on("Page.frameDetached", self._stopped)

    def _started(self, event: dict[str, Any]) -> None:
        self._loading.add(event["frameId"])

    def _stopped(self, event: dict[str, Any]) -> None:
        self._loading.discard(event["frameId"])
        self._changed.set()

    @property
    def loading(self) -> bool:
        """Whether a navigation is under way."""
        return bool(self._loading)

    async def settled(self, seconds: float) -> bool:
        """Wait until nothing loads; False at the bound."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._loading:
                    self._changed.clear()
                    await self._changed.wait()
        return not self._loading


async def wait_for_quiet(worlds: Worlds, navigations: Navigations, *, seconds: float, slack: float) -> bool:
    """True when all documents of the tab are at rest; False when one is still busy after `seconds`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (left := end - loop.time()) > 0:
        if navigations.loading and not await navigations.settled(left):
            return False
        frames = await worlds.all(slack)
        left = max(end - loop.time(), 0.05)

        async def one(world: FrameWorld, bound: float) -> str:
            return str(await worlds.evaluate(world, _WAIT.format(bound=int(bound * 1000)), bound + slack, page=True))

        try:
            answers = await asyncio.gather(*(one(world, left) for world in frames if world.page))
        except WorldGone:
            await asyncio.sleep(0)
            continue
        if any(not answer.startswith("|") for answer in answers):
            return False
        if any(not answer.endswith("|0") for answer in answers):
            await worlds.adopt_closed_roots(slack)
        if not navigations.loading:
            return True
    return False
