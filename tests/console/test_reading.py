"""Which requests only read, by rule, and that a session which only reads sends no
other, whatever way a page tries."""

from __future__ import annotations

import asyncio
import json

import pytest

from proofwalk.console.safety.reading import ReadingRule, only_queries
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError
from tests.console.conftest import See, Site, pressed

URL = "https://shop.example"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "get"])
def test_what_http_calls_safe_passes(method: str) -> None:
    assert ReadingRule().allows(method, f"{URL}/keys")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "MKCOL"])
def test_everything_else_is_refused(method: str) -> None:
    assert not ReadingRule().allows(method, f"{URL}/keys", "{}")
    assert not ReadingRule().allows(method, f"{URL}/keys", None)


@pytest.mark.parametrize(
    ("pattern", "passes", "refused"),
    [
        ("/api/list/*", "/api/list/keys?page=2", "/api/list/keys/3"),
        ("/api/**/list", "/api/kms/v1/list", "/api/kms/v1/list/more"),
        ("/data?action=Describe*", "/data?action=DescribeKeys", "/data?action=DeleteKey"),
        ("/api/v1.0/list", "/api/v1.0/list", "/api/v1x0/list"),
    ],
)
def test_a_named_post_passes_and_no_other(pattern: str, passes: str, refused: str) -> None:
    rule = ReadingRule.parse([pattern])
    assert rule.allows("POST", URL + passes)
    assert not rule.allows("POST", URL + refused)
    assert not rule.allows("DELETE", URL + passes)


@pytest.mark.parametrize("pattern", ["api/list", "", "/**", "/", "*"])
def test_a_pattern_that_names_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ProofwalkError, match="only read"):
        ReadingRule.parse([pattern])


@pytest.mark.parametrize(
    ("document", "reads"),
    [
        ("query { keys { id } }", True),
        ("query Keys($n: Int = 3) { keys(first: $n) { ...k } } fragment k on Key { id }", True),
        ('# mutation\nquery Q { find(text: "} mutation { x") { id } }', True),
        ("mutation { deleteKey(id: 3) { id } }", False),
        ("query Q { keys { id } } mutation M { deleteKey(id: 3) { id } }", False),
        ("subscription { keys { id } }", False),
        ("{ keys { id } }", False),
        ("query: open keys", False),
        ("query { keys { id }", False),
        ("fragment k on Key { id }", False),
        ("", False),
    ],
)
def test_of_graphql_only_queries_read(document: str, reads: bool) -> None:
    assert only_queries(json.dumps({"query": document, "variables": {}})) is reads
    assert only_queries(json.dumps([{"query": document}] * 2)) is reads


@pytest.mark.parametrize(
    "body",
    ["", "query { a }", "[]", "3", '{"query": 3}', '{"query": "query { a }", "name": "saved"}'],
)
def test_what_is_no_graphql_does_not_pass_as_such(body: str) -> None:
    assert not only_queries(body)


WRITES = {
    "fetch": ("POST", "fetch('{url}', {method: 'POST', body: '{}'})"),
    "delete": ("DELETE", "fetch('{url}', {method: 'DELETE'})"),
    "xhr": ("PUT", "const x = new XMLHttpRequest(); x.open('PUT', '{url}'); x.send('a')"),
    "beacon": ("POST", "navigator.sendBeacon('{url}', 'a')"),
    "keepalive": ("POST", "fetch('{url}', {method: 'POST', keepalive: true})"),
    "worker": (
        "POST",
        "new Worker(URL.createObjectURL(new Blob([`fetch('{url}', {method: 'POST'})`])))",
    ),
    "shared worker": (
        "POST",
        "new SharedWorker('data:text/javascript,' + encodeURIComponent(`fetch('{url}', "
        "{method: 'POST', mode: 'no-cors'})`))",
    ),
    "form": ("POST", "document.querySelector('form').submit()"),
}


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("way", WRITES)
async def test_a_session_that_only_reads_sends_no_write(
    see: See, session: ConsoleSession, site: Site, way: str
) -> None:
    method, code = WRITES[way]
    await session.only_read(ReadingRule())
    await pressed(see, session, code.replace("{url}", site.url("/keys")))
    assert site.writes == []
    assert (await session.look()).url == site.url("/")
    refused = [(one.method, one.url) for one in session.guard.refused_writes()]
    # a shared worker is not begun at all
    sent = set() if way == "shared worker" else {(method, site.url("/keys"))}
    assert set(refused) == sent
    assert session.guard.refused_writes() == ()


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("way", WRITES)
async def test_a_session_that_may_write_sends_each_of_them(
    see: See, session: ConsoleSession, site: Site, way: str
) -> None:
    method, code = WRITES[way]
    await pressed(see, session, code.replace("{url}", site.url("/keys")))
    for _ in range(50):
        if site.writes:
            break
        await asyncio.sleep(0.05)
    # A browser may send an idempotent request again when its connection was closed.
    assert set(site.writes) == {f"{method} /keys"}


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_session_that_only_reads_fetches_what_it_is_told_that_reads(
    see: See, session: ConsoleSession, site: Site
) -> None:
    await session.only_read(ReadingRule.parse(["/list/*"]))
    await pressed(see, session, "fetch('/list/keys', {method: 'POST'}); fetch('/plain')")
    assert site.writes == ["POST /list/keys"]
    assert "/plain" in site.hits
    assert session.guard.refused_writes() == ()
