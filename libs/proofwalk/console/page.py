"""One tab: its script worlds, its loading state, its browser dialogs, its input devices, and one look at it.

Input goes over CDP and is raced against a browser dialog, since an `alert` in a click handler holds the click back until
somebody answers. A look gathers the reports of all documents and, in parallel, a JPEG; it is taken again when a document
went away meanwhile. Above this: `session` (tabs, allow-list, observations), `hands` (actions).
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from collections.abc import Awaitable
from typing import TypeVar

from playwright.async_api import BrowserContext, Dialog, Page
from playwright.async_api import Error as PlaywrightError

from proofwalk.console.faults import Refused, WorldGone, bounded, translate
from proofwalk.console.observe import FrameReport
from proofwalk.console.quiet import Navigations, wait_for_quiet
from proofwalk.console.worlds import FrameWorld, Worlds

T = TypeVar("T")
_DRAG_STEPS = 16
_DRAG_PAUSE_S = 0.012

DIALOG_LIMIT = 10
"""Browser dialogs in a row, between two quiet moments, that wait for an answer; the storm behind them is dismissed."""


class DialogOpened(Exception):
    """A browser dialog stopped what was being done."""


class ConsolePage:
    """A tab of the episode's browser context."""

    def __init__(self, context: BrowserContext, page: Page, keys: itertools.count[int], source: str, *, seconds: float) -> None:
        self.page = page
        self.seconds = seconds
        self.worlds = Worlds(context, page, keys, source)
        self.navigations = Navigations()
        self.dialog: Dialog | None = None
        self.dialogs_seen = 0
        self._dialog_opened = asyncio.Event()
        self._pending: set[asyncio.Task[object]] = set()
        self.pointer: tuple[float, float] = (0.0, 0.0)
        self.last_url = ""
        page.on("dialog", self._on_dialog)

    async def attach(self) -> None:
        """Connect; must be done before anything else."""
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
        """Run `work` to its end whatever becomes of it; it dies with the tab."""

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
        """Give up what is still pending."""
        for task in list(self._pending):
            task.cancel()
        await asyncio.gather(*self._pending, return_exceptions=True)

    @property
    def held(self) -> bool:
        """Whether a browser dialog stops the page."""
        return self.dialog is not None

    @property
    def dialog_text(self) -> str:
        """What the open browser dialog says."""
        return f"{self.dialog.type}: {self.dialog.message}" if self.dialog else ""

    async def answer_dialog(self, accept: bool, text: str) -> None:
        """Answer the open browser dialog."""
        dialog, self.dialog = self.dialog, None
        self._dialog_opened.clear()
        if dialog is None:
            raise Refused("action.no_dialog", "no browser dialog is open")
        await bounded(dialog.accept(text) if accept else dialog.dismiss(), self.seconds, "answering the browser dialog")

    async def unless_dialog(self, work: Awaitable[T], what: str, seconds: float | None = None) -> T:
        """Result of `work`; raises `DialogOpened` when a browser dialog opens first and goes on holding it back."""
        if self.held:
            asyncio.ensure_future(work).cancel()
            raise DialogOpened(self.dialog_text)
        doing = asyncio.ensure_future(work)
        opened = asyncio.create_task(self._dialog_opened.wait())
        try:
            await asyncio.wait({doing, opened}, timeout=seconds or self.seconds, return_when=asyncio.FIRST_COMPLETED)
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

    # input

    async def _mouse(self, kind: str, x: float, y: float, **more: object) -> None:
        await self.unless_dialog(
            self.worlds.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more}), "a pointer event"
        )
        self.pointer = (x, y)

    async def move(self, x: float, y: float, *, held: bool = False) -> None:
        """Move the pointer."""
        await self._mouse("mouseMoved", x, y, **({"button": "left", "buttons": 1} if held else {}))

    async def press(self, x: float, y: float, *, button: str = "left", count: int = 1) -> None:
        """Press a mouse button."""
        await self._mouse("mousePressed", x, y, button=button, buttons=2 if button == "right" else 1, clickCount=count)

    async def release(self, x: float, y: float, *, button: str = "left", count: int = 1) -> None:
        """Release it."""
        await self._mouse("mouseReleased", x, y, button=button, buttons=0, clickCount=count)

    async def click(self, x: float, y: float, *, button: str = "left", count: int = 1) -> None:
        """Move to a point and click there `count` times."""
        await self.move(x, y)
        for number in range(1, count + 1):
            await self.press(x, y, button=button, count=number)
            await self.release(x, y, button=button, count=number)

    async def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        """Press at a point, move away from it in steps that grow shorter, and let go."""
        await self.move(x, y)
        await self.press(x, y)
        for number in range(1, _DRAG_STEPS + 1):
            share = 1 - (1 - number / _DRAG_STEPS) ** 2
            await self.move(x + dx * share, y + dy * share, held=True)
            await asyncio.sleep(_DRAG_PAUSE_S)
        await self.release(x + dx, y + dy)

    async def key(self, chord: str) -> None:
        """Press a key or chord."""
        try:
            await self.unless_dialog(self.page.keyboard.press(chord), "a key press")
        except Exception as error:
            if "Unknown key" in str(error):
                raise Refused("action.unknown_key", f"there is no key {chord!r}") from error
            raise

    async def insert(self, text: str) -> None:
        """Put text in at the caret, as an input method does."""
        await self.unless_dialog(self.worlds.cdp.send("Input.insertText", {"text": text}), "typing")

    async def type_keys(self, text: str) -> None:
        """Type key by key, for fields that listen to keys."""
        await self.unless_dialog(self.page.keyboard.type(text), "typing")

    # looking

    async def wait_quiet(self, seconds: float) -> bool:
        """Wait until the tab is at rest; False when it was still busy at the bound, or a dialog holds it."""
        try:
            quiet = await self.unless_dialog(
                wait_for_quiet(self.worlds, self.navigations, seconds=seconds, slack=self.seconds),
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
                self.worlds.evaluate(worlds[0], f"__proofwalk.changed({int(seconds * 1000)})", seconds + self.seconds),
                "waiting for a change",
                seconds + self.seconds,
            )
        except (WorldGone, IndexError, DialogOpened):
            await asyncio.sleep(0.05)

    async def reports(self) -> list[FrameReport]:
        """What all documents show, the main one first."""
        for _ in range(5):
            worlds = await self.worlds.all(self.seconds)
            if not worlds or not worlds[0].main:
                await self.navigations.settled(self.seconds)
                await asyncio.sleep(0)
                continue
            try:
                if len(worlds) == 1:
                    return [FrameReport(key=worlds[0].key, main=True, look=await self._look(worlds[0]))]
                return await self._reports_of_frames(worlds)
            except WorldGone:
                continue
        raise translate(TimeoutError(), "reading a page that keeps navigating")

    async def _look(self, world: FrameWorld) -> dict[str, object]:
        answer = await self.unless_dialog(self.worlds.evaluate(world, "__proofwalk.look()", self.seconds), "reading the page")
        return dict(json.loads(answer))

    async def _reports_of_frames(self, worlds: list[FrameWorld]) -> list[FrameReport]:
        async def guarded(world: FrameWorld) -> dict[str, object] | None:
            try:
                return await self._look(world)
            except WorldGone:
                if world.main:
                    raise
                return None

        looks, places = await asyncio.gather(
            asyncio.gather(*(guarded(world) for world in worlds)), self.worlds.offsets(worlds, self.seconds)
        )
        reports = []
        for world, look, place in zip(worlds, looks, places, strict=True):
            if look is None or place is None or place[2] < 4 or place[3] < 4:
                continue
            reached = None if world.main else await self._reached(worlds[0], look, place)
            reports.append(FrameReport(key=world.key, main=world.main, look=look, x=place[0], y=place[1], reached=reached))
        return reports

    async def _reached(
        self, main: FrameWorld, look: dict[str, object], place: tuple[float, float, float, float]
    ) -> frozenset[int]:
        elements = look["elements"]
        assert isinstance(elements, list)
        spots = [[place[0] + e["box"][0] + e["box"][2] / 2, place[1] + e["box"][1] + e["box"][3] / 2] for e in elements]
        hits = await self.worlds.call(main, "frameHits", spots, seconds=self.seconds)
        return frozenset(e["id"] for e, hit in zip(elements, hits, strict=True) if hit)

    async def screenshot(self, quality: int = 80) -> bytes:
        """The viewport as JPEG."""
        answer = await self.unless_dialog(
            self.worlds.cdp.send("Page.captureScreenshot", {"format": "jpeg", "quality": quality, "optimizeForSpeed": True}),
            "the screenshot",
        )
        return base64.b64decode(answer["data"])
