"""A site on the loopback for tests of sources, good or hostile by path."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from proofwalk.inspection.documents import Listing, Sources
from proofwalk.inspection.sources.polite import Visit, WebSettings
from proofwalk.inspection.sources.web import Web
from proofwalk.inspection.sources.web_cache import WebCache
from proofwalk.kernel.clock import Clock, ManualClock
from proofwalk.orders.collection import Source, SourceKind
from tests.fixtures.reading import InPlace
from tests.inspection.kit import START, spec_of

SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'


def page(*links: str, title: str = "Stop", head: str = "") -> str:
    """A page with a procedure, and where it leads."""
    ways = "".join(f'<a href="{link}">more</a> ' for link in links)
    return (
        f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1>"
        f"<ol><li>Click <b>{title}</b>.</li></ol><p>{ways}</p></body></html>"
    )


@dataclass
class Site:
    """Pages by path; remembers the requests."""

    port: int = 0
    pages: dict[str, bytes] = field(default_factory=dict)
    heads: dict[str, list[str]] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    endless: Callable[[str], str] | None = None
    """Makes the page of a path that is none of `pages`."""
    requests: list[str] = field(default_factory=list)
    conditional: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def put(self, path: str, body: str | bytes, *head: str) -> str:
        """Answer a path; its address."""
        self.pages[path] = body.encode() if isinstance(body, str) else body
        kind = "application/xml" if path.endswith((".xml", ".gz")) else "text/html"
        self.heads[path] = [f"Content-Type: {'text/plain' if 'robots' in path else kind}", *head]
        return self.url + path

    def sitemap(self, *paths: str, at: str = "/sitemap.xml", changed: str = "") -> str:
        """A sitemap of these paths."""
        entries = (
            f"<url><loc>{self.url}{path}</loc><lastmod>{changed}</lastmod></url>" for path in paths
        )
        return self.put(at, SITEMAP.format("".join(entries)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path = head.split(" ")[1]
            self.requests.append(path)
            if "if-none-match" in head.lower():
                self.conditional.append(path)
            self._answer(path, head, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _answer(self, path: str, head: str, writer: asyncio.StreamWriter) -> None:
        lines = list(self.heads.get(path, ["Content-Type: text/html"]))
        body, status = self.pages.get(path, b""), 200 if path in self.pages else 404
        if path in self.redirects:
            status, lines = 302, [f"Location: {self.redirects[path]}"]
        elif status == 404 and self.endless is not None and path != "/robots.txt":
            status, body = 200, self.endless(path).encode()
        status = self.statuses.get(path, status)
        tag = next((line[6:] for line in lines if line.startswith("ETag: ")), "")
        if tag and f"if-none-match: {tag}" in head.lower():
            status, body = 304, b""
        lines.append(f"Content-Length: {len(body)}")
        writer.write("\r\n".join([f"HTTP/1.1 {status} X", *lines, "", ""]).encode() + body)


@asynccontextmanager
async def serving() -> AsyncIterator[Site]:
    """A site that listens."""
    site = Site()
    listener = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield site


class Reader:
    """Reads sources of the web as the role does, without pauses."""

    def __init__(self, folder: Path, site: Site) -> None:
        self._folder = folder
        self.site = site
        self.clock = ManualClock(START)
        self.pauses: list[float] = []

    async def read(
        self, kind: SourceKind, address: str, *, subfolder: str = "", **bounds: object
    ) -> Listing:
        fields: dict[str, object] = {
            "allow_hosts": frozenset({self.site.host}),
            "pause_s": 0.001,
            "timeout_s": 20,
        }
        settings = WebSettings(**{**fields, **bounds})  # type: ignore[arg-type]
        web = Web(self._folder, settings, reading=InPlace(), clock=self.clock, visit=self._visit)
        source = Source(kind=kind, address=address, subfolder=subfolder)
        sources = Sources(reading=InPlace(), roots=[], max_procedures=999, web=web)
        return await sources.read(spec_of(source=source))

    def _visit(self, settings: WebSettings, cache: WebCache, clock: Clock) -> Visit:
        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        return Visit(settings, cache, clock, pause=pause)
