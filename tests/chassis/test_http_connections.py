"""The HTTP server does not wait for ever: not for a request's head, nor for an answer
to be taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from proofwalk.chassis import http_connections
from proofwalk.chassis.http import HttpServer, split_address

ENDED = (b"", "reset")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connections, "HEAD_S", 0.3)
    monkeypatch.setattr(http_connections, "TAKEN_S", 0.3)


async def slow(_: Request) -> Response:
    await asyncio.sleep(0.6)
    return PlainTextResponse("at last")


async def much(_: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 100_000
                await asyncio.sleep(0)  # who is given up has to be told
        finally:
            given_up.set()

    return StreamingResponse(pieces())


given_up = asyncio.Event()


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    app = Starlette(routes=[Route("/slow", slow), Route("/much", much)])
    async with HttpServer(app, "127.0.0.1:0") as server:
        host, port = split_address(server.url.removeprefix("http://"))
        reader, writer = await asyncio.open_connection(host, port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


async def rest(reader: asyncio.StreamReader) -> bytes | str:
    """What comes until the server ends the connection."""
    try:
        async with asyncio.timeout(5):
            return await reader.read()
    except ConnectionResetError:
        return "reset"


def head(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


@pytest.mark.parametrize("begun", [b"", b"GET /slow HTTP/1.1\r\nHost:"])
async def test_a_head_that_does_not_come_ends_the_connection(begun: bytes) -> None:
    async with connected() as (reader, writer):
        writer.write(begun)
        assert await rest(reader) in ENDED


async def test_a_head_a_byte_at_a_time_ends_the_connection() -> None:
    async with connected() as (reader, writer):
        ended = asyncio.create_task(rest(reader))
        for byte in head("/slow") * 9:
            if ended.done():
                break
            writer.write(bytes([byte]))
            await asyncio.sleep(0.02)
        assert await ended in ENDED


async def test_an_answer_may_take_its_time_and_another_request_follow() -> None:
    async with connected() as (reader, writer):
        for _ in range(2):
            writer.write(head("/slow"))
            async with asyncio.timeout(5):
                assert (await reader.readuntil(b"at last")).startswith(b"HTTP/1.1 200")
        # The head of a third one is bounded as that of the first.
        writer.write(b"GET /slow")
        assert await rest(reader) in ENDED


async def test_an_answer_that_is_not_taken_is_given_up() -> None:
    given_up.clear()
    async with connected() as (_, writer):
        writer.write(head("/much"))
        async with asyncio.timeout(5):
            await given_up.wait()
