"""A browser in which sessions are opened: Playwright's connection and one of our own
(`devtools`), both to the same CDP endpoint.

A session in a sandbox has its browser to itself and connects for it alone. Many
sessions in one browser, one after the other as in a Gymnasium environment, share a
connection: each further connection would attach itself to every tab of every other
session. Contexts are isolated from each other all the same. A broken connection breaks
all of its sessions; its owner connects again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from playwright.async_api import Browser, BrowserContext, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from proofwalk.console.browser.devtools import DevTools
from proofwalk.console.faults import bounded

VIEWPORT = (1440, 900)
CLOSE_S = 10.0
"""Seconds that closing a context, or a connection, may take."""


class ConsoleBrowser:
    """Connections to a running browser."""

    def __init__(self, browser: Browser, devtools: DevTools) -> None:
        self._browser = browser
        self.devtools = devtools

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, endpoint: str, *, seconds: float = 20.0, playwright: Playwright | None = None
    ) -> AsyncIterator[ConsoleBrowser]:
        """Connect to `endpoint` (http or ws), each connection within `seconds`.
        `playwright` shares one driver process. Leaving the context does not end the
        browser."""
        async with AsyncExitStack() as stack:
            driver = (
                playwright
                if playwright is not None
                else await stack.enter_async_context(async_playwright())
            )
            devtools = await bounded(
                stack.enter_async_context(DevTools.connect(endpoint, seconds=seconds)),
                seconds + 1,
                "connecting to the browser",
            )
            connecting = driver.chromium.connect_over_cdp(endpoint, timeout=seconds * 1000)
            browser = await bounded(connecting, seconds + 1, "connecting to the browser")
            stack.push_async_callback(_quietly, browser.close)
            yield cls(browser, devtools)

    @asynccontextmanager
    async def context(self, seconds: float) -> AsyncIterator[BrowserContext]:
        """Open an isolated context with the pinned profile: 1440x900 at scale 1, en-US,
        UTC, no downloads, no service workers."""
        making = self._browser.new_context(
            viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]},
            locale="en-US",
            timezone_id="UTC",
            device_scale_factor=1,
            accept_downloads=False,
            service_workers="block",
        )
        context = await bounded(making, seconds, "making a browser context")
        try:
            yield context
        finally:
            await _quietly(context.close)


async def _quietly(close: Callable[[], Awaitable[None]]) -> None:
    """Close something of the browser that may be gone already."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await close()
    except (PlaywrightError, TimeoutError):
        return
