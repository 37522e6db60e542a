"""Pages that want to use up time or memory, or break the observer's own scripts: every
look and action ends, soon, and typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import pytest

from proofwalk.console.actions import AnswerDialog, Click, Press, Type
from proofwalk.console.looking.prompt_text import render
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.session.tabs import TAB_LIMIT
from proofwalk.console.waiting.deadlines import Deadlines
from tests.console.conftest import Site, pick
from tests.security.conftest import BOUNDS
from tests.security.pages import Hostile

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

HUGE = {
    "buttons": ("<button>b</button>", 50_000),
    "texts": ("<p>t</p>", 50_000),
    "menu items": ("<div role=menuitem><button>b</button></div>", 8_000),
    "floating boxes": ("<div style='position:absolute;top:60px;left:9px;z-index:9'>x</div>", 8_000),
    "alerts": ("<p role=alert>a</p>", 8_000),
    "fields": ("<input><i></i>", 8_000),
    "dialogs": ("<div role=dialog><b>d</b></div>", 8_000),
}


@pytest.mark.parametrize("kind", HUGE)
async def test_a_huge_page_is_looked_at_in_bounded_time(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site, kind: str
) -> None:
    async with connect(deadlines=replace(BOUNDS, command=20.0, action=60.0)) as session:
        hostile = Hostile(session=session, site=site)
        html, many = HUGE[kind]
        body = (
            "<button>Go</button><div id=o></div><script>o.innerHTML ="
            f" {html!r}.repeat({many})</script>"
        )
        await session.open(site.show(body))
        narrow = await hostile.look(narrow=True)
        assert "Go" in [e.name for e in narrow.elements]
        whole = await hostile.look()
        assert len(whole.elements) <= 10_000
        assert len(whole.texts) <= 20_000
        assert len(repr(whole)) < 20_000_000
        assert len(render(whole, budget=8000)) < 9000


DEEP = {
    "divs": "const e = document.createElement('div')",
    "dialogs": "const e = document.createElement('div'); e.setAttribute('role', 'dialog')",
    "spans": "const e = document.createElement('span'); e.tabIndex = 0",
    "shadow roots": (
        "const h = document.createElement('div'); n.append(h); n = h.attachShadow({mode: i % 2 ?"
        " 'open' : 'closed'});const e = document.createElement('div')"
    ),
}


@pytest.mark.parametrize("kind", DEEP)
async def test_deep_nesting_does_not_use_up_the_stack(hostile: Hostile, kind: str) -> None:
    depth = 300 if kind == "shadow roots" else 10_000
    code = await hostile.failure(
        hostile.open(
            "<button>Go</button><script>let n = document.createElement('div'), top = n; for (let i"
            f" = 0; i < {depth}; i++) {{ {DEEP[kind]}; n.append(e); n = e }} n.append('deep');"
            " document.body.append(top)</script>",
        )
    )
    # Chromium itself may give such a tree up; the observer may not.
    assert code in {"", "browser.timeout", "browser.disconnected"}
    if not code:
        seen = await hostile.look()
        assert "Go" in [e.name for e in seen.elements]


ENDLESS = {
    "mutation": (
        "(function f() { o.innerHTML = '<ul>' + '<li><b>x</b></li>'.repeat(500) + '</ul>';"
        " requestAnimationFrame(f) })()"
    ),
    "microtasks": (
        "setInterval(() => { for (let i = 0; i < 1000; i++) Promise.resolve().then(() => { o.title"
        " = Math.random() }) }, 1)"
    ),
    "requests": "setInterval(() => fetch('/slow?ms=50&n=' + Math.random()), 5)",
    "layout": (
        "new ResizeObserver(() => { o.style.width = Math.random() * 500 + 'px'; o.offsetWidth"
        " }).observe(o); o.style.width = '9px'"
    ),
    "animations": "setInterval(() => o.animate([{opacity: .5}, {opacity: 1}], 900), 20)",
    "timers": "(function f() { setTimeout(f, 1); setTimeout(() => 0, 400) })()",
    "frames": "setInterval(() => { o.innerHTML = '<iframe srcdoc=x></iframe>'.repeat(3) }, 30)",
    "history": "setInterval(() => history.replaceState(0, '', '#' + Math.random()), 10)",
    "console": "setInterval(() => console.log('x'.repeat(1e5)), 5)",
    "errors": "setInterval(() => { throw new Error('x'.repeat(1e4)) }, 5)",
    "title": "setInterval(() => { document.title = Math.random() }, 5)",
}


@pytest.mark.parametrize("kind", ENDLESS)
async def test_a_page_that_never_rests_is_looked_at_as_it_is(hostile: Hostile, kind: str) -> None:
    page = await hostile.open(f"<button>Go</button><p id=o>x</p><script>{ENDLESS[kind]}</script>")
    assert (await hostile.click(page)).ok
    assert (await hostile.look()).elements[0].name == "Go"


async def test_a_page_that_keeps_going_elsewhere_ends_typed(hostile: Hostile) -> None:
    body = "<button>Go</button><script>location.href = '/?' + Math.random()</script>"
    assert await hostile.failure(hostile.open(body)) in {
        "",
        "browser.timeout",
        "browser.navigation",
    }
    assert (await hostile.open("<p>rest</p>")).texts[0].text == "rest"


async def test_a_thread_that_is_blocked_for_a_while_is_waited_for(hostile: Hostile) -> None:
    block = (
        "const end = performance.now() + 2500; while (performance.now() < end); document.title ="
        " 'over'"
    )
    page = await hostile.open(f'<button onclick="{block}">Go</button>')
    assert (await hostile.click(page)).ok
    assert (await hostile.look()).title == "over"


@pytest.mark.parametrize("where", ["click", "load", "timer"])
async def test_a_thread_that_is_blocked_for_good_is_a_failure_of_the_browser(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site, where: str
) -> None:
    bodies = {
        "click": '<button onclick="while (true);">Go</button>',
        "load": "<p>x</p><script>while (true);</script>",
        "timer": "<button>Go</button><script>setTimeout(() => { while (true); }, 900)</script>",
    }
    async with connect(
        deadlines=Deadlines(quiet=1.0, command=1.5, navigation=4.0, action=6.0)
    ) as session:
        hostile = Hostile(session=session, site=site)

        async def walk() -> None:
            page = await hostile.open(bodies[where])
            while True:  # until the block is noticed
                await hostile.click(page)
                await hostile.look()

        assert await hostile.failure(walk()) == "browser.timeout"
    async with connect(deadlines=BOUNDS) as session:
        assert (await Hostile(session=session, site=site).open("<p>next</p>")).texts[
            0
        ].text == "next"


async def test_a_tab_that_crashes_is_a_failure_of_the_browser(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site
) -> None:
    async with connect(
        deadlines=Deadlines(quiet=1.0, command=2.0, navigation=4.0, action=6.0)
    ) as session:
        hostile = Hostile(session=session, site=site)
        await hostile.open("<p>x</p>")
        (await session.current()).worlds.cdp.post("Page.crash").add_done_callback(
            lambda answer: answer.exception()
        )
        assert await hostile.failure(hostile.look()) in {"browser.disconnected", "browser.timeout"}


DIALOGS = {
    "alerts": "while (n++ < 40) alert('again ' + n)",
    "prompts": "while (n++ < 40) confirm('again') || prompt('again', 'x')",
    "timer": "setInterval(() => n++ < 25 && alert('again'), 1)",
}


@pytest.mark.parametrize("kind", DIALOGS)
async def test_a_storm_of_dialogs_blows_over(hostile: Hostile, kind: str) -> None:
    page = await hostile.open(f'<button onclick="let n = 0; {DIALOGS[kind]}">Go</button>')
    await hostile.click(page)
    for _ in range(30):
        seen = await hostile.look()
        if not seen.browser_dialog:
            break
        assert (await hostile.act(AnswerDialog(accept=True))).ok
    assert seen.browser_dialog == ""
    assert seen.elements[0].name == "Go"


async def test_alerts_without_end_are_bounded(hostile: Hostile) -> None:
    page = await hostile.open('<button onclick="while (true) alert(1)">Go</button>')
    await hostile.click(page)
    code = ""
    for _ in range(15):
        code = code or await hostile.failure(hostile.act(AnswerDialog(accept=True)))
        if code:
            break
    assert code in {"", "browser.timeout", "browser.protocol", "browser.disconnected"}


async def test_popups_in_a_loop_are_bounded(hostile: Hostile) -> None:
    page = await hostile.open(
        "<button onclick=\"for (let i = 0; i < 30; i++) open('/other?' + i, '_blank',"
        " 'width=90,height=90')\">Go</button>"
    )
    await hostile.act(Click(id=pick(page, "Go").mark))
    await hostile.look()
    assert 1 <= len(hostile.session.tabs()) <= TAB_LIMIT


POLLUTED = {
    "boxes": (
        "Element.prototype.getBoundingClientRect = () => ({left: 0, top: 0, width: 0, height: 0,"
        " right: 0, bottom: 0})"
    ),
    "JSON": "JSON.stringify = () => '{\"reports\":[]}'; JSON.parse = () => null",
    "symbols": (
        "Symbol.for = () => Symbol.iterator; globalThis[Symbol.iterator] = {wait: () => new"
        " Promise(() => 0)}"
    ),
    "observer": (
        "MutationObserver = class { observe() { throw 1 } disconnect() {} };"
        " MutationObserver.prototype.observe = () => { throw 1 }"
    ),
    "timers": (
        "setTimeout = setInterval = requestAnimationFrame = () => 0; clearTimeout = () => {"
        " throw 1 }"
    ),
    "promise": (
        "Promise = class { constructor() {} then() { return this } catch() { return this } }"
    ),
    "then": "Promise.prototype.then = function () { return new Promise(() => 0) }",
    "object": (
        "Object.prototype.then = function () {}; Object.prototype.value = 'evil';"
        " Object.prototype.get = () => 'evil'"
    ),
    "arrays": "Array.prototype[Symbol.iterator] = function* () { while (true) yield 1 }",
    "array methods": (
        "for (const m of ['map', 'filter', 'some', 'find', 'push', 'reduce', 'every'])"
        " Array.prototype[m] = () => { throw 1 }"
    ),
    "sets": (
        "Set.prototype.add = WeakMap.prototype.get = Map.prototype.get = () => { throw 1 };"
        " Set.prototype[Symbol.iterator] = () => { throw 1 }"
    ),
    "clock": "performance.now = Date.now = () => 0",
    "document": (
        "document.querySelectorAll = document.elementFromPoint = document.getAnimations = () => {"
        " throw 1 };Object.defineProperty(document, 'readyState', {get: () => 'loading'});"
        " Object.defineProperty(document, 'body', {get: () => null})"
    ),
    "globals": (
        "Object.defineProperty(globalThis, '__proofwalk', {get: () => { throw 1 }}); innerWidth ="
        " 1; innerHeight = 1"
    ),
    "tracker": (
        "const k = Object.getOwnPropertySymbols(globalThis).find((s) =>"
        " String(s).includes('proofwalk'));globalThis[k].wait = () => new Promise(() => 0);"
        " globalThis[k].closed = () => Array.from({length: 1e4}, () => document.body)"
    ),
    "tracker that lies": (
        "const k = Object.getOwnPropertySymbols(globalThis).find((s) =>"
        " String(s).includes('proofwalk'));globalThis[k].wait = () => ({toString: 1});"
        " globalThis[k].busy = () => { throw 1 }"
    ),
    "clobbered": (
        "document.body.insertAdjacentHTML('beforeend', '<form name=body><input"
        " name=scrollingElement><input name=parentElement><button>Inside</button><input"
        " name=getBoundingClientRect><input name=attributes><input name=children></form><img"
        " name=getAnimations>')"
    ),
    "frames": "for (let i = 0; i < 60; i++) document.body.append(document.createElement('iframe'))",
}


@pytest.mark.parametrize("what", POLLUTED)
async def test_what_a_page_does_to_its_own_world_changes_nothing_of_what_is_seen(
    hostile: Hostile, what: str
) -> None:
    page = await hostile.open(
        f"""<h1>Regions</h1><button onclick="o.textContent = 'pressed'">Go</button><input aria-label=Name><p id=o>idle</p>
        <script>{POLLUTED[what]}</script>"""
    )
    assert "Regions" in [text.text for text in page.texts]
    go = pick(page, "Go")
    assert go.box.width > 10
    assert (await hostile.click(page)).ok
    assert (await hostile.act(Type(id=pick(page, "Name").mark, text="web-1"))).ok
    assert (await hostile.act(Press(key="Tab"))).ok
    seen = await hostile.look(hidden=True)
    assert "pressed" in [text.text for text in seen.texts]
    assert pick(seen, "Name").value == "web-1"
    await hostile.look(narrow=True)


async def test_listeners_of_a_page_cannot_stop_the_guard_of_a_press(hostile: Hostile) -> None:
    page = await hostile.open(
        """<button onclick="document.title = 'right'">Go</button><script>for (const n of ['pointerdown', 'mousedown', 'pointerup',
        'click', 'mouseup', 'focusin']) addEventListener(n, (e) => { e.stopImmediatePropagation(); e.preventDefault() }, true)</script>"""
    )
    async with asyncio.timeout(10):
        result = await hostile.click(page)
    assert result.ok
    assert (await hostile.look()).title == "Fixture"
