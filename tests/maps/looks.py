"""Observations made by hand: a few elements and texts on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from proofwalk.console.observation import Box, Element, Observation, State, TextRun

_BOX = Box(x=0, y=0, width=10, height=10)


def element(role: str, name: str, *states: State, **more: str) -> Element:
    """An element; its mark and identity come with the page."""
    plain = Element(
        mark=0, identity="", role=role, tag="div", name=name, states=frozenset(states), box=_BOX
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def look(path: str, heading: str, elements: Sequence[Element], *, modal: str = "") -> Observation:
    """A page with a heading."""
    return Observation(
        url=f"https://shop.example{path}",
        title="Shop",
        taken_at=datetime(2026, 11, 26, tzinfo=UTC),
        elements=tuple(
            replace(one, mark=number, identity=f"e{number}")
            for number, one in enumerate(elements, start=1)
        ),
        texts=(TextRun(text=heading, box=_BOX, role="heading"),) if heading else (),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0.0, 0.0, 1440.0, 900.0),
        modal=modal,
    )
