"""Numbers with units, entries of a field that holds several, and windows that take
nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.page import pictures
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.policies.literal import units
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.console.observation import Box, Element, Observation, State
from proofwalk.kernel.outcomes import FindingKind
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START, found


def element(mark: int, role: str, name: str, x: float, **more: object) -> Element:
    box = Box(x=x, y=100, width=120, height=30)
    return Element(
        mark=mark,
        identity=str(mark),
        role=role,
        tag="input",
        name=name,
        label=name,
        box=box,
        states=cast(frozenset[State], more.get("states", frozenset())),
    )


def page(*elements: Element) -> Observation:
    return Observation(
        url="http://console.test/",
        title="Console",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=elements,
        texts=(),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
    )


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("10 minutes", ("10", "minutes")),
        ("1.5 GiB", ("1.5", "GiB")),
        ("64KB", ("64", "KB")),
        ("otter 3", ("", "")),
        ("10", ("", "")),
        ("10 minutes a day", ("", "")),
    ],
)
def test_a_value_is_parted_into_number_and_unit(value: str, parts: tuple[str, str]) -> None:
    assert units.parted(value) == parts


@pytest.mark.parametrize(
    ("name", "x", "is_it"),
    [("Timeout", 440, True), ("Unit", 440, True), ("Zone", 440, False), ("Timeout", 900, False)],
)
def test_a_list_beside_a_field_that_has_no_name_of_its_own_is_of_its_units(
    name: str, x: float, is_it: bool
) -> None:
    number, beside = element(1, "spinbutton", "Timeout", 300), element(2, "combobox", name, x)
    scene = cast(DocumentScene, SimpleNamespace(page=page(number, beside)))
    found = units.list_beside(scene, Field(label="Timeout", elements=(number,)))
    assert (found is not None and found.first == beside) == is_it


@pytest.mark.parametrize(
    ("sign", "mark"), [("right-arrow", 2), ("left-arrow", None), ("gear", None)]
)
def test_an_arrow_without_a_name_is_the_one_that_can_be_pressed(
    sign: str, mark: int | None
) -> None:
    left = element(1, "button", "", 300, states=frozenset({State.DISABLED}))
    right, ok = element(2, "button", "", 440), element(3, "button", "OK", 600)
    told = pictures.pointing(page(left, right, ok), sign)
    assert [one.mark for one in told] == ([2] if sign != "gear" else [])
    assert mark is None or told[0].mark == mark


@pytest.mark.parametrize(
    "text",
    [
        "In the **Create Instance** dialog box, enter the name of the pump to confirm it.",
        "In the **Create Instance** dialog box, enter the path, `/a/b`, to confirm.",
    ],
)
async def test_a_window_that_takes_nothing_has_no_field_to_fill(text: str) -> None:
    form = FakeForm(title="Create Instance", fields=[])
    walked = await run(
        FakeConsole(forms={"Create Instance": lambda: form}),
        START,
        OPEN,
        "Click **Create Instance**.",
        text,
    )
    assert found(walked, FindingKind.MISSING, 4).line == 4


async def test_a_number_is_typed_into_the_only_field_of_a_window() -> None:
    rank = FakeField(label="Priority", value="200")
    console = FakeConsole(
        forms={"Create Instance": lambda: FakeForm(title="Priority", fields=[rank])}
    )
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", "Enter **50**, and click **OK**."
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert "set Priority=50" in console.log
