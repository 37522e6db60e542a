"""A foreign host on loopback that must never be touched: a TCP and a UDP socket on one
port, and a thread that keeps what reaches them. The tests of hostile pages and the
benches of attacks decide by it whether anything left."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


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

    def clear(self) -> None:
        """Forget what has reached it."""
        self.touched.clear()
        self.opened = 0


@contextmanager
def tripwire(port: int = 0) -> Iterator[Tripwire]:
    """One that listens inside the block, on a free port unless one is asked for."""
    with (
        socket.create_server(("127.0.0.1", port)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        udp.setblocking(False)
        tcp.settimeout(0.05)
        wire, stop = Tripwire(port=port), threading.Event()
        thread = threading.Thread(target=_listen, args=(wire, tcp, udp, stop))
        thread.start()
        try:
            yield wire
        finally:
            stop.set()
            thread.join()


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
