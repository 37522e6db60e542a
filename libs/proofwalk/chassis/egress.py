"""A way out for a confined child program, to named hosts alone.

`chassis.confinement` bounds the ports that a child connects to, not the hosts behind
them. So a child that may reach a cloud gets no port but this one's: a proxy on the
loopback that opens tunnels (`CONNECT`) to port 443 of the hosts on its list, at public
addresses, and nothing else. TLS goes through it unread. A name is resolved here, once,
and the address that was judged is the one that is connected to.

Bounds: `MOST` tunnels at a time, the head of a request in `HEAD_BYTES` and `OPENING_S`,
`IDLE_S` without a byte in either direction. Tunnels end with the proxy.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType

import structlog

MOST = 64
HEAD_BYTES = 8192
OPENING_S = 10.0
IDLE_S = 120.0
_CHUNK = 64 * 1024
_PORT = 443
_CONNECT = re.compile(rb"CONNECT ([A-Za-z0-9.-]{1,253}):(\d{1,5}) HTTP/1\.[01]\r\n")
log: structlog.stdlib.BoundLogger = structlog.get_logger()

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[str], Awaitable[Streams]]
"""Connects to port 443 of a host that is allowed. Raises `OSError`."""


async def connect_publicly(host: str) -> Streams:
    """Connect to a host at an address that is public. Raises `OSError`."""
    loop = asyncio.get_running_loop()
    places = await loop.getaddrinfo(host, _PORT, type=socket.SOCK_STREAM)
    addresses = [str(place[4][0]) for place in places]
    if not addresses or not all(ipaddress.ip_address(one).is_global for one in addresses):
        raise PermissionError(f"{host} is at an address that is not public")
    return await asyncio.open_connection(addresses[0], _PORT)


class Egress:
    """The proxy. Use as an async context manager."""

    def __init__(self, hosts: Sequence[str], *, connect: Connect = connect_publicly) -> None:
        """`hosts`: names, or `*.` and a domain for every name below it."""
        self._names = frozenset(one.lower() for one in hosts if not one.startswith("*."))
        self._domains = tuple(one[1:].lower() for one in hosts if one.startswith("*."))
        self._connect = connect
        self._server: asyncio.Server | None = None
        self._tunnels: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Its address, as `HTTPS_PROXY` has it."""
        assert self._server is not None, "it is not open"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def allows(self, host: str) -> bool:
        """Return True for a host on the list."""
        name = host.lower().rstrip(".")
        return name in self._names or name.endswith(self._domains)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a server runs this in a task"
        self._tunnels.add(task)
        try:
            status = await self._tunnel(reader, writer)
            if status:
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the child has gone, or says what no client says
        finally:
            self._tunnels.discard(task)
            await _end(writer)

    async def _tunnel(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        """Carry a tunnel to its end; the status of a refusal, else nothing."""
        async with asyncio.timeout(OPENING_S):
            head = await reader.readuntil(b"\r\n\r\n")
        asked = _CONNECT.match(head)
        if asked is None:
            return "405 Method Not Allowed"
        host, port = asked[1].decode(), int(asked[2])
        if port != _PORT or not self.allows(host):
            log.warning("egress_refused", host=host, port=port)
            return "403 Forbidden"
        if len(self._tunnels) > MOST:
            return "503 Service Unavailable"
        try:
            async with asyncio.timeout(OPENING_S):
                there = await self._connect(host)
        except PermissionError as error:
            log.warning("egress_refused", host=host, reason=str(error))
            return "403 Forbidden"
        except (OSError, TimeoutError):
            return "502 Bad Gateway"
        try:
            writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
            await _carry((reader, writer), there)
        finally:
            await _end(there[1])
        return ""

    async def __aenter__(self) -> Egress:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HEAD_BYTES)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._tunnels):
            task.cancel()
        await asyncio.gather(*self._tunnels, return_exceptions=True)


class EgressDoors:
    """One proxy for each list of hosts, opened when it is first needed. Use as an async
    context manager."""

    def __init__(self) -> None:
        self._opened = AsyncExitStack()
        self._doors: dict[tuple[str, ...], Egress] = {}
        self._opening = asyncio.Lock()

    async def url_for(self, hosts: Sequence[str]) -> str:
        """Return the address of the proxy that leads to these hosts alone."""
        key = tuple(sorted(hosts))
        async with self._opening:
            if key not in self._doors:
                self._doors[key] = await self._opened.enter_async_context(Egress(key))
            return self._doors[key].url

    async def __aenter__(self) -> EgressDoors:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._opened.aclose()


async def _end(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def _carry(one: Streams, other: Streams) -> None:
    """Carry bytes both ways until an end closes, or nothing comes for `IDLE_S`."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(IDLE_S) as idle:

        async def flow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while chunk := await reader.read(_CHUNK):
                idle.reschedule(loop.time() + IDLE_S)
                writer.write(chunk)
                await writer.drain()
            with contextlib.suppress(OSError):
                writer.write_eof()

        async with asyncio.TaskGroup() as group:
            group.create_task(flow(one[0], other[1]), name="egress out")
            group.create_task(flow(other[0], one[1]), name="egress in")
