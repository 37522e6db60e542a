"""DevTools over the network, for whoever bears a ticket.

A relay takes a connection, reads the head of one HTTP request for `/devtools/<ticket>`,
asks where the ticket leads, and from then on copies bytes: it never looks into a
session, and never waits for a scheduler. The same relay stands in a pod, in front of
its browser, and in the gateway, in front of all pods; they differ in where a ticket
leads.

The browser itself is told that it is asked from its own machine: it would refuse
anything else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status
from proofwalk.sandbox_scheduler.pipes import HEAD_LIMIT, HeadServer, both_ways, shut

log = structlog.get_logger()
HEAD_S = 10.0
IDLE_S = 3600.0
"""An agent may think for long; the lease ends what was forgotten."""
_PATH = "/devtools/"
_REPLACED = frozenset({b"host", b"origin"})


@dataclass(frozen=True, kw_only=True)
class Way:
    """Where a connection goes on: an address, and the request's path there."""

    host: str
    port: int
    path: str


class Relay:
    """`await start(address)`, … `await close()`. `lead` says where a ticket leads, or
    raises why it does not."""

    def __init__(self, lead: Callable[[str], Way], *, most: int) -> None:
        self._lead = lead
        self._server = HeadServer(self._serve, most=most, head_s=HEAD_S)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

    @property
    def open(self) -> int:
        """Connections that are open."""
        return self._server.open

    async def start(self, host: str, port: int) -> None:
        """Listen; port 0 is any free one."""
        await self._server.start(host, port)

    async def close(self) -> None:
        """Stop listening and cut what is open."""
        await self._server.close()

    async def _serve(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await self._carry(head, reader, writer)
        except ProofwalkError as error:
            log.warning("devtools_refused", code=error.code, reason=error.message)
            await _refuse(writer, error)

    async def _carry(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        line, _, rest = head.partition(b"\r\n")
        method, target, version = line.decode("latin-1").split(" ", 2)
        if method != "GET" or not target.startswith(_PATH):
            raise ProofwalkError(
                "sandbox.not_devtools", "only DevTools are here", status=Status.NOT_FOUND
            )
        way = self._lead(target.removeprefix(_PATH))
        try:
            async with asyncio.timeout(HEAD_S):
                upstream, out = await asyncio.open_connection(way.host, way.port, limit=HEAD_LIMIT)
        except (OSError, TimeoutError) as error:
            raise ProofwalkError(
                "sandbox.crashed",
                f"{way.host} does not answer",
                status=Status.UNAVAILABLE,
                hint="acquire another one",
            ) from error
        try:
            kept = [
                item
                for item in rest.split(b"\r\n")
                if item and item.split(b":")[0].strip().lower() not in _REPLACED
            ]
            first = [
                f"{method} {way.path} {version}".encode("latin-1"),
                f"Host: {way.host}:{way.port}".encode("latin-1"),
                *kept,
            ]
            out.write(b"\r\n".join([*first, b"", b""]))
            await out.drain()
            await both_ways(reader, out, upstream, writer, idle_s=IDLE_S)
        finally:
            await shut(out)


async def _refuse(writer: asyncio.StreamWriter, error: ProofwalkError) -> None:
    body = f"{error.code}: {error.message}\n".encode()
    writer.write(
        b"HTTP/1.1 %d Refused\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length:"
        b" %d\r\n\r\n%s" % (HTTP_STATUS[error.status], len(body), body)
    )
    try:
        await writer.drain()
    except OSError:
        return
