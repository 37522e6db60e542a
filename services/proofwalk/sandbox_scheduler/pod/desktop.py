"""A desktop as a pod serves it: the machine, and its seat over a WebSocket on the pod's
loopback, behind the relay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from proofwalk.desktop.image import Image
from proofwalk.desktop.machine import Machine
from proofwalk.desktop.serving import WireServer
from proofwalk.desktop.wires import MachineWires
from proofwalk.sandbox_scheduler.desktop import SandboxedDesktop


class ServedDesktop(SandboxedDesktop):
    """Made by `start`; ends by `end`. Answers `pod.main.Sandbox`."""

    path = "/"
    refused: Mapping[str, int] = {}
    """It reaches nothing, and so asks for nothing."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._server = WireServer(
            lambda: MachineWires.open(self.folder, screen=machine.image.screen)
        )

    @classmethod
    async def start(cls, image: Image, *, folder: Path, within_s: float) -> Self:
        """With its files below `folder`. Raises `sandbox.start_failed`."""
        desktop = await super().start(image, folder=folder, within_s=within_s)
        try:
            await desktop._server.start()
        except BaseException:
            await desktop.end()
            raise
        return desktop

    @property
    def port(self) -> int:
        return self._server.port

    async def end(self) -> Mapping[str, int]:
        await self._server.close()
        return await super().end()
