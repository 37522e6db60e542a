"""What a seat is made of: input events, pictures, two lines into the guest. And those
of a machine on this system, through its sockets.

A machine is steered over QMP (`qemu.qmp`): events by `input-send-event`, pictures by
`screendump`. For a holder elsewhere `serving` stands before them, and `remote` is the
other end.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict

from qemu.qmp import QMPClient
from qemu.qmp.error import QMPError

from proofwalk.desktop.port import GuestPort
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.kernel.json_values import JsonObject


class Event(TypedDict):
    """A key, a button or an axis, as QMP's `input-send-event` takes it."""

    type: Literal["key", "btn", "abs"]
    data: JsonObject


Button = Literal["left", "middle", "right", "wheel-up", "wheel-down", "wheel-left", "wheel-right"]
POINTER_RANGE = 0x7FFF
"""What an absolute pointer's coordinates go up to, whatever the screen's size."""
PortName = Literal["agent", "eyes"]
QMP_SOCKET = "qmp.sock"
PORTS: Mapping[PortName, str] = {"agent": "org.qemu.guest_agent.0", "eyes": "org.proofwalk.eyes.0"}
"""Ports into the guest: our names of their sockets, and the names that they have
there."""
ASK_S = 20.0


class GuestLine(Protocol):
    """A line to one of the two in the guest that answer."""

    async def ask(self, command: str, /, *, within_s: float | None = None, **arguments: Any) -> Any:
        """What it answers. Raises `desktop.guest_silent`, `desktop.guest_refused`."""
        ...


class Wires(Protocol):
    """For one holder at a time."""

    @property
    def screen(self) -> tuple[int, int]:
        """Width and height in pixels."""
        ...

    def line(self, port: PortName) -> GuestLine:
        """To QEMU's guest agent, or to ours."""
        ...

    async def send(self, events: Sequence[Event]) -> None:
        """Keys, buttons, the pointer. Raises `desktop.gone`."""
        ...

    async def picture(self) -> bytes:
        """The screen as PNG. Raises `desktop.gone`."""
        ...

    async def close(self) -> None:
        """Hang up; the machine goes on. Repeatable."""
        ...


class MachineWires:
    """Of the machine whose files are in a folder. Made by `open`."""

    def __init__(self, folder: Path, screen: tuple[int, int]) -> None:
        self._folder = folder
        self._qmp = QMPClient("seat")
        self._ports: dict[PortName, GuestPort] = {
            name: GuestPort(folder / f"{name}.sock") for name in PORTS
        }
        self.screen = screen

    @classmethod
    async def open(
        cls, folder: Path, *, screen: tuple[int, int], within_s: float = ASK_S
    ) -> MachineWires:
        """Raises `desktop.gone`, `desktop.guest_silent`."""
        wires = cls(folder, screen)
        try:
            async with asyncio.timeout(within_s):
                await wires._qmp.connect(str(folder / QMP_SOCKET))
            for port in wires._ports.values():
                await port.connect(within_s=within_s)
        except (TimeoutError, QMPError, OSError) as error:
            await asyncio.shield(wires.close())
            raise machine_gone("open its socket", error) from error
        except BaseException:
            await asyncio.shield(wires.close())
            raise
        return wires

    def line(self, port: PortName) -> GuestLine:
        return self._ports[port]

    async def send(self, events: Sequence[Event]) -> None:
        await self._ask("input-send-event", events=list(events))

    async def picture(self) -> bytes:
        file = self._folder / "screen.png"
        await self._ask("screendump", filename=str(file), format="png")
        return await asyncio.to_thread(file.read_bytes)

    async def close(self) -> None:
        for port in self._ports.values():
            await port.close()
        with contextlib.suppress(QMPError, OSError, EOFError):
            await self._qmp.disconnect()

    async def _ask(self, command: str, **told: Any) -> Any:
        try:
            async with asyncio.timeout(ASK_S):
                return await self._qmp.execute(command, told or None)
        except (QMPError, TimeoutError) as error:
            raise machine_gone(f"do {command}", error) from error


def machine_gone(what: str, error: BaseException) -> ProofwalkError:
    """The machine cannot be worked on."""
    why = f"no answer within {ASK_S:g} s" if isinstance(error, TimeoutError) else str(error)
    return unavailable(
        "desktop.gone", f"the machine does not {what}: {why}", hint="acquire another sandbox"
    )
