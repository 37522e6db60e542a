"""The hands on one page and one connection: clicks, text, waits and whole steps of
ours, plain DevTools calls and Playwright beside them."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import TimeoutError as PlaywrightTimeout

from benchmarks.step.commands import Taken, serve
from proofwalk.console.acting.fields import Fields
from proofwalk.console.acting.pointing import Pointing
from proofwalk.console.actions import Click, Type
from proofwalk.console.browser.starting import started_browser
from proofwalk.console.observation import Element
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.tab.page import ConsolePage
from proofwalk.kernel.clock import SystemClock

Way = Literal["ours", "networkidle", "fixed"]
WORDS = "cn-east-1a production gateway"
NETWORK_IDLE_S = 2.0
"""How long Playwright's `networkidle` is waited for, on a page where it may never
come."""
FIXED_S = 0.5
WARM_UP = 3


class Acting:
    """A session in a browser of its own."""

    def __init__(self, executable: str, hosts: list[str]) -> None:
        self._executable = executable
        self._hosts = hosts
        self._stack = AsyncExitStack()
        self._session: ConsoleSession | None = None

    async def _opened(self, url: str) -> tuple[ConsoleSession, ConsolePage]:
        if self._session is None:
            endpoint = await self._stack.enter_async_context(
                started_browser(Path(self._executable))
            )
            artifacts = Path(
                self._stack.enter_context(tempfile.TemporaryDirectory(prefix="proofwalk-"))
            )
            opening = ConsoleSession.connect(
                endpoint,
                allowed_hosts=self._hosts,
                secrets={},
                clock=SystemClock(),
                artifacts=artifacts,
            )
            self._session = await self._stack.enter_async_context(opening)
        await self._session.open(url)
        self._session.forget_view()
        await self._session.observe(screenshot=False)
        return self._session, await self._session.current()

    async def close(self) -> None:
        await self._stack.aclose()

    async def clicks(self, url: str, n: int) -> dict[str, Any]:
        """A click on one button, in turn by all ways."""
        session, tab = await self._opened(url)
        button = _named(session, "Press")
        at = button.box.center
        page = tab.page

        async def ours() -> None:
            assert session.latest is not None
            await Pointing(session, tab, session.latest).click(button)

        ways: dict[str, Callable[[], Awaitable[object]]] = {
            "ours": ours,
            "cdp": lambda: _click(tab, at),
            "cdp_pipelined": lambda: _click_pipelined(tab, at),
            "playwright_locator": lambda: page.locator("#press").click(),
        }
        taken = await _in_turn(ways, n)
        counted = int(await page.evaluate("Number(count.textContent)"))
        expected = (n + WARM_UP) * len(ways)
        return {**taken, "clicks": counted, "expected": expected}

    async def texts(self, url: str, n: int) -> dict[str, Any]:
        """The same words into one field, in turn by all ways."""
        session, tab = await self._opened(url)
        field, page = _named(session, "Name"), tab.page
        wrong = 0

        async def ours() -> None:
            assert session.latest is not None
            await Fields(session, tab, Pointing(session, tab, session.latest)).type(
                Type(id=field.mark, text=WORDS)
            )

        async def plain() -> None:
            send = tab.worlds.cdp.send
            await send("Runtime.evaluate", {"expression": "field.focus(); field.select()"})
            await send("Input.insertText", {"text": WORDS})

        ways: dict[str, Callable[[], Awaitable[object]]] = {
            "ours": ours,
            "cdp": plain,
            "playwright_fill": lambda: page.locator("#field").fill(WORDS),
        }
        for write in ways.values():
            await page.evaluate("field.value = 'before'")
            await write()
            wrong += await page.evaluate("field.value") != WORDS
        return {**await _in_turn(ways, n), "wrong": wrong}

    async def settles(self, url: str, way: Way) -> dict[str, Any]:
        """One click on a page that then works, and a wait; times are in milliseconds
        from the click's handler."""
        session, tab = await self._opened(url)
        page, at = tab.page, _named(session, "Go").box.center
        if way == "networkidle" and "polling" not in url:
            await page.wait_for_load_state("networkidle")  # as after the thinking of whoever clicks
        await _click_pipelined(tab, at)
        with Taken() as taken:
            if way == "ours":
                await session.wait_quiet()
            elif way == "networkidle":
                with suppress(PlaywrightTimeout):
                    await page.wait_for_load_state("networkidle", timeout=NETWORK_IDLE_S * 1000)
            else:
                await asyncio.sleep(FIXED_S)
            returned = time.time() * 1000
        await page.wait_for_function("() => finishedAt > 0")
        begun, finished = await page.evaluate("[begunAt, finishedAt]")
        return {
            "waited_ms": returned - begun,
            "true_ms": finished - begun,
            "beyond_ms": returned - finished,
            "seen": finished <= returned,
            "cpu_ms": taken.cpu_ms,
        }

    async def steps(self, url: str, n: int) -> dict[str, Any]:
        """Whole steps on a console page: look with marks, click a check box, wait, look
        again. And the browser's picture alone."""
        session, tab = await self._opened(url)
        seen = await session.observe(narrow=True)
        boxes = [e.mark for e in seen.elements if not e.offscreen and e.input_type == "checkbox"]
        changed, wall, cpu, pictures = 0, [], [], []
        parts: dict[str, dict[str, list[float]]] = {
            name: {"ms": [], "cpu_ms": []} for name in ("look", "click", "look_again")
        }
        for number in range(WARM_UP + n):
            with Taken() as look:
                await session.observe(narrow=True)
            with Taken() as click:
                result = await session.perform(Click(id=boxes[number % len(boxes)]))
            with Taken() as again:
                after = await session.observe(narrow=True)
            with Taken() as picture:
                await tab.screenshot()
            if number < WARM_UP:
                continue
            for part, taken in zip(parts.values(), (look, click, again), strict=True):
                part["ms"].append(taken.ms)
                part["cpu_ms"].append(taken.cpu_ms)
            wall.append(look.ms + click.ms + again.ms)
            cpu.append(look.cpu_ms + click.cpu_ms + again.cpu_ms)
            pictures.append(picture.cpu_ms)
            changed += result.ok and "checked" in result.message and bool(after.screenshot)
        return {
            "ms": wall,
            "cpu_ms": cpu,
            "parts": parts,
            "screenshot_cpu_ms": pictures,
            "changed": changed,
        }


def _named(session: ConsoleSession, name: str) -> Element:
    assert session.latest is not None
    return next(
        element for element in session.latest.elements if name in (element.name, element.label)
    )


def _events(at: tuple[float, float]) -> list[dict[str, Any]]:
    place = {"x": at[0], "y": at[1]}
    pressed = {**place, "button": "left", "clickCount": 1}
    return [
        {"type": "mouseMoved", **place},
        {"type": "mousePressed", "buttons": 1, **pressed},
        {"type": "mouseReleased", "buttons": 0, **pressed},
    ]


async def _click(tab: ConsolePage, at: tuple[float, float]) -> None:
    for event in _events(at):
        await tab.worlds.cdp.send("Input.dispatchMouseEvent", event)


async def _click_pipelined(tab: ConsolePage, at: tuple[float, float]) -> None:
    await asyncio.gather(
        *(tab.worlds.cdp.post("Input.dispatchMouseEvent", event) for event in _events(at))
    )


async def _in_turn(ways: dict[str, Callable[[], Awaitable[object]]], n: int) -> dict[str, Any]:
    """Times of each, the order turning by one from round to round."""
    wall: dict[str, list[float]] = {name: [] for name in ways}
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(n + WARM_UP):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            with Taken() as taken:
                await ways[name]()
            if number >= WARM_UP:
                wall[name].append(taken.ms)
                cpu[name].append(taken.cpu_ms)
    return {"ms": wall, "cpu_ms": cpu}


if __name__ == "__main__":
    acting = Acting(sys.argv[1], sys.argv[2:])
    serve(acting, acting.close)
