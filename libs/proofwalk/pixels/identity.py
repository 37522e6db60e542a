"""Which control of a picture is which of the one before: by text first, by place where
there is none.

Two controls of one kind are the same when they say the same; among several of one name
(the buttons of table rows) the one with the same row goes first, then the nearest. What
says nothing, or was read a little differently, must cover the same place. A button that
says something else in the same place is another button; a field or a checkbox there is
the same one.
"""

from __future__ import annotations

import itertools
from difflib import SequenceMatcher

from proofwalk.console.observation import Box
from proofwalk.pixels.reading import Control

PREFIX = "px-"
"""Begins the identity of every element that was seen in a picture."""
_KINDS = {"combobox": "textbox"}
_STAYING = frozenset({"textbox", "checkbox"})
_FAR = 4000.0


def _kind(control: Control) -> str:
    return _KINDS.get(control.role, control.role)


def _name_key(control: Control) -> str:
    return "".join(control.name.split()).casefold()


def _shared(one: Box, other: Box) -> float:
    """Intersection over union."""
    wide = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    high = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / (one.width * one.height + other.width * other.height - wide * high)


def _price(then: Control, now: Control) -> float | None:
    """How unlikely it is that both are one control; None when they are not."""
    if _kind(then) != _kind(now):
        return None
    was, says = _name_key(then), _name_key(now)
    if was and was == says:
        away = abs(then.box.center[0] - now.box.center[0]) + abs(
            then.box.center[1] - now.box.center[1]
        )
        return away / _FAR + (0.0 if then.row == now.row else 1.0)
    if _shared(then.box, now.box) < 0.5:
        return None
    alike = (
        _kind(now) in _STAYING
        or (not was and not says)
        or SequenceMatcher(a=was, b=says).ratio() >= 0.75
    )
    return 3.0 - _shared(then.box, now.box) if alike else None


class Identities:
    """Names controls from look to look."""

    def __init__(self) -> None:
        self._known: dict[str, Control] = {}
        self._url = ""
        self._numbers = itertools.count(1)

    def name(self, url: str, controls: tuple[Control, ...]) -> list[str]:
        """An identity for each control, in their order; at another address all are
        others."""
        if url != self._url:
            self._known, self._url = {}, url
        pairs = []
        for identity, then in self._known.items():
            for place, now in enumerate(controls):
                price = _price(then, now)
                if price is not None:
                    pairs.append((price, place, identity))
        identities: dict[int, str] = {}
        assigned: set[str] = set()
        for _, place, identity in sorted(pairs):
            if place not in identities and identity not in assigned:
                identities[place] = identity
                assigned.add(identity)
        names = [
            identities.get(place) or f"{PREFIX}{next(self._numbers)}"
            for place in range(len(controls))
        ]
        self._known = dict(zip(names, controls, strict=True))
        return names
