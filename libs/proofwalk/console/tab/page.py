"""One tab: its script worlds, its loading state, its browser dialogs, its input
devices, and one look at it.

Input goes over CDP and is raced against a browser dialog, since an `alert` in a click
handler holds the click back until somebody answers. A look gathers the reports of all
documents and, in parallel, a JPEG; it is taken again when a document went away
meanwhile. Above this: `session` (tabs, allow-list, observations), `hands` (actions).
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
from collections.abc import Awaitable
from typing import Any, TypeVar, cast

from playwright.async_api import BrowserContext, Dialog, Page
from playwright.async_api import Error as PlaywrightError

from proofwalk.console.browser.devtools import DevTools
from proofwalk.console.browser.worlds import FrameWorld, Worlds
from proofwalk.console.faults import Refused, WorldGone, bounded, translate
from proofwalk.console.looking.assembly import FrameReport
from proofwalk.console.looking.spots import Snapshot
from proofwalk.console.tab.devices import Devices
from proofwalk.console.waiting.quiet import Navigations, nearly_quiet, wait_for_quiet
from proofwalk.kernel.errors import ProofwalkError

T = TypeVar("T")

DIALOG_LIMIT = 10
"""Most browser dialogs in a row, between two quiet moments, that wait for an answer.
Further ones are dismissed."""


class DialogOpened(Exception):
    """A browser dialog interrupted the call."""


class ConsolePage:
    """A tab of the episode's browser context."""

    def __init__(
        self,
        devtools: DevTools,
        context: BrowserContext,
        page: Page,
        keys: itertools.count[int],
        source: str,
        *,
        seconds: float,
    ) -> None:
        self.page = page
        self.seconds = seconds
        self.worlds = Worlds(devtools, context, page, keys, source)
        self.navigations = Navigations()
        self.dialog: Dialog | None = None
        self.dialogs_seen = 0
        self._dialog_opened = asyncio.Event()
        self._pending: set[asyncio.Task[object]] = set()
        self.devices = Devices(self)
        page.on("dialog", self._on_dialog)

    async def attach(self) -> None:
        """Connect. Must be called before anything else."""
        await self.worlds.attach(self.seconds)
        self.navigations.watch(self.worlds)

    def _on_dialog(self, dialog: Dialog) -> None:
        self.dialogs_seen += 1
        if self.dialogs_seen > DIALOG_LIMIT:
            self._own(dialog.dismiss())
            return
        self.dialog = dialog
        self._dialog_opened.set()

    def _own(self, work: Awaitable[object]) -> None:
        """Run `work` in a task that ends with the tab."""

        async def run() -> None:
            try:
                async with asyncio.timeout(self.seconds):
                    await work
            except (PlaywrightError, TimeoutError):
                return

        task: asyncio.Task[object] = asyncio.create_task(run())
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)

    async def close(self) -> None:
        """Release what is held, and cancel what is pending."""
        if not self.page.is_closed() and not self.is_stopped:
            with contextlib.suppress(ProofwalkError, WorldGone, DialogOpened):
                await self.devices.let_go()
        for task in list(self._pending):
            task.cancel()
        await asyncio.gather(*self._pending, return_exceptions=True)
        await self.worlds.close()

    @property
    def is_stopped(self) -> bool:
        """Whether a browser dialog stops the page."""
        return self.dialog is not None

    @property
    def dialog_text(self) -> str:
        """The text of the open browser dialog."""
        return f"{self.dialog.type}: {self.dialog.message}" if self.dialog else ""

    async def answer_dialog(self, accept: bool, text: str) -> None:
        """Answer the open browser dialog."""
        dialog, self.dialog = self.dialog, None
        self._dialog_opened.clear()
        if dialog is None:
            raise Refused("action.no_dialog", "no browser dialog is open")
        await bounded(
            dialog.accept(text) if accept else dialog.dismiss(),
            self.seconds,
            "answering the browser dialog",
        )

    async def unless_dialog(self, work: Awaitable[T], what: str, seconds: float | None = None) -> T:
        """Return the result of `work`. Raises `DialogOpened` if a browser dialog opens
        first and keeps blocking it."""
        if self.is_stopped:
            asyncio.ensure_future(work).cancel()
            raise DialogOpened(self.dialog_text)
        doing = asyncio.ensure_future(work)
        opened = asyncio.create_task(self._dialog_opened.wait())
        try:
            await asyncio.wait(
                {doing, opened},
                timeout=seconds or self.seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
        except asyncio.CancelledError:
            doing.cancel()
            raise
        finally:
            opened.cancel()
        if doing.done():
            try:
                return doing.result()
            except (PlaywrightError, TimeoutError) as error:
                raise translate(error, what) from error
        if self._dialog_opened.is_set():
            self._own(doing)
            raise DialogOpened(self.dialog_text)
        doing.cancel()
        raise translate(TimeoutError(), what)

    # looking

    async def wait_quiet(self, seconds: float, *, acted: bool = True) -> bool:
        """Wait until the tab is at rest. Return False if it is still busy after
        `seconds`, or a dialog blocks it."""
        try:
            quiet = await self.unless_dialog(
                wait_for_quiet(
                    self.worlds, self.navigations, seconds=seconds, slack=self.seconds, acted=acted
                ),
                "waiting for the page",
                seconds + 2 * self.seconds,
            )
        except DialogOpened:
            return False
        if quiet:
            self.dialogs_seen = 0
        return quiet

    async def changed(self, seconds: float) -> None:
        """Wait until the main document changes, at most `seconds`."""
        worlds = await self.worlds.all(self.seconds)
        try:
            await self.unless_dialog(
                self.worlds.evaluate(
                    worlds[0], f"__proofwalk.changed({int(seconds * 1000)})", seconds + self.seconds
                ),
                "waiting for a change",
                seconds + self.seconds,
            )
        except (WorldGone, IndexError, DialogOpened):
            await asyncio.sleep(0.05)

    async def stamp(self) -> str:
        """Return a stamp that equals an earlier one only if nothing that a look reads
        has changed since; empty if unknown."""
        worlds = await self.worlds.all(self.seconds)
        if not worlds or not worlds[0].main or self.navigations.loading:
            return ""
        apart = [world for world in worlds if world.main or world.origin != worlds[0].origin]
        try:
            parts = await self.unless_dialog(
                asyncio.gather(
                    *(
                        self.worlds.evaluate(world, "__proofwalk.stamp()", self.seconds)
                        for world in apart
                    )
                ),
                "asking for changes",
            )
        except (WorldGone, DialogOpened, ProofwalkError):
            return ""
        return "\n".join(parts) if all(parts) else ""

    async def reports(self, *, narrow: bool = False, hidden: bool = False) -> list[FrameReport]:
        """Return what all documents show, the main one first. `narrow`: the viewport
        alone. `hidden`: also texts that nobody sees."""
        order = f"__proofwalk.observe({json.dumps({'narrow': narrow, 'hidden': hidden})})"
        for _ in range(5):
            worlds = await self.worlds.all(self.seconds)
            if not worlds or not worlds[0].main:
                await self.navigations.settled(self.seconds)
                await asyncio.sleep(0)
                continue
            try:
                return await self._reports(worlds, order)
            except WorldGone:
                continue
        raise translate(TimeoutError(), "reading a page that keeps navigating")

    async def _look(self, world: FrameWorld, order: str) -> dict[str, Any]:
        answer = await self.unless_dialog(
            self.worlds.evaluate(world, order, self.seconds), "reading the page"
        )
        return dict(json.loads(answer))

    async def _reports(self, worlds: list[FrameWorld], order: str) -> list[FrameReport]:
        """Return the reports of these documents. The main document answers for all of
        its own origin; frames of other origins are asked and placed one by one."""
        main = worlds[0]
        foreign = [world for world in worlds[1:] if world.origin != main.origin]
        seen, elsewhere = await asyncio.gather(
            self._look(main, order), self._foreign(main, foreign, order)
        )
        reports = [
            _frame_report(found, main=number == 0) for number, found in enumerate(seen["reports"])
        ]
        answered = {report.key for report in reports} | set(seen["known"])
        # Of the same origin, but out of the main document's reach: inside a frame of
        # another origin, or made this moment.
        left = [world for world in worlds[1:] if world not in foreign and world.key not in answered]
        if left:
            elsewhere = elsewhere + await self._foreign(main, left, order)
        return reports + [report for report in elsewhere if report.key not in answered]

    async def _foreign(
        self, main: FrameWorld, worlds: list[FrameWorld], order: str
    ) -> list[FrameReport]:
        if not worlds:
            return []

        async def guarded(world: FrameWorld) -> list[dict[str, Any]]:
            try:
                return list((await self._look(world, order))["reports"])
            except WorldGone:
                return []

        looks, places = await asyncio.gather(
            asyncio.gather(*(guarded(world) for world in worlds)),
            self.worlds.offsets(worlds, self.seconds),
        )
        reports: list[FrameReport] = []
        for found, place in zip(looks, places, strict=True):
            if place is None or place[2] < 4 or place[3] < 4:
                continue
            for inner in found:
                at = (place[0] + inner["x"], place[1] + inner["y"])
                reached = await self._reached(main, inner["look"], at)
                if inner["reached"] is not None:
                    reached &= frozenset(inner["reached"])
                reports.append(_frame_report(inner, main=False, place=place, reached=reached))
        return reports

    async def _reached(
        self, main: FrameWorld, look: dict[str, Any], place: tuple[float, float]
    ) -> frozenset[int]:
        elements = look["elements"]
        spots = [
            [place[0] + e["box"][0] + e["box"][2] / 2, place[1] + e["box"][1] + e["box"][3] / 2]
            for e in elements
        ]
        hits = await self.worlds.call(main, "frameHits", spots, seconds=self.seconds)
        return frozenset(e["id"] for e, hit in zip(elements, hits, strict=True) if hit)

    async def glimpse(self, seconds: float) -> tuple[str, bytes]:
        """Take a picture while the page is about to come to rest. Return it with the
        stamp under which it shows the page at rest; empty if unknown. This saves the
        time of a picture after an action with no long effect."""
        try:
            if (
                self.is_stopped
                or self.navigations.loading
                or not await nearly_quiet(self.worlds, seconds=seconds)
            ):
                return "", b""
            stamp = await self.stamp()
            return (stamp, await self.screenshot()) if stamp else ("", b"")
        except (WorldGone, DialogOpened, ProofwalkError, PlaywrightError):
            return "", b""

    async def layout(self) -> Snapshot:
        """Return the browser's account of what is laid out where (`looking.spots`)."""
        answer = await self.unless_dialog(
            self.worlds.cdp.send("DOMSnapshot.captureSnapshot", {"computedStyles": []}),
            "the layout",
        )
        return cast(Snapshot, answer)

    async def screenshot(self, quality: int = 80) -> bytes:
        """Return the viewport as JPEG."""
        answer = await self.unless_dialog(
            self.worlds.cdp.send(
                "Page.captureScreenshot",
                {"format": "jpeg", "quality": quality, "optimizeForSpeed": True},
            ),
            "the screenshot",
        )
        return base64.b64decode(answer["data"])


def _frame_report(
    found: dict[str, Any],
    *,
    main: bool,
    place: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0),
    reached: frozenset[int] | None = None,
) -> FrameReport:
    if reached is None and found["reached"] is not None:
        reached = frozenset(found["reached"])
    return FrameReport(
        key=found["key"],
        main=main,
        look=found["look"],
        x=place[0] + found["x"],
        y=place[1] + found["y"],
        reached=reached,
    )
