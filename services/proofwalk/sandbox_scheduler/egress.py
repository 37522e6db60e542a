"""The wall around a sandbox: a forward proxy that lets through an exact list of
`host:port`, and nothing else.

The browser is started with this proxy for everything, loopback included, and has no
other way out (QUIC and WebRTC's own sockets are off). Plain HTTP is forwarded, TLS is
tunnelled by CONNECT; names are resolved here, so the browser makes no DNS query. A
refused request gets 403 and is counted by host. The list is empty until the sandbox is
handed out. Connections and time are bounded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from proofwalk.sandbox_scheduler.pipes import HEAD_LIMIT, HeadServer, both_ways, shut

CONNECT_S = 10.0
IDLE_S = 300.0
MAX_CONNECTIONS = 256
_HOP_BY_HOP = frozenset(
    {
        "proxy-connection",
        "proxy-authorization",
        "keep-alive",
        "connection",
        "te",
        "trailer",
        "upgrade",
    }
)


class EgressProxy:
    """A proxy for one sandbox. `await start()`, `allow(hosts)`, … `await close()`."""

    def __init__(self) -> None:
        self._allowed: frozenset[tuple[str, int]] = frozenset()
        self._refused: Counter[str] = Counter()
        self._server = HeadServer(self._answer, most=MAX_CONNECTIONS, head_s=CONNECT_S)

    @property
    def port(self) -> int:
        """Return the port that the proxy listens on."""
        return self._server.port

    async def start(self) -> None:
        """Listen on a free loopback port."""
        await self._server.start("127.0.0.1", 0)

    def allow(self, hosts: Iterable[str]) -> None:
        """Replace the list: `host:port`, or `host` for 80 and 443."""
        pairs: set[tuple[str, int]] = set()
        for entry in hosts:
            host, _, port = (
                entry.rpartition(":") if entry.rpartition(":")[2].isdigit() else (entry, "", "")
            )
            ports = [int(port)] if port else [80, 443]
            pairs |= {(host.strip("[]").lower().rstrip("."), number) for number in ports}
        self._allowed = frozenset(pairs)

    @property
    def refused(self) -> Mapping[str, int]:
        """Return the refused `host:port` with how often each was refused."""
        return dict(self._refused)

    async def close(self) -> None:
        """Stop listening and cut open connections."""
        await self._server.close()

    async def _answer(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        request = _read(head)
        host, port = request.host, request.port
        if (host.rstrip("."), port) not in self._allowed:
            self._refused[f"{host}:{port}"] += 1
            body = b"refused: this host is not on the sandbox's list\n"
            writer.write(
                b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection:"
                b" close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            await writer.drain()
            return
        try:
            async with asyncio.timeout(CONNECT_S):
                upstream, out = await asyncio.open_connection(host, port, limit=HEAD_LIMIT)
        except (OSError, TimeoutError):
            writer.write(
                b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
            await writer.drain()
            return
        try:
            if request.forwarded is None:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await writer.drain()
            else:
                out.write(request.forwarded)
                await out.drain()
            await both_ways(reader, out, upstream, writer, idle_s=IDLE_S)
        finally:
            await shut(out)


@dataclass(frozen=True, kw_only=True)
class _Request:
    """Where a request goes."""

    host: str
    port: int
    forwarded: bytes | None
    """The head that the host gets; None for a tunnel, which has none."""


def _read(head: bytes) -> _Request:
    """Read a request to a proxy. Raises `ValueError` for what is none."""
    line, _, rest = head.partition(b"\r\n")
    method, target, version = line.decode("latin-1").split(" ", 2)
    if method == "CONNECT":
        parts = urlsplit(f"//{target}")
        host, port = (parts.hostname or "").lower(), parts.port or 443
        return _Request(host=host, port=port, forwarded=None)
    parts = urlsplit(target)
    host, port = (
        (parts.hostname or "").lower(),
        parts.port or (443 if parts.scheme == "https" else 80),
    )
    path = parts.path or "/"
    query = f"?{parts.query}" if parts.query else ""
    # One request a connection: the next one may be for another host, and must be judged
    # by itself.
    headers = [
        item
        for item in rest.split(b"\r\n")
        if item and item.split(b":")[0].decode("latin-1").lower() not in _HOP_BY_HOP
    ]
    connection = (
        [b"Connection: Upgrade", b"Upgrade: websocket"]
        if _is_websocket(rest)
        else [b"Connection: close"]
    )
    start = f"{method} {path}{query} {version}".encode("latin-1")
    forwarded = b"\r\n".join([start, *headers, *connection, b"", b""])
    return _Request(host=host, port=port, forwarded=forwarded)


def _is_websocket(headers: bytes) -> bool:
    return any(
        item.lower().startswith(b"upgrade:") and b"websocket" in item.lower()
        for item in headers.split(b"\r\n")
    )
