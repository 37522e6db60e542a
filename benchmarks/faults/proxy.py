"""A TCP proxy on loopback that does to connections what networks do.

    async with FaultProxy(("127.0.0.1", 6379)) as proxy:
        client = connect(f"redis://{proxy.target}/0")
        proxy.condition = Latency(0.2)
        proxy.condition = Pass()

`condition` may be set at any moment from the proxy's event loop, and holds at once for
connections that live (`conditions` says what each does). An upstream that is a `Path`
is a unix socket; with `listen` the proxy is one too. Invariants:

- each direction of a connection holds at most one chunk of `CHUNK` bytes; while that
  chunk waits nothing is read, so that the sender feels it by TCP's own window;
- at most `MOST` connections live; others wait in the kernel's queue;
- upstream is connected to when the condition lets a request pass, so that what a black
  hole swallows never reaches it;
- every task is the proxy's and has ended when the block has; what still lives then is
  reset.

Jitter comes from a generator with the given seed. Next: `cells` uses it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from benchmarks.faults.conditions import (
    BlackHole,
    Condition,
    Cut,
    Direction,
    HalfOpen,
    Latency,
    Pass,
    Refuse,
    Reset,
    Slow,
)
from proofwalk.chassis.tasks import end

Endpoint = tuple[str, int] | Path
"""Where somebody listens: host and port, or a unix socket."""

CHUNK = 64 * 1024
MOST = 256
_HOST = "127.0.0.1"
_TURNS_A_SECOND = 10
"""In how many pieces a slow connection gives what a second allows."""
_RESET_AT_CLOSE = struct.pack("ii", 1, 0)


class _Broken(Exception):
    """The condition ends the connection."""

    def __init__(self, *, reset: bool) -> None:
        super().__init__()
        self.reset = reset


@dataclass(eq=False)
class _Link:
    """A connection and its other half."""

    number: int
    client: socket.socket
    upstream: socket.socket | None = None
    dead: set[Direction] = field(default_factory=set)
    passed: dict[Direction, int] = field(default_factory=lambda: dict.fromkeys(Direction, 0))
    latest: Direction = Direction.ANSWERS
    """Which way bytes went last."""
    half_closed: asyncio.Event = field(default_factory=asyncio.Event)
    reset: bool = True
    """Whether it ends by RST."""

    def ends(self, direction: Direction) -> tuple[socket.socket, socket.socket]:
        """Where the bytes of a direction come from and go to, once upstream is
        there."""
        assert self.upstream is not None
        ends = (self.client, self.upstream)
        return ends if direction is Direction.REQUESTS else ends[::-1]

    def close(self) -> None:
        """Close both halves."""
        for one in filter(None, (self.client, self.upstream)):
            if self.reset:
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_CLOSE)
            one.close()


class FaultProxy:
    """Between whoever connects to `target` and `upstream`."""

    def __init__(self, upstream: Endpoint, *, listen: Path | None = None, seed: int = 0) -> None:
        self._upstream = upstream
        self._path = listen
        self._random = random.Random(seed)
        self._condition: Condition = Pass()
        self._changed = asyncio.Event()
        self._links: dict[asyncio.Task[None], _Link] = {}
        self._port_keeper: socket.socket | None = None
        self._listener: socket.socket | None = None
        self._watched = False
        self.address: Endpoint = listen or (_HOST, 0)
        """Where it listens, inside the block."""
        self.connections = 0
        """How many were accepted."""
        self.passed = dict.fromkeys(Direction, 0)
        """Bytes that went on, by direction."""
        self.newest_answered = 0
        """Bytes of answers on the connection that was accepted last."""
        self.turns = 0
        """How often requests went on to upstream after an answer, or as the first of a
        connection: of HTTP/1.1 the number of requests."""

    async def __aenter__(self) -> FaultProxy:
        if self._path is None:
            # Bound and never listening: the port stays ours while connections are
            # refused.
            self._port_keeper = _bound_to(0)
            self.address = self._port_keeper.getsockname()
        self._listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop_listening()
        try:
            await end(list(self._links))
        finally:
            if self._port_keeper is not None:
                self._port_keeper.close()
            if self._path is not None:
                self._path.unlink(missing_ok=True)

    @property
    def target(self) -> str:
        """`address` as gRPC and URLs write it: `host:port`, or `unix:/path`."""
        if isinstance(self.address, Path):
            return f"unix:{self.address}"
        host, port = self.address
        return f"{host}:{port}"

    @property
    def open(self) -> int:
        """How many connections live."""
        return len(self._links)

    @property
    def condition(self) -> Condition:
        """What happens to connections now."""
        return self._condition

    @condition.setter
    def condition(self, condition: Condition) -> None:
        self._condition = condition
        if isinstance(condition, HalfOpen):
            for link in self._links.values():
                link.dead.add(condition.dead)
        if isinstance(condition, Refuse):
            self._stop_listening()
            for task in self._links:
                task.cancel()
        elif self._listener is None:
            self._listen()
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _listen(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listener.setblocking(False)
            self._listener.bind(str(self._path))
        else:
            assert not isinstance(self.address, Path)
            self._listener = _bound_to(self.address[1])
        self._listener.listen()
        self._watch()

    def _stop_listening(self) -> None:
        self._unwatch()
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def _watch(self) -> None:
        if self._listener is not None and not self._watched and self.open < MOST:
            asyncio.get_running_loop().add_reader(self._listener, self._accept, self._listener)
            self._watched = True

    def _unwatch(self) -> None:
        if self._listener is not None and self._watched:
            asyncio.get_running_loop().remove_reader(self._listener)
        self._watched = False

    def _accept(self, listener: socket.socket) -> None:
        try:
            client, _ = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        _prepare(client)
        self.connections += 1
        self.newest_answered = 0
        link = _Link(number=self.connections, client=client)
        if isinstance(self._condition, HalfOpen):
            link.dead.add(self._condition.dead)
        task = asyncio.get_running_loop().create_task(
            self._serve(link), name=f"fault proxy {self.target}"
        )
        self._links[task] = link
        task.add_done_callback(self._ended)
        if self.open >= MOST:
            self._unwatch()

    def _ended(self, task: asyncio.Task[None]) -> None:
        link = self._links.pop(task)
        # Here and not in the task: one that is cancelled before its first step runs
        # none of its own code.
        link.close()
        self._watch()

    async def _serve(self, link: _Link) -> None:
        pumps: list[asyncio.Task[None]] = []
        try:
            await self._admitted(link, Direction.REQUESTS, 0)
            link.upstream = await _connected_to(self._upstream)
            pumps += [asyncio.create_task(self._pump(link, one)) for one in Direction]
            done, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_EXCEPTION)
            # Each is asked: both may have failed, and one is enough to be told.
            for failure in [pump.exception() for pump in done]:
                if failure is not None:
                    raise failure
            link.reset = False
        except _Broken as broken:
            link.reset = broken.reset
        except OSError:
            # One side reset it, or upstream is not there: so sees it the other.
            link.reset = True
        finally:
            await end(pumps)

    async def _pump(self, link: _Link, direction: Direction) -> None:
        loop = asyncio.get_running_loop()
        source, sink = link.ends(direction)
        while data := await loop.sock_recv(source, CHUNK):
            rest = memoryview(data)
            while rest:
                size = await self._admitted(link, direction, len(rest))
                await loop.sock_sendall(sink, rest[:size])
                rest = rest[size:]
                self._count(link, direction, size)
        await self._admitted(link, direction, 0)
        link.half_closed.set()
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def _count(self, link: _Link, direction: Direction, size: int) -> None:
        link.passed[direction] += size
        self.passed[direction] += size
        if direction is Direction.ANSWERS and link.number == self.connections:
            self.newest_answered = link.passed[direction]
        self.turns += direction is Direction.REQUESTS and link.latest is Direction.ANSWERS
        link.latest = direction

    async def _admitted(self, link: _Link, direction: Direction, size: int) -> int:
        """Wait until some of `size` bytes may go on (or, with 0, a connection or its
        end), and return how many. Raises `_Broken`."""
        while True:
            if direction in link.dead:
                await link.half_closed.wait()
                raise _Broken(reset=False)
            match self._condition:
                case BlackHole():
                    await self._changed.wait()
                case Latency(seconds=seconds, jitter_s=jitter_s):
                    delay = seconds + self._random.uniform(-jitter_s, jitter_s)
                    if not await self._changed_within(delay):
                        return size
                case Slow(bytes_per_s=rate, directions=slow) if direction in slow:
                    piece = min(size, max(1, int(rate / _TURNS_A_SECOND)))
                    if not await self._changed_within(piece / rate):
                        return piece
                case Reset() | Cut() as ending:
                    return _room(ending, link, direction, size)
                case _:
                    return size

    async def _changed_within(self, seconds: float) -> bool:
        changed = self._changed
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await changed.wait()
        except TimeoutError:
            return False
        return True


def _room(ending: Reset | Cut, link: _Link, direction: Direction, size: int) -> int:
    """How many of `size` bytes a connection passes that is about to end. Raises
    `_Broken`."""
    if direction is Direction.REQUESTS or not size:
        return size
    room = ending.after_bytes - link.passed[direction]
    if room <= 0:
        raise _Broken(reset=isinstance(ending, Reset))
    return min(size, room)


def _bound_to(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setblocking(False)
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        bound.setsockopt(socket.SOL_SOCKET, option, 1)
    bound.bind((_HOST, port))
    return bound


async def _connected_to(endpoint: Endpoint) -> socket.socket:
    family = socket.AF_UNIX if isinstance(endpoint, Path) else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        address = str(endpoint) if isinstance(endpoint, Path) else endpoint
        await asyncio.get_running_loop().sock_connect(connection, address)
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connected: socket.socket) -> None:
    connected.setblocking(False)
    if connected.family == socket.AF_INET:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
