"""Fetching from a real server on the loopback, which only `allow_hosts` permits."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import httpx2
import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.fetch import FetchSettings, fetch_url

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Server:
    """A server that answers by path and remembers what it was asked."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    heads: list[str] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def settings(self) -> FetchSettings:
        hosts = frozenset({f"127.0.0.1:{self.port}", "docs.example.com"})
        return FetchSettings(allow_hosts=hosts, timeout_s=10, pause_s=0.001)

    def says(
        self, path: str, body: bytes, *headers: str, status: int = 200, kind: str = "text/markdown"
    ) -> str:
        lines = [
            f"HTTP/1.1 {status} X",
            f"Content-Length: {len(body)}",
            *([f"Content-Type: {kind}"] if kind else []),
            *headers,
        ]

        async def answer(writer: asyncio.StreamWriter) -> None:
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

        self.answers[path] = answer
        return self.url + path

    def redirects(self, path: str, target: str, status: int = 302) -> str:
        return self.says(path, b"", f"Location: {target}", status=status)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.heads.append(head)
            await self.answers[head.split(" ")[1]](writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    state = Server()
    listener = await asyncio.start_server(state.handle, "127.0.0.1", 0)
    state.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield state
        state.released.set()


async def refused(url: str, settings: FetchSettings) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await fetch_url(url, settings)
    return caught.value


async def test_a_document_arrives_with_its_type_and_final_address(server: Server) -> None:
    server.says("/doc.md?v=2", b"1. Click.\n", kind="text/markdown; charset=utf-8")
    first = server.redirects("/old", "/doc.md?v=2", status=301)
    found = await fetch_url(first, server.settings)
    assert (found.name, found.url, found.content) == (
        first,
        server.url + "/doc.md?v=2",
        b"1. Click.\n",
    )
    assert found.media_type == "text/markdown; charset=utf-8"
    head = server.heads[-1].lower()
    assert f"host: 127.0.0.1:{server.port}" in head
    assert "accept-encoding: identity" in head
    assert "cookie" not in head
    assert "authorization" not in head


async def test_the_loopback_is_blocked_unless_named(server: Server) -> None:
    url = server.says("/x", b"1. x\n")
    for allowed in (
        frozenset[str](),
        frozenset({"127.0.0.1:1"}),
        frozenset({"localhost"}),
        frozenset({"127.0.0.2"}),
    ):
        assert (
            await refused(url, FetchSettings(allow_hosts=allowed))
        ).code == "fetch.blocked_address"
    assert server.heads == []


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2:{port}/secret",
        "http://localhost:{port}/secret",
        "//169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]:{port}/secret",
        "http://2130706434:{port}/secret",
    ],
)
async def test_a_redirect_inside_is_blocked(server: Server, target: str) -> None:
    url = server.redirects("/r", target.format(port=server.port))
    assert (await refused(url, server.settings)).code == "fetch.blocked_address"
    assert len(server.heads) == 1


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://example.com/", "http://u:p@example.com/", "http://[::1"]
)
async def test_a_redirect_to_a_bad_url_is_refused(server: Server, target: str) -> None:
    assert (await refused(server.redirects("/r", target), server.settings)).code == "fetch.bad_url"


async def test_redirects_end(server: Server) -> None:
    for number in range(7):
        server.redirects(f"/{number}", f"/{number + 1}")
    server.says("/5", b"1. x\n")
    assert (await fetch_url(server.url + "/0", server.settings)).url.endswith("/5")
    server.redirects("/5", "/6")
    assert (await refused(server.url + "/0", server.settings)).code == "fetch.too_many_redirects"
    assert (
        await refused(server.says("/none", b"", status=302), server.settings)
    ).code == "fetch.http_error"


async def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_judged(
    server: Server,
) -> None:
    """DNS rebinding: the second answer would be another address, but nobody asks a
    second time."""
    server.says("/x", b"1. x\n")
    asked: list[str] = []
    answers = [("127.0.0.1",), ("127.0.0.9",)]

    async def rebinding(host: str, port: int) -> tuple[str, ...]:
        asked.append(host)
        return answers[len(asked) - 1]

    found = await fetch_url(
        f"http://docs.example.com:{server.port}/x", server.settings, resolver=rebinding
    )
    assert (found.content, asked) == (b"1. x\n", ["docs.example.com"])
    assert f"Host: docs.example.com:{server.port}".lower() in server.heads[0].lower()


@pytest.mark.parametrize(
    ("addresses", "code"),
    [
        (("10.0.0.1",), "fetch.blocked_address"),
        (("8.8.8.8", "127.0.0.1"), "fetch.blocked_address"),
        (("2606:4700::1", "::1"), "fetch.blocked_address"),
        (("fe80::1%eth0",), "fetch.blocked_address"),
        (("64:ff9b::a9fe:a9fe",), "fetch.blocked_address"),
        ((), "fetch.unreachable"),
        (("nonsense",), "fetch.unreachable"),
    ],
)
async def test_one_bad_address_is_enough(addresses: tuple[str, ...], code: str) -> None:
    async def resolver(host: str, port: int) -> tuple[str, ...]:
        return addresses

    with pytest.raises(ProofwalkError) as caught:
        await fetch_url("http://docs.example.net/x", resolver=resolver)
    assert caught.value.code == code


async def test_an_allowed_name_never_leads_to_metadata() -> None:
    async def resolver(host: str, port: int) -> tuple[str, ...]:
        return ("169.254.169.254",)

    with pytest.raises(ProofwalkError) as caught:
        await fetch_url(
            "http://wiki.corp/x",
            FetchSettings(allow_hosts=frozenset({"wiki.corp"})),
            resolver=resolver,
        )
    assert caught.value.code == "fetch.blocked_address"


async def test_an_unknown_name_is_unreachable() -> None:
    async def resolver(host: str, port: int) -> tuple[str, ...]:
        raise OSError("Name or service not known")

    with pytest.raises(ProofwalkError) as caught:
        await fetch_url("https://docs.example.net/x", resolver=resolver)
    assert (caught.value.code, caught.value.retryable) == ("fetch.unreachable", False)


async def test_tls_and_the_host_header_name_the_host_while_the_address_is_pinned() -> None:
    seen: list[httpx2.Request] = []

    async def page() -> AsyncIterator[bytes]:
        yield b"<ol><li>x</ol>"

    class Wire(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            seen.append(request)
            if len(seen) == 1:
                raise httpx2.ConnectError("refused")
            return httpx2.Response(200, headers={"content-type": "text/html"}, content=page())

    async def resolver(host: str, port: int) -> tuple[str, ...]:
        return ("2606:4700::1", "8.8.8.8")

    await fetch_url("https://Docs.Example.net./a?b=c", resolver=resolver, transport=Wire)
    assert [request.url.host for request in seen] == ["2606:4700::1", "8.8.8.8"]
    assert {request.headers["host"] for request in seen} == {"docs.example.net"}
    assert {request.extensions["sni_hostname"] for request in seen} == {"docs.example.net"}
    assert {(request.url.raw_path, request.url.scheme, request.url.port) for request in seen} == {
        (b"/a?b=c", "https", None)
    }


@pytest.mark.parametrize(
    ("status", "code", "requests"),
    [
        (404, "fetch.not_found", 1),
        (410, "fetch.not_found", 1),
        (401, "fetch.http_error", 1),
        (403, "fetch.http_error", 1),
        (429, "fetch.http_error", 1),
        (204, "fetch.http_error", 1),
        (500, "fetch.http_error", 3),
        (503, "fetch.http_error", 3),
    ],
)
async def test_statuses_and_how_often_they_are_asked_for(
    server: Server, status: int, code: str, requests: int
) -> None:
    error = await refused(server.says("/x", b"", status=status), server.settings)
    # Whoever is above has nothing to repeat: what may be tried again has been.
    assert (error.code, error.retryable, len(server.heads)) == (code, False, requests)


async def test_a_server_that_recovers_is_read(server: Server) -> None:
    server.says("/x", b"1. x\n")
    fine = server.answers["/x"]
    server.says("/x", b"", status=502)
    fails = server.answers["/x"]

    async def breaks(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<ol>"
        )

    turns = iter([fails, breaks, fine])

    async def answer(writer: asyncio.StreamWriter) -> None:
        await next(turns)(writer)

    server.answers["/x"] = answer
    assert (await fetch_url(server.url + "/x", server.settings)).content == b"1. x\n"
    assert len(server.heads) == 3


async def test_the_tries_are_those_of_the_whole_fetch_and_not_of_each_redirect(
    server: Server,
) -> None:
    for number in range(5):
        server.redirects(f"/{number}", f"/{number + 1}")
    server.says("/5", b"", status=500)
    assert (await refused(server.url + "/0", server.settings)).code == "fetch.http_error"
    assert [head.split(" ")[1] for head in server.heads] == [
        "/0",
        "/1",
        "/2",
        "/3",
        "/4",
        "/5",
        "/5",
        "/5",
    ]


@pytest.mark.parametrize(
    "kind",
    [
        "application/pdf",
        "image/png",
        "application/json",
        "application/zip",
        "application/octet-stream",
    ],
)
async def test_other_types_are_refused(server: Server, kind: str) -> None:
    assert (
        await refused(server.says("/x", b"x", kind=kind), server.settings)
    ).code == "fetch.bad_media_type"


async def test_a_missing_type_is_left_to_the_content(server: Server) -> None:
    assert (
        await fetch_url(server.says("/x", b"1. x\n", kind=""), server.settings)
    ).media_type == ""


async def test_a_large_body_is_cut_off_whether_it_says_so_or_not(server: Server) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        for _ in range(20 * 16):
            writer.write(b"x" * 65_536)
            await writer.drain()

    server.answers["/20mb"] = endless
    assert (await refused(server.url + "/20mb", server.settings)).code == "fetch.too_large"
    assert (
        await refused(server.says("/said", b"x" * 5_000_001), server.settings)
    ).code == "fetch.too_large"
    small = FetchSettings(allow_hosts=server.settings.allow_hosts, max_bytes=10)
    assert (await fetch_url(server.says("/exact", b"x" * 10), small)).content == b"x" * 10


async def test_compression_that_was_not_asked_for_is_bounded(server: Server) -> None:
    gzipped = server.says("/gz", gzip.compress(b"1. x\n"), "Content-Encoding: gzip")
    assert (await fetch_url(gzipped, server.settings)).content == b"1. x\n"
    deflated = server.says("/zz", zlib.compress(b"1. x\n"), "Content-Encoding: deflate")
    assert (await fetch_url(deflated, server.settings)).content == b"1. x\n"
    bomb = server.says("/bomb", gzip.compress(b"\0" * 50_000_000), "Content-Encoding: gzip")
    assert (await refused(bomb, server.settings)).code == "fetch.too_large"
    assert (
        await refused(server.says("/br", b"x", "Content-Encoding: br"), server.settings)
    ).code == "fetch.bad_media_type"
    assert (
        await refused(server.says("/bad", b"no gzip", "Content-Encoding: gzip"), server.settings)
    ).code == "fetch.bad_media_type"
    cut = server.says("/cut", gzip.compress(b"1. x\n" * 99)[:-9], "Content-Encoding: gzip")
    assert (await refused(cut, server.settings)).code == "fetch.unreachable"


@pytest.mark.parametrize(
    "beginning",
    [b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<ol>"],
)
async def test_a_slow_server_meets_the_deadline(server: Server, beginning: bytes) -> None:
    async def stalls(writer: asyncio.StreamWriter) -> None:
        writer.write(beginning)
        await writer.drain()
        await server.released.wait()

    server.answers["/slow"] = stalls
    hurried = FetchSettings(allow_hosts=server.settings.allow_hosts, timeout_s=0.3)
    error = await refused(server.url + "/slow", hurried)
    assert (error.code, error.retryable, len(server.heads)) == ("fetch.timeout", False, 1)


async def test_a_slow_resolver_meets_the_deadline() -> None:
    async def resolver(host: str, port: int) -> tuple[str, ...]:
        await asyncio.Event().wait()
        return ()

    with pytest.raises(ProofwalkError) as caught:
        await fetch_url("http://docs.example.net/", FetchSettings(timeout_s=0.1), resolver=resolver)
    assert caught.value.code == "fetch.timeout"


async def test_a_broken_or_absent_server_is_unreachable(server: Server) -> None:
    async def breaks(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<ol>"
        )

    async def nonsense(writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n\r\n")

    server.answers |= {"/breaks": breaks, "/nonsense": nonsense}
    for path in ("/breaks", "/nonsense"):
        assert (await refused(server.url + path, server.settings)).code == "fetch.unreachable"
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    listener.close()
    await listener.wait_closed()
    settings = FetchSettings(allow_hosts=frozenset({"127.0.0.1"}))
    assert (await refused(f"http://127.0.0.1:{port}/", settings)).code == "fetch.unreachable"


async def test_the_environment_names_no_proxy(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert (await fetch_url(server.says("/x", b"1. x\n"), server.settings)).content == b"1. x\n"
