"""One desktop: a virtual machine of its own, restored from its image's state
(`proofwalk.desktop`).

It has no network at all, so whatever hosts its holder is allowed, it reaches none. Its
holder takes the machine's seat through the sockets in its folder, on this machine. The
machine cannot outlive this process.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from proofwalk.desktop.image import Image
from proofwalk.desktop.machine import Machine
from proofwalk.desktop.seat import endpoint
from proofwalk.sandbox_scheduler.left_behind import note


class SandboxedDesktop:
    """A running desktop. Made by `start`; ends by `end`. Answers
    `local.LocalSandbox`."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @classmethod
    async def start(cls, image: Image, *, folder: Path, within_s: float) -> Self:
        """A desktop with its files below `folder`. Raises `sandbox.start_failed`."""
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        own = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="desktop-", dir=folder))
        machine = await Machine.start(image, folder=own, within_s=within_s)
        await note(machine.identity, own)
        return cls(machine)

    @property
    def endpoint(self) -> str:
        """Where its holder takes its seat (`Seat.at`)."""
        return endpoint(self.folder, self._machine.image.screen)

    @property
    def folder(self) -> Path:
        """Where its sockets are."""
        return self._machine.folder

    def admit(self, ticket: str) -> str:
        """Its address: the sockets lie in a folder that nobody else can enter, so it
        asks for no ticket."""
        return self.endpoint

    def allow(self, hosts: Sequence[str]) -> None:
        """Nothing to do: it reaches nothing."""

    async def ended_within(self, seconds: float) -> bool:
        return await self._machine.ended_within(seconds)

    async def is_alive(self, within_s: float) -> bool:
        return await self._machine.is_alive(within_s)

    async def end(self) -> Mapping[str, int]:
        await self._machine.end()
        return {}
