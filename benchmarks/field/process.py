"""Runs a console: its `console.sh` with a folder for everything, and the loop that
keeps its record where there is one.

Every call has a deadline. What was started is stopped at the end, unless it ran before.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2

from benchmarks.field.suite import FOLDER
from proofwalk.cloud.target import Target, load_target
from proofwalk.kernel.errors import unavailable

START_S, RESET_S, INSTALL_S = 1800.0, 180.0, 3600.0
"""Seconds that a first start (with its database), a reset, an installation may take."""


def base() -> Path:
    """The folder of the consoles' programs and data."""
    named = os.environ.get("PROOFWALK_FIELD_BASE")
    return Path(named or FOLDER.parents[1] / "build" / "field").absolute()


@dataclass(frozen=True, kw_only=True)
class ConsoleProcess:
    """A console that can be run."""

    name: str
    log: Path
    """Where its record is kept as JSON lines, if it is not read over HTTP."""
    folder: Path = FOLDER
    """Where the consoles' folders are."""

    @property
    def script(self) -> Path:
        return self.folder / self.name / "console.sh"

    @property
    def target(self) -> Target:
        """The console as a target. Raises `target.*`."""
        return load_target(self.script.parent / "target.yaml", {**os.environ, **self.places})

    @property
    def places(self) -> Mapping[str, str]:
        """What the target's file may refer to: where the record is kept, and where the
        console's own data lie."""
        return {"FIELD_LOG": str(self.log), "FIELD_BASE": str(base())}

    async def call(self, action: str, *, deadline_s: float) -> str:
        """Do one thing of install, start, reset, stop; what it printed. Raises
        `field.console`."""
        process = await self._spawn(action, stdout=asyncio.subprocess.PIPE)
        try:
            async with asyncio.timeout(deadline_s):
                output, _ = await process.communicate()
        except TimeoutError:
            _end(process)
            raise unavailable(
                "field.console", f"{self.name}: {action} took more than {deadline_s:.0f} s"
            ) from None
        text = output.decode(errors="replace")
        if process.returncode:
            raise unavailable(
                "field.console",
                f"{self.name}: {action} ended with {process.returncode}: {text[-600:]}",
            )
        return text

    @asynccontextmanager
    async def running(self, url: str, *, reset: bool) -> AsyncIterator[None]:
        """While the context lasts, the console is there. One that answers already is
        left running, and brought back to its seed first where `reset` says so."""
        ran = await answers(url)
        if not ran:
            await self.call("install", deadline_s=INSTALL_S)
            await self.call("start", deadline_s=START_S)
        elif reset:
            await self.call("reset", deadline_s=RESET_S)
        try:
            yield
        finally:
            if not ran:
                await self.call("stop", deadline_s=RESET_S)

    @asynccontextmanager
    async def logging(self) -> AsyncIterator[None]:
        """While the context lasts, the console's record is kept in `log`."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.write_text("", encoding="utf-8")
        if "\nlog()" not in self.script.read_text(encoding="utf-8"):
            yield
            return
        with self.log.with_suffix(".log").open("wb") as told:
            process = await self._spawn("log", stdout=told.fileno())
            try:
                yield
            finally:
                _end(process)
                await process.wait()

    async def _spawn(self, action: str, *, stdout: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            "bash",
            str(self.script),
            action,
            env={**os.environ, **self.places, "BASE": str(base())},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stdout,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )


async def answers(url: str) -> bool:
    """Whether a console is there already."""
    try:
        async with httpx2.AsyncClient(timeout=5.0, trust_env=False) as client:
            return (await client.get(url)).status_code < 500
    except httpx2.HTTPError:
        return False


def _end(process: asyncio.subprocess.Process) -> None:
    """The loop and what it calls; a console that runs has a session of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
