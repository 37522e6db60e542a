"""`TaskPage` over a `ConsoleSession`, and over a synchronous Playwright page.

The first awaits the session and its scripts; the second never suspends, so that
`run_now` can drive a task's coroutines where there is no event loop (inside
BrowserGym).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from proofwalk.console.faults import WorldGone, translate
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable

if TYPE_CHECKING:
    from playwright.sync_api import Page as PlaywrightPage

T = TypeVar("T")
_UNTIL = (
    "(globalThis[Symbol.for('proofwalk.quiet')]?.until ?? ((holds) => Boolean(holds())))({script},"
    " {ms})"
)
_POLL_S = 0.05
"""Between two questions to a page that has lost its tracker, which would know the
moment."""
_MOVES = 5
"""How often a page may navigate away under a script before it is called restless."""


class SessionPage:
    """The session's active tab."""

    def __init__(self, session: ConsoleSession, endpoint: str) -> None:
        self.session = session
        self.endpoint = endpoint
        """The browser's CDP endpoint, for tasks that bring a client of their own."""

    @property
    def url(self) -> str:
        return next((tab.url for tab in self.session.tabs() if tab.active), "about:blank")

    async def open(self, url: str) -> None:
        await self.session.open(url, settle=False)

    async def evaluate(self, script: str, argument: object = None) -> Any:
        return await self._in_page(
            f"({script})({json.dumps(argument)})", self.session.deadlines.command
        )

    async def wait_until(self, script: str) -> None:
        seconds = self.session.deadlines.navigation
        try:
            async with asyncio.timeout(seconds):
                while not await self._in_page(
                    _UNTIL.format(script=script, ms=int(seconds * 1000)), seconds
                ):
                    await (await self.session.current()).changed(_POLL_S)
        except TimeoutError as error:
            what = f"a condition of the task did not hold within {seconds:g} s"
            raise unavailable("browser.timeout", what, hint="take a fresh sandbox") from error

    async def _in_page(self, expression: str, seconds: float) -> Any:
        """Value of an expression in the main document's own world, past Playwright's
        driver."""
        for _ in range(_MOVES):
            tab = await self.session.current()
            try:
                worlds = await tab.worlds.all(seconds)
                if worlds and worlds[0].main:
                    asking = tab.worlds.evaluate(worlds[0], expression, seconds, page=True)
                    return await tab.unless_dialog(asking, "a script of the task", seconds)
            except WorldGone:
                pass
            await self.session.wait_quiet()
        raise unavailable(
            "browser.restless",
            "the page kept navigating under a script of the task",
            hint="take a fresh sandbox",
        )


class SyncPage:
    """A page of synchronous Playwright; its timeouts are Playwright's own."""

    def __init__(self, page: PlaywrightPage) -> None:
        self._page = page

    @property
    def url(self) -> str:
        return self._page.url

    async def open(self, url: str) -> None:
        self._page.goto(url)

    async def evaluate(self, script: str, argument: object = None) -> Any:
        return self._page.evaluate(script, argument)

    async def wait_until(self, script: str) -> None:
        self._page.wait_for_function(script)


def run_now(work: Coroutine[Any, Any, T]) -> T:
    """Result of a coroutine that never suspends; raises `gym.task_awaits` when it
    does."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise invalid(
        "gym.task_awaits",
        "the task waited for something else than its page, which needs an event loop",
        hint="run it in proofwalk/Console-v0, or let it await only its TaskPage",
    )


def as_fault(error: BaseException, what: str) -> ProofwalkError:
    """Any failure of the browser as the house's error."""
    if isinstance(error, ProofwalkError):
        return error
    known = translate(error, what)
    if isinstance(known, ProofwalkError):
        return known
    return unavailable(
        "browser.restless", f"{what} failed: the page kept navigating", hint="take a fresh sandbox"
    )
