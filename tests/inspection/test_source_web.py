"""Sitemaps and sites as sources, from a real server on the loopback."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from proofwalk.inspection.documents import Listing
from proofwalk.inspection.domain import DOCUMENT_GONE
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.collection import SourceKind
from tests.inspection.web_server import INDEX, SITEMAP, Reader, Site, page, serving

SITEMAP_KIND, SITE_KIND = SourceKind.SITEMAP, SourceKind.SITE


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as found:
        yield found


@pytest.fixture
def reader(site: Site, tmp_path: Path) -> Reader:
    return Reader(tmp_path, site)


def paths(listing: Listing, site: Site) -> list[str]:
    return [one.page.removeprefix(site.url) for one in listing.procedures]


async def refusal(reader: Reader, kind: SourceKind, address: str, **bounds: Any) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await reader.read(kind, address, **bounds)
    assert caught.value.hint
    return caught.value.code


async def test_the_pages_of_a_sitemap_are_read_in_its_order(site: Site, reader: Reader) -> None:
    site.put("/b", page(title="B"))
    site.put("/a", page(title="A"))
    site.put("/concept", "<html><body><p>Nothing to do.</p></body></html>")
    listing = await reader.read(SITEMAP_KIND, site.sitemap("/b", "/a", "/concept", "/b"))
    assert paths(listing, site) == ["/b", "/a"]
    first = listing.procedures[0]
    assert first.procedure_id.startswith(f"{site.url}/b#")
    assert first.request.document.name == f"{site.url}/b"
    assert first.request.document.media_type == "text/html"
    assert (listing.refused, listing.complete) == ((), True)


async def test_an_index_and_packed_sitemaps_are_followed(site: Site, reader: Reader) -> None:
    site.put("/a", page(title="A"))
    site.put("/b", page(title="B"))
    site.sitemap("/a", at="/one.xml")
    site.sitemap("/b", at="/plain.xml")
    site.put("/two.xml.gz", gzip.compress(site.pages["/plain.xml"]))
    named = ("/one.xml", "/two.xml.gz", "/one.xml")
    entries = "".join(f"<sitemap><loc>{site.url}{path}</loc></sitemap>" for path in named)
    listing = await reader.read(SITEMAP_KIND, site.put("/index.xml", INDEX.format(entries)))
    assert paths(listing, site) == ["/a", "/b"]


async def test_what_does_not_change_is_not_sent_again(site: Site, reader: Reader) -> None:
    site.put("/a", page(title="A"), 'ETag: "1"')
    site.put("/b", page(title="B"))
    address = site.sitemap("/a", "/b", changed="2026-01-01")
    before = await reader.read(SITEMAP_KIND, address)
    site.requests.clear()
    assert await reader.read(SITEMAP_KIND, address) == before
    assert "/a" not in site.requests, "its lastmod is the same"
    reader.clock.advance(timedelta(days=8).total_seconds())
    assert await reader.read(SITEMAP_KIND, address) == before
    assert site.conditional == ["/a"], "a hint is not trusted for ever"
    site.put("/a", page(title="Halt"), 'ETag: "2"')
    site.sitemap("/a", "/b", changed="2026-01-02")
    after = await reader.read(SITEMAP_KIND, address)
    changes = [
        new.inputs.changed_since(old.inputs)
        for old, new in zip(before.procedures, after.procedures, strict=True)
    ]
    assert changes == [("document",), ()]


async def test_robots_are_respected_and_requests_have_pauses(site: Site, reader: Reader) -> None:
    site.put("/robots.txt", "User-agent: *\nDisallow: /private\nCrawl-delay: 3\n")
    site.put("/private/a", page(title="A"))
    site.put("/b", page(title="B"))
    site.redirects["/c"] = "/private/a"
    listing = await reader.read(SITEMAP_KIND, site.sitemap("/private/a", "/b", "/c"))
    assert paths(listing, site) == ["/b"]
    assert "/private/a" not in site.requests
    assert set(reader.pauses) == {3}


async def test_a_site_whose_robots_fail_is_not_asked(site: Site, reader: Reader) -> None:
    site.put("/a", page())
    site.statuses["/robots.txt"] = 503
    assert await refusal(reader, SITEMAP_KIND, site.sitemap("/a")) == "source.unreachable"
    assert "/sitemap.xml" not in site.requests


async def test_a_page_that_went_is_gone_and_one_that_fails_is_told(
    site: Site, reader: Reader
) -> None:
    site.put("/a", page(title="A"))
    site.statuses["/broken"] = 500
    listing = await reader.read(SITEMAP_KIND, site.sitemap("/a", "/gone", "/broken"))
    codes = {one.page.removeprefix(site.url): one.error.code for one in listing.refused}
    assert codes == {"/gone": DOCUMENT_GONE, "/broken": "fetch.http_error"}
    assert not listing.complete


async def test_a_server_that_fails_on_and_on_ends_the_reading(site: Site, reader: Reader) -> None:
    names = [f"/p{number}" for number in range(20)]
    site.statuses = dict.fromkeys(names, 503)
    assert await refusal(reader, SITEMAP_KIND, site.sitemap(*names)) == "source.unreachable"
    assert not {"/p10", "/p19"} & set(site.requests)


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "file:///etc/passwd",
    ],
)
async def test_redirects_inside_are_never_followed(site: Site, reader: Reader, target: str) -> None:
    site.put("/a", page())
    site.redirects.update({"/inside": target, "/map.xml": target})
    listing = await reader.read(SITEMAP_KIND, site.sitemap("/a", "/inside"))
    assert paths(listing, site) == ["/a"]
    code = await refusal(reader, SITEMAP_KIND, f"{site.url}/map.xml")
    assert code in ("source.refused", "source.unreachable")


async def test_pages_of_other_sites_are_left_out(site: Site, reader: Reader) -> None:
    site.put("/a", page())
    entries = "".join(
        f"<url><loc>{address}</loc></url>"
        for address in (f"{site.url}/a", "http://other.example.com/b", "http://10.0.0.1/", "x y")
    )
    listing = await reader.read(SITEMAP_KIND, site.put("/s.xml", SITEMAP.format(entries)))
    assert paths(listing, site) == ["/a"]


async def test_hostile_sitemaps_end(site: Site, reader: Reader) -> None:
    async def code(body: str | bytes, **bounds: object) -> str:
        return await refusal(reader, SITEMAP_KIND, site.put("/x.xml", body), **bounds)

    bomb = gzip.compress(b"<urlset>" + b" " * 20_000_000)
    assert await code(bomb, max_sitemap_bytes=1_000_000) == "source.too_large"
    assert await code(b"\x1f\x8bno gzip") == "source.malformed"
    assert await code("<html><body>hello</body></html>") == "source.malformed"
    assert await code("<urlset><url>") == "source.malformed"
    laughs = '<!DOCTYPE u [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><urlset>&b;</urlset>'
    assert await code(laughs) == "source.malformed"
    assert await code("<a>" * 500) == "source.malformed"
    many = SITEMAP.format("".join(f"<url><loc>{site.url}/{n}</loc></url>" for n in range(20)))
    assert await code(many, max_pages=10) == "source.too_large"
    assert await code("x" * 100_000, max_sitemap_bytes=10_000) == "source.too_large"
    count = iter(range(10_000))
    site.endless = lambda path: INDEX.format(
        f"<sitemap><loc>{site.url}/{next(count)}.xml</loc></sitemap>"
        f"<sitemap><loc>{site.url}/{next(count)}.xml</loc></sitemap>"
    )
    assert (
        await refusal(reader, SITEMAP_KIND, f"{site.url}/endless", max_sitemaps=20)
        == "source.too_large"
    )


async def test_a_crawl_stays_in_its_folder_and_follows_no_queries(
    site: Site, reader: Reader
) -> None:
    start = site.put(
        "/docs/index.html",
        page("a.html", "/docs/a.html#top", "/blog/x", "b?page=2", "pic.png", "mailto:x", "//evil/"),
    )
    site.put("/docs/a.html", page("deeper/b", "../up", "/docs/../blog", title="A"))
    site.put("/docs/deeper/b", page("/docs/", title="B"))
    site.endless = lambda path: page(title=path)
    listing = await reader.read(SITE_KIND, start)
    expected = ["/docs/index.html", "/docs/a.html", "/docs/deeper/b", "/docs/"]
    assert paths(listing, site) == expected
    shallow = await reader.read(SITE_KIND, start, max_depth=0)
    assert paths(shallow, site) == ["/docs/index.html"]
    outside = f"{site.url}/docs/a.html"
    part = await reader.read(SITE_KIND, outside, subfolder="/docs/deeper")
    assert paths(part, site) == ["/docs/deeper/b"]


async def test_copies_and_canonical_addresses_are_one_page(site: Site, reader: Reader) -> None:
    canonical = '<link rel="canonical" href="/docs/a">'
    start = site.put("/docs/", page("a", "print", "copy", "same"))
    site.put("/docs/a", page(title="A", head=canonical))
    site.put("/docs/print", page(title="Printed A", head=canonical))
    site.put("/docs/copy", page("a", "print", "copy", "same"))
    site.redirects["/docs/same"] = "/docs/a"
    assert paths(await reader.read(SITE_KIND, start), site) == ["/docs/", "/docs/a"]


async def test_loops_traps_and_nofollow_end(site: Site, reader: Reader) -> None:
    site.put("/docs/", page("x/", "n"))
    head = '<meta name="robots" content="noindex, nofollow">'
    site.put("/docs/n", page("secret", title="N", head=head))
    site.endless = lambda path: page("x/", "/docs/", title="Always the same")
    listing = await reader.read(SITE_KIND, f"{site.url}/docs/")
    assert paths(listing, site) == ["/docs/", "/docs/x/", "/docs/n"]
    assert "/docs/secret" not in site.requests
    site.endless = lambda path: page("x/", title=path)
    assert len((await reader.read(SITE_KIND, f"{site.url}/docs/", max_depth=5)).procedures) < 9
    code = await refusal(reader, SITE_KIND, f"{site.url}/docs/", max_depth=99, max_pages=12)
    assert code == "source.too_large"


async def test_a_huge_page_is_told_and_all_bytes_are_bounded(site: Site, reader: Reader) -> None:
    site.put("/a", page(title="A"))
    site.put("/huge", page(title="H") + " " * 60_000)
    address = site.sitemap("/a", "/huge")
    listing = await reader.read(SITEMAP_KIND, address, max_page_bytes=50_000)
    assert [one.error.code for one in listing.refused] == ["fetch.too_large"]
    assert await refusal(reader, SITEMAP_KIND, address, max_bytes=50_000) == "source.too_large"


async def test_private_addresses_are_no_sources(site: Site, reader: Reader) -> None:
    site.put("/a", page())
    for kind in (SITEMAP_KIND, SITE_KIND):
        assert (
            await refusal(reader, kind, f"{site.url}/a", allow_hosts=frozenset())
            == "source.refused"
        )
        for address in ("http://user:secret@example.com/", "file:///etc", "docs"):
            assert await refusal(reader, kind, address) == "collection.bad_source"
    assert site.requests == []
