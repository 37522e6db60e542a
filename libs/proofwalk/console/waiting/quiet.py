"""Waiting for a page to come to rest, by promises in the page and events of the
browser; never by a fixed sleep.

`scripts/quiet.js` in every document knows requests, short timers, finite animations and
DOM changes, and tells noise (polling, tickers, spinners that stay) from work. This side
adds what a document cannot know: that a navigation has started and its document is
about to go. The wait is bounded; a page that is still busy then is reported as not
quiet, which is no error.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from proofwalk.console.browser.worlds import FrameWorld, Worlds
from proofwalk.console.faults import WorldGone
from proofwalk.kernel.errors import ProofwalkError

_WAIT = "globalThis[Symbol.for('proofwalk.quiet')]?.wait({bound}, {acted}) ?? '|0'"
_NEAR = "globalThis[Symbol.for('proofwalk.quiet')]?.near({bound}) ?? false"
_GRACE_S = 1.0
"""Seconds by which a tracker's answer may exceed its own bound."""


class Navigations:
    """Which frames of a tab are loading, from CDP's `Page` events of its main
    target."""

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
        """True while a navigation is under way."""
        return bool(self._loading)

    async def settled(self, seconds: float) -> bool:
        """Wait until nothing loads. Return False if something still does after
        `seconds`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._loading:
                    self._changed.clear()
                    await self._changed.wait()
        return not self._loading


async def wait_for_quiet(
    worlds: Worlds, navigations: Navigations, *, seconds: float, slack: float, acted: bool = True
) -> bool:
    """Wait until all documents of the tab are at rest. Return False if one is still
    busy after `seconds`.

    `acted`: the page was just acted on, and gets a moment to react.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (left := end - loop.time()) > 0:
        if navigations.loading and not await navigations.settled(left):
            return False
        frames = await worlds.all(slack)
        left = max(end - loop.time(), 0.05)

        try:
            # A document waits for those of its own origin inside it as well.
            origins = frames[0].origin if frames else ""
            apart = [
                world
                for world in frames
                if world.page and (world.main or not origins or world.origin != origins)
            ]
            answers = await asyncio.gather(
                *(_at_rest(worlds, world, left, slack, acted) for world in apart)
            )
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


async def nearly_quiet(worlds: Worlds, *, seconds: float) -> bool:
    """Wait until no known work of the main document is left; the document may still
    change. Return False if that is unknown."""
    frames = await worlds.all(seconds)
    if not frames or not frames[0].main or frames[0].deaf:
        return False
    return bool(
        await worlds.evaluate(
            frames[0], _NEAR.format(bound=int(seconds * 1000)), seconds + _GRACE_S, page=True
        )
    )


async def _at_rest(
    worlds: Worlds, world: FrameWorld, bound: float, slack: float, acted: bool
) -> str:
    """Return what the tracker of a document says. If the page broke or silenced the
    tracker, only changes of the document's tree count."""
    if not world.deaf:
        wait = _WAIT.format(bound=int(bound * 1000), acted=str(acted).lower())
        try:
            return str(await worlds.evaluate(world, wait, bound + min(slack, _GRACE_S), page=True))
        except ProofwalkError as error:
            if error.code not in {"browser.timeout", "browser.script"}:
                raise
            late = error.code == "browser.timeout"
        loop = asyncio.get_running_loop()
        asked = loop.time()
        await worlds.evaluate(world, "0", slack)
        # The isolated world answers at once: it is not the page's thread that is
        # blocked.
        world.deaf = loop.time() - asked < _GRACE_S
        if late:
            return "unanswered|0"
    return (
        "|0"
        if await worlds.evaluate(world, f"__proofwalk.still({int(bound * 1000)})", bound + slack)
        else "change|0"
    )
