"""Two connections joined: what comes from one goes to the other, until one side is done or nothing was said for too long."""

from __future__ import annotations

import asyncio
import contextlib

HEAD_LIMIT = 64 * 1024
"""Bytes of an HTTP request's head, at most."""
_CHUNK = 64 * 1024


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
