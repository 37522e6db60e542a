"""The pointer and the keyboard of one tab, over CDP.

The events of one gesture are sent without waiting in between: CDP keeps their order,
and a click costs one round trip instead of three. Every gesture is raced against a
browser dialog (`ConsolePage.unless_dialog`). Keys and a mouse button may be held across
actions; every pointer event includes the held modifiers. A drag that the page turns
into a native one (`draggable`) goes on as drag events. The pauses inside a drag make
its speed, which some pages check; they wait for nothing. `pointing` decides where to
point.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from proofwalk.console.actions import Button
from proofwalk.console.faults import Refused

if TYPE_CHECKING:
    from proofwalk.console.tab.page import ConsolePage

_BITS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_BUTTONS = {"left": 1, "right": 2, "middle": 4}
_STEPS = 16
_HUMAN_STEPS = 40
_PAUSE_S = 0.012

Point = tuple[float, float]


def straight(start: Point, end: Point) -> Iterator[Point]:
    """Yield the points of a drag, in steps that grow shorter."""
    for number in range(1, _STEPS + 1):
        share = 1 - (1 - number / _STEPS) ** 2
        yield start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def human(start: Point, end: Point) -> Iterator[Point]:
    """Yield the points of a hand's drag: minimum jerk (10t³-15t⁴+6t⁵), a slight tremble
    across the path, a little too far at the end, and back."""
    beyond = 3.0
    for number in range(1, _HUMAN_STEPS + 1):
        t = number / _HUMAN_STEPS
        share = t**3 * (10 - 15 * t + 6 * t * t)
        tremble = 1.5 * math.sin(number * 1.7) * math.sin(math.pi * t)
        yield (
            start[0] + (end[0] + beyond - start[0]) * share,
            start[1] + (end[1] - start[1]) * share + tremble,
        )
    yield end[0] + 1.2, end[1] + 0.4
    yield end


class Devices:
    """Pointer and keyboard."""

    def __init__(self, tab: ConsolePage) -> None:
        self._tab = tab
        self.pointer: Point = (0.0, 0.0)
        self.keys: list[str] = []
        """Keys that are held down, in the order of pressing."""
        self.button: Button | None = None
        """The mouse button that is held down."""
        self._drag_data: dict[str, Any] | None = None
        self._listening = False

    @property
    def held_inputs(self) -> tuple[str, ...]:
        """The names of what is held down."""
        return (*self.keys, *([f"the {self.button} mouse button"] if self.button else []))

    # pointer

    def _bits(self, more: Iterable[str] = ()) -> int:
        names = [key.removesuffix("Left").removesuffix("Right") for key in (*self.keys, *more)]
        return sum(_BITS[name] for name in dict.fromkeys(names) if name in _BITS)

    async def _send(
        self, kind: str, at: Point, modifiers: Iterable[str] = (), **more: object
    ) -> None:
        self.pointer = at
        event = {"type": kind, "x": at[0], "y": at[1], "modifiers": self._bits(modifiers), **more}
        await self._tab.worlds.cdp.send("Input.dispatchMouseEvent", event)

    async def _moved(self, at: Point, modifiers: Iterable[str] = ()) -> None:
        held = {"button": self.button, "buttons": _BUTTONS[self.button]} if self.button else {}
        await self._send("mouseMoved", at, modifiers, **held)

    async def move(self, x: float, y: float) -> None:
        """Move the pointer."""
        await self._tab.unless_dialog(self._moved((x, y)), "a pointer event")

    async def press(self, x: float, y: float, button: Button = "left") -> None:
        """Press a mouse button and hold it."""
        if self.button is not None:
            raise Refused(
                "action.held",
                f"the {self.button} mouse button is held already; let it go with mouse_up first",
            )
        self.button = button
        await self._tab.unless_dialog(
            self._send(
                "mousePressed", (x, y), button=button, buttons=_BUTTONS[button], clickCount=1
            ),
            "a pointer event",
        )

    async def release(self, x: float, y: float) -> None:
        """Release the held mouse button."""
        button, self.button = self.button, None
        if button is None:
            raise Refused("action.not_held", "no mouse button is held")
        await self._tab.unless_dialog(
            self._send("mouseReleased", (x, y), button=button, buttons=0, clickCount=1),
            "a pointer event",
        )

    async def click(
        self,
        x: float,
        y: float,
        *,
        button: Button = "left",
        count: int = 1,
        modifiers: tuple[str, ...] = (),
    ) -> None:
        """Move to a point and click there `count` times, in one round trip."""
        events = [self._moved((x, y), modifiers)]
        for number in range(1, count + 1):
            pressed = {"button": button, "clickCount": number}
            events.append(
                self._send("mousePressed", (x, y), modifiers, buttons=_BUTTONS[button], **pressed)
            )
            events.append(self._send("mouseReleased", (x, y), modifiers, buttons=0, **pressed))
        await self._tab.unless_dialog(asyncio.gather(*events), "a click")

    async def drag(self, start: Point, way: Iterable[Point]) -> None:
        """Press at `start`, follow the points of `way`, and release at the end."""
        cdp = self._tab.worlds.cdp
        self._drag_data = None
        if not self._listening:
            self._listening = True
            cdp.on("Input.dragIntercepted", self._dragged_natively)
        await self._tab.unless_dialog(
            cdp.send("Input.setInterceptDrags", {"enabled": True}), "a drag"
        )
        native, at = False, start
        try:
            await self.move(*start)
            await self.press(*start)
            for at in way:
                if not native and self._took_over():
                    native = True
                    await self._dragged("dragEnter", at)
                await (self._dragged("dragOver", at) if native else self.move(*at))
                await asyncio.sleep(_PAUSE_S)
            if native:
                await self._dragged("drop", at)
                self.button = None
        finally:
            if self.button is not None:
                await self.release(*at)
            await self._tab.unless_dialog(
                cdp.send("Input.setInterceptDrags", {"enabled": False}), "a drag"
            )

    def _took_over(self) -> bool:
        return self._drag_data is not None

    def _dragged_natively(self, event: dict[str, Any]) -> None:
        self._drag_data = event["data"]

    async def _dragged(self, kind: str, at: Point) -> None:
        event = {
            "type": kind,
            "x": at[0],
            "y": at[1],
            "data": self._drag_data,
            "modifiers": self._bits(),
        }
        self.pointer = at
        await self._tab.unless_dialog(
            self._tab.worlds.cdp.send("Input.dispatchDragEvent", event), "a drag"
        )

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        """Turn the wheel over a point."""
        await self._tab.unless_dialog(
            self._send("mouseWheel", (x, y), deltaX=dx, deltaY=dy), "the wheel"
        )

    # keyboard

    async def key(self, chord: str) -> None:
        """Press a key or chord."""
        await self._keyboard(self._tab.page.keyboard.press, chord)

    async def key_down(self, key: str) -> None:
        """Press a key and hold it."""
        if key in self.keys:
            raise Refused("action.held", f"{key} is held already")
        await self._keyboard(self._tab.page.keyboard.down, key)
        self.keys.append(key)

    async def key_up(self, key: str) -> None:
        """Release a held key."""
        if key not in self.keys:
            raise Refused(
                "action.not_held", f"{key} is not held; held: {', '.join(self.keys) or 'nothing'}"
            )
        self.keys.remove(key)
        await self._keyboard(self._tab.page.keyboard.up, key)

    async def _keyboard(self, do: Any, key: str) -> None:
        try:
            await self._tab.unless_dialog(do(key), "a key press")
        except Exception as error:
            if "Unknown key" in str(error):
                raise Refused("action.unknown_key", f"there is no key {key!r}") from error
            raise

    async def let_go(self) -> tuple[str, ...]:
        """Release all that is held. Return the keys that were."""
        keys = tuple(self.keys)
        for key in reversed(keys):
            await self.key_up(key)
        if self.button is not None:
            await self.release(*self.pointer)
        return keys

    async def insert(self, text: str) -> None:
        """Insert text at the caret, as an input method does."""
        await self._tab.unless_dialog(
            self._tab.worlds.cdp.send("Input.insertText", {"text": text}), "typing"
        )

    async def type_keys(self, text: str) -> None:
        """Type key by key, for fields that listen to keys."""
        await self._tab.unless_dialog(self._tab.page.keyboard.type(text), "typing")
