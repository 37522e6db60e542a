"""Asks a site for one page after the other, as its `robots.txt` lets it.

`Visit` is one reading of one site: requests follow one another with a pause, redirects
stay on the site and within what `robots.txt` lets be asked, and bytes, seconds and
failures of the whole reading are bounded. A page that the server says is the same as
before comes from the cache. Requests go through `procedures.fetch` and so through its
guard; nothing of a page is loaded that a page names (scripts, pictures, frames).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from urllib.parse import urldefrag, urljoin

from proofwalk.inspection.sources.errors import TOO_LARGE, UNREACHABLE, from_fetch, unreadable
from proofwalk.inspection.sources.robots import MAX_BYTES, Robots, read_robots
from proofwalk.inspection.sources.web_cache import StoredPage, WebCache
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.procedures.addresses import Location, parse
from proofwalk.procedures.fetch import ACCEPTED_TYPES, FetchedDocument, FetchSettings, fetch_url

_SITEMAP_TYPES = ACCEPTED_TYPES | {
    "application/gzip",
    "application/x-gzip",
    "application/octet-stream",
    "binary/octet-stream",
    "application/rss+xml",
}
_LONGEST_DELAY_S = 10.0
_MOST_FAILURES = 5
"""Failures in a row of the server, after which it is not asked any more."""
GONE = "fetch.not_found"
"""The server says that there is no such page."""


@dataclass(frozen=True, kw_only=True)
class WebSettings:
    """Bounds of the reading of one site."""

    allow_hosts: frozenset[str] = frozenset()
    max_page_bytes: int = 5_000_000
    max_bytes: int = 256 * 1024 * 1024
    """Of all pages together."""
    max_sitemap_bytes: int = 50 * 1024 * 1024
    """Of a sitemap, on the wire and unpacked."""
    max_sitemaps: int = 200
    max_pages: int = 20_000
    max_depth: int = 10
    """Links between the start page and the farthest page of a crawl."""
    pause_s: float = 0.25
    timeout_s: float = 3600.0
    """Of a whole reading."""
    trust_lastmod_s: float = 7 * 86400.0
    """Seconds for which an unchanged `lastmod` spares the request."""
    follow_queries: bool = False


def outside(url: str, why: str, *, code: str = "fetch.other_site") -> ProofwalkError:
    """The error for an address that is not to be asked."""
    return ProofwalkError(
        code, f"{url[:200]!r} {why}", status=Status.PERMISSION_DENIED, hint="it is left out"
    )


def normal_url(url: str, base: str = "") -> Location | None:
    """An address without its fragment, with a link's base in the place of what it does
    not say; None where it is none of the web's."""
    try:
        return parse(urldefrag(urljoin(base, url)).url)
    except (ProofwalkError, ValueError):
        return None


class Visit:
    """One reading of one site."""

    def __init__(
        self,
        settings: WebSettings,
        cache: WebCache,
        clock: Clock,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._cache = cache
        self._clock = clock
        self._pause = pause
        self._site = ""
        self._robots = Robots()
        self._asked_once = False
        self._bytes = 0
        self._failures = 0
        self._visited: set[str] = set()

    @property
    def site(self) -> str:
        """Scheme, host and port of the site."""
        return self._site

    async def enter(self, url: str) -> None:
        """Take the site of an address as the one that is visited, and read its
        `robots.txt`: without one everything may be asked, and while its server fails
        nothing. Raises `source.*`."""
        self._site, self._robots = _site_of(parse(url)), Robots()
        bounds = self._bounds(max_bytes=MAX_BYTES * 4, types=_SITEMAP_TYPES)
        try:
            answer = await self._ask(f"{self._site}/robots.txt", replace(bounds, permit=None))
        except ProofwalkError as error:
            status = error.details.get("status", "")
            refused = status.startswith("4") and status != "429"
            if refused or error.code in (GONE, "fetch.bad_media_type"):
                return
            raise from_fetch(error) from None
        self._robots = read_robots(answer.content[:MAX_BYTES].decode("utf-8", "replace"))

    def lets(self, location: Location) -> bool:
        """Whether an address is one of the site that may be asked."""
        return _site_of(location) == self._site and self._robots.allows(location.target)

    async def start(self, url: str, *, sitemap: bool) -> FetchedDocument:
        """The page that a source names. Where it redirects to another site, that one is
        visited. Raises `source.*`."""
        await self.enter(url)
        bounds = self._bounds(
            max_bytes=self._settings.max_sitemap_bytes if sitemap else 0,
            types=_SITEMAP_TYPES if sitemap else ACCEPTED_TYPES,
        )
        try:
            if not self.lets(parse(url)):
                raise outside(url, "may not be asked", code="fetch.disallowed")
            answer = await self._ask(url, replace(bounds, permit=None))
            if _site_of(parse(answer.url)) != self._site:
                await self.enter(answer.url)
            if not self.lets(parse(answer.url)):
                raise outside(answer.url, "may not be asked", code="fetch.disallowed")
        except ProofwalkError as error:
            raise from_fetch(error) from None
        return answer

    async def sitemap(self, url: str) -> FetchedDocument:
        """A further sitemap of the site. Raises `source.*`."""
        bounds = self._bounds(max_bytes=self._settings.max_sitemap_bytes, types=_SITEMAP_TYPES)
        try:
            return await self._ask(url, bounds)
        except ProofwalkError as error:
            raise from_fetch(error) from None

    async def page(self, url: str, *, changed: str = "") -> StoredPage:
        """A page as it is now. `changed` is what the sitemap says of its last change.
        Raises `fetch.*` of this page alone, and `source.*` when the whole reading is to
        end."""
        self._visited.add(url)
        stored = await asyncio.to_thread(self._cache.get, url)
        if stored is not None and changed and stored.changed == changed:
            age_s = self._clock.now().timestamp() - stored.fetched_at
            if 0 <= age_s < self._settings.trust_lastmod_s and self._may_be(stored.url):
                return self._counted(stored)
        try:
            answer = await self._ask(url, self._bounds(), stored)
        except ProofwalkError as error:
            raise self._after_failure(error) from None
        self._failures = 0
        page = StoredPage(
            url=answer.url,
            media_type=answer.media_type,
            validators=answer.validators,
            changed=changed,
            fetched_at=self._clock.now().timestamp(),
            content=answer.content,
        )
        if answer.unchanged and stored is not None:
            page = replace(stored, changed=changed, fetched_at=page.fetched_at)
        await asyncio.to_thread(self._cache.put, url, page)
        return self._counted(page)

    async def leave(self) -> None:
        """Forget what was fetched of pages that are no longer there."""
        await asyncio.to_thread(self._cache.keep_only, self._visited)

    def _counted(self, page: StoredPage) -> StoredPage:
        self._bytes += len(page.content)
        if self._bytes > self._settings.max_bytes:
            raise unreadable(
                TOO_LARGE,
                f"the pages have more than {self._settings.max_bytes} bytes",
                hint="name a part of the site",
            )
        return page

    def _after_failure(self, error: ProofwalkError) -> ProofwalkError:
        """The page's own error, or the end: a server that fails again and again is left
        alone."""
        if error.status not in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED):
            return error
        self._failures += 1
        if self._failures < _MOST_FAILURES:
            return error
        return unreadable(
            UNREACHABLE,
            f"the server failed {self._failures} times in a row, the last time: {error.message}",
            hint=error.hint,
        )

    async def _ask(
        self, url: str, bounds: FetchSettings, stored: StoredPage | None = None
    ) -> FetchedDocument:
        if self._asked_once:
            await self._pause(
                max(self._settings.pause_s, min(self._robots.delay_s, _LONGEST_DELAY_S))
            )
        self._asked_once = True
        return await fetch_url(url, bounds, validators=stored.validators if stored else None)

    def _bounds(
        self, *, max_bytes: int = 0, types: frozenset[str] = ACCEPTED_TYPES
    ) -> FetchSettings:
        settings = self._settings
        return FetchSettings(
            allow_hosts=settings.allow_hosts,
            max_bytes=max_bytes or settings.max_page_bytes,
            types=types,
            permit=self._permit,
            further_tries=1,
            pause_s=settings.pause_s,
        )

    def _may_be(self, url: str) -> bool:
        location = normal_url(url)
        return location is not None and self.lets(location)

    def _permit(self, url: str) -> None:
        location = parse(url)
        if _site_of(location) != self._site:
            raise outside(url, "is of another site")
        if not self._robots.allows(location.target):
            raise outside(url, "is not to be asked by robots.txt", code="fetch.disallowed")


def _site_of(location: Location) -> str:
    return f"{location.scheme}://{location.authority}"
