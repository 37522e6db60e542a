"""A machine's seat: screen, keys, pointer, and what is asked inside the guest, for the
one who holds the machine.

The machine itself is somebody else's (`machine`), here or elsewhere (`wires`,
`remote`): losing a seat loses nothing but what was held down.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from pathlib import Path
from urllib.parse import quote, unquote

from proofwalk.desktop.guest import Guest
from proofwalk.desktop.keyboard import Chord
from proofwalk.desktop.remote import RemoteWires
from proofwalk.desktop.wires import ASK_S, POINTER_RANGE, Button, Event, MachineWires, Wires
from proofwalk.kernel.errors import invalid

_KEY_S = 0.012
"""Between two keys: a guest's queue of events is short."""
_ENDPOINT = re.compile(r"desktop:(?P<folder>/[^?]*)\?screen=(?P<width>\d+)x(?P<height>\d+)")


def endpoint(folder: Path, screen: tuple[int, int]) -> str:
    """Where the holder of the machine whose files are in `folder` finds it:
    `desktop:/folder?screen=1280x800`."""
    return f"desktop:{quote(str(folder))}?screen={screen[0]}x{screen[1]}"


class Seat:
    """Made by `take` or `at`; `leave` it."""

    def __init__(self, wires: Wires) -> None:
        self._wires = wires
        self._held: list[str] = []
        self._down: list[Button] = []
        self.screen = wires.screen
        """Width and height in pixels."""
        self.guest = Guest(wires.line("agent"), wires.line("eyes"))

    @classmethod
    async def take(cls, folder: Path, *, screen: tuple[int, int], within_s: float = ASK_S) -> Seat:
        """The seat of the machine of this system whose files are in `folder`. Raises
        `desktop.gone`, `desktop.guest_silent`."""
        return cls(await MachineWires.open(folder, screen=screen, within_s=within_s))

    @classmethod
    async def at(cls, address: str) -> Seat:
        """The seat at an `endpoint`, or behind a pod's ticket (`ws://…`). Raises
        `desktop.bad_endpoint`, `desktop.gone`, `desktop.guest_silent`."""
        if address.startswith(("ws://", "wss://")):
            return cls(await RemoteWires.open(address))
        found = _ENDPOINT.fullmatch(address)
        if found is None:
            raise invalid(
                "desktop.bad_endpoint",
                f"{address[:200]!r} is no desktop's address",
                hint="acquire a sandbox of the tool desktop",
            )
        screen = (int(found["width"]), int(found["height"]))
        return await cls.take(Path(unquote(found["folder"])), screen=screen)

    async def leave(self) -> None:
        """Hang up; the machine goes on. Repeatable."""
        await self._wires.close()

    async def screenshot(self) -> bytes:
        """The screen as PNG."""
        return await self._wires.picture()

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
        await self._wires.send([_axis("x", x, width), _axis("y", y, height)])

    async def button(self, button: Button, *, down: bool) -> None:
        """A button of the pointer down or up. The wheel's are pressed for each
        notch."""
        await self._wires.send([{"type": "btn", "data": {"button": button, "down": down}}])
        self._down = [one for one in self._down if one != button] + ([button] if down else [])

    async def _key(self, key: str, *, down: bool) -> None:
        await self._wires.send(
            [{"type": "key", "data": {"down": down, "key": {"type": "qcode", "data": key}}}]
        )
        await asyncio.sleep(_KEY_S)


def _axis(axis: str, at: float, length: int) -> Event:
    # The middle of a pixel, in the pointer's own range.
    value = int((min(max(at, 0), length - 1) + 0.5) * (POINTER_RANGE + 1) / length)
    return {"type": "abs", "data": {"axis": axis, "value": min(value, POINTER_RANGE)}}
