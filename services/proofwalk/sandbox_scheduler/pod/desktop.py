"""A desktop as a pod serves it: the machine, and its seat over a WebSocket on the pod's loopback, behind the relay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from proofwalk.desktop.image import Image
from proofwalk.desktop.serving import WireServer
from proofwalk.desktop.wires import MachineWires
from proofwalk.sandbox_scheduler.desktop import SandboxedDesktop


class ServedDesktop:
    """Made by `start`; ends by `end`. Answers `pod.main.Sandbox`."""

    path = "/"
    refused: Mapping[str, int] = {}
    """It reaches nothing, and so asks for nothing."""

    def __init__(self, desktop: SandboxedDesktop, server: WireServer) -> None:
        self._desktop = desktop
        self._server = server

    @classmethod
    async def start(cls, image: Image, *, folder: Path, within_s: float) -> ServedDesktop:
        """With its files below `folder`. Raises `sandbox.start_failed`."""
        desktop = await SandboxedDesktop.start(image, folder=folder, within_s=within_s)
        server = WireServer(lambda: MachineWires.open(desktop.folder, screen=image.screen))
        try:
            await server.start()
        except BaseException:
            await desktop.end()
            raise
        return cls(desktop, server)

    @property
    def port(self) -> int:
        return self._server.port

    def allow(self, hosts: Sequence[str]) -> None:
        self._desktop.allow(hosts)

    async def ended_within(self, seconds: float) -> bool:
        return await self._desktop.ended_within(seconds)

    async def is_alive(self, within_s: float) -> bool:
        return await self._desktop.is_alive(within_s)

    async def end(self) -> Mapping[str, int]:
        await self._server.close()
        return await self._desktop.end()
