"""Parses sitemaps, and pages as far as their links go, in a process of its own
(`chassis.readers`).

Expat reads a sitemap without what lies outside of it; a sitemap that declares an entity
is refused. Links are counted and cut: what a page has beyond `MAX_LINKS` is not
followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.parsers import expat

from pydantic import TypeAdapter
from selectolax.lexbor import LexborHTMLParser

from proofwalk.chassis.readers import Bounds, Order, Reading
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject, int_of
from proofwalk.procedures.confined import as_json, from_json

MAX_LINKS = 5000
_LONGEST = 2048
"""Characters of an address, as sitemaps.org has it."""
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/"
_DEEPEST = 8
_BOUNDS = Bounds(wall_s=60.0, cpu_s=30)


@dataclass(frozen=True, kw_only=True)
class SitemapEntry:
    """A page, or a further sitemap."""

    address: str
    changed: str = ""
    """`lastmod`, as it is written."""


@dataclass(frozen=True, kw_only=True)
class Sitemap:
    """A sitemap, or an index of sitemaps."""

    is_index: bool
    entries: tuple[SitemapEntry, ...]


@dataclass(frozen=True, kw_only=True)
class Links:
    """Where a page leads, as it writes it."""

    links: tuple[str, ...]
    base: str = ""
    canonical: str = ""
    follow: bool = True
    """False where the page says `nofollow`."""


_SITEMAP = TypeAdapter(Sitemap)
_LINKS = TypeAdapter(Links)


@dataclass(frozen=True, kw_only=True)
class WebReader:
    """Reads what a site sends, in other processes."""

    reading: Reading

    async def sitemap(self, body: bytes, *, most: int) -> Sitemap:
        """Raises `sitemap.malformed`, `sitemap.too_many`."""
        order = Order(
            reader=f"{__name__}:read_sitemap",
            subject="sitemap",
            arguments={"most": most},
            body=body,
            bounds=_BOUNDS,
        )
        return from_json(_SITEMAP, await self.reading.read(order))

    async def links(self, text: str) -> Links:
        """The links of a page."""
        order = Order(
            reader=f"{__name__}:read_links", subject="page", arguments={}, body=text.encode()
        )
        return from_json(_LINKS, await self.reading.read(order))


def read_sitemap(arguments: JsonObject, body: bytes) -> bytes:
    """Called by `WebReader.sitemap` in its process."""
    return as_json(_SITEMAP, parse_sitemap(body, most=int_of(arguments["most"])))


def read_links(_arguments: JsonObject, body: bytes) -> bytes:
    """Called by `WebReader.links` in its process."""
    return as_json(_LINKS, links_of(body.decode()))


def parse_sitemap(body: bytes, *, most: int) -> Sitemap:
    """Raises `sitemap.malformed`, `sitemap.too_many`."""
    builder = _Sitemap(most)
    try:
        builder.parser.Parse(body, True)
    except expat.ExpatError as error:
        raise _malformed(f"it is no well-formed XML in line {error.lineno}") from None
    if builder.root not in ("urlset", "sitemapindex"):
        raise _malformed("it is neither a `urlset` nor a `sitemapindex`")
    return Sitemap(is_index=builder.root == "sitemapindex", entries=tuple(builder.entries))


class _Sitemap:
    """Collects entries from what Expat tells."""

    def __init__(self, most: int) -> None:
        self.root = ""
        self.entries: list[SitemapEntry] = []
        self._most = most
        self._path: list[str] = []
        self._texts: dict[str, str] = {}
        self.parser = expat.ParserCreate(None, " ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._declared

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        own = not space or space.startswith(_NAMESPACE)
        if len(self._path) > _DEEPEST:
            raise _malformed("its elements nest too deep")
        if not self._path:
            self.root = local if own else "-"
        self._path.append(local if own else "-")

    def _end(self, _name: str) -> None:
        closed = self._path.pop()
        if len(self._path) != 1 or closed not in ("url", "sitemap"):
            return
        address = self._texts.pop("loc", "").strip()
        changed = self._texts.pop("lastmod", "").strip()
        self._texts.clear()
        if not address or len(address) > _LONGEST:
            return
        if len(self.entries) >= self._most:
            raise invalid(
                "sitemap.too_many",
                f"the sitemap has more than {self._most} entries",
                hint="name a sitemap of a part of the site",
            )
        self.entries.append(SitemapEntry(address=address, changed=changed[:64]))

    def _text(self, text: str) -> None:
        if len(self._path) == 3 and self._path[-1] in ("loc", "lastmod"):
            before = self._texts.get(self._path[-1], "")
            if len(before) <= _LONGEST:
                self._texts[self._path[-1]] = before + text

    def _declared(self, *_parts: object) -> None:
        raise _malformed("it declares entities")


def _malformed(why: str) -> Exception:
    return invalid(
        "sitemap.malformed",
        f"the sitemap cannot be read: {why}",
        hint="give the address of an XML sitemap or of an index of them",
    )


def links_of(text: str) -> Links:
    """The links of an HTML page that may be followed, in their order, each once."""
    tree = LexborHTMLParser(text)
    links: dict[str, None] = {}
    for node in tree.css("a[href], area[href]"):
        address = (node.attributes.get("href") or "").strip()
        refused = "nofollow" in (node.attributes.get("rel") or "").lower().split()
        if address and len(address) <= _LONGEST and not refused:
            links.setdefault(address)
        if len(links) >= MAX_LINKS:
            break
    meta = tree.css_first('meta[name="robots" i]')
    robots = ((meta.attributes.get("content") or "") if meta is not None else "").lower()
    return Links(
        links=tuple(links),
        base=_address(tree, "base[href]"),
        canonical=_address(tree, 'link[rel~="canonical" i][href]'),
        follow="nofollow" not in robots and "none" not in robots,
    )


def _address(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    address = (node.attributes.get("href") or "").strip() if node is not None else ""
    return address if len(address) <= _LONGEST else ""
