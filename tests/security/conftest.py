"""A site that is hostile, a tripwire on loopback that must never be touched, and a log
of everything that a session gives out."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.waiting.deadlines import Deadlines
from tests.console.conftest import (  # noqa: F401  # fixtures
    _foreign,
    _site,
    connect,
    connected,
    driver,
    foreign,
    shared_browser,
    site,
)
from tests.console.conftest import see as see  # fixture
from tests.security.pages import Hostile

BOUNDS = Deadlines(quiet=1.5, command=4.0, navigation=6.0, action=14.0, popup=1.0)


@dataclass
class Tripwire:
    """A foreign host: a TCP and a UDP socket on one port."""

    port: int
    touched: list[str] = field(default_factory=list)
    """First lines of what was sent to it."""
    opened: int = 0
    """Connections without a byte: a browser opens some ahead of a navigation, before it
    asks anybody whether it may go there."""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"


def _listen(wire: Tripwire, tcp: socket.socket, udp: socket.socket, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            connection, _ = tcp.accept()
        except TimeoutError:
            connection = None
        if connection is not None:
            with connection:
                connection.settimeout(0.3)
                try:
                    first = connection.recv(2000).split(b"\r\n", 1)[0].decode(errors="replace")
                except OSError:
                    first = ""
                if first:
                    wire.touched.append(f"tcp {first}")
                else:
                    wire.opened += 1
        try:
            wire.touched.append(f"udp {len(udp.recv(2000))} bytes")
        except BlockingIOError:
            continue


@pytest.fixture(scope="session")
def _wire() -> Iterator[Tripwire]:
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        udp.setblocking(False)
        tcp.settimeout(0.05)
        wire, stop = Tripwire(port=port), threading.Event()
        thread = threading.Thread(target=_listen, args=(wire, tcp, udp, stop))
        thread.start()
        yield wire
        stop.set()
        thread.join()


@pytest.fixture
def wire(_wire: Tripwire) -> Tripwire:
    """The foreign host, untouched."""
    _wire.touched.clear()
    _wire.opened = 0
    return _wire


@pytest_asyncio.fixture(loop_scope="session")
async def session(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]],  # noqa: F811
) -> AsyncIterator[ConsoleSession]:
    """A session with bounds that a hostile page reaches soon."""
    async with connect(deadlines=BOUNDS) as opened:
        yield opened


@pytest.fixture
def hostile(session: ConsoleSession, site: object) -> Hostile:  # noqa: F811
    """Opens hostile pages."""
    return Hostile(session=session, site=site)  # type: ignore[arg-type]
