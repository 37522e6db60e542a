"""The local backend: one Chromium per sandbox, as a child that cannot outlive this process.

Each sandbox is a browser process tree of its own with its own profile folder and its own egress proxy, so that one episode's crash, cookies
and allow-list are never another's (`console.chromium` has the binary, its flags and what it leaves behind).
Being alive means answering on the DevTools port within a bound: a hung browser is as dead as a crashed one.
"""

from __future__ import annotations

import asyncio
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2

from proofwalk.chassis.processes import ChildProcess, ProcessIdentity, end_if_same, start_child
from proofwalk.console.chromium import FLAGS, devtools_address, remove_profile
from proofwalk.sandbox_scheduler.backend import Started
from proofwalk.sandbox_scheduler.domain import Tool
from proofwalk.sandbox_scheduler.egress import EgressProxy


@dataclass(frozen=True, kw_only=True)
class _Instance:
    child: ChildProcess
    proxy: EgressProxy
    folder: Path
    port: int


class LocalChromium:
    """Answers `backend.Backend`."""

    def __init__(self, binary: Path, *, folder: Path, version: str, hang_s: float) -> None:
        self._binary = binary
        self._folder = folder
        self._hang_s = hang_s
        self._instances: dict[str, _Instance] = {}
        self.tool = Tool(name="chromium", version=version, backend="local")

    async def start(self, sandbox_id: str) -> Started:
        """Raises `sandbox.start_failed`; the caller bounds it in time."""
        proxy = EgressProxy()
        await proxy.start()
        await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=f"{sandbox_id}-", dir=self._folder))
        child: ChildProcess | None = None
        try:
            child = await start_child([str(self._binary), *self._arguments(folder, proxy)], stdout=DEVNULL, stderr=DEVNULL)
            port, path = await devtools_address(child, folder)
        except BaseException:
            await asyncio.shield(_discard(child, proxy, folder))
            raise
        self._instances[sandbox_id] = _Instance(child=child, proxy=proxy, folder=folder, port=port)
        identity = child.identity
        return Started(cdp_endpoint=f"ws://127.0.0.1:{port}{path}", pid=identity.pid, pid_started=identity.started)

    def _arguments(self, folder: Path, proxy: EgressProxy) -> Sequence[str]:
        return [
            *FLAGS,
            f"--user-data-dir={folder}",
            "--remote-debugging-address=127.0.0.1",
            "--remote-debugging-port=0",
            f"--proxy-server=http://127.0.0.1:{proxy.port}",
            "--proxy-bypass-list=<-loopback>",
            "about:blank",
        ]

    async def allow(self, sandbox_id: str, hosts: Sequence[str]) -> None:
        instance = self._instances.get(sandbox_id)
        if instance is not None:
            instance.proxy.allow(hosts)

    async def is_alive(self, sandbox_id: str) -> bool:
        instance = self._instances.get(sandbox_id)
        if instance is None or instance.child.returncode is not None:
            return False
        try:
            # Without TLS: reading the system's certificates would be most of the work.
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=self._hang_s) as client:
                answer = await client.get(f"http://127.0.0.1:{instance.port}/json/version")
                return answer.status_code == 200
        except httpx2.HTTPError:
            return False

    async def end(self, sandbox_id: str) -> Mapping[str, int]:
        instance = self._instances.pop(sandbox_id, None)
        if instance is None:
            return {}
        await _discard(instance.child, instance.proxy, instance.folder)
        return instance.proxy.refused

    async def end_orphan(self, pid: int, pid_started: float) -> None:
        await end_if_same(ProcessIdentity(pid=pid, started=pid_started))


async def _discard(child: ChildProcess | None, proxy: EgressProxy, folder: Path) -> None:
    if child is not None:
        await child.kill()
    await proxy.close()
    await asyncio.to_thread(remove_profile, folder)
