"""No hostile page leaves the allowed hosts: a tripwire on a foreign port sees no
connection at all."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import pytest_asyncio

from proofwalk.console.browser.chromium import find_chromium
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.sandbox_scheduler.browser import SandboxedBrowser
from tests.console.conftest import Site
from tests.security.conftest import BOUNDS
from tests.security.escapes import BEYOND, CLICKS, LOADS
from tests.security.pages import Hostile
from tests.security.tripwire import Tripwire

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


def filled(html: str, wire: Tripwire, site: Site) -> str:
    return html.format(u=wire.url(), host=wire.host, own=site.host)


async def _stays(hostile: Hostile, wire: Tripwire) -> None:
    """The session is where it was, can be used on, and the tripwire was not touched."""
    await hostile.session.wait_quiet()
    await hostile.session.guard.settled()
    for tab in hostile.session.tabs():
        assert hostile.session.guard.hosts.allows(tab.url) or tab.url in {
            "about:blank",
            "",
        }, tab.url
    assert (await hostile.open("<button>Still here</button>")).elements[0].name == "Still here"
    assert wire.touched == []


@pytest.mark.parametrize("start", range(0, len(LOADS), 8))
async def test_nothing_leaves_when_a_page_loads(
    hostile: Hostile, wire: Tripwire, start: int
) -> None:
    for name in list(LOADS)[start : start + 8]:
        assert await hostile.failure(hostile.open(filled(LOADS[name], wire, hostile.site))) in {
            "",
            "browser.blocked_host",
        }
        assert wire.touched == [], name
    for api in (
        "PaymentRequest",
        "IdentityCredential",
    ):  # what they fetch comes late and past the session: they must not be there
        assert await (await hostile.session.current()).page.evaluate(f"typeof {api}") == "undefined"
    await _stays(hostile, wire)
    assert "/sw.js" not in hostile.site.hits


@pytest.mark.parametrize("way", CLICKS)
async def test_nothing_leaves_when_a_page_is_clicked(
    hostile: Hostile, wire: Tripwire, tmp_path: Path, way: str
) -> None:
    page = await hostile.open(filled(CLICKS[way], wire, hostile.site))
    result = await hostile.click(page)
    assert result.ok or result.code == "browser.blocked_host", result
    await hostile.look()
    await _stays(hostile, wire)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


async def test_a_frame_in_a_process_of_its_own_is_guarded_too(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site, wire: Tripwire
) -> None:
    # `localhost` is another site than `127.0.0.1`, so Chromium puts its frame into
    # another process.
    site.pages["/inner"] = filled(
        "<p>inner</p><img src='{u}a'><script>fetch('{u}b', {{mode: 'no-cors'}}).catch(() => 0); "
        "onmessage = () => fetch('/redirect?to={u}r', {{mode: 'no-cors'}}).catch(() => 0)</script>",
        wire,
        site,
    )
    other = f"localhost:{site.port}"
    async with connect(deadlines=BOUNDS, allowed_hosts=[site.host, other]) as session:
        await session.open(site.show(f"<p>outer</p><iframe src='http://{other}/inner'></iframe>"))
        seen = await session.observe(screenshot=False)
        assert {"outer", "inner"} <= {text.text for text in seen.texts}
        tab = await session.current()
        await tab.page.evaluate("frames[0].postMessage('redirect', '*')")
        async with asyncio.timeout(10):
            while not any(refusal.url == wire.url("/r") for refusal in session.refusals):
                await asyncio.sleep(0.02)
        await session.open(
            site.show(f"<iframe src='http://{other}/redirect?to={wire.url()}'></iframe>")
        )
        await session.observe(screenshot=False)
    assert wire.touched == []


@pytest_asyncio.fixture(loop_scope="session")
async def sandboxed(
    connect: Callable[..., object], site: Site, tmp_path: Path, driver: object
) -> AsyncIterator[Hostile]:
    """A session in a browser that is started the way a sandbox starts it."""
    browser = await SandboxedBrowser.start(find_chromium(None), folder=tmp_path / "sandboxes")
    try:
        browser.allow([site.host])
        from proofwalk.kernel.clock import SystemClock
        from tests.console.conftest import SECRETS

        async with ConsoleSession.connect(
            browser.owners_endpoint,
            allowed_hosts=[site.host],
            secrets=SECRETS,
            clock=SystemClock(),
            artifacts=tmp_path,
            playwright=driver,  # type: ignore[arg-type]
            deadlines=BOUNDS,
        ) as session:
            yield Hostile(session=session, site=site)
    finally:
        refused = await browser.end()
        shutil.rmtree(tmp_path / "sandboxes", ignore_errors=True)
        assert any(host.startswith("127.0.0.1:") for host in refused), refused


async def test_the_wall_stops_what_the_browser_is_not_asked_about(
    sandboxed: Hostile, wire: Tripwire
) -> None:
    script = ";".join(f"{{ {filled(code, wire, sandboxed.site)} }}" for code in BEYOND.values())
    await sandboxed.open(f"<p>page</p><script>{script}</script>")
    tab = await sandboxed.session.current()
    await tab.page.evaluate(
        f"new Promise((done) => {{ new WebSocket('ws://{wire.host}/').onerror = done }}).then(()"
        " => 0)"
    )
    seen = await sandboxed.look()
    assert [text.text for text in seen.texts] == ["page"]
    assert (wire.touched, wire.opened) == ([], 0)
