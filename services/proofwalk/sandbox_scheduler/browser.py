"""One browser behind its wall: a Chromium process tree with a profile of its own and an
egress proxy of its own.

So one episode's crash, cookies and allow-list are never another's (`console.chromium`
has the binary, its flags and what it leaves behind). The browser cannot outlive this
process. Its DevTools are a pipe to this process, and this process lets in whoever bears
the ticket that was admitted (`piped_devtools`); the browser itself listens nowhere.
Being alive means answering on the pipe within a bound: a hung browser is as dead as a
crashed one.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import Mapping, Sequence
from pathlib import Path

from proofwalk.chassis.child_environment import inherited_by_browsers
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.console.browser.chromium import FLAGS, remove_profile
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.sandbox_scheduler.egress import EgressProxy
from proofwalk.sandbox_scheduler.left_behind import note
from proofwalk.sandbox_scheduler.piped_devtools import PATH, PipedDevTools

READS, WRITES = 3, 4
"""Where a browser with `--remote-debugging-pipe` finds its commands, and puts its
answers."""


class SandboxedBrowser:
    """A running browser. Made by `start`; ends by `end`."""

    def __init__(
        self, child: ChildProcess, devtools: PipedDevTools, proxy: EgressProxy, folder: Path
    ) -> None:
        self._child = child
        self._devtools = devtools
        self._proxy = proxy
        self._folder = folder
        own = secrets.token_urlsafe(32)
        devtools.admit(own)
        self.port = devtools.port
        """Where this process listens for those who have a ticket, on the loopback."""
        self.path = f"{PATH}{own}"
        """With the ticket of who started it, who may stand in front of it with tickets
        of its own (a pod's relay)."""

    @classmethod
    async def start(cls, binary: Path, *, folder: Path) -> SandboxedBrowser:
        """A browser that may reach nothing yet, with its profile below `folder`.

        Raises `sandbox.start_failed`; the caller bounds it in time, and nothing is left
        of one that is given up.
        """
        proxy = EgressProxy()
        await proxy.start()
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        profile = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="browser-", dir=folder))
        child: ChildProcess | None = None
        devtools = PipedDevTools()
        try:
            ours, its = socket.socketpair()
            with its:
                await devtools.start(ours)
                child = await start_child(
                    [str(binary), *_arguments(profile, proxy)],
                    env=inherited_by_browsers(os.environ),
                    stdout=DEVNULL,
                    stderr=DEVNULL,
                    descriptors={READS: its.fileno(), WRITES: its.fileno()},
                )
            await note(child.identity, profile)
            await _answers(child, devtools)
        except BaseException:
            await asyncio.shield(_discard(child, devtools, proxy, profile))
            raise
        return cls(child, devtools, proxy, profile)

    @property
    def endpoint(self) -> str:
        """Where its DevTools are for those who have a ticket; of no use without one."""
        return f"ws://127.0.0.1:{self.port}"

    @property
    def owners_endpoint(self) -> str:
        """The same with the ticket of who started it."""
        return f"{self.endpoint}{self.path}"

    def admit(self, ticket: str) -> str:
        """Let in whoever bears this ticket; the address for its bearer alone."""
        self._devtools.admit(ticket)
        return f"{self.endpoint}{PATH}{ticket}"

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
            async with asyncio.timeout(within_s):
                await self._devtools.ask("Browser.getVersion")
        except (ProofwalkError, TimeoutError):
            return False
        return True

    async def end(self) -> Mapping[str, int]:
        """Kill the browser and its traces; returns what its wall refused.
        Repeatable."""
        await _discard(self._child, self._devtools, self._proxy, self._folder)
        return self._proxy.refused


def _arguments(profile: Path, proxy: EgressProxy) -> Sequence[str]:
    return [
        *FLAGS,
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe",
        f"--proxy-server=http://127.0.0.1:{proxy.port}",
        "--proxy-bypass-list=<-loopback>",
        "about:blank",
    ]


async def _answers(child: ChildProcess, devtools: PipedDevTools) -> None:
    """Wait for its first answer. Raises `sandbox.start_failed` when it ends before; the
    caller bounds the wait."""
    try:
        await devtools.ask("Browser.getVersion")
    except ProofwalkError as error:
        status = await child.kill()
        raise unavailable(
            "sandbox.start_failed", f"the browser ended with status {status} while starting"
        ) from error


async def _discard(
    child: ChildProcess | None, devtools: PipedDevTools, proxy: EgressProxy, folder: Path
) -> None:
    if child is not None:
        await child.kill()
    await devtools.close()
    await proxy.close()
    await asyncio.to_thread(remove_profile, folder)
