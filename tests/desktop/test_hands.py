"""Actions as what a seat is told: keys, buttons, points, and the clipboard."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from proofwalk.console import actions as a
from proofwalk.console.faults import Refused
from proofwalk.console.observation import Box, Element, Observation
from proofwalk.desktop.guest import Unpasted
from proofwalk.desktop.hands import DesktopHands, words_of
from proofwalk.desktop.keyboard import Chord
from proofwalk.desktop.wires import Button
from proofwalk.kernel.errors import Status

_FIELD = Element(
    mark=1,
    identity="f",
    role="textbox",
    tag="text",
    name="Name",
    value="old",
    box=Box(x=100, y=200, width=40, height=20),
)
_SEEN = Observation(
    url="desktop:",
    title="",
    taken_at=datetime(2026, 1, 1, tzinfo=UTC),
    elements=(_FIELD,),
    texts=(),
    tabs=(),
    viewport=(1280, 800),
    scroll=(0, 0, 1280, 800),
)


class _Guest:
    def __init__(self, told: list[Any]) -> None:
        self._told = told
        self.takes = True

    async def offer(self, text: str) -> None:
        self._told.append(("offer", text))

    async def wait_until_pasted(self) -> None:
        if not self.takes:
            raise Unpasted(
                "action.not_pasted", "nothing took it", status=Status.FAILED_PRECONDITION
            )
        self._told.append("taken")


class _Seat:
    screen = (1280, 800)

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.guest = _Guest(self.told)

    async def press(self, chord: Chord) -> None:
        self.told.append("+".join(chord.keys))

    async def hold(self, key: str) -> None:
        self.told.append(("hold", key))

    async def let_go(self, key: str) -> None:
        self.told.append(("let go", key))

    async def point(self, x: float, y: float) -> None:
        self.told.append((x, y))

    async def button(self, button: Button, *, down: bool) -> None:
        self.told.append(f"{button} {'down' if down else 'up'}")


async def _told(action: a.GuiAction) -> list[Any]:
    seat = _Seat()
    await DesktopHands(cast(Any, seat)).do(action, cast(Any, None), _SEEN)
    return seat.told


async def test_text_goes_in_by_keys_and_what_has_no_key_by_the_clipboard_and_the_next_key_waits() -> (
    None
):
    pasted = [("offer", "中文"), "shift+insert", "taken"]
    assert await _told(a.TypeFocused(text="a中文B")) == ["a", *pasted, "shift+b"]
    clicked = [(120.0, 210.0), "left down", "left up"]
    assert await _told(a.Type(id=1, text="x", submit=True)) == [*clicked, "ctrl+a", "x", "ret"]
    assert await _told(a.Type(id=1, text="")) == [*clicked, "ctrl+a", "delete"]


async def test_clicks_hold_their_modifiers_and_drags_end_where_they_should() -> None:
    told = await _told(a.Click(id=1, double=True, modifiers=("Control",)))
    assert told == [
        (120.0, 210.0),
        ("hold", "ctrl"),
        *["left down", "left up"] * 2,
        ("let go", "ctrl"),
    ]
    dragged = await _told(a.DragTo(from_id=1, x=500, y=600))
    assert (dragged[0], dragged[1], dragged[-2], dragged[-1]) == (
        (120.0, 210.0),
        "left down",
        (500, 600),
        "left up",
    )
    assert (await _told(a.Scroll(dy=-80))).count("wheel-up down") == 2


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (a.Click(id=7), "action.unknown_mark"),
        (a.ClickAt(x=2000, y=1), "action.outside"),
        (a.MoveTo(x=-1, y=1), "action.outside"),
        (a.Press(key="Nokey"), "action.unknown_key"),
        (a.GoTo(url="https://example.com"), "action.unsupported"),
        (a.Scroll(id=1, into_view=True), "action.unsupported"),
    ],
)
async def test_what_cannot_be_done_is_said_to_the_policy(action: a.GuiAction, code: str) -> None:
    with pytest.raises(Refused) as caught:
        await _told(action)
    assert caught.value.code == code


async def test_a_text_that_nobody_takes_is_the_policys_to_hear() -> None:
    seat = _Seat()
    seat.guest.takes = False
    with pytest.raises(Refused) as caught:
        await DesktopHands(cast(Any, seat)).do(a.TypeFocused(text="中"), cast(Any, None), _SEEN)
    assert caught.value.code == "action.not_pasted"


def test_words_are_what_elements_and_texts_say() -> None:
    assert words_of(_SEEN) == "Name old"
