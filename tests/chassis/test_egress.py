"""The way out of a confined child: hosts on the list, at public addresses, and nothing
else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proofwalk.chassis import egress
from proofwalk.chassis.egress import Egress, EgressDoors, Streams, connect_publicly

HOSTS = ("*.aliyuncs.example", "sts.example")


class Cloud:
    """A host behind the proxy that gives back what it is sent, in capitals."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.port = 0
        self.refuses = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(1000):
                writer.write(chunk.upper())
            writer.close()
            await writer.wait_closed()

    async def connect(self, host: str) -> Streams:
        self.asked.append(host)
        if self.refuses:
            raise ConnectionRefusedError
        return await asyncio.open_connection("127.0.0.1", self.port)


@pytest.fixture
async def cloud() -> AsyncIterator[Cloud]:
    made = Cloud()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await server.wait_closed()


@pytest.fixture
async def door(cloud: Cloud) -> AsyncIterator[Egress]:
    async with Egress(HOSTS, connect=cloud.connect) as opened:
        yield opened


@asynccontextmanager
async def _connected(door: Egress) -> AsyncIterator[Streams]:
    port = int(door.url.rpartition(":")[2])
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        yield reader, writer
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@asynccontextmanager
async def _asked(door: Egress, head: str) -> AsyncIterator[tuple[str, Streams]]:
    """The status of the answer, and the connection behind it."""
    async with _connected(door) as (reader, writer):
        writer.write(f"{head}\r\n\r\n".encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).decode()
        yield answer[9:12], (reader, writer)


async def test_a_tunnel_leads_to_a_host_on_the_list(door: Egress, cloud: Cloud) -> None:
    async with _asked(door, "CONNECT ecs.aliyuncs.example:443 HTTP/1.1") as (status, streams):
        reader, writer = streams
        assert status == "200"
        for word in (b"hello", b"again"):
            writer.write(word)
            assert await reader.readexactly(5) == word.upper()
        writer.write_eof()
        assert await reader.read() == b""
    assert cloud.asked == ["ecs.aliyuncs.example"]


@pytest.mark.parametrize(
    "head",
    [
        "CONNECT evil.example:443 HTTP/1.1",
        "CONNECT aliyuncs.example:443 HTTP/1.1",
        "CONNECT evil-aliyuncs.example:443 HTTP/1.1",
        "CONNECT ecs.aliyuncs.example.evil.example:443 HTTP/1.1",
        "CONNECT ecs.aliyuncs.example:22 HTTP/1.1",
        "CONNECT 169.254.169.254:443 HTTP/1.1",
        "CONNECT 127.0.0.1:443 HTTP/1.1",
    ],
)
async def test_another_host_or_port_is_refused(door: Egress, cloud: Cloud, head: str) -> None:
    async with _asked(door, head) as (status, _):
        assert (status, cloud.asked) == ("403", [])


@pytest.mark.parametrize(
    "head",
    [
        "GET http://ecs.aliyuncs.example/ HTTP/1.1",
        "CONNECT [::1]:443 HTTP/1.1",
        "CONNECT user@sts.example:443 HTTP/1.1",
        "hello",
    ],
)
async def test_what_is_no_tunnel_is_refused(door: Egress, cloud: Cloud, head: str) -> None:
    async with _asked(door, head) as (status, _):
        assert (status, cloud.asked) == ("405", [])


async def test_a_host_that_is_away_is_told(door: Egress, cloud: Cloud) -> None:
    cloud.refuses = True
    async with _asked(door, "CONNECT STS.example:443 HTTP/1.1") as (status, _):
        assert status == "502"


async def test_a_head_without_end_is_dropped(door: Egress, cloud: Cloud) -> None:
    async with _connected(door) as (reader, writer):
        writer.write(b"C" * (egress.HEAD_BYTES * 3))
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
    assert cloud.asked == []


async def test_more_tunnels_than_may_be_are_refused(
    door: Egress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(egress, "MOST", 1)
    async with (
        _asked(door, "CONNECT sts.example:443 HTTP/1.1") as (first, _),
        _asked(door, "CONNECT sts.example:443 HTTP/1.1") as (second, _),
    ):
        assert (first, second) == ("200", "503")


async def test_a_silent_tunnel_ends(door: Egress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "IDLE_S", 0.1)
    async with _asked(door, "CONNECT sts.example:443 HTTP/1.1") as (_, (reader, _writer)):
        assert await reader.read() == b""


async def test_tunnels_end_with_the_proxy(cloud: Cloud) -> None:
    door = Egress(HOSTS, connect=cloud.connect)
    async with door, _asked(door, "CONNECT sts.example:443 HTTP/1.1") as (_, (reader, _writer)):
        await door.__aexit__(None, None, None)
        assert await reader.read() == b""


async def test_a_name_of_an_inner_address_is_refused() -> None:
    with pytest.raises(PermissionError):
        await connect_publicly("localhost")


async def test_one_list_of_hosts_has_one_door() -> None:
    async with EgressDoors() as doors:
        first = await doors.url_for(("a.example", "*.b.example"))
        assert await doors.url_for(("*.b.example", "a.example")) == first
        assert await doors.url_for(("a.example",)) != first
