"""The hosts that must not be reached, all of them at once: TCP and UDP sockets on every
address of this network namespace.

What arrives is kept with its first bytes, so that it can be told which probe it is of:
a probe's name is in its paths and its domain names. What has no name (a TLS greeting, a
STUN packet, a connection without a byte) is of the probe that is being tried. A
connection is of the try in which it was opened, however late its first byte is: a
browser without a wall may have opened one more than it used.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

_ANSWER = (
    b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)
_FIRST_S = 1.0
DNS = 53
_NAME = re.compile(rb"(probe\d{3})")


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """Something that reached a foreign host."""

    port: int
    protocol: str
    first: bytes
    """Empty for a connection that sent nothing."""

    @property
    def probe(self) -> str:
        """The probe that it names; empty if it names none."""
        found = _NAME.search(self.first)
        return found[1].decode() if found else ""

    def is_of(self, probe: str) -> bool:
        """Whether it came of a probe that is being tried. A question for a domain name
        has to name the probe: the browser asks for names of its own."""
        if self.port == DNS:
            return self.probe == probe
        return self.probe in (probe, "")

    def __str__(self) -> str:
        return f"{self.protocol}/{self.port} {self.first[:60]!r}"


@dataclass
class Hosts:
    """The foreign hosts."""

    port: int
    arrivals: list[Arrival] = field(default_factory=list)
    tries: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by every arrival."""

    def begin(self) -> None:
        """Forget what has arrived, and what is open: another try begins."""
        self.tries += 1
        self.arrivals.clear()

    def add(self, arrival: Arrival) -> None:
        """Keep an arrival of this try."""
        self.arrivals.append(arrival)
        self.came.set()

    async def hear(self, probe: str) -> None:
        """Wait until something of the probe arrives; the caller bounds the wait."""
        while not self.of(probe):
            self.came.clear()
            await self.came.wait()

    def of(self, probe: str) -> Sequence[Arrival]:
        """What came of the probe that is being tried."""
        return [one for one in self.arrivals if one.is_of(probe)]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Keep what a connection begins with, and answer."""
        port = writer.get_extra_info("sockname")[1]
        first, opened_in = b"", self.tries
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(_FIRST_S):
                first = await reader.read(2000)
        if opened_in == self.tries:
            self.add(Arrival(port=port, protocol="tcp", first=first))
        with suppress(OSError):
            writer.write(_ANSWER)
            await writer.drain()
        writer.close()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, hosts: Hosts, port: int) -> None:
        self._hosts = hosts
        self._port = port

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._hosts.add(Arrival(port=self._port, protocol="udp", first=data[:2000]))


@asynccontextmanager
async def listening(port: int, others: Sequence[int]) -> AsyncIterator[Hosts]:
    """Listen on `port` and the others, and for DNS, inside the block."""
    hosts = Hosts(port=port)
    loop = asyncio.get_running_loop()
    servers = [await asyncio.start_server(hosts.serve, None, one) for one in (port, *others)]
    transports = []
    for at in (port, 3478, DNS):
        for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            datagrams = socket.socket(family, socket.SOCK_DGRAM)
            if family is socket.AF_INET6:
                datagrams.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            datagrams.bind((address, at))
            heard = partial(_Datagrams, hosts, at)
            transports.append((await loop.create_datagram_endpoint(heard, sock=datagrams))[0])
    try:
        yield hosts
    finally:
        for transport in transports:
            transport.close()
        for server in servers:
            server.close()
