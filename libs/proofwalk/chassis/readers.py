"""Reads what strangers wrote in processes that can be ended: documents, META, rules,
scripts.

`Readers` keeps a few warm processes (`reader_process`). Each reads one thing at a time,
bounded in seconds of the clock, in seconds of the processor and in memory. What takes
more is ended with its process, and refused as `<subject>.too_costly`; the next order
gets a fresh one. The caller's event loop goes on meanwhile. At most `waiting` orders
wait, each at most `wait_s`; more are told `<subject>.busy`. A process is a child under
`deathwatch`: it ends with its owner, however that ends, and knows nothing of its
owner's environment but the path to Python's modules.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

import psutil
import structlog

from proofwalk.chassis.processes import SHARED, ChildProcess, start_child
from proofwalk.chassis.rpc import deadlines
from proofwalk.kernel.errors import ProofwalkError, Status, exhausted, invalid, unavailable
from proofwalk.kernel.json_values import JsonObject

_log: structlog.stdlib.BoundLogger = structlog.get_logger()
_HEADER = 4
_MAX_FRAME = 256 * 1024 * 1024
_START_S = 60.0
"""Seconds for Python to start and import a reader on a loaded machine."""
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ")


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What one reading may take."""

    wall_s: float = 15.0
    cpu_s: int = 10
    memory_bytes: int = 512 * 1024 * 1024


USUAL = Bounds()


@dataclass(frozen=True, kw_only=True)
class Order:
    """One thing to read. `subject` (`document`, `rule`, …) begins the code of an error;
    `hint` says what to do then."""

    reader: str
    subject: str
    arguments: JsonObject
    body: bytes = b""
    bounds: Bounds = USUAL
    hint: str = ""


class Reading(Protocol):
    """Somebody who carries orders out."""

    async def read(self, order: Order) -> bytes:
        """What the reader gave. Raises what it raised, `<subject>.too_costly`,
        `<subject>.busy`, `<subject>.unread`."""
        ...


class Readers:
    """A few warm processes that read. An asynchronous context manager: its processes
    end with it."""

    def __init__(self, *, processes: int = 2, waiting: int = 64, wait_s: float = 60.0) -> None:
        self._processes = processes
        self._waiting = waiting
        self._wait_s = wait_s
        self._slots = asyncio.Semaphore(processes)
        self._under_way = 0
        self._idle: list[_ReaderProcess] = []
        self._all: set[_ReaderProcess] = set()
        self._closed = False

    async def __aenter__(self) -> Readers:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End every process. Safe to repeat."""
        self._closed = True
        self._idle.clear()
        await asyncio.gather(*(one.end() for one in tuple(self._all)))
        self._all.clear()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that are there, by the pids of their guards."""
        return tuple(one.pid for one in self._all)

    async def read(self, order: Order) -> bytes:
        """See `Reading`."""
        if self._under_way >= self._processes + self._waiting:
            raise _busy(order, f"{self._waiting} others wait already")
        self._under_way += 1
        try:
            try:
                async with asyncio.timeout(deadlines.bounded(self._wait_s)):
                    await self._slots.acquire()
            except TimeoutError:
                raise _busy(order, "none of the processes that read became free in time") from None
            try:
                return await self._read(order)
            finally:
                self._slots.release()
        finally:
            self._under_way -= 1

    async def _read(self, order: Order) -> bytes:
        one = await self._free(order)
        fit = False
        try:
            frame = await one.ask(order)
            fit = frame[:1] in (b"A", b"E")
        finally:
            # Cancelled or failed in the middle of an order, a process is of no further
            # use to anybody.
            if fit and not one.ended and not self._closed:
                self._idle.append(one)
            else:
                self._all.discard(one)
                await asyncio.shield(one.end())
        return _content(order, frame)

    async def _free(self, order: Order) -> _ReaderProcess:
        while self._idle:
            one = self._idle.pop()
            if not one.ended:
                return one
            self._all.discard(one)
            await asyncio.shield(one.end())
        if self._closed:
            raise unavailable(f"{order.subject}.unread", "this process is ending")
        one = _ReaderProcess(
            await start_child(
                _command(), name="reader", env=_environment(), stdin=_PIPE, stdout=_PIPE
            )
        )
        self._all.add(one)
        return one


_PIPE = asyncio.subprocess.PIPE


class _ReaderProcess:
    """One process and the pipes to it."""

    def __init__(self, child: ChildProcess) -> None:
        self._child = child

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def ended(self) -> bool:
        return (
            self._child.returncode is not None
            or self._child.stdout is None
            or self._child.stdout.at_eof()
        )

    async def end(self) -> None:
        if self._child.stdin is not None:
            self._child.stdin.close()
        await self._child.kill()

    async def ask(self, order: Order) -> bytes:
        """The last frame of the order. Raises `<subject>.too_costly`,
        `<subject>.unread`."""
        asked = {
            "reader": order.reader,
            "arguments": order.arguments,
            "cpu_s": order.bounds.cpu_s,
            "memory_bytes": order.bounds.memory_bytes,
        }
        try:
            async with asyncio.timeout(_START_S):
                await self._send(json.dumps(asked).encode(), order.body)
                began = await self._receive()
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
            raise _unread(
                order, f"the process that reads did not begin ({type(error).__name__})"
            ) from None
        if began != b"B":
            raise _unread(order, "the process that reads did not begin")
        try:
            async with asyncio.timeout(order.bounds.wall_s):
                return await self._receive()
        except TimeoutError:
            if self._spent() < 0.5 * min(order.bounds.cpu_s, order.bounds.wall_s):
                raise _unread(
                    order, f"it was not read within {order.bounds.wall_s:g} s on a loaded machine"
                ) from None
            raise _too_costly(order, f"more than {order.bounds.wall_s:g} s") from None
        except (OSError, asyncio.IncompleteReadError):
            # The kernel ended it: for its processor seconds, or for its memory.
            what = (
                f"more than {order.bounds.cpu_s} s of a processor or"
                f" {order.bounds.memory_bytes >> 20} MB"
            )
            raise _too_costly(order, what) from None

    async def _send(self, *frames: bytes) -> None:
        stdin = self._child.stdin
        assert stdin is not None, "started with a pipe"
        for frame in frames:
            stdin.write(len(frame).to_bytes(_HEADER, "big") + frame)
        await stdin.drain()

    async def _receive(self) -> bytes:
        stdout = self._child.stdout
        assert stdout is not None, "started with a pipe"
        length = int.from_bytes(await stdout.readexactly(_HEADER), "big")
        if length > _MAX_FRAME:
            raise OSError("the answer is too large")
        return await stdout.readexactly(length)

    def _spent(self) -> float:
        """Processor seconds of what runs under the guard, zero if it cannot be told."""
        try:
            below = psutil.Process(self.pid).children(recursive=True)
            return sum(sum(one.cpu_times()[:2]) for one in below)
        except psutil.Error:
            return 0.0


def _command() -> tuple[str, ...]:
    return (sys.executable, "-m", "proofwalk.chassis.reader_process")


def _environment() -> dict[str, str]:
    """Nothing of ours but where things are: no secret reaches a process that reads what
    strangers wrote."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {
        **kept,
        **SHARED,
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_ARENA_MAX": "1",
    }


def _content(order: Order, frame: bytes) -> bytes:
    match frame[:1].upper():
        case b"A":
            return frame[1:]
        case b"E":
            fields = json.loads(frame[1:])
            raise ProofwalkError(
                fields["code"],
                fields["message"],
                status=Status(fields["status"]),
                hint=fields["hint"],
                retryable=fields["retryable"],
                details=fields["details"],
            )
        case b"M":
            raise _too_costly(order, f"more than {order.bounds.memory_bytes >> 20} MB")
    _log.error("reader_failed", reader=order.reader, reason=frame[1:].decode("utf-8", "replace"))
    raise ProofwalkError(
        f"{order.subject}.unread", f"the {order.subject} could not be read", status=Status.INTERNAL
    )


def _too_costly(order: Order, what: str) -> ProofwalkError:
    _log.warning("reading_too_costly", reader=order.reader, what=what)
    return invalid(
        f"{order.subject}.too_costly", f"reading the {order.subject} takes {what}", hint=order.hint
    )


def _unread(order: Order, why: str) -> ProofwalkError:
    return unavailable(
        f"{order.subject}.unread", f"the {order.subject} could not be read: {why}", hint="ask again"
    )


def _busy(order: Order, why: str) -> ProofwalkError:
    return exhausted(
        f"{order.subject}.busy",
        f"the {order.subject} cannot be read now: {why}",
        hint="ask again later",
    )
