"""The unified actions on a desktop: keys, an absolute pointer, and the clipboard for
what no key has.

An element is acted on where it was seen last, as a hand does it: nothing is set behind
a program's back. Text goes in key by key; what the keyboard has no key for (umlauts,
Chinese) is offered on the clipboard and pasted with Shift+Insert, which every toolkit
of X understands, and the next key waits until the text was taken. Actions that only a
browser has are refused; asked for an address, a desktop has none.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from proofwalk.console import actions as a
from proofwalk.console.acting.results import Done
from proofwalk.console.faults import Refused
from proofwalk.console.observation import Element, Observation, State
from proofwalk.desktop.guest import Unpasted
from proofwalk.desktop.keyboard import SHIFT, Chord, chord_named, chord_of, key_of, spans
from proofwalk.desktop.seat import Seat
from proofwalk.desktop.wires import Button
from proofwalk.kernel.errors import ProofwalkError

if TYPE_CHECKING:
    from proofwalk.desktop.session import DesktopSession

PASTE = Chord((SHIFT, "insert"))
_ALL = Chord(("ctrl", "a"))
_NOTCH = 40.0
"""CSS pixels that a notch of the wheel stands for in `scroll`."""
_NOTCHES = 50
_DRAG_STEPS = 12
_STEP_S = 0.015
_CLICK_S = 0.03
_EXTRACTED = 20_000


class DesktopHands:
    """Performs actions at a seat."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._at: tuple[float, float] = (seat.screen[0] / 2, seat.screen[1] / 2)

    async def do(self, action: a.GuiAction, session: DesktopSession, seen: Observation) -> Done:
        """Perform `action`. Raises `Refused` with a sentence for the policy, and what
        the machine raises."""
        match action:
            case a.Click():
                return await self._clicked_element(action, seen)
            case a.ClickAt():
                await self._clicked(self._point(action.x, action.y), action.button, action.count)
            case a.MoveTo():
                await self._move(self._point(action.x, action.y))
            case a.Hover():
                await self._move(self._element(action.id, seen).box.center)
            case a.MouseDown() | a.MouseUp():
                await self._move(self._point(action.x, action.y))
                await self._seat.button(action.button, down=isinstance(action, a.MouseDown))
            case a.Drag():
                x, y = self._element(action.id, seen).box.center
                await self._dragged((x, y), (x + action.dx, y + action.dy))
            case a.DragTo():
                await self._dragged(
                    self._end(action.from_id, action.from_x, action.from_y, seen),
                    self._end(action.id, action.x, action.y, seen),
                )
            case a.Scroll():
                return await self._scrolled(action, seen)
            case a.Type():
                return await self._filled(action, seen)
            case a.Clear() | a.Focus():
                return await self._focused(action, seen)
            case a.TypeFocused():
                await self._typed(action.text)
            case a.Press():
                if action.id is not None:
                    await self._clicked(self._element(action.id, seen).box.center, "left", 1)
                await self._seat.press(_key(action.key))
            case a.KeyDown():
                await self._seat.hold(_key(action.key).keys[-1])
            case a.KeyUp():
                await self._seat.let_go(_key(action.key).keys[-1])
            case a.Wait():
                return await self._waited(action, session)
            case a.Extract():
                return self._extracted(action, seen)
            case a.SetChecked():
                return await self._checked(action, seen)
            case _:
                raise Refused(
                    "action.unsupported",
                    f"a desktop has no {action.type}; use the pointer and the keyboard",
                )
        return Done()

    async def let_everything_go(self) -> None:
        """Release the keys and buttons that a policy holds."""
        await self._seat.let_everything_go()

    # the pointer

    async def _move(self, point: tuple[float, float]) -> None:
        self._at = point
        await self._seat.point(*point)
        await asyncio.sleep(_STEP_S)

    async def _clicked(
        self, point: tuple[float, float], button: Button, count: int, modifiers: Sequence[str] = ()
    ) -> None:
        await self._move(point)
        for key in modifiers:
            await self._seat.hold(key)
        for _ in range(count):
            for down in (True, False):
                await self._seat.button(button, down=down)
                await asyncio.sleep(_CLICK_S)
        for key in reversed(modifiers):
            await self._seat.let_go(key)

    async def _clicked_element(self, action: a.Click, seen: Observation) -> Done:
        element = self._element(action.id, seen)
        modifiers = [key_of(name) for name in action.modifiers]
        await self._clicked(element.box.center, action.button, action.count, modifiers)
        return Done(identity=element.identity)

    async def _checked(self, action: a.SetChecked, seen: Observation) -> Done:
        element = self._element(action.id, seen)
        if (State.CHECKED in element.states) != action.checked:
            await self._clicked(element.box.center, "left", 1)
        return Done(identity=element.identity)

    async def _dragged(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        await self._move(start)
        await self._seat.button("left", down=True)
        for number in range(1, _DRAG_STEPS + 1):
            share = number / _DRAG_STEPS
            await self._move(
                (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
            )
        await self._seat.button("left", down=False)

    async def _scrolled(self, action: a.Scroll, seen: Observation) -> Done:
        if action.into_view:
            raise Refused(
                "action.unsupported",
                "nothing on a desktop is known before it is seen: scroll by dy, and look",
            )
        if action.id is not None:
            await self._move(self._element(action.id, seen).box.center)
        elif action.x is not None:
            await self._move(self._point(action.x, action.y))
        wheels: tuple[tuple[float, Button, Button], ...] = (
            (action.dy, "wheel-down", "wheel-up"),
            (action.dx, "wheel-right", "wheel-left"),
        )
        for distance, forward, back in wheels:
            for _ in range(min(math.ceil(abs(distance) / _NOTCH), _NOTCHES)):
                for down in (True, False):
                    await self._seat.button(forward if distance > 0 else back, down=down)
                await asyncio.sleep(_STEP_S)
        return Done()

    # the keyboard

    async def _focused(self, action: a.Clear | a.Focus, seen: Observation) -> Done:
        """Click into a field, and delete what is there for `Clear`."""
        element = self._element(action.id, seen)
        await self._clicked(element.box.center, "left", 1)
        if isinstance(action, a.Clear):
            await self._seat.press(_ALL)
            await self._seat.press(Chord(("delete",)))
        return Done(identity=element.identity)

    async def _filled(self, action: a.Type, seen: Observation) -> Done:
        element = self._element(action.id, seen)
        await self._clicked(element.box.center, "left", 1)
        if action.clear:
            await self._seat.press(_ALL)
            if not action.text:
                await self._seat.press(Chord(("delete",)))
        await self._typed(action.text)
        if action.submit:
            await self._seat.press(Chord(("ret",)))
        return Done(identity=element.identity)

    async def _typed(self, text: str) -> None:
        """Enter each character by its key or, if it has none, by the clipboard."""
        for piece, by_keys in spans(text):
            if not by_keys:
                await self._pasted(piece)
                continue
            for character in piece:
                chord = chord_of(character)
                assert chord is not None, "a span of keys has a key for each character"
                await self._seat.press(chord)

    async def _pasted(self, text: str) -> None:
        try:
            await self._seat.guest.offer(text)
            await self._seat.press(PASTE)
            await self._seat.guest.wait_until_pasted()
        except Unpasted as error:
            raise Refused(error.code, error.message) from error

    # what there is

    def _element(self, mark: int, seen: Observation) -> Element:
        element = seen.element(mark)
        if element is None:
            last = len(seen.elements)
            raise Refused(
                "action.unknown_mark",
                f"there is no element [{mark}] in the latest observation; marks are 1 to {last}",
            )
        return element

    def _point(self, x: float | None, y: float | None) -> tuple[float, float]:
        if x is None or y is None:
            return self._at
        width, height = self._seat.screen
        if not (0 <= x < width and 0 <= y < height):
            raise Refused(
                "action.outside",
                f"the point {x:g}, {y:g} is not on the screen of {width} × {height}",
            )
        return x, y

    def _end(
        self, mark: int | None, x: float | None, y: float | None, seen: Observation
    ) -> tuple[float, float]:
        return self._point(x, y) if mark is None else self._element(mark, seen).box.center

    async def _waited(self, action: a.Wait, session: DesktopSession) -> Done:
        if not action.text:
            await asyncio.sleep(action.seconds)
            return Done(message=f"waited {action.seconds:g} s")
        try:
            async with asyncio.timeout(action.seconds):
                while (action.text in await session.words()) == action.gone:  # noqa: ASYNC110  # nobody announces it
                    await asyncio.sleep(_STEP_S)
        except TimeoutError:
            state = "is still there" if action.gone else "did not appear"
            raise Refused(
                "action.wait_timeout", f'"{action.text}" {state} within {action.seconds:g} s'
            ) from None
        return Done(message=f'"{action.text}" is {"gone" if action.gone else "there"}')

    def _extracted(self, action: a.Extract, seen: Observation) -> Done:
        if action.id is not None:
            element = self._element(action.id, seen)
            whole = element.value or element.name
        else:
            whole = words_of(seen)
        return Done(text=whole[action.start : action.start + _EXTRACTED], reading=True)


def words_of(seen: Observation) -> str:
    """Return everything that programs report to be on show, titles of windows included,
    one a line."""
    lines = (
        [tab.title for tab in seen.tabs]
        + [f"{element.name} {element.value}".strip() for element in seen.elements]
        + [text.text for text in seen.texts]
    )
    return "\n".join(line for line in lines if line)


def _key(name: str) -> Chord:
    try:
        return chord_named(name)
    except ProofwalkError as error:
        raise Refused(error.code, error.message) from error
