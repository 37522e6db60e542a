"""A machine's seat: screen, keys, pointer, and what is asked inside the guest, for the one who holds the machine.

Steered over QMP (`qemu.qmp`): keys and an absolute pointer by `input-send-event`, pictures by `screendump`. The machine itself is somebody else's
(`machine`): losing a seat loses nothing but what was held down.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote

from qemu.qmp import QMPClient
from qemu.qmp.error import QMPError

from proofwalk.desktop.guest import Guest
from proofwalk.desktop.keyboard import Chord
from proofwalk.desktop.port import GuestPort
from proofwalk.kernel.errors import invalid, unavailable

Button = Literal["left", "middle", "right", "wheel-up", "wheel-down", "wheel-left", "wheel-right"]
QMP_SOCKET = "qmp.sock"
PORTS: Mapping[str, str] = {"agent": "org.qemu.guest_agent.0", "eyes": "org.proofwalk.eyes.0"}
"""Ports into the guest: our names of their sockets, and the names that they have there."""
_POINTER_RANGE = 0x7FFF
"""What an absolute pointer's coordinates go up to, whatever the screen's size."""
_KEY_S = 0.012
"""Between two keys: a guest's queue of events is short."""
_ASK_S = 20.0
_ENDPOINT = re.compile(r"desktop:(?P<folder>/[^?]*)\?screen=(?P<width>\d+)x(?P<height>\d+)")


def endpoint(folder: Path, screen: tuple[int, int]) -> str:
    """Where the holder of the machine whose files are in `folder` finds it: `desktop:/folder?screen=1280x800`."""
    return f"desktop:{quote(str(folder))}?screen={screen[0]}x{screen[1]}"


class Seat:
    """Made by `take`; `leave` it."""

    def __init__(self, qmp: QMPClient, ports: Sequence[GuestPort], *, folder: Path, screen: tuple[int, int]) -> None:
        self._qmp = qmp
        self._ports = ports
        self._folder = folder
        self._held: list[str] = []
        self._down: list[Button] = []
        self.screen = screen
        """Width and height in pixels."""
        self.guest = Guest(*ports)

    @classmethod
    async def take(cls, folder: Path, *, screen: tuple[int, int], within_s: float = 20.0) -> Seat:
        """The seat of the machine whose files are in `folder`. Raises `desktop.gone`, `desktop.guest_silent`."""
        qmp = QMPClient("seat")
        ports = [GuestPort(folder / f"{name}.sock") for name in PORTS]
        seat = cls(qmp, ports, folder=folder, screen=screen)
        try:
            async with asyncio.timeout(within_s):
                await qmp.connect(str(folder / QMP_SOCKET))
            for port in ports:
                await port.connect(within_s=within_s)
        except (TimeoutError, QMPError, OSError) as error:
            await asyncio.shield(seat.leave())
            raise _gone("open its socket", error) from error
        except BaseException:
            await asyncio.shield(seat.leave())
            raise
        return seat

    @classmethod
    async def at(cls, address: str) -> Seat:
        """The seat at an `endpoint`. Raises `desktop.bad_endpoint`, and as `take`."""
        found = _ENDPOINT.fullmatch(address)
        if found is None:
            raise invalid(
                "desktop.bad_endpoint", f"{address[:200]!r} is no desktop's address", hint="acquire a sandbox of the tool desktop"
            )
        screen = (int(found["width"]), int(found["height"]))
        return await cls.take(Path(unquote(found["folder"])), screen=screen)

    async def leave(self) -> None:
        """Hang up; the machine goes on. Repeatable."""
        for port in self._ports:
            await port.close()
        with contextlib.suppress(QMPError, OSError, EOFError):
            await self._qmp.disconnect()

    async def screenshot(self) -> bytes:
        """The screen as PNG."""
        file = self._folder / "screen.png"
        await self._ask("screendump", filename=str(file), format="png")
        return await asyncio.to_thread(file.read_bytes)

    async def press(self, chord: Chord) -> None:
        """Keys down in their order, and up in the opposite one."""
        for key in chord.keys:
            await self._key(key, down=True)
        for key in reversed(chord.keys):
            await self._key(key, down=False)

    async def hold(self, key: str) -> None:
        """A key down, until `let_go`."""
        await self._key(key, down=True)
        self._held.append(key)

    async def let_go(self, key: str) -> None:
        """A held key up."""
        await self._key(key, down=False)
        with contextlib.suppress(ValueError):
            self._held.remove(key)

    async def let_everything_go(self) -> None:
        """Every held key and button up."""
        for key in list(self._held):
            await self.let_go(key)
        for button in list(self._down):
            await self.button(button, down=False)

    async def point(self, x: float, y: float) -> None:
        """The pointer to a pixel of the screen."""
        width, height = self.screen
        await self._ask("input-send-event", events=[_axis("x", x, width), _axis("y", y, height)])

    async def button(self, button: Button, *, down: bool) -> None:
        """A button of the pointer down or up. The wheel's are pressed for each notch."""
        await self._ask("input-send-event", events=[{"type": "btn", "data": {"button": button, "down": down}}])
        self._down = [one for one in self._down if one != button] + ([button] if down else [])

    async def _key(self, key: str, *, down: bool) -> None:
        await self._ask(
            "input-send-event", events=[{"type": "key", "data": {"down": down, "key": {"type": "qcode", "data": key}}}]
        )
        await asyncio.sleep(_KEY_S)

    async def _ask(self, command: str, **told: Any) -> Any:
        try:
            async with asyncio.timeout(_ASK_S):
                return await self._qmp.execute(command, told or None)
        except (QMPError, TimeoutError) as error:
            raise _gone(f"do {command}", error) from error


def _axis(axis: str, at: float, length: int) -> Mapping[str, Any]:
    # The middle of a pixel, in the pointer's own range.
    value = int((min(max(at, 0), length - 1) + 0.5) * (_POINTER_RANGE + 1) / length)
    return {"type": "abs", "data": {"axis": axis, "value": min(value, _POINTER_RANGE)}}


def _gone(what: str, error: BaseException) -> Exception:
    why = f"no answer within {_ASK_S:g} s" if isinstance(error, TimeoutError) else str(error)
    return unavailable("desktop.gone", f"the machine does not {what}: {why}", hint="acquire another sandbox")
