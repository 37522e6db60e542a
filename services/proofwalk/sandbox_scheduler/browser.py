"""One browser behind its wall: a Chromium process tree with a profile of its own and an egress proxy of its own.

So one episode's crash, cookies and allow-list are never another's (`console.chromium` has the binary, its flags and what it leaves
behind). The browser cannot outlive this process. Being alive means answering on the DevTools port within a bound: a hung browser is as
dead as a crashed one.
"""

from __future__ import annotations

import asyncio
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2

from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.console.chromium import FLAGS, devtools_address, remove_profile
from proofwalk.sandbox_scheduler.egress import EgressProxy
from proofwalk.sandbox_scheduler.left_behind import note


class SandboxedBrowser:
    """A running browser. Made by `start`; ends by `end`."""

    def __init__(self, child: ChildProcess, proxy: EgressProxy, folder: Path, port: int, path: str) -> None:
        self._child = child
        self._proxy = proxy
        self._folder = folder
        self.port = port
        """Of its DevTools, on loopback."""
        self.path = path

    @classmethod
    async def start(cls, binary: Path, *, folder: Path) -> SandboxedBrowser:
        """A browser that may reach nothing yet, with its profile below `folder`.

        Raises `sandbox.start_failed`; the caller bounds it in time, and nothing is left of one that is given up.
        """
        proxy = EgressProxy()
        await proxy.start()
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        profile = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="browser-", dir=folder))
        child: ChildProcess | None = None
        try:
            child = await start_child([str(binary), *_arguments(profile, proxy)], stdout=DEVNULL, stderr=DEVNULL)
            await note(child.identity, profile)
            port, path = await devtools_address(child, profile)
        except BaseException:
            await asyncio.shield(_discard(child, proxy, profile))
            raise
        return cls(child, proxy, profile, port, path)

    @property
    def endpoint(self) -> str:
        """The browser's DevTools address."""
        return f"ws://127.0.0.1:{self.port}{self.path}"

    def allow(self, hosts: Sequence[str]) -> None:
        """Limit what it may reach to these `host:port`."""
        self._proxy.allow(hosts)

    @property
    def refused(self) -> Mapping[str, int]:
        """What its wall refused, by host, with counts."""
        return self._proxy.refused

    async def ended_within(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it came."""
        try:
            async with asyncio.timeout(seconds):
                await self._child.wait()
        except TimeoutError:
            return False
        return True

    async def is_alive(self, within_s: float) -> bool:
        """Whether it answers."""
        if self._child.returncode is not None:
            return False
        try:
            # Without TLS: reading the system's certificates would be most of the work.
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=within_s) as client:
                answer = await client.get(f"http://127.0.0.1:{self.port}/json/version")
                return answer.status_code == 200
        except httpx2.HTTPError:
            return False

    async def end(self) -> Mapping[str, int]:
        """Kill the browser and its traces; returns what its wall refused. Repeatable."""
        await _discard(self._child, self._proxy, self._folder)
        return self._proxy.refused


def _arguments(profile: Path, proxy: EgressProxy) -> Sequence[str]:
    return [
        *FLAGS,
        f"--user-data-dir={profile}",
        "--remote-debugging-address=127.0.0.1",
        "--remote-debugging-port=0",
        f"--proxy-server=http://127.0.0.1:{proxy.port}",
        "--proxy-bypass-list=<-loopback>",
        "about:blank",
    ]


async def _discard(child: ChildProcess | None, proxy: EgressProxy, folder: Path) -> None:
    if child is not None:
        await child.kill()
    await proxy.close()
    await asyncio.to_thread(remove_profile, folder)
