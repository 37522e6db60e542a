"""One way of looking at a page, in a process of its own with a browser of its own: told
what to do by lines, answering in lines.

A worker's file is run with the browser's path, in the project's virtual environment or
in the peers'. It starts a browser and answers `{"open": URL}`, `{"look": KIND}` with
wall and CPU milliseconds of the whole process tree, `{"list": true}` with what a look
lists. This module must run without the project's packages.
"""

from __future__ import annotations

import asyncio
import glob
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import psutil

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--mute-audio",
    "--window-size=1440,900",
)


class Looker(Protocol):
    """What a worker drives."""

    async def open(self, url: str) -> None: ...

    async def look(self, kind: str) -> None: ...

    async def listing(self) -> dict[str, Any]: ...


class Meter:
    """CPU time of this process and of all that it has started, in milliseconds.

    Who they are is asked before the measurement, which would otherwise count its own
    asking. The kernel's accounts in nanoseconds are read where it keeps them, thread by
    thread; its hundredths of a second are too coarse for one look.
    """

    def __init__(self) -> None:
        self._children = [str(child.pid) for child in psutil.Process().children(recursive=True)]
        self._started = self._others()
        self._own = time.process_time()

    def stop(self) -> float:
        own = time.process_time() - self._own
        return own * 1000 + (self._others() - self._started) / 1e6

    def _others(self) -> int:
        total = 0
        for pid in self._children:
            for account in glob.glob(f"/proc/{pid}/task/*/schedstat"):
                try:
                    with open(account, encoding="ascii") as file:
                        total += int(file.read().split()[0])
                except (OSError, IndexError):
                    continue
        return total


async def browser(executable: str, folder: str) -> tuple[asyncio.subprocess.Process, str]:
    """Start Chromium; its DevTools address."""
    process = await asyncio.create_subprocess_exec(
        executable,
        *FLAGS,
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    said = Path(folder) / "DevToolsActivePort"
    async with asyncio.timeout(30):
        while not said.exists() or said.read_text().count("\n") < 1:  # noqa: ASYNC110  # a file, which nobody announces
            await asyncio.sleep(0.02)
    port, path = said.read_text().split("\n")[:2]
    return process, f"ws://127.0.0.1:{port}{path}"


async def serve(looker: Looker) -> None:
    """Answer lines until there are no more."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        answer: dict[str, Any] = {}
        if "open" in order:
            await looker.open(order["open"])
        elif "look" in order:
            meter, started = Meter(), time.perf_counter()
            await looker.look(order["look"])
            wall = time.perf_counter() - started
            answer = {"ms": wall * 1000, "cpu_ms": meter.stop()}
        else:
            answer = await looker.listing()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def main(run: Callable[[str, str], Awaitable[None]]) -> None:
    """Entry point of a worker: `run(executable, folder)`."""
    with tempfile.TemporaryDirectory(prefix="proofwalk-", ignore_cleanup_errors=True) as folder:
        asyncio.run(_run(run, folder))


async def _run(run: Callable[[str, str], Awaitable[None]], folder: str) -> None:
    await run(sys.argv[1], folder)
