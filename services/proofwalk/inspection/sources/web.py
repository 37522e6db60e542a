"""The pages of a site: those of its sitemap, or those that links lead to.

A *sitemap* names its pages, directly or by further sitemaps; each is followed once, and
their number, bytes and entries are bounded, so that an index without an end ends. A
*site* is crawled from its start page, nearest pages first, within the folder of that
page or the one that the source names; links with a query are left out unless the
settings say otherwise, and depth and number are bounded.

A page is known by its canonical address where it names one within the same bounds, else
by the address that answered. Two pages with the same bytes are one, and its links are
followed once: so a site that answers every address with the same page ends. A page that
the server does not have is not there; one that could not be fetched is told, and then
nobody knows what else is gone (`Pages.complete`).
"""

from __future__ import annotations

import asyncio
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from proofwalk.chassis.readers import Reading
from proofwalk.inspection.sources.errors import (
    ENVIRONMENT,
    MALFORMED,
    TOO_LARGE,
    TOO_SLOW,
    bad_address,
    unreadable,
)
from proofwalk.inspection.sources.polite import GONE, Visit, WebSettings, normal_url
from proofwalk.inspection.sources.web_cache import StoredPage, WebCache
from proofwalk.inspection.sources.web_reading import Links, Sitemap, SitemapEntry, WebReader
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.collection import Source, SourceKind
from proofwalk.procedures.addresses import Location, parse
from proofwalk.procedures.loading import decode

_GZIP = b"\x1f\x8b"
_HTML = ("text/html", "application/xhtml+xml", "")
_NO_PAGES = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "ico",
        "css",
        "js",
        "mjs",
        "json",
        "pdf",
        "zip",
        "gz",
        "tgz",
        "mp4",
        "webm",
        "woff",
        "woff2",
        "ttf",
    ]
)
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class WebPage:
    """A page of a site."""

    address: str
    """By which it is known."""
    page: StoredPage
    text: str


@dataclass(kw_only=True)
class Pages:
    """What a site has, in the order of its sitemap or of its links."""

    pages: dict[str, WebPage] = field(default_factory=dict)
    refused: dict[str, ProofwalkError] = field(default_factory=dict)
    complete: bool = True
    """Whether a page that is not here is not there either."""
    digests: set[str] = field(default_factory=set)


class Web:
    """Reads sites, one visit for each."""

    def __init__(
        self,
        folder: Path,
        settings: WebSettings,
        *,
        reading: Reading,
        clock: Clock,
        visit: Callable[[WebSettings, WebCache, Clock], Visit] = Visit,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._reader = WebReader(reading=reading)
        self._clock = clock
        self._visit = visit

    def check(self, source: Source) -> None:
        """Raises `collection.bad_source`."""
        if source.branch or (source.subfolder and source.kind is not SourceKind.SITE):
            raise bad_address(
                "only repositories have a branch, and only they and sites a folder",
                hint="leave them out",
            )
        try:
            parse(source.address)
        except ProofwalkError as error:
            raise bad_address(error.message, hint=error.hint) from None

    async def pages(self, source: Source) -> Pages:
        """The pages of a source. Raises `source.*`, and as `check`."""
        self.check(source)
        named = f"{source.kind.value} {source.address} {source.subfolder}"
        cache = WebCache.of(self._folder, named)
        visit = self._visit(self._settings, cache, self._clock)
        reading = _Reading(visit, self._reader, self._settings)
        by = reading.by_sitemap if source.kind is SourceKind.SITEMAP else reading.by_links
        try:
            async with asyncio.timeout(self._settings.timeout_s) as limit:
                pages = await by(source)
        except TimeoutError:
            if not limit.expired():
                raise
            raise unreadable(
                TOO_SLOW,
                f"the site was not read within {self._settings.timeout_s:g} seconds",
                hint="name a part of it, or give it more by PROOFWALK_INSPECTION__WEB__TIMEOUT_S",
            ) from None
        if pages.complete:
            await visit.leave()
        return pages


class _Reading:
    """One reading of one site."""

    def __init__(self, visit: Visit, reader: WebReader, settings: WebSettings) -> None:
        self._visit = visit
        self._reader = reader
        self._settings = settings
        self._pages = Pages()

    async def by_sitemap(self, source: Source) -> Pages:
        """The pages of a sitemap."""
        for location, entry in await self._entries(source.address):
            stored = await self._fetched(location.url, changed=entry.changed)
            text = None if stored is None else self._text(stored)
            if stored is not None and text is not None:
                self._take(stored, text)
        return self._pages

    async def by_links(self, source: Source) -> Pages:
        """The pages that links lead to."""
        start = await self._visit.start(source.address, sitemap=False)
        first = parse(start.url)
        within = _prefix(first, source.subfolder)
        queue = deque([(first, 0)])
        queued = {first.url}
        while queue:
            location, depth = queue.popleft()
            stored = await self._fetched(location.url)
            is_inside = stored is not None and parse(stored.url).target.startswith(within)
            if stored is None or not (is_inside or location is first):
                continue
            text = self._text(stored)
            if text is None:
                continue
            links = await self._links(stored, text)
            canonical = self._within(links.canonical, stored.url, within)
            is_new = not is_inside or self._take(stored, text, canonical)
            queued.add(stored.url)
            following = [canonical]
            if is_new and links.follow and depth < self._settings.max_depth:
                base = _joined(links.base, stored.url)
                following += [self._within(link, base, within) for link in links.links]
            for one in following:
                if one is not None and one.url not in queued:
                    queued.add(one.url)
                    queue.append((one, depth + 1))
                    self._bounded(len(queued))
        return self._pages

    async def _links(self, stored: StoredPage, text: str) -> Links:
        kind = stored.media_type.partition(";")[0].strip().lower()
        if kind not in _HTML:
            return Links(links=())
        try:
            return await self._reader.links(text)
        except ProofwalkError as error:
            self._refuse(stored.url, error)
            return Links(links=())

    async def _entries(self, address: str) -> list[tuple[Location, SitemapEntry]]:
        """The pages of a sitemap and of those that it names, each once."""
        waiting = deque([address])
        sitemaps = {address}
        entries: dict[str, tuple[Location, SitemapEntry]] = {}
        while waiting:
            url = waiting.popleft()
            is_first = url == address
            answer = await (
                self._visit.start(url, sitemap=True) if is_first else self._visit.sitemap(url)
            )
            sitemap = await self._parsed(answer.content)
            for entry in sitemap.entries:
                location = normal_url(entry.address)
                if location is None or not self._visit.lets(location):
                    log.info("sitemap_entry_left_out", address=entry.address[:200])
                elif not sitemap.is_index:
                    entries.setdefault(location.url, (location, entry))
                    self._bounded(len(entries))
                elif location.url not in sitemaps:
                    sitemaps.add(location.url)
                    waiting.append(location.url)
                    if len(sitemaps) > self._settings.max_sitemaps:
                        raise unreadable(
                            TOO_LARGE,
                            f"the index leads to more than {self._settings.max_sitemaps} sitemaps",
                            hint="name the sitemap of a part of the site",
                        )
        return list(entries.values())

    async def _parsed(self, body: bytes) -> Sitemap:
        most = self._settings.max_sitemap_bytes
        if body.startswith(_GZIP):
            body = await asyncio.to_thread(unpacked, body, most)
        try:
            return await self._reader.sitemap(body, most=self._settings.max_pages)
        except ProofwalkError as error:
            codes = {"sitemap.malformed": MALFORMED, "sitemap.too_many": TOO_LARGE}
            if error.code in codes:
                raise unreadable(codes[error.code], error.message, hint=error.hint) from None
            raise

    async def _fetched(self, url: str, *, changed: str = "") -> StoredPage | None:
        """A page; None, and it is told or left out, if there is none to read."""
        try:
            return await self._visit.page(url, changed=changed)
        except ProofwalkError as error:
            if error.code in ENVIRONMENT:
                raise
            self._refuse(url, error)
            return None

    def _text(self, stored: StoredPage) -> str | None:
        """A page's text; None, and it is told, where its bytes are none."""
        try:
            return decode(stored.content, stored.media_type).text
        except ProofwalkError as error:
            self._refuse(stored.url, error)
            return None

    def _refuse(self, url: str, error: ProofwalkError) -> None:
        """Tell a page that cannot be read; what is no page of the site is left out."""
        if error.code in ("fetch.other_site", "fetch.disallowed", "fetch.bad_media_type"):
            return
        if error.code != GONE:
            self._pages.complete = False
        self._pages.refused[url] = error

    def _take(self, stored: StoredPage, text: str, canonical: Location | None = None) -> bool:
        """Keep a page under its name; False if its like is there already."""
        address = stored.url if canonical is None else canonical.url
        is_new = stored.digest not in self._pages.digests
        self._pages.digests.add(stored.digest)
        fits = address == stored.url if address in self._pages.pages else is_new
        if fits:
            self._pages.pages[address] = WebPage(address=address, page=stored, text=text)
        return is_new

    def _within(self, link: str, base: str, within: str) -> Location | None:
        """Where a link leads, if that is a page to be asked."""
        location = normal_url(link, base) if link else None
        if location is None or not self._visit.lets(location):
            return None
        path, _, query = location.target.partition("?")
        suffix = path.rpartition("/")[2].rpartition(".")
        picture = bool(suffix[0]) and suffix[2].lower() in _NO_PAGES
        allowed = path.startswith(within) and not picture
        return location if allowed and (not query or self._settings.follow_queries) else None

    def _bounded(self, count: int) -> None:
        if count > self._settings.max_pages:
            raise unreadable(
                TOO_LARGE,
                f"the source has more than {self._settings.max_pages} pages",
                hint="name a part of the site, or raise PROOFWALK_INSPECTION__WEB__MAX_PAGES",
            )


def unpacked(body: bytes, most: int) -> bytes:
    """A gzip file's content, of at most `most` bytes. Raises `source.too_large`,
    `source.malformed`."""
    inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        content = inflate.decompress(body, most + 1)
    except zlib.error as error:
        raise unreadable(
            MALFORMED, f"the sitemap is no proper gzip: {error}", hint="check the sitemap"
        ) from None
    if len(content) > most:
        raise unreadable(
            TOO_LARGE,
            f"the sitemap has more than {most} bytes once it is unpacked",
            hint="name the sitemap of a part of the site",
        )
    return content


def _prefix(start: Location, given: str) -> str:
    """The folder within which a crawl stays, with `/` at both ends."""
    path = given or start.target.partition("?")[0].rpartition("/")[0]
    inner = path.strip("/")
    return f"/{inner}/" if inner else "/"


def _joined(base: str, url: str) -> str:
    location = normal_url(base, url) if base else None
    return url if location is None else location.url
