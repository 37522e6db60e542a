"""Keeps an episode on its allowed hosts, inside the browser.

Three checks, since none sees everything: `context.route` stops first requests of every
page and frame, the `Fetch` interception of each tab, and of each frame in a process of
its own, stops redirects (which Playwright lets pass), and `framenavigated` undoes what
still got through (`data:`, `blob:`, `javascript:` documents). Aborting a navigation as
"aborted" leaves the page where it was. The sandbox's egress proxy is the wall behind
all of this (docs/security.md). Refusals are kept, bounded, so that an action can tell
that it was stopped.

Answers to requests that may change something pass by here as well, for their `Date`
(`server_clock`).

From `only_read` on, a request that does not only read (`safety.reading`) is refused by
the first two checks as well, whatever its host. What is sent through a WebSocket passes
neither.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page, Route

from proofwalk.console.browser.devtools import DevToolsSession
from proofwalk.console.safety.hosts import AllowedHosts
from proofwalk.console.safety.reading import ReadingRule
from proofwalk.console.session.server_clock import ServerClock
from proofwalk.kernel.clock import Clock

_EVERYTHING = {"patterns": [{"urlPattern": "*", "requestStage": "Request"}]}
_BLANK = ("about:blank", "about:srcdoc", "chrome-error://chromewebdata/", "")


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A refused address."""

    url: str
    document: bool
    """True if the address was to become a page, not a part of one."""


@dataclass(frozen=True, kw_only=True)
class RefusedWrite:
    """A request that was refused because it does not only read."""

    method: str
    url: str


class HostGuard:
    """Enforces the allow-list of one browser context."""

    def __init__(self, hosts: AllowedHosts, *, seconds: float, clock: Clock) -> None:
        self.hosts = hosts
        self.server_clock = ServerClock(clock)
        self.refusals: deque[Refusal] = deque(maxlen=200)
        self.count = 0
        self.on_document_refused: Callable[[], None] = lambda: None
        self._seconds = seconds
        self._tasks: set[asyncio.Task[None]] = set()
        self._good: dict[Page, str] = {}
        self._rule: ReadingRule | None = None
        self._writes: deque[RefusedWrite] = deque(maxlen=1000)

    def only_read(self, rule: ReadingRule) -> None:
        """Refuse every request that does not only read, from now on."""
        self._rule = rule

    def refused_writes(self) -> tuple[RefusedWrite, ...]:
        """Return the requests refused since the last call because they do not only
        read, at most 1,000."""
        writes = tuple(self._writes)
        self._writes.clear()
        return writes

    def _writes_with(self, method: str, url: str, body: str | None) -> bool:
        """Return True, and keep the request, if it is to be refused as a write."""
        if self._rule is None or self._rule.allows(method, url, body):
            return False
        self._writes.append(RefusedWrite(method=method, url=url))
        return True

    def _refuse(self, url: str, *, document: bool) -> None:
        self.refusals.append(Refusal(url=url, document=document))
        self.count += 1
        if document:
            self.on_document_refused()

    def since(self, count: int) -> tuple[Refusal, ...]:
        """Return refusals after the first `count` of the session."""
        fresh = min(self.count - count, len(self.refusals))
        return tuple(self.refusals)[len(self.refusals) - fresh :] if fresh > 0 else ()

    def _spawn(self, work: Any) -> None:
        async def run() -> None:
            try:
                async with asyncio.timeout(self._seconds):
                    await work
            except (PlaywrightError, TimeoutError):
                return

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settled(self) -> None:
        """Wait until every navigation to a refused address has been undone."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def close(self) -> None:
        """Cancel what is under way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def on_route(self, route: Route) -> None:
        """Handle a request of `context.route`, which passes every address that
        `AllowedHosts.others` matches."""
        request = route.request
        try:
            if self.hosts.allows(request.url):
                await route.continue_()
                return
            document = request.is_navigation_request()
            self._refuse(request.url, document=document)
            await route.abort("aborted" if document else "blockedbyclient")
        except PlaywrightError:
            return

    async def on_request(self, route: Route) -> None:
        """Handle a request of `context.route` in a session that only reads; it sees
        those of workers, which have no tab."""
        request = route.request
        try:
            body = (request.post_data_buffer or b"").decode("utf-8", "replace")
            if self._writes_with(request.method, request.url, body):
                await route.abort("aborted" if request.is_navigation_request() else "failed")
                return
            await route.fallback()
        except PlaywrightError:
            return

    def intercept(self, cdp: DevToolsSession) -> asyncio.Future[dict[str, Any]]:
        """Stop requests of one target (a tab, or a frame in a process of its own) to
        other hosts, redirects included."""

        def paused(event: dict[str, Any]) -> None:
            request, request_id = event["request"], event["requestId"]
            known = event.get("networkId") or request_id
            if "responseStatusCode" in event or "responseErrorReason" in event:
                self.server_clock.compare(known, _date_of(event))
                self._spawn(cdp.post("Fetch.continueRequest", {"requestId": request_id}))
                return
            url, document = request["url"], event.get("resourceType") == "Document"
            if self._writes_with(request["method"], url, request.get("postData")):
                reason = "Aborted" if document else "Failed"
                self._spawn(cdp.post("Fetch.failRequest", _failed(request_id, reason)))
                return
            if self.hosts.allows(url) or not url.startswith(("http:", "https:", "ws:", "wss:")):
                compared = self.server_clock.begin(known, request["method"], url)
                going = {"requestId": request_id, "interceptResponse": compared}
                self._spawn(cdp.post("Fetch.continueRequest", going))
                return
            self._refuse(url, document=document)
            reason = "Aborted" if document else "BlockedByClient"
            self._spawn(cdp.post("Fetch.failRequest", _failed(request_id, reason)))

        cdp.on("Fetch.requestPaused", paused)
        return cdp.post("Fetch.enable", _EVERYTHING)

    def intercept_frame(self, cdp: DevToolsSession) -> None:
        """Do the same for a frame that has just attached itself."""

        async def enabled(answer: asyncio.Future[dict[str, Any]]) -> None:
            await answer

        self._spawn(enabled(self.intercept(cdp)))

        def created(event: dict[str, Any]) -> None:
            # What is switched on before the frame's document is there does not hold for
            # the document's own requests.
            if (event["context"].get("auxData") or {}).get("isDefault"):
                self._spawn(enabled(cdp.post("Fetch.enable", _EVERYTHING)))

        cdp.on("Runtime.executionContextCreated", created)

    async def watch(self, page: Page, cdp: DevToolsSession) -> None:
        """Watch one tab for redirects and for documents that need no request."""

        def navigated(frame: Frame) -> None:
            url = frame.url
            if url in _BLANK or self.hosts.allows(url):
                if frame is page.main_frame and url.startswith("http"):
                    self._good[page] = url
                return
            self._refuse(url, document=True)
            if frame is page.main_frame:
                self._spawn(page.goto(self._good.get(page, "about:blank"), wait_until="commit"))
            else:
                self._spawn(frame.goto("about:blank", wait_until="commit"))

        page.on("framenavigated", navigated)
        await self.intercept(cdp)
        if page.url not in _BLANK:
            navigated(page.main_frame)


def _date_of(event: dict[str, Any]) -> str:
    headers = event.get("responseHeaders") or []
    return next((one["value"] for one in headers if one["name"].lower() == "date"), "")


def _failed(request_id: str, reason: str) -> dict[str, str]:
    return {"requestId": request_id, "errorReason": reason}
