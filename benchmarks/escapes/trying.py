"""One probe on one browser: the page is opened, clicked if it is to be, and given a
moment; what the foreign hosts heard meanwhile is the answer."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Error, Playwright

from benchmarks.escapes.listening import Hosts
from proofwalk.chassis.processes import start_child
from proofwalk.console.browser.chromium import devtools_address
from proofwalk.sandbox_scheduler.browser import SandboxedBrowser
from tests.console.conftest import Site
from tests.security.escape_probes import Probe

_LEAST_S, _MOST_S = 1.0, 4.0
"""How long a page is waited for: without the wall until something is heard, with it a
second longer than that took."""
_BETWEEN_S = 0.3
_BOUND_MS = 4000
_START_S = 60.0
_PLAIN = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-component-update",
    "--mute-audio",
)
"""Flags of the browser without a wall: what it needs to run, and nothing that holds it
back."""


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What came of a probe on one browser."""

    opened: bool
    """Whether the page itself was served, without which nothing was tried."""
    heard: tuple[str, ...]
    """What the foreign hosts heard."""
    seconds: float
    """How long they were listened to after the page had been opened."""


async def attempt(
    probe: Probe,
    name: str,
    *,
    browser: Browser,
    site: Site,
    hosts: Hosts,
    seconds: float | None = None,
) -> Tried:
    """Try a probe in a context of its own; `name` is in all that it asks for. Listen
    for so many seconds, or until something is heard."""
    known = {
        "u": f"http://127.0.0.1:{hosts.port}/{name}/",
        "host": f"127.0.0.1:{hosts.port}",
        "own": site.host,
        "port": hosts.port,
        "name": name,
    }
    path = f"/{name}"
    site.pages.clear()
    site.headers.clear()
    site.hits.clear()
    address = site.show(probe.html.format(**known), path=path, title=name)
    site.show("other", path="/other")
    site.headers[path] = {one: value.format(**known) for one, value in probe.headers.items()}
    if probe.script:
        site.pages[f"{path}.js"] = probe.script.format(**known)
        site.headers[f"{path}.js"] = {"Content-Type": "text/javascript"}
    # What the browser before this one has opened is accepted by now.
    await asyncio.sleep(_BETWEEN_S)
    hosts.begin()
    context = await browser.new_context()
    try:
        page = await context.new_page()
        with suppress(Error):
            await page.goto(address, timeout=_BOUND_MS, wait_until="commit")
        if probe.click:
            with suppress(Error):
                await page.get_by_text("Go", exact=True).first.click(timeout=_BOUND_MS)
        began = time.monotonic()
        await _listen(hosts, name, seconds)
        listened = time.monotonic() - began
    finally:
        with suppress(Error):
            await context.close()
    return Tried(
        opened=path in site.hits,
        heard=tuple(str(one) for one in hosts.of(name)),
        seconds=listened,
    )


async def _listen(hosts: Hosts, name: str, seconds: float | None) -> None:
    if seconds is not None:
        await asyncio.sleep(max(_LEAST_S, seconds))
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_MOST_S):
            await hosts.hear(name)


@asynccontextmanager
async def without_wall(playwright: Playwright, binary: Path) -> AsyncIterator[Browser]:
    """A browser that nothing holds back: the control."""
    with tempfile.TemporaryDirectory(prefix="pw-plain-", ignore_cleanup_errors=True) as name:
        argv = [str(binary), *_PLAIN, f"--user-data-dir={name}", "--remote-debugging-port=0"]
        child = await start_child(
            [*argv, "about:blank"],
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(_START_S):
                port, path = await devtools_address(child, Path(name))
            yield await playwright.chromium.connect_over_cdp(f"ws://127.0.0.1:{port}{path}")
        finally:
            await child.kill()


@dataclass(frozen=True, kw_only=True)
class Walled:
    """A browser as the scheduler starts it on this machine."""

    browser: Browser
    sandbox: SandboxedBrowser

    def refused(self) -> int:
        """How often its wall has refused so far."""
        return sum(self.sandbox.refused.values())


@asynccontextmanager
async def local(
    playwright: Playwright, binary: Path, *, folder: Path, hosts: Sequence[str]
) -> AsyncIterator[Walled]:
    """One that may reach these hosts."""
    sandbox = await SandboxedBrowser.start(binary, folder=folder)
    try:
        sandbox.allow(hosts)
        browser = await playwright.chromium.connect_over_cdp(sandbox.owners_endpoint)
        yield Walled(browser=browser, sandbox=sandbox)
    finally:
        await sandbox.end()
