"""Nothing outside the allow-list is reached, whatever way a page tries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from proofwalk.console.actions import Click, GoTo, OpenTab
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError
from tests.console.conftest import See, Site, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LEAVES = {
    "link": "<a href='{foreign}'>Go</a>",
    "script": "<button onclick=\"location='{foreign}'\">Go</button>",
    "redirect": "<a href='/redirect?to={foreign}'>Go</a>",
    "form": "<form action='{foreign}'><button>Go</button></form>",
    "userinfo": "<a href='http://{own}@{foreign_host}/'>Go</a>",
    "frame": "<button onclick=\"f.src='{foreign}'\">Go</button><iframe id=f></iframe>",
    "frame redirect": (
        "<button onclick=\"f.src='/redirect?to={foreign}'\">Go</button><iframe id=f></iframe>"
    ),
}


@pytest.mark.parametrize("way", LEAVES)
async def test_a_leave_is_refused_and_the_page_stays(
    see: See, session: ConsoleSession, site: Site, foreign: Site, way: str
) -> None:
    page = await see(
        LEAVES[way].format(foreign=foreign.url(), own=site.host, foreign_host=foreign.host)
    )
    result = await session.perform(Click(id=pick(page, "Go").mark))
    assert (result.ok, result.code) == (False, "browser.blocked_host")
    seen = await session.observe(screenshot=False)
    assert seen.url == site.url("/")
    assert seen.title == "Fixture"
    assert foreign.hits == []


@pytest.mark.parametrize(
    "way",
    [
        "<a target=_blank href='{foreign}'>Go</a>",
        "<button onclick=\"window.open('{foreign}')\">Go</button>",
    ],
)
async def test_a_popup_reaches_nothing_foreign(
    see: See, session: ConsoleSession, foreign: Site, way: str
) -> None:
    page = await see(way.format(foreign=foreign.url()))
    await session.perform(Click(id=pick(page, "Go").mark))
    await session.observe(screenshot=False)
    assert foreign.hits == []
    assert any(refusal.url == foreign.url() for refusal in session.refusals)


@pytest.mark.parametrize(
    "code",
    [
        "fetch('{u}').catch(() => 0)",
        "new Image().src='{u}'",
        "fetch('/redirect?to={u}').catch(() => 0)",
        "navigator.sendBeacon('{u}')",
    ],
)
async def test_parts_of_a_page_are_not_fetched_from_elsewhere(
    see: See, session: ConsoleSession, foreign: Site, code: str
) -> None:
    page = await see(f'<button onclick="{code.format(u=foreign.url("/x"))}">Go</button>')
    assert (await session.perform(Click(id=pick(page, "Go").mark))).ok
    assert foreign.hits == []
    assert any(
        refusal.url.startswith(foreign.url()) and not refusal.document
        for refusal in session.refusals
    )


@pytest.mark.parametrize(
    "url",
    [
        "data:text/html,<h1>x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "chrome://version",
        "http://127.0.0.1:1/",
    ],
)
async def test_addresses_that_are_not_opened(session: ConsoleSession, site: Site, url: str) -> None:
    await session.open(site.show("<h1>Home</h1>"))
    for action in (GoTo(url=url), OpenTab(url=url)):
        result = await session.perform(action)
        assert (result.ok, result.code) == (False, "browser.blocked_host")
    with pytest.raises(ProofwalkError) as caught:
        await session.open(url)
    assert caught.value.code == "browser.blocked_host"


async def test_a_document_without_a_request_is_undone(
    see: See, session: ConsoleSession, site: Site
) -> None:
    page = await see(
        "<button onclick=\"f.src='data:text/html,<button>Evil</button>'\">Go</button><iframe"
        " id=f></iframe>"
    )
    result = await session.perform(Click(id=pick(page, "Go").mark))
    assert result.code == "browser.blocked_host"
    seen = await session.observe(screenshot=False)
    assert [e.name for e in seen.elements] == ["Go"]


async def test_downloads_are_denied_and_workers_blocked(
    see: See, session: ConsoleSession, site: Site
) -> None:
    page = await see("<a href='/file.bin' download>Get</a>")
    tab = await session.current()
    await session.perform(Click(id=pick(page, "Get").mark))
    assert (await session.look()).url == site.url("/")
    await tab.page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => 0, () => 0)")
    assert "/sw.js" not in site.hits


async def test_a_dead_browser_is_a_failure_of_the_sandbox(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site
) -> None:
    async with connect() as opened:
        await opened.open(site.show("<h1>x</h1>"))
        tab = await opened.current()
        await tab.page.close()
        with pytest.raises(ProofwalkError) as caught:
            async with asyncio.timeout(20):
                await opened.observe()
    assert caught.value.code == "browser.disconnected"
    assert caught.value.retryable
