"""One episode's browser context: tabs, allow-list, secrets, observations and actions.

    async with ConsoleSession.connect(endpoint, allowed_hosts=["console.example.com:443"], secrets={}, clock=clock, artifacts=folder) as session:
        await session.open("https://console.example.com/")
        observation = await session.observe()
        result = await session.perform(Click(id=3))

The browser itself belongs to a sandbox; the session makes one isolated context in it
(`browser`) and disposes of it at the end. Failures of the browser are `ProofwalkError`s
(`faults`); an action that cannot be done is a failed `ActionResult`. Marks refer to the
latest observation that `observe` returned. Read next: `page`, `hands`, `observe`.
"""

from __future__ import annotations

import asyncio
import itertools
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from playwright.async_api import BrowserContext, Page, Playwright

from proofwalk.console.acting.hands import Hands
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.acting.stage import Eyes
from proofwalk.console.actions import GuiAction
from proofwalk.console.browser.connection import VIEWPORT, ConsoleBrowser
from proofwalk.console.browser.devtools import DevTools
from proofwalk.console.browser.worlds import isolated_script, quiet_script
from proofwalk.console.faults import Refused, blocked_host, bounded
from proofwalk.console.looking.assembly import (
    Assembled,
    FrameReport,
    assemble,
    masked_tabs,
    without_look,
)
from proofwalk.console.looking.marks import black_out, draw_marks
from proofwalk.console.looking.spots import spots
from proofwalk.console.looking.views import Scope, View
from proofwalk.console.observation import Box, BrowserTab, Observation
from proofwalk.console.safety.addresses import SeenAddresses
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.safety.hosts import AllowedHosts
from proofwalk.console.safety.reading import ReadingRule
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.guard import HostGuard, Refusal
from proofwalk.console.session.tabs import Tabs
from proofwalk.console.tab.page import ConsolePage, DialogOpened
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid

T = TypeVar("T")

EyesOf = Callable[[Secrets], Eyes]
_INTERRUPTED = "interrupted by another navigation"
_NO_SHARED_WORKERS = "delete globalThis.SharedWorker"


class ConsoleSession:
    """A browser context in which an episode looks and acts."""

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
        eyes: EyesOf | None = None,
    ) -> None:
        self.context = context
        self._devtools = devtools
        self.secrets = secrets
        self.gate = gate
        self._addresses = SeenAddresses()
        self.clock = clock
        self.artifacts = artifacts
        self.deadlines = deadlines
        self.guard = HostGuard(hosts, seconds=deadlines.command, clock=clock)
        self.latest: Observation | None = None
        self.recent: Observation | None = None
        """The latest observation or look after an action. The next action's changes are
        described against it."""
        self.scope = Scope()
        """How far the latest observation reached. The look after an action reaches as
        far, so that the next observation can reuse it."""
        self.hovered = ""
        self._keys = itertools.count(1)
        # A page that does not know the name cannot pretend to be told of, nor see that
        # it is.
        self._call = uuid.uuid4().hex
        self._source = isolated_script(self._call)
        self._tabs = Tabs(context, self.guard, self._page_of, deadlines)
        self._last_picture = b""
        self._view: View | None = None
        self._glimpse: tuple[ConsolePage, asyncio.Task[tuple[str, bytes]]] | None = None
        """The picture that is being taken for the observation after an action."""
        self._eyes = eyes
        self._sight: Eyes | None = None

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
        eyes: EyesOf | None = None,
    ) -> AsyncIterator[ConsoleSession]:
        """Open a session in a connected browser, or in the one at a CDP endpoint, for
        itself alone. `playwright` shares one driver process.

        `public`: see `Secrets`. `gate` says when and where secrets are typed; without
        one, only while the code that signs in has it open. `eyes` look by the picture
        alone (`proofwalk.pixels.eyes.PixelEyes`); without them, `observe(pixels=True)`
        is refused.
        """
        bounds = deadlines or Deadlines()
        async with AsyncExitStack() as stack:
            if isinstance(browser, str):
                connecting = ConsoleBrowser.connect(
                    browser, seconds=bounds.connect, playwright=playwright
                )
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
                eyes=eyes,
            )
            stack.push_async_callback(session._close)
            await session._start()
            yield session

    async def _start(self) -> None:
        scripted = self.context.add_init_script(quiet_script(self._call))
        guarded = self.context.route(self.guard.hosts.others(), self.guard.on_route)
        await bounded(
            asyncio.gather(scripted, guarded), self.deadlines.command, "preparing the context"
        )
        await self._tabs.start()

    async def _close(self) -> None:
        await self._drop_glimpse()
        await self._tabs.close()
        await self.guard.close()

    def _page_of(self, page: Page) -> ConsolePage:
        seconds = self.deadlines.command
        return ConsolePage(
            self._devtools, self.context, page, self._keys, self._source, seconds=seconds
        )

    # tabs

    async def current(self) -> ConsolePage:
        """Return the active tab, after waiting for popups that are opening."""
        return await self._tabs.current()

    def tabs(self) -> tuple[BrowserTab, ...]:
        """Return the open tabs."""
        return self._tabs.observed_tabs()

    async def switch_tab(self, index: int) -> None:
        """Make a tab the active one."""
        await self._tabs.switch(index)

    async def open_tab(self, url: str) -> None:
        """Open an address in a new tab."""
        await self._tabs.add()
        await self.open(url)

    async def close_tab(self, index: int) -> None:
        """Close a tab. The last one stays open."""
        await self._tabs.drop(index)

    # going and looking

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Refused addresses outside the allow-list, newest last."""
        return tuple(self.guard.refusals)

    async def only_read(self, rule: ReadingRule) -> None:
        """Refuse, from now to the end of the session, every request that does not only
        read. No page gets a shared worker any more, whose requests nobody sees."""
        self.guard.only_read(rule)
        frames = [frame for page in self.context.pages for frame in page.frames]
        shutting = asyncio.gather(
            self.context.route("**/*", self.guard.on_request),
            self.context.add_init_script(_NO_SHARED_WORKERS),
            *(frame.evaluate(_NO_SHARED_WORKERS) for frame in frames),
        )
        await bounded(shutting, self.deadlines.command, "refusing requests that write")

    async def open(self, url: str, *, settle: bool = True) -> None:
        """Open an address in the active tab and wait until the page is quiet, or,
        without `settle`, loaded."""
        if not self.guard.hosts.allows(url):
            raise blocked_host(self.secrets.mask(url))
        tab = await self.current()
        before = self.guard.count
        # A page that itself keeps going elsewhere in between is left for as long as one
        # navigation may take.
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
        """Return the real address for one that an observation showed. Raises
        `action.secret_refused` for an address that names a secret and was not shown."""
        real = self._addresses.real(told)
        if self.secrets.names_in(real):
            raise Refused(
                "action.secret_refused",
                "an address does not hold a secret; go to one that was shown",
            )
        return real

    async def _go(
        self, tab: ConsolePage, url: str, until: Literal["commit", "load"], seconds: float
    ) -> None:
        bound = seconds * 1000
        # Going to the same `…#/pumps` again loads nothing, and an open dialog stays.
        again = "#" in url and tab.page.url == url
        going = (
            tab.page.reload(wait_until=until, timeout=bound)
            if again
            else tab.page.goto(url, wait_until=until, timeout=bound)
        )
        await tab.unless_dialog(going, "opening the address", seconds + 1)

    async def wait_quiet(self, seconds: float | None = None, *, acted: bool = True) -> bool:
        """Wait for the active tab to come to rest. Return False if it is still busy.
        `acted`: an action was just performed."""
        await self.guard.settled()
        bound = self.deadlines.quiet if seconds is None else seconds
        quiet = await self._in_active(lambda tab: tab.wait_quiet(bound, acted=acted))
        if self._tabs.opening:
            quiet = await (await self.current()).wait_quiet(self.deadlines.quiet)
        return quiet

    async def _in_active(self, do: Callable[[ConsolePage], Awaitable[T]]) -> T:
        """Do something in the active tab, or in the one that is left if that one closes
        itself meanwhile."""
        while True:
            tab = await self.current()
            try:
                return await do(tab)
            except ProofwalkError as error:
                if not await self._tabs.closed_itself(tab, error):
                    raise

    async def closed_itself(self, tab: ConsolePage, error: ProofwalkError) -> bool:
        """Return True if `error` says no more than that the tab is gone, and another is
        left."""
        return await self._tabs.closed_itself(tab, error)

    async def observe(
        self,
        *,
        screenshot: bool = True,
        settle: bool = True,
        narrow: bool = False,
        hidden: bool = False,
        pixels: bool = False,
    ) -> Observation:
        """Look once, and return the observation. Its marks are the ones that actions
        name from now on.

        `narrow` looks at the viewport alone instead of the whole page. `hidden` also
        returns texts that nobody sees, apart from the others. `pixels` reads the
        picture instead of the page, and so do the looks of actions until the next
        observation (`eyes`).
        """
        quiet = await self.wait_quiet(acted=self._view is None) if settle else True
        if pixels and self._sight is None:
            if self._eyes is None:
                raise invalid(
                    "observe.no_eyes",
                    "this session cannot look by pixels",
                    hint="connect it with eyes=PixelEyes",
                )
            self._sight = self._eyes(self.secrets)
        if pixels is not self.scope.pixels:
            # Elements seen by one kind of eyes are unknown to the other: all of them
            # would be told as changes.
            self.latest = None
        self.scope = Scope(narrow=narrow, hidden=hidden, pixels=pixels)
        self.latest = self.recent = await self.look(
            screenshot=screenshot, quiet=quiet, scope=self.scope
        )
        if settle and self.latest.is_blank:
            await self._await_content(screenshot=screenshot)
        for tab in self.tabs():
            self._addresses.note(tab.url, self.secrets)
        if self._view is not None:
            self._view = self._view.seen()
        if self._sight is not None:
            self._sight.mark()
        return self.latest

    async def _await_content(self, *, screenshot: bool) -> None:
        """Look again until a page that shows nothing shows something, for as long as a
        page may take to come to rest. A console that loads its pages as modules is
        blank and without requests of its own for a while."""
        end = self.clock.monotonic() + self.deadlines.quiet
        while self.latest is not None and self.latest.is_blank:
            left = end - self.clock.monotonic()
            if left <= 0:
                return
            await (await self.current()).changed(min(left, 1.0))
            quiet = await self.wait_quiet(left, acted=False)
            self.latest = self.recent = await self.look(
                screenshot=screenshot, quiet=quiet, scope=self.scope
            )

    def forget_view(self) -> None:
        """Make the next look a new one, even if nothing changes until then."""
        self._view = None

    async def glimpse(self) -> None:
        """Start taking the picture of the next observation, after an action. Does
        nothing if the latest observation had none or was made by pixels."""
        await self._drop_glimpse()
        tab = self._tabs.active
        if (
            tab is not None
            and self.latest is not None
            and self.latest.screenshot
            and not self.scope.pixels
        ):
            self._glimpse = tab, asyncio.create_task(tab.glimpse(self.deadlines.quiet))

    async def _drop_glimpse(self) -> None:
        if self._glimpse is not None:
            (_, task), self._glimpse = self._glimpse, None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _picture(self, tab: ConsolePage, stamp: str) -> bytes:
        """Return the viewport as JPEG. The picture taken early is used if nothing has
        changed since."""
        if self._glimpse is not None and self._glimpse[0] is tab and stamp:
            taken_under, picture = await self._glimpse[1]
            if taken_under == stamp:
                return picture
        return await tab.screenshot()

    @property
    def sight(self) -> Eyes | None:
        """The eyes of the latest observation, if it was made by pixels."""
        return self._sight if self.scope.pixels else None

    async def look(
        self, *, screenshot: bool = False, quiet: bool = True, scope: Scope | None = None
    ) -> Observation:
        """Look without replacing the marks of the latest observation; by pixels if that
        was."""
        seen_by = scope or Scope(pixels=self.scope.pixels)
        return await self._in_active(
            lambda tab: self._look_at(tab, screenshot=screenshot, quiet=quiet, scope=seen_by)
        )

    async def _look_at(
        self, tab: ConsolePage, *, screenshot: bool, quiet: bool, scope: Scope
    ) -> Observation:
        if tab.dialog is None:
            try:
                return await (
                    self._read(tab, screenshot, quiet)
                    if scope.pixels
                    else self._look(tab, screenshot, quiet, scope)
                )
            except DialogOpened:
                pass
        seen = without_look(
            url=tab.page.url,
            title=self._tabs.titles.get(tab, ""),
            secrets=self.secrets,
            tabs=self.tabs(),
            taken_at=self.clock.now(),
            dialog=tab.dialog_text,
            viewport=VIEWPORT,
        )
        return (
            replace(seen, screenshot=self._last_picture, raw_screenshot=self._last_picture)
            if screenshot
            else seen
        )

    async def _look(
        self, tab: ConsolePage, screenshot: bool, quiet: bool, scope: Scope
    ) -> Observation:
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
            view = View(
                page=tab,
                stamp=stamp,
                scope=scope,
                observation=seen.observation,
                hidden=seen.hidden,
                shows=seen.shows,
            )
        if picture:
            further = spots(await tab.layout(), self.secrets) if view.shows else ()
            hidden = (*view.hidden, *further)
            view = replace(view, observation=self._pictured(view.observation, picture, hidden))
        self._view = view
        return view.again(self.clock.now(), masked_tabs(self.tabs(), self.secrets), quiet=quiet)

    async def _read(self, tab: ConsolePage, screenshot: bool, quiet: bool) -> Observation:
        self._view = None
        assert self._sight is not None
        seen = await self._sight.look(
            tab,
            previous=self.latest,
            tabs=self.tabs(),
            taken_at=self.clock.now(),
            viewport=VIEWPORT,
            quiet=quiet,
        )
        told, self._tabs.titles[tab] = seen.observation, seen.observation.title
        if screenshot:
            self._last_picture = seen.picture
            told = replace(
                told,
                screenshot=draw_marks(seen.picture, told.elements, told.texts),
                raw_screenshot=seen.picture,
            )
        return told

    def _pictured(self, seen: Observation, picture: bytes, hidden: tuple[Box, ...]) -> Observation:
        raw = black_out(picture, hidden) if hidden else picture
        self._last_picture = raw
        return replace(
            seen, screenshot=draw_marks(raw, seen.elements, seen.texts), raw_screenshot=raw
        )

    def _assemble(self, tab: ConsolePage, reports: list[FrameReport], quiet: bool) -> Assembled:
        self._tabs.titles[tab] = str(reports[0].look["title"]) if reports else ""
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
        """Perform one action and return what changed. Raises `ProofwalkError` only for
        failures of the browser itself."""
        self.forget_view()
        await self._drop_glimpse()
        return await Hands(self).perform(action)
