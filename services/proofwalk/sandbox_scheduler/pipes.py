"""Connections that begin with an HTTP head: a server that reads it and hands them on,
and two of them joined.

The egress proxy and the DevTools relay are both a `HeadServer` with a handler of their
own. Connections, heads and time are bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

Handler = Callable[[bytes, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

HEAD_LIMIT = 64 * 1024
"""Bytes of an HTTP request's head, at most."""
_CHUNK = 64 * 1024


class HeadServer:
    """`await start(host, port)`, … `await close()`. `handle` gets the head and both
    directions; the connection is shut behind it."""

    def __init__(self, handle: Handler, *, most: int, head_s: float) -> None:
        self._handle = handle
        self._most = most
        self._head_s = head_s
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.port = 0

    async def start(self, host: str, port: int) -> None:
        """Listen; port 0 is any free one."""
        self._server = await asyncio.start_server(self._accept, host, port, limit=HEAD_LIMIT)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening and cut what is open."""
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None

    @property
    def open(self) -> int:
        """Connections that are open."""
        return len(self._connections)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= self._most:
            writer.close()
            return
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(self._head_s):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._handle(head, reader, writer)
        except (
            OSError,
            ValueError,
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
        ):
            return
        finally:
            await shut(writer)


async def both_ways(
    client: asyncio.StreamReader,
    out: asyncio.StreamWriter,
    upstream: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    idle_s: float,
) -> None:
    """Copy until the upstream side is done, or both are idle for too long."""
    up = asyncio.ensure_future(_copy(client, out, idle_s))
    down = asyncio.ensure_future(_copy(upstream, writer, idle_s))
    try:
        await asyncio.wait({down, up}, return_when=asyncio.FIRST_COMPLETED)
        if not down.done():
            await asyncio.wait({down}, timeout=idle_s)
    finally:
        for task in (up, down):
            task.cancel()
        await asyncio.gather(up, down, return_exceptions=True)


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter, idle_s: float) -> None:
    with contextlib.suppress(OSError, TimeoutError):
        while True:
            async with asyncio.timeout(idle_s):
                data = await source.read(_CHUNK)
            if not data:
                return
            sink.write(data)
            await sink.drain()


async def shut(writer: asyncio.StreamWriter) -> None:
    """Close a connection, and wait a moment for it."""
    writer.close()
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(1):
            await writer.wait_closed()
