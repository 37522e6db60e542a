"""The programs that speak to browsers: Playwright's drivers, shared by episodes.

Starting a driver costs as much as a short walk, so one serves several sessions; each
session still has its own browser. Another driver is started when all are full. A driver
with which a session could not be opened is not used again: it may be the one that is
broken.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType

import structlog
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright

from proofwalk.kernel.errors import unavailable

SESSIONS = 8
"""Sessions that one driver serves: it is a single thread."""
_START_S = 30.0
_STOP_S = 10.0
log = structlog.get_logger()


@dataclass
class _Driver:
    playwright: Playwright
    sessions: int = 0
    suspect: bool = False


class Drivers:
    """Hands out drivers. Use as an async context manager."""

    def __init__(self, *, sessions: int = SESSIONS) -> None:
        self._most = sessions
        self._drivers: list[_Driver] = []
        self._starting = asyncio.Lock()

    @asynccontextmanager
    async def driver(self) -> AsyncIterator[Playwright]:
        """One to open a session with. Raises `browser.no_driver`. What fails under it
        makes it suspect."""
        async with self._starting:
            found = next(
                (one for one in self._drivers if one.sessions < self._most and not one.suspect),
                None,
            )
            if found is None:
                found = _Driver(playwright=await _start())
                self._drivers.append(found)
            found.sessions += 1
        try:
            yield found.playwright
        except PlaywrightError:
            found.suspect = True
            raise
        finally:
            found.sessions -= 1
            if found.sessions == 0 and (found.suspect or len(self._drivers) > 1):
                self._drivers.remove(found)
                await asyncio.shield(_stop(found.playwright))

    async def __aenter__(self) -> Drivers:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        drivers, self._drivers = self._drivers, []
        for one in drivers:
            await _stop(one.playwright)


async def _start() -> Playwright:
    try:
        async with asyncio.timeout(_START_S):
            return await async_playwright().start()
    except (TimeoutError, OSError, PlaywrightError) as error:
        raise unavailable(
            "browser.no_driver",
            f"the browser's driver does not start: {error}",
            hint="pip install playwright",
        ) from error


async def _stop(playwright: Playwright) -> None:
    try:
        async with asyncio.timeout(_STOP_S):
            await playwright.stop()
    except Exception as error:
        # Its process ends with ours at the latest.
        log.warning("driver_not_stopped", error=type(error).__name__)
