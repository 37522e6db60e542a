"""The wall around a sandbox: a forward proxy that lets through an exact list of `host:port`, and nothing else.

The browser is started with this proxy for everything, loopback included, and has no other way out (QUIC and WebRTC's own sockets are
off). Plain HTTP is forwarded, TLS is tunnelled by CONNECT; names are resolved here, so the browser makes no DNS query. A refused request gets
403 and is counted by host. The list is empty until the sandbox is handed out. Connections and time are bounded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from proofwalk.sandbox_scheduler.pipes import HEAD_LIMIT, both_ways, shut

CONNECT_S = 10.0
IDLE_S = 300.0
MAX_CONNECTIONS = 256
_HOP_BY_HOP = frozenset({"proxy-connection", "proxy-authorization", "keep-alive", "connection", "te", "trailer", "upgrade"})


class EgressProxy:
    """A proxy for one sandbox. `await start()`, `allow(hosts)`, … `await close()`."""

    def __init__(self) -> None:
        self._allowed: frozenset[tuple[str, int]] = frozenset()
        self._refused: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.port = 0

    async def start(self) -> None:
        """Listen on a free loopback port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=HEAD_LIMIT)
        self.port = self._server.sockets[0].getsockname()[1]

    def allow(self, hosts: Iterable[str]) -> None:
        """Replace the list: `host:port`, or `host` for 80 and 443."""
        pairs: set[tuple[str, int]] = set()
        for entry in hosts:
            host, _, port = entry.rpartition(":") if entry.rpartition(":")[2].isdigit() else (entry, "", "")
            ports = [int(port)] if port else [80, 443]
            pairs |= {(host.strip("[]").lower().rstrip("."), number) for number in ports}
        self._allowed = frozenset(pairs)

    @property
    def refused(self) -> Mapping[str, int]:
        """Refused `host:port` with counts."""
        return dict(self._refused)

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

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MAX_CONNECTIONS:
            writer.close()
            return
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(CONNECT_S):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._answer(head, reader, writer)
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            await shut(writer)

    async def _answer(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, _, rest = head.partition(b"\r\n")
        method, target, version = line.decode("latin-1").split(" ", 2)
        if method == "CONNECT":
            parts = urlsplit(f"//{target}")
            host, port = (parts.hostname or "").lower(), parts.port or 443
            first = b""
        else:
            parts = urlsplit(target)
            host, port = (parts.hostname or "").lower(), parts.port or (443 if parts.scheme == "https" else 80)
            path = parts.path or "/"
            query = f"?{parts.query}" if parts.query else ""
            # One request a connection: the next one may be for another host, and must be judged by itself.
            headers = [
                item for item in rest.split(b"\r\n") if item and item.split(b":")[0].decode("latin-1").lower() not in _HOP_BY_HOP
            ]
            upgrade = _is_websocket(rest)
            kept = [b"Connection: Upgrade", b"Upgrade: websocket"] if upgrade else [b"Connection: close"]
            first = b"\r\n".join([f"{method} {path}{query} {version}".encode("latin-1"), *headers, *kept, b"", b""])
        if (host.rstrip("."), port) not in self._allowed:
            self._refused[f"{host}:{port}"] += 1
            body = b"refused: this host is not on the sandbox's list\n"
            writer.write(
                b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                % len(body)
                + body
            )
            await writer.drain()
            return
        try:
            async with asyncio.timeout(CONNECT_S):
                upstream, out = await asyncio.open_connection(host, port, limit=HEAD_LIMIT)
        except (OSError, TimeoutError):
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        try:
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await writer.drain()
            else:
                out.write(first)
                await out.drain()
            await both_ways(reader, out, upstream, writer, idle_s=IDLE_S)
        finally:
            await shut(out)


def _is_websocket(headers: bytes) -> bool:
    return any(item.lower().startswith(b"upgrade:") and b"websocket" in item.lower() for item in headers.split(b"\r\n"))
