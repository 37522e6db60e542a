"""A walk's two edges: from the browser to the console that is walked, and from rollout
to the sandbox's browser over DevTools.

One Chromium serves both. Its sessions are the walk's own, with shorter waits than a
walk has (`WAITS`). A session whose DevTools are gone is over, and a walk takes a fresh
sandbox; so a call over DevTools is a whole session.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Playwright, async_playwright

from benchmarks.faults.edges import Call, Edge
from benchmarks.faults.place import Place, endpoint_of
from benchmarks.faults.proxy import FaultProxy
from proofwalk.console.browser.connection import CLOSE_S
from proofwalk.console.browser.starting import started_browser
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.kernel.clock import SystemClock

WAITS = Deadlines(connect=3.0, command=3.0, navigation=5.0, quiet=3.0)
SESSION_S = 3 * (WAITS.connect + 1) + 2 * WAITS.command + WAITS.quiet + 2 * CLOSE_S
"""Two connections and a context are opened, the context is prepared, the page is
looked at, and both are closed again."""
VISIT_S = WAITS.navigation + 1 + WAITS.quiet


@asynccontextmanager
async def browser_edges(place: Place) -> AsyncIterator[list[Edge]]:
    """Both edges, while a browser runs."""
    with tempfile.TemporaryDirectory(prefix="pw-faults-") as folder:
        async with async_playwright() as playwright, started_browser() as endpoint:
            visits = _Visits(playwright, endpoint, Path(folder))
            yield [_console_edge(place, visits), _devtools_edge(visits)]


class _Visits:
    """Sessions in the one browser."""

    def __init__(self, playwright: Playwright, endpoint: str, folder: Path) -> None:
        self._playwright = playwright
        self._folder = folder
        self.endpoint = endpoint

    def session(self, endpoint: str, host: str) -> AbstractAsyncContextManager[ConsoleSession]:
        """One that may go to a host, by DevTools at an endpoint."""
        return ConsoleSession.connect(
            endpoint,
            allowed_hosts=[host],
            secrets={},
            clock=SystemClock(),
            artifacts=self._folder,
            deadlines=WAITS,
            playwright=self._playwright,
        )


async def _connections(proxy: FaultProxy) -> int:
    return proxy.connections


def _console_edge(place: Place, visits: _Visits) -> Edge:
    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        async with visits.session(visits.endpoint, proxy.target) as session:

            async def call() -> None:
                await session.open(f"http://{proxy.target}/signin")

            yield call

    return Edge(
        caller="rollout",
        callee="console",
        operation="open a page",
        deadline_s=VISIT_S,
        upstream=endpoint_of(f"{place.settings.devcloud.host}:{place.settings.devcloud.port}"),
        opened=opened,
        attempts=_connections,
    )


def _devtools_edge(visits: _Visits) -> Edge:
    parts = urlsplit(visits.endpoint)

    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        endpoint = f"ws://{proxy.target}{parts.path}"

        async def call() -> None:
            async with visits.session(endpoint, "127.0.0.1:1") as session:
                await session.observe(screenshot=False)

        yield call

    return Edge(
        caller="rollout",
        callee="sandbox",
        operation="a session over DevTools",
        deadline_s=SESSION_S,
        upstream=endpoint_of(parts.netloc),
        opened=opened,
        attempts=_connections,
    )
