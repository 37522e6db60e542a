"""Controls that are told apart by the title beside which they stand."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from proofwalk.agent.policies.literal import titled
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import UNFOLDED, Intent, IntentKind, Origin, Scope, ScopeKind
from proofwalk.console.observation import Box, Element, Observation, State, TextRun


def button(mark: int, name: str, x: float, y: float, *states: State) -> Element:
    box = Box(x=x, y=y, width=60, height=30)
    return Element(
        mark=mark,
        identity=str(mark),
        role="button",
        tag="button",
        name=name,
        box=box,
        states=frozenset(states),
    )


def scene(texts: dict[str, tuple[float, float]], *elements: Element) -> DocumentScene:
    page = Observation(
        url="http://console.test/",
        title="Console",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=elements,
        texts=tuple(
            TextRun(text=text, box=Box(x=x, y=y, width=100, height=20))
            for text, (x, y) in texts.items()
        ),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
    )
    return cast(DocumentScene, SimpleNamespace(page=page))


def click(label: str, place: str, *, noun: str = "") -> Intent:
    return Intent(
        kind=IntentKind.CLICK,
        path=(label,),
        noun=noun,
        scopes=(Scope(kind=ScopeKind.SECTION, label=place),) if place else (),
        origin=Origin(file="doc.md", line=1, sentence=""),
    )


CARDS = {"Otter": (300.0, 105.0), "Pike": (600.0, 105.0), "Bream": (300.0, 405.0)}


@pytest.mark.parametrize(
    ("place", "mark"), [("Otter", 1), ("Pike", 2), ("Bream", 3), ("Carp", None), ("", None)]
)
def test_the_dots_of_a_card_are_right_of_its_title(place: str, mark: int | None) -> None:
    dots = [button(1, "⋮", 500, 100), button(2, "⋮", 800, 100), button(3, "⋮", 500, 400)]
    found = titled.of_its_title(scene(CARDS, *dots), click("⋮", place), dots)
    assert [one.mark for one in found] == ([mark] if mark else [1, 2, 3])


def test_a_button_below_its_title_is_the_first_below_it() -> None:
    edits = [button(1, "Edit", 900, 200), button(2, "Edit", 900, 350), button(3, "Edit", 900, 500)]
    titles = {"Name": (300.0, 150.0), "Lock": (300.0, 300.0)}
    found = titled.of_its_title(scene(titles, *edits), click("Edit", "Lock"), edits)
    assert [one.mark for one in found] == [2]


def test_what_unfolds_a_part_is_on_the_line_of_its_title() -> None:
    folded = [
        button(1, "Expand", 900, 100, State.COLLAPSED),
        button(2, "Expand", 900, 200, State.COLLAPSED),
        button(3, "Delete", 800, 200),
    ]
    page = scene({"Retention": (300.0, 205.0)}, *folded)
    found = titled.unfolding(page, click("Retention", "", noun=UNFOLDED), "Retention")
    assert found == folded[1]
    assert titled.unfolding(page, click("Retention", ""), "Retention") is None
