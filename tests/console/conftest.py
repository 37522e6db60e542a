"""A site served from loopback, a foreign one that must never be reached, one real
Chromium for the run, a session per test."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Playwright, async_playwright

from proofwalk.console.actions import Click
from proofwalk.console.browser.chromium import FLAGS, find_chromium
from proofwalk.console.browser.connection import ConsoleBrowser
from proofwalk.console.observation import Element, Observation
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.kernel.clock import SystemClock
from tests.fixtures.servers import SESSION_PIDS

SECRETS = {"console_password": "S3cr3t-Pa55!", "user": "walker-77"}


@dataclass
class Site:
    """Pages by path; `/slow` answers after `ms`, `/redirect` sends to `to`."""

    port: int
    pages: dict[str, str] = field(default_factory=dict)
    hits: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    """Method and path of all that was no GET."""
    headers: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """By path, beside the usual ones or in their place."""
    clock_off_s: float = 0.0
    """How far the `Date` of answers is from the time."""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def show(self, body: str, path: str = "/", title: str = "Fixture") -> str:
        """Serve this body; returns its address."""
        style = "<style>body{font:14px sans-serif;margin:20px}</style>"
        self.pages[path] = (
            "<!doctype html><html"
            f" lang=en><head><title>{title}</title>{style}</head><body>{body}</body></html>"
        )
        return self.url(path)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        site = self.server.site
        site.hits.append(self.path)
        if parts.path == "/redirect":
            self._send(302, "", Location=query["to"])
        elif parts.path == "/slow":
            time.sleep(int(query.get("ms", "200")) / 1000)
            self._send(200, query.get("text", "slow"))
        else:
            body = site.pages.get(parts.path)
            more = site.headers.get(parts.path, {})
            self._send(200 if body is not None else 404, body or "not here", **more)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.site.writes.append(f"{self.command} {self.path}")
        to = parse_qs(urlsplit(self.path).query).get("to")
        if to:
            self._send(302, "", Location=to[0])
        else:
            self._send(200, "written")

    do_PUT = do_DELETE = do_POST

    def _send(self, status: int, body: str, **more: str) -> None:
        data = body.encode()
        self.send_response(status)
        headers = {"Content-Type": "text/html; charset=utf-8", **more}
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def date_time_string(self, timestamp: float | None = None) -> str:
        moment = time.time() if timestamp is None else timestamp
        return super().date_time_string(int(moment + self.server.site.clock_off_s))

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    site: Site
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser may hang up at any time."""


def serve_site() -> Iterator[Site]:
    """A site on a free port of the loopback, until the iterator is closed."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.site = Site(port=server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server.site
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def _site() -> Iterator[Site]:
    yield from serve_site()


@pytest.fixture(scope="session")
def _foreign() -> Iterator[Site]:
    yield from serve_site()


@pytest.fixture
def site(_site: Site) -> Site:
    """The target's site, empty."""
    _site.pages.clear()
    _site.hits.clear()
    _site.writes.clear()
    _site.clock_off_s = 0.0
    return _site


@pytest.fixture
def foreign(_foreign: Site) -> Site:
    """A site that is not on the list."""
    _foreign.hits.clear()
    _foreign.show("<h1>Foreign</h1>")
    return _foreign


def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("chromium")
    argv = [
        str(find_chromium(None)),
        *FLAGS,
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        "about:blank",
    ]
    process = subprocess.Popen(
        argv, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    SESSION_PIDS.add(process.pid)
    announced = folder / "DevToolsActivePort"
    deadline = time.monotonic() + 60
    while not (announced.exists() and announced.read_text().count("/")):
        assert process.poll() is None, "Chromium did not start"
        assert time.monotonic() < deadline, "Chromium did not start in time"
        time.sleep(0.02)
    port, path = announced.read_text().splitlines()
    yield f"ws://127.0.0.1:{port}{path}"
    process.terminate()
    process.wait(timeout=20)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """CDP endpoint of a Chromium that lives as long as the run, for tests that connect
    by themselves."""
    yield from _chromium(tmp_path_factory)


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Another one, for `connected`: whoever is connected to a browser hears of all its
    tabs, and answers their dialogs."""
    yield from _chromium(tmp_path_factory)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def driver() -> AsyncIterator[Playwright]:
    """Playwright's driver process; the tests that use it share its loop."""
    async with async_playwright() as playwright:
        yield playwright


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def connected(shared_browser: str, driver: Playwright) -> AsyncIterator[ConsoleBrowser]:
    """One connection for all sessions of the run."""
    async with ConsoleBrowser.connect(shared_browser, playwright=driver) as shared:
        yield shared


@pytest.fixture
def connect(
    connected: ConsoleBrowser, site: Site, tmp_path: Path
) -> Callable[..., AbstractAsyncContextManager[ConsoleSession]]:
    """Opens sessions on the site."""

    def open_session(**more: object) -> AbstractAsyncContextManager[ConsoleSession]:
        options = {
            "allowed_hosts": [site.host],
            "secrets": SECRETS,
            "gate": SecretGate(anywhere=True),
            "clock": SystemClock(),
            "artifacts": tmp_path,
            **more,
        }
        return ConsoleSession.connect(connected, **options)  # type: ignore[arg-type]

    return open_session


@pytest_asyncio.fixture(loop_scope="session")
async def session(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]],
) -> AsyncIterator[ConsoleSession]:
    """A session with short bounds."""
    async with connect(deadlines=Deadlines(quiet=4.0, command=8.0, action=25.0)) as opened:
        yield opened


class See(Protocol):
    """Serves a body, opens it and looks at it."""

    async def __call__(self, body: str, *, screenshot: bool = False) -> Observation: ...


@pytest.fixture
def see(session: ConsoleSession, site: Site) -> See:
    """Serve a body, open it, look at it."""

    async def look(body: str, *, screenshot: bool = False) -> Observation:
        await session.open(site.show(body))
        return await session.observe(screenshot=screenshot)

    return look


async def pressed(see: See, session: ConsoleSession, code: str) -> None:
    """Show a page with a form to `/keys` and a button, and press the button, which runs
    the code."""
    page = await see(
        "<form method=post action=/keys></form><button onclick='go()'>Go</button>"
        f"<script>function go() {{ {code} }}</script>"
    )
    await session.perform(Click(id=pick(page, "Go").mark))
    await session.observe(screenshot=False)


def pick(observation: Observation, name: str, role: str = "", nth: int = 0) -> Element:
    """The element whose name or label is `name`."""
    found = [
        e
        for e in observation.elements
        if name in (e.name, e.label) and (not role or e.role == role)
    ]
    assert found, (
        f"no {role} {name!r} among {[(e.role, e.name, e.label) for e in observation.elements]}"
    )
    return found[nth]


def names(observation: Observation, role: str = "") -> list[str]:
    """Names of the elements in view."""
    return [
        e.name for e in observation.elements if not e.offscreen and (not role or e.role == role)
    ]
