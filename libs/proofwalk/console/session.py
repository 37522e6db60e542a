"""One episode's browser context: tabs, allow-list, secrets, observations and actions.

    async with ConsoleSession.connect(endpoint, allowed_hosts=["console.example.com:443"], secrets={}, clock=clock, artifacts=folder) as session:
        await session.open("https://console.example.com/")
        observation = await session.observe()
        result = await session.perform(Click(id=3))

The browser itself belongs to a sandbox; the session makes one isolated context in it (1440x900, en-US, UTC, scale 1, no downloads,
no service workers) and disposes of it at the end. Failures of the browser are `ProofwalkError`s (`faults`); an action that cannot be done is
a failed `ActionResult`. Marks refer to the latest observation that `observe` returned. Read next: `page`, `hands`, `observe`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.async_api import BrowserContext, Page, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from proofwalk.console.actions import GuiAction
from proofwalk.console.faults import Refused, blocked_host, bounded
from proofwalk.console.guard import HostGuard, Refusal
from proofwalk.console.hands import Hands
from proofwalk.console.hosts import AllowedHosts
from proofwalk.console.marks import black_out, draw_marks
from proofwalk.console.observation import BrowserTab, Observation
from proofwalk.console.observe import Assembled, FrameReport, assemble, without_look
from proofwalk.console.page import ConsolePage, DialogOpened
from proofwalk.console.redaction import Secrets
from proofwalk.console.results import ActionResult
from proofwalk.console.worlds import isolated_script, quiet_script
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, unavailable

VIEWPORT = (1440, 900)
TAB_LIMIT = 12
"""Open tabs; a page that opens more has the oldest of its popups closed."""


@dataclass(frozen=True, kw_only=True)
class Deadlines:
    """Bounds of everything that is waited for, in seconds."""

    connect: float = 20.0
    command: float = 10.0
    """One exchange with the browser."""
    navigation: float = 30.0
    popup: float = 3.0
    """How long a tab that a page has opened may take to appear."""
    quiet: float = 10.0
    """How long a page may stay busy before it is looked at as it is."""
    action: float = 60.0
    """One whole action, its waits included."""


__all__ = ["ActionResult", "ConsoleSession", "Deadlines"]


class ConsoleSession:
    """A browser context that an episode looks at and acts in."""

    def __init__(
        self,
        context: BrowserContext,
        *,
        hosts: AllowedHosts,
        secrets: Secrets,
        clock: Clock,
        artifacts: Path,
        deadlines: Deadlines,
    ) -> None:
        self.context = context
        self.secrets = secrets
        self.clock = clock
        self.artifacts = artifacts
        self.deadlines = deadlines
        self.guard = HostGuard(hosts, seconds=deadlines.command)
        self.latest: Observation | None = None
        self.recent: Observation | None = None
        """What was seen last, by an observation or after an action; the next action's changes are told against it."""
        self.hovered = ""
        self._keys = itertools.count(1)
        self._source = isolated_script()
        self._tabs: list[ConsolePage] = []
        self._titles: dict[ConsolePage, str] = {}
        self._active: ConsolePage | None = None
        self._attaching: dict[Page, asyncio.Task[ConsolePage]] = {}
        self._announced = 0
        self._arrived = 0
        self._page_opened = asyncio.Event()
        self.guard.on_document_refused = self._expect_no_popup
        self._last_picture = b""

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        cdp_endpoint: str,
        *,
        allowed_hosts: Iterable[str],
        secrets: Mapping[str, str],
        clock: Clock,
        artifacts: Path,
        deadlines: Deadlines | None = None,
        playwright: Playwright | None = None,
    ) -> AsyncIterator[ConsoleSession]:
        """A session in the browser at `cdp_endpoint`; `playwright` shares one driver process among sessions."""
        bounds = deadlines or Deadlines()
        async with AsyncExitStack() as stack:
            driver = playwright if playwright is not None else await stack.enter_async_context(async_playwright())
            browser = await bounded(
                driver.chromium.connect_over_cdp(cdp_endpoint, timeout=bounds.connect * 1000),
                bounds.connect + 1,
                "connecting to the browser",
            )
            stack.push_async_callback(_quietly, browser.close)
            context = await bounded(
                browser.new_context(
                    viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]},
                    locale="en-US",
                    timezone_id="UTC",
                    device_scale_factor=1,
                    accept_downloads=False,
                    service_workers="block",
                ),
                bounds.connect,
                "making a browser context",
            )
            stack.push_async_callback(_quietly, context.close)
            session = cls(
                context,
                hosts=AllowedHosts.parse(allowed_hosts),
                secrets=Secrets(secrets),
                clock=clock,
                artifacts=artifacts,
                deadlines=bounds,
            )
            stack.push_async_callback(session._close)
            await session._start()
            yield session

    async def _start(self) -> None:
        await bounded(self.context.add_init_script(quiet_script()), self.deadlines.command, "preparing the context")
        await bounded(self.context.route("**/*", self.guard.on_route), self.deadlines.command, "guarding the context")
        self.context.on("page", self._on_page)
        self._announced += 1
        page = await bounded(self.context.new_page(), self.deadlines.connect, "opening a tab")
        self._active = await self._attached(page)

    async def _close(self) -> None:
        for task in self._attaching.values():
            task.cancel()
        await asyncio.gather(*self._attaching.values(), return_exceptions=True)
        for tab in self._tabs:
            await tab.close()
        await self.guard.close()

    # tabs

    def _on_page(self, page: Page) -> None:
        self._arrived += 1
        self._attaching[page] = asyncio.create_task(self._attach(page))
        self._page_opened.set()

    async def _attach(self, page: Page) -> ConsolePage:
        tab = ConsolePage(self.context, page, self._keys, self._source, seconds=self.deadlines.command)
        await tab.attach()
        await bounded(self.guard.watch(page, tab.worlds.cdp), self.deadlines.command, "guarding a tab")
        tab.worlds.cdp.on("Page.windowOpen", self._on_window_open)
        page.on("close", lambda _: self._forget(tab))
        self._tabs.append(tab)
        self._active = tab
        return tab

    def _on_window_open(self, _: object) -> None:
        self._announced += 1

    def _expect_no_popup(self) -> None:
        """A popup whose address is refused may never become a tab."""
        self._announced = self._arrived
        self._page_opened.set()

    def _forget(self, tab: ConsolePage) -> None:
        if tab in self._tabs:
            self._tabs.remove(tab)
        if self._active is tab:
            self._active = self._tabs[-1] if self._tabs else None

    async def _attached(self, page: Page) -> ConsolePage:
        task = self._attaching.get(page)
        if task is None:
            raise unavailable("browser.disconnected", "a tab vanished while it was opened", hint="take a fresh sandbox")
        return await task

    async def current(self) -> ConsolePage:
        """The active tab, once popups that are being opened are there."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.deadlines.popup):
                while self._arrived < self._announced:
                    self._page_opened.clear()
                    await self._page_opened.wait()
        self._announced = self._arrived
        for page, task in list(self._attaching.items()):
            try:
                await task
            except ProofwalkError:
                if not page.is_closed():
                    raise
            self._attaching.pop(page, None)
        while len(self._tabs) > TAB_LIMIT:
            await self.close_tab(len(self._tabs) - 1)
        if self._active is None or self._active.page.is_closed():
            self._active = self._tabs[-1] if self._tabs else None
        if self._active is None:
            raise unavailable("browser.disconnected", "no tab is left", hint="take a fresh sandbox")
        return self._active

    def tabs(self) -> tuple[BrowserTab, ...]:
        """The open tabs."""
        return tuple(
            BrowserTab(index=i, url=tab.page.url, title=self._titles.get(tab, ""), active=tab is self._active)
            for i, tab in enumerate(self._tabs)
        )

    def _tab(self, index: int) -> ConsolePage:
        if not 0 <= index < len(self._tabs):
            raise Refused("action.no_such_tab", f"there is no tab {index}; tabs are 0 to {len(self._tabs) - 1}")
        return self._tabs[index]

    async def switch_tab(self, index: int) -> None:
        """Make a tab the active one."""
        tab = self._tab(index)
        await bounded(tab.page.bring_to_front(), self.deadlines.command, "switching tabs")
        self._active = tab

    async def open_tab(self, url: str) -> None:
        """Open an address in a fresh tab."""
        self._announced += 1
        page = await bounded(self.context.new_page(), self.deadlines.connect, "opening a tab")
        self._active = await self._attached(page)
        await self.open(url)

    async def close_tab(self, index: int) -> None:
        """Close a tab; the last one stays."""
        tab = self._tab(index)
        if len(self._tabs) == 1:
            raise Refused("action.last_tab", "the last tab cannot be closed")
        await bounded(tab.page.close(), self.deadlines.command, "closing a tab")
        self._forget(tab)

    # going and looking

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Addresses outside the allow-list that were asked for, newest last."""
        return tuple(self.guard.refusals)

    async def open(self, url: str) -> None:
        """Open an address in the active tab and wait until it is quiet."""
        if not self.guard.hosts.allows(url):
            raise blocked_host(self.secrets.mask(url))
        tab = await self.current()
        before = self.guard.count
        try:
            seconds = self.deadlines.navigation
            await tab.unless_dialog(
                tab.page.goto(url, wait_until="commit", timeout=seconds * 1000), "opening the address", seconds + 1
            )
        except DialogOpened:
            return
        except ProofwalkError:
            left = [refusal for refusal in self.guard.since(before) if refusal.document]
            if left:
                raise blocked_host(self.secrets.mask(left[-1].url)) from None
            raise
        await tab.wait_quiet(self.deadlines.quiet)

    async def wait_quiet(self, seconds: float | None = None) -> bool:
        """Wait for the active tab to come to rest; False when it is still busy."""
        await self.guard.settled()
        quiet = await (await self.current()).wait_quiet(self.deadlines.quiet if seconds is None else seconds)
        if self._arrived < self._announced or self._attaching:
            quiet = await (await self.current()).wait_quiet(self.deadlines.quiet)
        return quiet

    async def observe(self, *, screenshot: bool = True, settle: bool = True) -> Observation:
        """One consistent look; its marks are the ones that actions name from now on."""
        quiet = await self.wait_quiet() if settle else True
        self.latest = self.recent = await self.look(screenshot=screenshot, quiet=quiet)
        return self.latest

    async def look(self, *, screenshot: bool = False, quiet: bool = True) -> Observation:
        """A look that leaves the marks of the latest observation in force."""
        tab = await self.current()
        if tab.dialog is None:
            try:
                return await self._look(tab, screenshot, quiet)
            except DialogOpened:
                pass
        seen = without_look(
            url=tab.page.url,
            title=self._titles.get(tab, ""),
            secrets=self.secrets,
            tabs=self.tabs(),
            taken_at=self.clock.now(),
            dialog=tab.dialog_text,
            viewport=VIEWPORT,
        )
        return replace(seen, screenshot=self._last_picture, raw_screenshot=self._last_picture) if screenshot else seen

    async def _look(self, tab: ConsolePage, screenshot: bool, quiet: bool) -> Observation:
        picture = b""
        if screenshot:
            reports, picture = await asyncio.gather(tab.reports(), tab.screenshot())
        else:
            reports = await tab.reports()
        seen = self._assemble(tab, reports, quiet)
        observation = seen.observation
        if not picture:
            return observation
        raw = black_out(picture, seen.hidden) if seen.hidden else picture
        self._last_picture = raw
        return replace(observation, screenshot=draw_marks(raw, observation.elements, observation.texts), raw_screenshot=raw)

    def _assemble(self, tab: ConsolePage, reports: list[FrameReport], quiet: bool) -> Assembled:
        self._titles[tab] = str(reports[0].look["title"]) if reports else ""
        return assemble(
            reports,
            secrets=self.secrets,
            tabs=self.tabs(),
            taken_at=self.clock.now(),
            quiet=quiet,
            previous=self.latest,
            hovered=self.hovered,
        )

    async def perform(self, action: GuiAction) -> ActionResult:
        """Do one action and say what changed; raises `ProofwalkError` only for failures of the browser itself."""
        return await Hands(self).perform(action)


async def _quietly(close: object) -> None:
    """Close something of the browser that may be gone already."""
    assert callable(close)
    try:
        async with asyncio.timeout(10):
            await close()
    except (PlaywrightError, TimeoutError):
        return
