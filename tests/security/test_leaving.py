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
from tests.security.conftest import BOUNDS, Tripwire
from tests.security.pages import Hostile

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

LOADS = {
    "meta refresh": "<meta http-equiv=refresh content='0;url={u}'>",
    "base": "<base href='{u}'><img src=x.png><script src=x.js></script>",
    "image": (
        "<img src='{u}a.png'><img srcset='{u}b.png 2x'><picture><source"
        " srcset='{u}c.png'><img></picture>"
    ),
    "style": (
        "<link rel=stylesheet href='{u}a.css'><style>@import '{u}b.css';"
        " body{{background:url({u}c.png)}}</style>"
    ),
    "font": "<style>@font-face{{font-family:x;src:url({u}f.woff)}}body{{font-family:x}}</style>x",
    "script": "<script src='{u}a.js'></script><script type=module>import '{u}b.js'</script>",
    "import": "<script>import('{u}c.js').catch(() => 0)</script>",
    "hints": (
        "<link rel=preload as=fetch href='{u}a'><link rel=prefetch href='{u}b'><link"
        " rel=modulepreload href='{u}c'><link rel=icon href='{u}i.ico'><link rel=manifest"
        " href='{u}m.json'><link rel=search href='{u}s'>"
    ),
    "media": (
        "<video src='{u}v.mp4' autoplay poster='{u}p.png'></video><audio src='{u}a.mp3'"
        " autoplay></audio><track src='{u}t'>"
    ),
    "embedded": (
        "<object data='{u}o'></object><embed src='{u}e'><iframe src='{u}f'></iframe><portal"
        " src='{u}p'></portal>"
    ),
    "frame in a frame": (
        "<iframe srcdoc=\"<iframe src='{u}'></iframe><img src='{u}x'><meta http-equiv=refresh"
        " content='0;url={u}'>\"></iframe>"
    ),
    "svg": "<svg><image href='{u}a.png'/><use href='{u}u.svg#x'/><script href='{u}s.js'/></svg>",
    "requests": (
        "<script>fetch('{u}a', {{mode: 'no-cors', method: 'POST', body: 'x'}}).catch(() => 0);"
        "const x = new XMLHttpRequest(); x.open('PUT', '{u}b'); x.send();</script>"
    ),
    "event source": "<script>new EventSource('{u}e')</script>",
    "beacon": (
        "<script>navigator.sendBeacon('{u}b', 'x'); fetch('{u}k', {{keepalive: true, mode:"
        " 'no-cors'}}).catch(() => 0)</script>"
    ),
    "report": (
        "<script>new ReportingObserver(() => 0).observe(); try {{ fetchLater('{u}l',"
        " {{activateAfter: 0}}) }} catch {{ }}</script>"
    ),
    "worker": (
        '<script>new Worker(URL.createObjectURL(new Blob([\'fetch("{u}w", {{mode:'
        ' "no-cors"}})\'])))</script>'
    ),
    "worker's script": (
        "<script>new Worker(URL.createObjectURL(new Blob(['importScripts(\"{u}w.js\")'])))</script>"
    ),
    "redirected image": "<img src='/redirect?to={u}r'>",
    "redirected request": (
        "<script>fetch('/redirect?to={u}r', {{mode: 'no-cors'}}).catch(() => 0)</script>"
    ),
    "redirected script": "<script src='/redirect?to={u}r.js'></script>",
    "twice redirected": "<iframe src='/redirect?to=/redirect?to={u}r'></iframe>",
    "redirected worker request": (
        '<script>new Worker(URL.createObjectURL(new Blob([\'fetch("http://{own}/redirect?to={u}w", '
        '{{mode: "no-cors"}})\'])))</script>'
    ),
    "script location": "<script>setTimeout(() => location.replace('{u}'))</script>",
    "frame to top": "<iframe srcdoc=\"<script>top.location = '{u}'</script>\"></iframe>",
    "form": (
        "<form id=f action='{u}' method=post><input name=a"
        " value=b></form><script>f.submit()</script>"
    ),
    "service worker": "<script>navigator.serviceWorker.register('/sw.js').catch(() => 0)</script>",
    "payment": (
        "<script>try {{ new PaymentRequest([{{supportedMethods: '{u}pay'}}], {{total: {{label: 'x',"
        " amount: {{currency: 'EUR', value: '1'}}}}}}).show().catch(() => 0) }} catch {{"
        " }}</script>"
    ),
    "identity": (
        "<script>try {{ navigator.credentials.get({{identity: {{providers: [{{configURL:"
        " '{u}fed.json', clientId: 'x'}}]}}}}).catch(() => 0) }} catch {{ }}</script>"
    ),
}
"""What a page tries as soon as it is open."""

CLICKS = {
    "ping": "<a href='/other' ping='{u}ping'>Go</a>",
    "new tab": "<a href='{u}' target=_blank rel=opener>Go</a>",
    "window": (
        "<button onclick=\"open('{u}', 'x', 'width=200'); open('/redirect?to={u}')\">Go</button>"
    ),
    "window, later": (
        "<button onclick=\"const w = open('about:blank'); w.location = '{u}';"
        " w.fetch?.('{u}').catch(() => 0)\">Go</button>"
    ),
    "window written": (
        "<button onclick=\"const w = open(''); w.document.write('<img src={u}i><iframe"
        " src={u}f></iframe>')\">Go</button>"
    ),
    "form": (
        "<form action='{u}' method=post><input type=hidden name=a"
        " value=b><button>Go</button></form>"
    ),
    "form action": (
        "<form action='/other'><button formaction='{u}' formmethod=post>Go</button></form>"
    ),
    "form to a frame": (
        "<iframe name=t></iframe><form action='{u}' target=t method=post><button>Go</button></form>"
    ),
    "data": "<a href='data:text/html,<img src={u}>'>Go</a>",
    "data in a frame": (
        "<button onclick=\"t.src='data:text/html,<img"
        " src={u}><script>location=`{u}`</script>'\">Go</button><iframe id=t></iframe>"
    ),
    "blob": (
        "<button onclick=\"location = URL.createObjectURL(new Blob(['<img src={u}>'], {{type:"
        " 'text/html'}}))\">Go</button>"
    ),
    "blob window": (
        "<button onclick=\"open(URL.createObjectURL(new Blob(['<img src={u}>'], {{type:"
        " 'text/html'}})))\">Go</button>"
    ),
    "script address": "<a href=\"javascript:location.assign('{u}')\">Go</a>",
    "script address in a frame": (
        "<button onclick=\"t.src='javascript:`<img src={u}>`'\">Go</button><iframe id=t></iframe>"
    ),
    "filesystem": "<a href='filesystem:http://{own}/temporary/x'>Go</a>",
    "download": "<a href='{u}x.bin' download>Go</a>",
    "userinfo": "<a href='http://{own}@{host}/'>Go</a>",
    "another port": "<a href='//{host}/'>Go</a>",
    "view source": "<button onclick=\"open('view-source:{u}')\">Go</button>",
}
"""What a page tries when it is clicked."""


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


BEYOND = {
    "web socket": "new WebSocket('ws://{host}/s')",
    "web socket of a worker": (
        "new Worker(URL.createObjectURL(new Blob(['new WebSocket(\"ws://{host}/w\")'])))"
    ),
    "peer connection": (
        "const p = new RTCPeerConnection({{iceServers: [{{urls: ['stun:{host}',"
        " 'turn:{host}?transport=tcp'], username: 'x', credential: 'x'}}]}});"
        " p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))"
    ),
    "web transport": (
        "try {{ new WebTransport('https://{host}/').ready.catch(() => 0) }} catch {{ }}"
    ),
    "shared worker": (
        'new SharedWorker(URL.createObjectURL(new Blob([\'fetch("{u}s", {{mode: "no-cors"}})\'])))'
    ),
    "speculation": (
        "const s = document.createElement('script'); s.type = 'speculationrules'; s.text ="
        " JSON.stringify({{prefetch: [{{source: 'list', urls: ['{u}s']}}], prerender: [{{source:"
        " 'list', urls: ['{u}t']}}]}}); document.head.append(s)"
    ),
    "navigation": "document.body.insertAdjacentHTML('beforeend', '<iframe src={u}></iframe>')",
    "preconnect": (
        "document.head.insertAdjacentHTML('beforeend', '<link rel=preconnect href={u}><link"
        " rel=dns-prefetch href={u}>')"
    ),
}
"""What makes connections without a request that the browser's interception is asked
about: the sandbox's proxy is the wall."""


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
