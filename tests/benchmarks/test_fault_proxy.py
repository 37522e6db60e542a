"""The proxy does to connections what each condition says, while they live
(`benchmarks.faults.proxy`)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from benchmarks.faults.conditions import (
    BlackHole,
    Condition,
    Cut,
    Direction,
    HalfOpen,
    Latency,
    Pass,
    Refuse,
    Reset,
    Slow,
)
from benchmarks.faults.proxy import FaultProxy

SILENCE_S = 0.1
PATIENCE_S = 5.0
Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        return
    finally:
        writer.close()


@pytest.fixture
async def proxy() -> AsyncIterator[FaultProxy]:
    """In front of a server that says what it hears."""
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server, FaultProxy(server.sockets[0].getsockname()) as proxy:
        yield proxy


@asynccontextmanager
async def connection(proxy: FaultProxy) -> AsyncIterator[Wire]:
    if isinstance(proxy.address, Path):
        reader, writer = await asyncio.open_unix_connection(proxy.address)
    else:
        reader, writer = await asyncio.open_connection(*proxy.address)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def said(wire: Wire, text: bytes) -> bytes:
    reader, writer = wire
    writer.write(text)
    async with asyncio.timeout(PATIENCE_S):
        return await reader.readexactly(len(text))


async def hears_nothing(wire: Wire) -> bool:
    try:
        async with asyncio.timeout(SILENCE_S):
            await wire[0].read(1)
    except TimeoutError:
        return True
    return False


async def test_what_passes_is_unchanged_and_counted(proxy: FaultProxy) -> None:
    async with connection(proxy) as wire:
        assert await said(wire, b"x" * 300_000) == b"x" * 300_000
        assert (proxy.connections, proxy.open) == (1, 1)
    assert proxy.passed == {Direction.REQUESTS: 300_000, Direction.ANSWERS: 300_000}
    assert proxy.newest_answered == 300_000


async def test_the_end_of_requests_reaches_upstream_and_answers_still_come(
    proxy: FaultProxy,
) -> None:
    async with connection(proxy) as (reader, writer):
        writer.write(b"last")
        writer.write_eof()
        assert await reader.read() == b"last"


async def test_latency_delays_a_connection_that_lives(proxy: FaultProxy) -> None:
    async with connection(proxy) as wire:
        await said(wire, b"a")
        proxy.condition = Latency(0.05, jitter_s=0.01)
        began = time.monotonic()
        await said(wire, b"b")
        assert time.monotonic() - began >= 0.07
        proxy.condition = Pass()
        assert await said(wire, b"c") == b"c"


async def test_a_black_hole_holds_and_what_it_held_arrives_when_it_is_lifted(
    proxy: FaultProxy,
) -> None:
    async with connection(proxy) as old:
        await said(old, b"a")
        proxy.condition = BlackHole()
        async with connection(proxy) as new:
            for wire in (old, new):
                wire[1].write(b"held")
                assert await hears_nothing(wire)
            assert proxy.passed[Direction.REQUESTS] == 1
            proxy.condition = Pass()
            for wire in (old, new):
                assert await wire[0].readexactly(4) == b"held"


async def test_what_a_black_hole_holds_is_bounded(proxy: FaultProxy) -> None:
    async with connection(proxy) as (_, writer):
        proxy.condition = BlackHole()
        # More than a chunk and the kernel's buffers together.
        writer.write(b"x" * 64 * 1024 * 1024)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(SILENCE_S):
                await writer.drain()


@pytest.mark.parametrize("dead", Direction)
async def test_half_open_connections_stay_so_and_new_ones_are_whole(
    proxy: FaultProxy, dead: Direction
) -> None:
    async with connection(proxy) as old:
        await said(old, b"a")
        proxy.condition = HalfOpen(dead)
        old[1].write(b"b")
        assert await hears_nothing(old)
        proxy.condition = Pass()
        assert await hears_nothing(old)
        async with connection(proxy) as new:
            assert await said(new, b"c") == b"c"
    heard = 3 if dead is Direction.ANSWERS else 2
    assert proxy.passed[Direction.REQUESTS] == heard


async def test_slow_is_so_many_bytes_a_second(proxy: FaultProxy) -> None:
    async with connection(proxy) as wire:
        proxy.condition = Slow(40)
        began = time.monotonic()
        await said(wire, b"12345678")
        assert time.monotonic() - began >= 0.2
        proxy.condition = Slow(1)
        wire[1].write(b"x" * 100)
        assert await hears_nothing(wire)
        proxy.condition = Pass()
        assert await wire[0].readexactly(100) == b"x" * 100


async def test_answers_alone_are_slow(proxy: FaultProxy) -> None:
    async with connection(proxy) as wire:
        proxy.condition = Slow(1, frozenset({Direction.ANSWERS}))
        wire[1].write(b"x" * 100)
        assert await hears_nothing(wire)
        assert proxy.passed == {Direction.REQUESTS: 100, Direction.ANSWERS: 0}


@pytest.mark.parametrize("live", [False, True])
async def test_reset_comes_in_the_middle_of_an_answer(proxy: FaultProxy, live: bool) -> None:
    async with connection(proxy) as wire:
        if live:
            await said(wire, b"a" * 10)
        proxy.condition = Reset(after_bytes=3)
        wire[1].write(b"abcdef")
        if not live:
            assert await wire[0].readexactly(3) == b"abc"
        with pytest.raises(ConnectionResetError):
            await wire[0].read(1)


async def test_cut_ends_a_stream_in_order(proxy: FaultProxy) -> None:
    proxy.condition = Cut(after_bytes=3)
    async with connection(proxy) as (reader, writer):
        writer.write(b"abcdef")
        assert await reader.read() == b"abc"


async def test_refused_on_the_same_address_until_it_is_lifted(proxy: FaultProxy) -> None:
    address = proxy.address
    async with connection(proxy) as wire:
        await said(wire, b"a")
        proxy.condition = Refuse()
        with pytest.raises(ConnectionResetError):
            await wire[0].read(1)
    with pytest.raises(ConnectionRefusedError):
        async with connection(proxy):
            pass
    proxy.condition = Pass()
    async with connection(proxy) as wire:
        assert await said(wire, b"b") == b"b"
    assert proxy.address == address


async def test_an_upstream_that_is_not_there_resets() -> None:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    nowhere = server.sockets[0].getsockname()
    server.close()
    await server.wait_closed()
    async with FaultProxy(nowhere) as proxy, connection(proxy) as (reader, _):
        with pytest.raises(ConnectionResetError):
            await reader.read(1)


async def test_unix_sockets_on_both_sides(home: Path) -> None:
    server = await asyncio.start_unix_server(echo, home / "up.sock")
    async with server, FaultProxy(home / "up.sock", listen=home / "p.sock") as proxy:
        assert proxy.target == f"unix:{home}/p.sock"
        async with connection(proxy) as wire:
            assert await said(wire, b"a") == b"a"
        proxy.condition = Refuse()
        with pytest.raises(OSError, match="refused"):
            async with connection(proxy):
                pass
        proxy.condition = Pass()
        async with connection(proxy) as wire:
            assert await said(wire, b"b") == b"b"
    assert not (home / "p.sock").exists()


@pytest.mark.parametrize(
    "condition", [BlackHole(), HalfOpen(), Slow(1), Latency(60), Reset(1), Refuse(), Pass()]
)
async def test_the_block_ends_with_connections_that_live(
    proxy: FaultProxy, condition: Condition
) -> None:
    async with AsyncExitStack() as later:
        async with FaultProxy(proxy.address) as outer:
            reader, writer = await later.enter_async_context(connection(outer))
            outer.condition = condition
            writer.write(b"x")
        assert outer.open == 0
        with suppress(ConnectionResetError):
            assert await reader.read() in (b"", b"x")
