"""When a page counts as being at rest."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.console.actions import Click
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, Site, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

BUSY = {
    "fetch": "fetch('/slow?ms=400').then(() => done())",
    "xhr": (
        "const x = new XMLHttpRequest(); x.onload = done; x.open('GET', '/slow?ms=400'); x.send()"
    ),
    "cascade": (
        "fetch('/slow?ms=200').then(() => setTimeout(() => fetch('/slow?ms=200').then(done), 100))"
    ),
    "debounce": "setTimeout(() => fetch('/slow?ms=100').then(done), 300)",
    "animation": "document.body.animate([{opacity: .5}, {opacity: 1}], 500).finished.then(done)",
    "late script": (
        "const x = document.createElement('script'); x.onload = x.onerror = done; x.src ="
        " '/slow?ms=300'; document.head.append(x)"
    ),
    "late image": (
        "const x = new Image(); x.onload = x.onerror = done; x.src = '/slow?ms=300';"
        " document.body.append(x)"
    ),
    "frames": "let n = 0; const f = () => n++ < 25 ? requestAnimationFrame(f) : done(); f()",
    "late frames": (
        "let n = 0; const f = () => { if (n++ >= 8) return done(); requestAnimationFrame(f); const"
        " end = performance.now() + 70; while (performance.now() < end); }; f()"
    ),
    "messages": (
        "const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => { const end ="
        " performance.now() + 25; while (performance.now() < end); n++ < 12 ?"
        " c.port2.postMessage(0) : done() }; c.port2.postMessage(0)"
    ),
    "size": (
        "new ResizeObserver(() => o.offsetWidth > 90 && done()).observe(o); setTimeout(() => {"
        " o.style.width = '99px' }, 30)"
    ),
    "spinner": "s.hidden = false; setTimeout(() => { s.hidden = true; done() }, 900)",
}


@pytest.mark.parametrize("kind", BUSY)
async def test_the_final_state_is_seen(see: See, session: ConsoleSession, kind: str) -> None:
    page = await see(
        f"""<span id=s hidden class=next-loading-indicator style="display:inline-block;width:20px">…</span>
        <style>[hidden]{{display:none!important}}</style><p id=o>start</p><script>const done = () => o.textContent =
        'final'</script><button onclick="{BUSY[kind]}">Go</button>"""
    )
    await session.perform(Click(id=pick(page, "Go").mark))
    assert "final" in [text.text for text in (await session.observe(screenshot=False)).texts]


NOISE = {
    "polling": "setInterval(() => fetch('/slow?ms=300'), 600)",
    "long polling": (
        "const poll = () => fetch('/slow?ms=700').then(() => setTimeout(poll, 50));"
        " setTimeout(poll, 1000)"
    ),
    "clock": "setInterval(() => o.textContent = Date.now(), 20)",
    "animation": (
        "document.body.animate([{opacity: .9}, {opacity: 1}], {duration: 300, iterations:"
        " Infinity})"
    ),
    "frames": "(function f() { requestAnimationFrame(f) })()",
    "messages": (
        "const c = new MessageChannel(); c.port1.onmessage = () => setTimeout(() =>"
        " c.port2.postMessage(0), 9); c.port2.postMessage(0)"
    ),
    "ticker": "setInterval(() => o.style.left = Math.random() + 'px', 16)",
}


@pytest.mark.parametrize("kind", NOISE)
async def test_noise_does_not_hold_a_page_up(
    session: ConsoleSession, site: Site, kind: str
) -> None:
    await session.open(site.show(f"<p id=o>start</p><script>{NOISE[kind]}</script>"))
    for _ in range(3):
        await session.observe(screenshot=False)
    page = await session.observe(screenshot=False)
    if kind != "long polling":
        assert page.quiet


async def test_a_busy_page_is_waited_for_no_longer_than_asked_and_told(
    session: ConsoleSession, site: Site
) -> None:
    await session.open(site.show("<p>start</p>"))
    tab = await session.current()
    await tab.page.evaluate("void fetch('/slow?ms=3000')")
    assert await session.wait_quiet(0.3) is False
    assert [text.text for text in (await session.look()).texts] == ["start"]


async def test_endless_change_is_looked_at_as_it_is(session: ConsoleSession, site: Site) -> None:
    change = (
        "o.insertAdjacentHTML('beforeend', '<li><b>x</b></li>'); if (o.children.length > 20)"
        " o.firstChild.remove()"
    )
    await session.open(
        site.show(f"<ul id=o></ul><script>setInterval(() => {{ {change} }}, 10)</script>")
    )
    async with asyncio.timeout(15):
        assert (await session.observe(screenshot=False)).texts


async def test_a_slow_navigation_is_waited_for(
    see: See, session: ConsoleSession, site: Site
) -> None:
    page = await see("<a href='/slow?ms=600&text=<h1>Arrived</h1>'>Go</a>")
    result = await session.perform(Click(id=pick(page, "Go").mark))
    assert "the address is now" in result.message
    assert [text.text for text in (await session.observe(screenshot=False)).texts] == ["Arrived"]


async def test_a_page_that_shows_nothing_yet_is_waited_for(see: See) -> None:
    """A timer of this length is no work that is waited for, but an empty page is."""
    later = "setTimeout(() => document.body.append('here'), 2600)"
    page = await see(f"<script>{later}</script>")
    assert [text.text for text in page.texts] == ["here"]


async def test_a_page_that_stays_empty_is_told_as_it_is(see: See) -> None:
    page = await see("<main></main>")
    assert page.is_blank
