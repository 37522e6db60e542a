"""A receiver of webhooks on the loopback, good or hostile by path."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Receiver:
    """Answers by path, and remembers what it was sent."""

    port: int = 0
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    """Of the next requests to `/scripted`; 200 behind them."""
    released: asyncio.Event = field(default_factory=asyncio.Event)
    received: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def host(self) -> str:
        """As `allow_hosts` names it."""
        return f"127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = dict(
                line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line
            )
            self.bodies.append(await reader.readexactly(int(lines.get("content-length", "0"))))
            self.heads.append(head)
            self.received.set()
            await self._answer(head.split(" ")[1], writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        fixed = {
            "/loopback": _plain(307, f"Location: {self.url('/fine')}"),
            "/early": b"HTTP/1.1 20",
            "/later": _plain(503, "Retry-After: 120"),
            "/nonsense": b"SSH-2.0-OpenSSH_9.6\r\n",
        }
        endless = {
            "/dripping": (b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
            "/huge": (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n", b"x" * 65536),
            "/huge-head": (b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"x" * 60000 + b"\r\n"),
        }
        if path in endless:
            await self._repeat(writer, *endless[path], pause_s=0.01 * (path == "/dripping"))
        elif path == "/silent":
            await self.released.wait()
        elif path == "/scripted":
            writer.write(_plain(self.statuses.pop(0) if self.statuses else 200))
        else:
            writer.write(fixed.get(path, _plain(200)))

    async def _repeat(
        self, writer: asyncio.StreamWriter, head: bytes, part: bytes, *, pause_s: float
    ) -> None:
        """Write the same part until the sender has had enough."""
        writer.write(head)
        while not writer.is_closing() and not self.released.is_set():
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause_s)


def _plain(status: int, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", "Content-Length: 0", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver that listens."""
    receiver = Receiver()
    listener = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = listener.sockets[0].getsockname()[1]
    async with listener:
        try:
            yield receiver
        finally:
            receiver.released.set()
