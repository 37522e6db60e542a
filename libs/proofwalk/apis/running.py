"""Runs a function's code in a process that can do nothing but compute and ask
(`child`), and says how that ended.

The process is confined (`chassis.confinement`, `alone`): it reads Python's own files,
writes none, opens no socket, starts no process, and is ended when it asks for one of
the latter two. Its environment is the allow-listed one without proxies. Its requests
are answered here, by a surface; credentials are the surface's. Time on the clock,
processor time, memory, requests, result and log are bounded. Where the kernel cannot
confine it so, nothing is run.

Whatever the code does is a `Run`, never an error of ours. An application that gives no
answer raises: that says nothing about the function.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from proofwalk.apis import child
from proofwalk.apis.surfaces import Reply, Surface
from proofwalk.chassis.child_environment import inherited
from proofwalk.chassis.confinement import ENDED_ALONE, FAILED, confined
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import JsonObject, JsonValue, object_of

UNCONFINED = "apis.unconfined"
_HEADER = 4
_CHUNK = 64 * 1024
_PIPE = asyncio.subprocess.PIPE


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What one call of a function may take."""

    wall_s: float = 90.0
    """More than the cloud needs to bring a thing from one state into the next."""
    cpu_s: int = 10
    memory_bytes: int = 512 * 1024 * 1024
    requests: int = 60
    frame_bytes: int = 1024 * 1024
    """Of a request, an answer or a result."""
    log_chars: int = 2000


class Ended(StrEnum):
    """How a call ended."""

    RETURNED = "returned"
    RAISED = "raised"
    CONFINED = "confined"
    """It asked for what it may not have: a file, a socket, a process."""
    TOO_LONG = "too_long"
    TOO_LARGE = "too_large"
    BROKEN = "broken"
    """The process ended, or said something else, before there was a result."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a call came to."""

    ended: Ended
    content: JsonValue = None
    """What it returned."""
    message: str = ""
    """Why it returned nothing, in a sentence for who wrote it."""
    log: str = ""
    """The beginning of what it printed."""
    requests: int = 0

    @property
    def ok(self) -> bool:
        return self.ended is Ended.RETURNED


@dataclass(frozen=True, kw_only=True)
class Order:
    """A call: code, the function in it, its arguments."""

    code: str
    name: str
    arguments: JsonObject


class Runner:
    """Runs functions on one surface. Stateless: calls may overlap."""

    def __init__(self, surface: Surface, bounds: Bounds = Bounds()) -> None:
        self.surface = surface
        self._bounds = bounds

    async def run(self, order: Order) -> Run:
        """Call the function once. Raises `apis.unconfined`, and what keeps the
        application from answering."""
        process = await start_child(
            _command(self._bounds),
            name="function",
            env=_environment(),
            cwd=Path("/"),
            stdin=_PIPE,
            stdout=_PIPE,
            stderr=_PIPE,
        )
        talk = _Talk(process, self.surface, self._bounds)
        log = asyncio.create_task(_log_of(process, self._bounds.log_chars))
        try:
            ended = await self._within(talk, order)
            # What it printed is in the pipe; it may go on running after its result.
            await process.kill()
            printed = await log
            return Run(
                ended=ended.ended,
                content=ended.content,
                message=ended.message,
                log=printed,
                requests=talk.requests,
            )
        finally:
            # Shielded: a cancelled caller must not leave the process behind.
            await asyncio.shield(_ended(process))
            log.cancel()

    async def _within(self, talk: _Talk, order: Order) -> Run:
        """What the call came to within its time."""
        try:
            async with asyncio.timeout(self._bounds.wall_s) as limit:
                try:
                    return await talk.until_end(order)
                except _Silent:
                    return self._end_of(await talk.process.wait(), talk)
        except TimeoutError:
            if not limit.expired():
                raise
            message = f"it did not end within {self._bounds.wall_s:g} s"
            return Run(ended=Ended.TOO_LONG, message=message)

    def _end_of(self, status: int, talk: _Talk) -> Run:
        """What an exit status says of a process that gave no result. Once it has begun,
        the code may have chosen the status."""
        if status == FAILED and not talk.begun:
            raise ProofwalkError(
                UNCONFINED,
                "this machine cannot confine what a model wrote, so it is not run",
                status=Status.FAILED_PRECONDITION,
                hint="run it on Linux 5.13 or later with Landlock, on x86-64 or ARM64",
            )
        if status == ENDED_ALONE:
            message = "it was ended: it asked for a socket, or for another process"
            return Run(ended=Ended.CONFINED, message=message)
        if status in (128 + signal.SIGXCPU, 128 + signal.SIGKILL):
            message = f"it took more than {self._bounds.cpu_s} s of a processor"
            return Run(ended=Ended.TOO_LONG, message=message)
        return Run(ended=Ended.BROKEN, message=f"its process ended with status {status}")


class _Silent(Exception):
    """The process says no more."""


class _Talk:
    """The frames of one call."""

    def __init__(self, process: ChildProcess, surface: Surface, bounds: Bounds) -> None:
        self.process = process
        self._surface = surface
        self._bounds = bounds
        self.requests = 0
        self.begun = False

    async def until_end(self, order: Order) -> Run:
        """Answer requests until there is a result. Raises `_Silent`."""
        self.begun = await self._read() == {"begun": True}
        await self._write(
            {"code": order.code, "name": order.name, "arguments": dict(order.arguments)}
        )
        while True:
            frame = await self._read()
            if frame is None:
                return Run(ended=Ended.TOO_LARGE, message="it gave more than is taken")
            if "request" not in frame:
                return _result(frame)
            self.requests += 1
            if self.requests > self._bounds.requests:
                message = f"it made more than {self._bounds.requests} requests"
                return Run(ended=Ended.TOO_LONG, message=message)
            reply = await self._surface.answer(object_of(frame["request"]))
            await self._write(_frame_of(reply))

    async def _write(self, frame: JsonObject) -> None:
        stdin = self.process.stdin
        assert stdin is not None, "started with a pipe"
        content = json.dumps(frame).encode()
        try:
            stdin.write(len(content).to_bytes(_HEADER, "big") + content)
            await stdin.drain()
        except OSError:
            raise _Silent from None

    async def _read(self) -> JsonObject | None:
        """The next frame; None for one that is too large."""
        stdout = self.process.stdout
        assert stdout is not None, "started with a pipe"
        try:
            length = int.from_bytes(await stdout.readexactly(_HEADER), "big")
            if length > self._bounds.frame_bytes:
                return None
            frame: JsonValue = json.loads(await stdout.readexactly(length))
        except (OSError, asyncio.IncompleteReadError):
            raise _Silent from None
        except (ValueError, RecursionError):
            frame = {}
        return object_of(frame)


def _frame_of(reply: Reply) -> JsonObject:
    if reply.code:
        return {"code": reply.code, "message": reply.message}
    return {"answer": reply.content}


def _result(frame: JsonObject) -> Run:
    """The last frame, which the code may have written itself."""
    if "returned" in frame:
        return Run(ended=Ended.RETURNED, content=frame["returned"])
    if "raised" not in frame:
        return Run(ended=Ended.BROKEN, message="its process said something else than a result")
    kind, message = str(frame["raised"]), str(frame.get("message", ""))
    if kind == "MemoryError":
        return Run(ended=Ended.TOO_LARGE, message="it took more memory than it may have")
    if frame.get("refused") is True:
        return Run(ended=Ended.CONFINED, message=f"it may not have that: {kind}: {message}")
    return Run(ended=Ended.RAISED, message=f"{kind}: {message}")


async def _ended(process: ChildProcess) -> None:
    """End the process, and read what it wrote to the end: else the pipe's transport
    would stay open."""
    await process.kill()
    while process.stdout is not None and await process.stdout.read(_CHUNK):
        pass


async def _log_of(process: ChildProcess, most: int) -> str:
    """The beginning of what it prints; all of it is read, so that it never waits."""
    begun, stderr = b"", process.stderr
    while stderr is not None and (chunk := await stderr.read(_CHUNK)):
        begun = (begun + chunk)[: 4 * most]
    return begun.decode("utf-8", "replace")[:most]


def _command(bounds: Bounds) -> list[str]:
    return confined(
        [sys.executable, "-I", "-S", child.__file__],
        writable=[],
        readable=[Path(sys.base_prefix), Path(sys.prefix) / "pyvenv.cfg", Path(child.__file__)],
        executable=[Path(sys.executable)],
        limits={
            "CORE": 0,
            "FSIZE": 0,
            "NOFILE": 32,
            "CPU": bounds.cpu_s,
            "DATA": bounds.memory_bytes,
        },
        connects=(),
        required=True,
        alone=True,
    )


def _environment() -> dict[str, str]:
    """Where things are and which language is meant. Proxies' addresses may hold a
    password, and nothing is reached from there."""
    allowed = inherited(os.environ)
    return {name: text for name, text in allowed.items() if "PROXY" not in name.upper()}
