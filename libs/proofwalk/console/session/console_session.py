"""One episode's browser context: tabs, allow-list, secrets, observations and actions.

    async with ConsoleSession.connect(endpoint, allowed_hosts=["console.example.com:443"], secrets={}, clock=clock, artifacts=folder) as session:
        await session.open("https://console.example.com/")
        observation = await session.observe()
        result = await session.perform(Click(id=3))

The browser itself belongs to a sandbox; the session makes one isolated context in it (`browser`) and disposes of it at the end. Failures of
the browser are `ProofwalkError`s (`faults`); an action that cannot be done is a failed `ActionResult`. Marks refer to the latest observation
that `observe` returned. Read next: `page`, `hands`, `observe`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playwright.async_api import BrowserContext, Page, Playwright

from proofwalk.console.acting.hands import Hands
from proofwalk.console.actions import GuiAction
from proofwalk.console.browser.connection import VIEWPORT, ConsoleBrowser
from proofwalk.console.browser.devtools import DevTools
from proofwalk.console.browser.page import ConsolePage, DialogOpened
from proofwalk.console.browser.worlds import isolated_script, quiet_script
from proofwalk.console.faults import Refused, blocked_host, bounded
from proofwalk.console.looking.assembly import Assembled, FrameReport, assemble, masked_tabs, without_look
from proofwalk.console.looking.marks import black_out, draw_marks
from proofwalk.console.looking.views import Scope, View
from proofwalk.console.observation import BrowserTab, Observation
from proofwalk.console.redaction import Secrets
from proofwalk.console.results import ActionResult
from proofwalk.console.session.addresses import SeenAddresses
from proofwalk.console.session.credentials import SecretGate
from proofwalk.console.session.guard import HostGuard, Refusal
from proofwalk.console.session.hosts import AllowedHosts
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, unavailable

if TYPE_CHECKING:
    from proofwalk.pixels.sight import PixelSight

_INTERRUPTED = "interrupted by another navigation"
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
        devtools: DevTools,
        *,
        hosts: AllowedHosts,
        secrets: Secrets,
        gate: SecretGate,
        clock: Clock,
        artifacts: Path,
        deadlines: Deadlines,
    ) -> None:
        self.context = context
        self._devtools = devtools
        self.secrets = secrets
        self.gate = gate
        self._addresses = SeenAddresses()
        self.clock = clock
        self.artifacts = artifacts
        self.deadlines = deadlines
        self.guard = HostGuard(hosts, seconds=deadlines.command)
        self.latest: Observation | None = None
        self.recent: Observation | None = None
        """What was seen last, by an observation or after an action; the next action's changes are told against it."""
        self.scope = Scope()
        """How far the latest observation reached; the look that tells an action's changes reaches as far, so that the next one can be it."""
        self.hovered = ""
        self._keys = itertools.count(1)
        # A page that does not know the name cannot pretend to be told of, nor see that it is.
        self._call = uuid.uuid4().hex
        self._source = isolated_script(self._call)
        self._tabs: list[ConsolePage] = []
        self._titles: dict[ConsolePage, str] = {}
        self._active: ConsolePage | None = None
        self._attaching: dict[Page, asyncio.Task[ConsolePage]] = {}
        self._announced = 0
        self._arrived = 0
        self._page_opened = asyncio.Event()
        self.guard.on_document_refused = self._expect_no_popup
        self._last_picture = b""
        self._view: View | None = None
        self._glimpse: tuple[ConsolePage, asyncio.Task[tuple[str, bytes]]] | None = None
        """The picture that is being taken for the observation after an action."""
        self._sight: PixelSight | None = None

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        browser: str | ConsoleBrowser,
        *,
        allowed_hosts: Iterable[str],
        secrets: Mapping[str, str],
        public: Iterable[str] = (),
        gate: SecretGate | None = None,
        clock: Clock,
        artifacts: Path,
        deadlines: Deadlines | None = None,
        playwright: Playwright | None = None,
    ) -> AsyncIterator[ConsoleSession]:
        """A session in a connected browser, or in the one at a CDP endpoint, for itself alone; `playwright` shares one driver process.

        `public`: see `Secrets`. `gate` says when and where secrets are typed; without one they are typed while whoever signs in has it open."""
        bounds = deadlines or Deadlines()
        async with AsyncExitStack() as stack:
            if isinstance(browser, str):
                connecting = ConsoleBrowser.connect(browser, seconds=bounds.connect, playwright=playwright)
                browser = await stack.enter_async_context(connecting)
            context = await stack.enter_async_context(browser.context(bounds.connect))
            session = cls(
                context,
                browser.devtools,
                hosts=AllowedHosts.parse(allowed_hosts),
                secrets=Secrets(secrets, public=public),
                gate=gate or SecretGate(),
                clock=clock,
                artifacts=artifacts,
                deadlines=bounds,
            )
            stack.push_async_callback(session._close)
            await session._start()
            yield session

    async def _start(self) -> None:
        scripted = self.context.add_init_script(quiet_script(self._call))
        guarded = self.context.route(self.guard.hosts.others(), self.guard.on_route)
        await bounded(asyncio.gather(scripted, guarded), self.deadlines.command, "preparing the context")
        self.context.on("page", self._on_page)
        self._announced += 1
        page = await bounded(self.context.new_page(), self.deadlines.connect, "opening a tab")
        self._active = await self._attached(page)

    async def _close(self) -> None:
        await self._drop_glimpse()
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
        tab = ConsolePage(self._devtools, self.context, page, self._keys, self._source, seconds=self.deadlines.command)
        tab.worlds.on_frame = self.guard.intercept_frame
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

    async def open(self, url: str, *, settle: bool = True) -> None:
        """Open an address in the active tab and wait until it is quiet; without `settle`, until it is loaded."""
        if not self.guard.hosts.allows(url):
            raise blocked_host(self.secrets.mask(url))
        tab = await self.current()
        before = self.guard.count
        # A page that itself keeps going elsewhere in between is left for as long as one navigation may take.
        until = time.monotonic() + self.deadlines.navigation
        while True:
            left = max(0.1, until - time.monotonic())
            try:
                await self._go(tab, url, "commit" if settle else "load", left)
                break
            except DialogOpened:
                return
            except ProofwalkError as error:
                refused = [refusal for refusal in self.guard.since(before) if refusal.document]
                if refused:
                    raise blocked_host(self.secrets.mask(refused[-1].url)) from None
                if time.monotonic() >= until or _INTERRUPTED not in error.message:
                    raise
        if settle:
            await tab.wait_quiet(self.deadlines.quiet)

    def real_address(self, told: str) -> str:
        """The address that an observation told, as it is. Raises `action.secret_refused` for one that names a secret and was not told."""
        real = self._addresses.real(told)
        if self.secrets.names_in(real):
            raise Refused("action.secret_refused", "an address does not hold a secret; go to one that was shown")
        return real

    async def _go(self, tab: ConsolePage, url: str, until: Literal["commit", "load"], seconds: float) -> None:
        going = tab.page.goto(url, wait_until=until, timeout=seconds * 1000)
        await tab.unless_dialog(going, "opening the address", seconds + 1)

    async def wait_quiet(self, seconds: float | None = None, *, acted: bool = True) -> bool:
        """Wait for the active tab to come to rest; False when it is still busy. `acted`: something was just done to it."""
        await self.guard.settled()
        tab = await self.current()
        quiet = await tab.wait_quiet(self.deadlines.quiet if seconds is None else seconds, acted=acted)
        if self._arrived < self._announced or self._attaching:
            quiet = await (await self.current()).wait_quiet(self.deadlines.quiet)
        return quiet

    async def observe(
        self, *, screenshot: bool = True, settle: bool = True, narrow: bool = False, hidden: bool = False, pixels: bool = False
    ) -> Observation:
        """One consistent look; its marks are the ones that actions name from now on.

        `narrow` looks at the viewport alone instead of the whole page; `hidden` also tells texts that nobody sees, apart from the others.
        `pixels` reads the picture instead of the page, and so do the looks of actions until the next observation (`console.pixels`).
        """
        quiet = await self.wait_quiet(acted=self._view is None) if settle else True
        if pixels and self._sight is None:
            from proofwalk.pixels.sight import PixelSight  # brings NumPy, which few sessions need

            self._sight = PixelSight(self.secrets)
        if pixels is not self.scope.pixels:
            # Elements seen by one kind of eyes are unknown to the other: all of them would be told as changes.
            self.latest = None
        self.scope = Scope(narrow=narrow, hidden=hidden, pixels=pixels)
        self.latest = self.recent = await self.look(screenshot=screenshot, quiet=quiet, scope=self.scope)
        for tab in self.tabs():
            self._addresses.note(tab.url, self.secrets)
        if self._view is not None:
            self._view = self._view.seen()
        if self._sight is not None:
            self._sight.mark()
        return self.latest

    def forget_view(self) -> None:
        """Look anew next time, whether or not anything changes until then."""
        self._view = None

    async def glimpse(self) -> None:
        """Begin with the picture of the next observation, if that is going to have one like the latest; called when an action has been done."""
        await self._drop_glimpse()
        tab = self._active
        if tab is not None and self.latest is not None and self.latest.screenshot and not self.scope.pixels:
            self._glimpse = tab, asyncio.create_task(tab.glimpse(self.deadlines.quiet))

    async def _drop_glimpse(self) -> None:
        if self._glimpse is not None:
            (_, task), self._glimpse = self._glimpse, None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _picture(self, tab: ConsolePage, stamp: str) -> bytes:
        """The viewport as JPEG: the one that was taken already, if nothing has changed since."""
        if self._glimpse is not None and self._glimpse[0] is tab and stamp:
            taken_under, picture = await self._glimpse[1]
            if taken_under == stamp:
                return picture
        return await tab.screenshot()

    @property
    def sight(self) -> PixelSight | None:
        """The eyes of the latest observation, when it was made by pixels."""
        return self._sight if self.scope.pixels else None

    async def look(self, *, screenshot: bool = False, quiet: bool = True, scope: Scope | None = None) -> Observation:
        """A look that leaves the marks of the latest observation in force; by pixels when that was."""
        scope = scope or Scope(pixels=self.scope.pixels)
        tab = await self.current()
        if tab.dialog is None:
            try:
                return await (self._read(tab, screenshot, quiet) if scope.pixels else self._look(tab, screenshot, quiet, scope))
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

    async def _look(self, tab: ConsolePage, screenshot: bool, quiet: bool, scope: Scope) -> Observation:
        stamp = await tab.stamp()
        view, picture = self._view, b""
        if view is not None and view.holds(tab, stamp, scope):
            if screenshot and not view.observation.screenshot:
                picture = await self._picture(tab, stamp)
        else:
            looking = tab.reports(narrow=scope.narrow, hidden=scope.hidden)
            if screenshot:
                reports, picture = await asyncio.gather(looking, tab.screenshot())
            else:
                reports = await looking
            seen = self._assemble(tab, reports, quiet)
            view = View(page=tab, stamp=stamp, scope=scope, observation=seen.observation, hidden=seen.hidden)
        if picture:
            view = replace(view, observation=self._pictured(view, picture))
        self._view = view
        return view.again(self.clock.now(), masked_tabs(self.tabs(), self.secrets), quiet=quiet)

    async def _read(self, tab: ConsolePage, screenshot: bool, quiet: bool) -> Observation:
        self._view = None
        assert self._sight is not None
        seen = await self._sight.look(
            tab, previous=self.latest, tabs=self.tabs(), taken_at=self.clock.now(), viewport=VIEWPORT, quiet=quiet
        )
        told, self._titles[tab] = seen.observation, seen.observation.title
        if screenshot:
            self._last_picture = seen.picture
            told = replace(told, screenshot=draw_marks(seen.picture, told.elements, told.texts), raw_screenshot=seen.picture)
        return told

    def _pictured(self, view: View, picture: bytes) -> Observation:
        raw = black_out(picture, view.hidden) if view.hidden else picture
        self._last_picture = raw
        seen = view.observation
        return replace(seen, screenshot=draw_marks(raw, seen.elements, seen.texts), raw_screenshot=raw)

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
        self.forget_view()
        await self._drop_glimpse()
        return await Hands(self).perform(action)
