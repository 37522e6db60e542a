"""The tabs of one browser context: which are open, which is the active one, and those
that a page is just opening.

A page tells the browser that it opens a window before the tab is there; `current` waits
for it, for a bounded time. A tab becomes usable when its worlds are attached and the
guard watches it. The oldest popups beyond `TAB_LIMIT` are closed. A window that closes
itself, as that of an identity provider does, leaves the one before it active; what was
being done in it is done, or is done in the other (`closed_itself`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from proofwalk.console.faults import Refused, bounded
from proofwalk.console.observation import BrowserTab
from proofwalk.console.session.guard import HostGuard
from proofwalk.console.tab.page import ConsolePage
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.kernel.errors import ProofwalkError, unavailable

TAB_LIMIT = 12
"""Most open tabs. If a page opens more, the oldest of its popups is closed."""

_CLOSING_MS = 1000


class Tabs:
    """The tabs of a context. `make` wraps a page of it, without attaching anything
    yet."""

    def __init__(
        self,
        context: BrowserContext,
        guard: HostGuard,
        make: Callable[[Page], ConsolePage],
        deadlines: Deadlines,
    ) -> None:
        self.titles: dict[ConsolePage, str] = {}
        """Titles as the latest look at each tab showed them."""
        self._context = context
        self._guard = guard
        self._make = make
        self._deadlines = deadlines
        self._tabs: list[ConsolePage] = []
        self._active: ConsolePage | None = None
        self._attaching: dict[Page, asyncio.Task[ConsolePage]] = {}
        self._announced = 0
        self._arrived = 0
        self._page_opened = asyncio.Event()
        guard.on_document_refused = self._expect_no_popup

    @property
    def active(self) -> ConsolePage | None:
        """The active tab, without waiting for popups; None if there is none."""
        return self._active

    @property
    def opening(self) -> bool:
        """True while a tab is being opened."""
        return self._arrived < self._announced or bool(self._attaching)

    async def start(self) -> None:
        """Follow the context, and open its first tab."""
        self._context.on("page", self._on_page)
        await self.add()

    async def close(self) -> None:
        """Cancel tabs that are being opened, and close the others."""
        for task in self._attaching.values():
            task.cancel()
        await asyncio.gather(*self._attaching.values(), return_exceptions=True)
        for tab in self._tabs:
            await tab.close()

    def _on_page(self, page: Page) -> None:
        self._arrived += 1
        self._attaching[page] = asyncio.create_task(self._attach(page))
        self._page_opened.set()

    async def _attach(self, page: Page) -> ConsolePage:
        tab = self._make(page)
        tab.worlds.on_frame = self._guard.intercept_frame
        await tab.attach()
        watching = self._guard.watch(page, tab.worlds.cdp)
        await bounded(watching, self._deadlines.command, "guarding a tab")
        tab.worlds.cdp.on("Page.windowOpen", self._on_window_open)
        page.on("close", lambda _: self._forget(tab))
        self._tabs.append(tab)
        self._active = tab
        return tab

    def _on_window_open(self, _: object) -> None:
        self._announced += 1

    def _expect_no_popup(self) -> None:
        """Stop waiting for a popup: one with a refused address may never become a
        tab."""
        self._announced = self._arrived
        self._page_opened.set()

    def _forget(self, tab: ConsolePage) -> None:
        if tab in self._tabs:
            self._tabs.remove(tab)
        if self._active is tab:
            self._active = self._tabs[-1] if self._tabs else None

    async def current(self) -> ConsolePage:
        """Return the active tab, after waiting for popups that are opening."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._deadlines.popup):
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
            await self.drop(len(self._tabs) - 1)
        if self._active is None or self._active.page.is_closed():
            self._active = self._tabs[-1] if self._tabs else None
        if self._active is None:
            raise unavailable("browser.disconnected", "no tab is left", hint="take a fresh sandbox")
        return self._active

    async def closed_itself(self, tab: ConsolePage, error: ProofwalkError) -> bool:
        """Return True if `error` says no more than that the tab is gone, and another is
        left."""
        if error.code != "browser.disconnected":
            return False
        if not tab.page.is_closed():
            # The browser tells the two connections of it one after the other.
            with contextlib.suppress(PlaywrightError, ProofwalkError):
                closing = tab.page.wait_for_event("close", timeout=_CLOSING_MS)
                await bounded(closing, self._deadlines.command, "a tab that closes")
        return tab.page.is_closed() and any(not one.page.is_closed() for one in self._tabs)

    def observed_tabs(self) -> tuple[BrowserTab, ...]:
        """Return the open tabs in the form of an observation."""
        return tuple(
            BrowserTab(
                index=index,
                url=tab.page.url,
                title=self.titles.get(tab, ""),
                active=tab is self._active,
            )
            for index, tab in enumerate(self._tabs)
        )

    async def add(self) -> None:
        """Open a blank tab and make it the active one."""
        self._announced += 1
        opening = self._context.new_page()
        page = await bounded(opening, self._deadlines.connect, "opening a tab")
        task = self._attaching.get(page)
        if task is None:
            message = "a tab vanished while it was opened"
            raise unavailable("browser.disconnected", message, hint="take a fresh sandbox")
        self._active = await task

    async def switch(self, index: int) -> None:
        """Make a tab the active one."""
        tab = self._tab(index)
        await self._bounded(tab.page.bring_to_front(), "switching tabs")
        self._active = tab

    async def drop(self, index: int) -> None:
        """Close a tab. The last one stays open."""
        tab = self._tab(index)
        if len(self._tabs) == 1:
            raise Refused("action.last_tab", "the last tab cannot be closed")
        await self._bounded(tab.page.close(), "closing a tab")
        self._forget(tab)

    def _tab(self, index: int) -> ConsolePage:
        if not 0 <= index < len(self._tabs):
            there = f"there is no tab {index}; tabs are 0 to {len(self._tabs) - 1}"
            raise Refused("action.no_such_tab", there)
        return self._tabs[index]

    async def _bounded(self, work: Awaitable[object], what: str) -> None:
        await bounded(work, self._deadlines.command, what)
