"""Child programs that cannot outlive us: Chromium, Terraform, Redis.

`start_child` runs a program under `deathwatch`, in a process group of its own.
`terminate` asks the group to end, and after a grace kills the program and all that it
started. If our process is killed, the guard sees its pipe close and does the same. The
pid of a `ChildProcess` is the guard's. `ProcessIdentity` (pid and start time) is what
may be written down, so that a successor can end what its predecessor left without ever
hitting a stranger that got the same pid.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from proofwalk.chassis import deathwatch
from proofwalk.kernel.errors import unavailable

SHARED = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Environment of a program that computes beside another one that does. By itself
OpenMP's threads spin where they wait for each other, for the whole slice that a
processor gives them when the one that is waited for is not running: an engine and a
trainer of two threads each on two cores then do two and three fifths of what they do
when they sleep. Alone, the engine is a tenth slower by it (`make bench-sharing`)."""
BOUNDED = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "32", "LRU_CACHE_CAPACITY": "16"}
"""Environment of a program that computes with torch on processors: how many compiled
kernels oneDNN, and torch's layer over it, keep. By themselves they keep a thousand, and
each length of a text has some of its own: of SFT of 135 M parameters, 4 GB more in
sixty updates, with these none, at the same speed and with the same losses. The images
of the roles that compute have them too."""
_KILL_WAIT_S = 10.0


@dataclass(frozen=True, kw_only=True)
class ProcessIdentity:
    """One process and no other: a pid may be used again, together with the start time
    it is not."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> ProcessIdentity:
        """The identity of a running process; raises `psutil.NoSuchProcess`."""
        return cls(pid=pid, started=psutil.Process(pid).create_time())

    def process(self) -> psutil.Process | None:
        """The process, if it still runs."""
        try:
            process = psutil.Process(self.pid)
            same = (
                abs(process.create_time() - self.started) < 0.05
                and process.status() != psutil.STATUS_ZOMBIE
            )
        except psutil.NoSuchProcess:
            return None
        return process if same else None


async def end_if_same(identity: ProcessIdentity, *, grace_s: float = 2.0) -> bool:
    """End that process and all below it, if it still runs; returns whether it did."""
    return await asyncio.to_thread(_end_if_same, identity, grace_s)


def _end_if_same(identity: ProcessIdentity, grace_s: float) -> bool:
    process = identity.process()
    if process is None:
        return False
    family = [process, *process.children(recursive=True)]
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.terminate()
    _, alive = psutil.wait_procs(family, timeout=grace_s)
    for member in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(alive, timeout=_KILL_WAIT_S)
    return True


class ChildProcess:
    """A running program with its guard. Made by `start_child`; end it with
    `terminate`."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, alive: int) -> None:
        self.name = name
        self._process = process
        self._alive: int | None = alive

    @property
    def pid(self) -> int:
        """The guard's pid, which is also the process group's id."""
        return self._process.pid

    @property
    def stdin(self) -> asyncio.StreamWriter | None:
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader | None:
        return self._process.stdout

    @property
    def stderr(self) -> asyncio.StreamReader | None:
        return self._process.stderr

    @property
    def returncode(self) -> int | None:
        """The program's exit status (128 + n for signal n), or None while it runs."""
        return self._process.returncode

    @property
    def identity(self) -> ProcessIdentity:
        return ProcessIdentity.of(self.pid)

    async def wait(self) -> int:
        """Until it ends; its exit status."""
        code = await self._process.wait()
        self._let_go()
        return code

    async def communicate(self) -> tuple[bytes, bytes]:
        """Read both outputs to their ends and wait. Bound it with a timeout, and
        `terminate` when that passes."""
        out, err = await self._process.communicate()
        self._let_go()
        return out or b"", err or b""

    async def terminate(self, grace_s: float = 5.0) -> int:
        """SIGTERM to the group, and after `grace_s` SIGKILL to everything below the
        guard. Safe to repeat."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGTERM)
            try:
                async with asyncio.timeout(grace_s):
                    await self._process.wait()
            except TimeoutError:
                await self.kill()
        return await self.wait()

    async def kill(self) -> int:
        """SIGKILL to everything below the guard, at once."""
        self._let_go()
        try:
            async with asyncio.timeout(_KILL_WAIT_S):
                return await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            return await self._process.wait()

    def _let_go(self) -> None:
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None


@dataclass(frozen=True, kw_only=True)
class Finished:
    """How a program ended, and what it said."""

    code: int
    stdout: bytes
    stderr: bytes


Stream = int | IO[bytes] | None


async def start_child(
    argv: Sequence[str | Path],
    *,
    name: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: Stream = asyncio.subprocess.DEVNULL,
    stdout: Stream = asyncio.subprocess.DEVNULL,
    stderr: Stream = asyncio.subprocess.DEVNULL,
    descriptors: Mapping[int, int] | None = None,
) -> ChildProcess:
    """Start a program that cannot outlive us. `env` is the whole environment (ours if
    None). A missing program exits with 127.

    `descriptors` are open ones of ours that it gets, by the numbers under which it
    finds them; ours stay open."""
    read, write = os.pipe()
    given = [(os.dup(source), target) for target, source in (descriptors or {}).items()]
    told = ",".join([str(read), *(f"{source}={target}" for source, target in given)])
    try:
        process = await asyncio.create_subprocess_exec(
            # Isolated and without site: the guard needs nothing but the standard
            # library and must not read our environment.
            *(sys.executable, "-I", "-S", deathwatch.__file__, told, *map(str, argv)),
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=(read, *(source for source, _ in given)),
            process_group=0,
        )
    except OSError as error:
        os.close(write)
        raise unavailable(
            "process.not_started", f"{argv[0]} could not be started: {error.strerror}"
        ) from error
    except BaseException:
        # The guard, if it came to be, sees the pipe close and ends.
        os.close(write)
        raise
    finally:
        os.close(read)
        for source, _ in given:
            os.close(source)
    return ChildProcess(name or Path(argv[0]).name, process, write)


async def run_child(
    argv: Sequence[str | Path],
    *,
    timeout_s: float,
    name: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    grace_s: float = 5.0,
) -> Finished:
    """Run a program to its end; raises `process.timed_out`. Ended early, or when the
    caller is cancelled, it is terminated."""
    child = await start_child(
        argv,
        name=name,
        env=env,
        cwd=cwd,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(timeout_s) as limit:
            stdout, stderr = await child.communicate()
    except TimeoutError:
        if not limit.expired():
            raise
        raise unavailable(
            "process.timed_out", f"{child.name} did not end within {timeout_s:g} s"
        ) from None
    finally:
        # Shielded: a cancelled caller must not leave the program behind; the guard
        # would end it only with us.
        await asyncio.shield(child.terminate(grace_s))
    code = child.returncode
    return Finished(code=1 if code is None else code, stdout=stdout, stderr=stderr)
