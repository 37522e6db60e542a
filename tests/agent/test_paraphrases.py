"""Sentences that say in other words what the clause rules read."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import Intent, IntentKind
from tests.agent.documents import procedure

K = IntentKind


def read(text: str) -> list[Intent]:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood, reading.not_understood
    return [one for one in reading.intents if one.kind is not K.MENTION]


def told(text: str) -> list[tuple[IntentKind, tuple[str, ...] | str, str | None]]:
    return [(one.kind, one.path or one.phrase, one.value) for one in read(text)]


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        (
            "In **Site** > **Users**, click **New user**.",
            [(K.NAVIGATE, ("Site", "Users"), None), (K.CLICK, ("New user",), None)],
        ),
        (
            "In **Site** > **Users**, select the user you want to promote.",
            [
                (K.NAVIGATE, ("Site", "Users"), None),
                (K.SELECT_ROW, "the user you want to promote", None),
            ],
        ),
        ("Find and click **Add**.", [(K.CLICK, ("Add",), None)]),
        ("From there, locate and click on the **Add** button.", [(K.CLICK, ("Add",), None)]),
        ("Enter a **Name** and optionally a description.", [(K.SET, ("Name",), None)]),
        ("Enter the pump name and an optional note.", [(K.SET, ("pump name",), None)]),
        ("Add more pumps if needed, and click **Save**.", [(K.CLICK, ("Save",), None)]),
        (
            "Go to the pump's page and click **Drain**.",
            [(K.OPEN_ROW, "the pump", None), (K.CLICK, ("Drain",), None)],
        ),
        ("Click **Drain** on the pump's details page.", [(K.CLICK, ("Drain",), None)]),
        (
            "Give the pump a name and description.",
            [(K.SET, ("name",), None), (K.SET, ("description",), None)],
        ),
        ("Populate a **Name** of `p1`", [(K.SET, ("Name",), "p1")]),
        (
            "In this example, we are going to make several, so click on the **Bulk** tab",
            [(K.CLICK, ("Bulk",), None)],
        ),
        ("For the first pump, click **Add**.", [(K.CLICK, ("Add",), None)]),
        ("Use the **Pumping** toggle to turn the pump on.", [(K.CHECK, ("Pumping",), None)]),
        (
            "Scroll down to the **Valves** section and click **Add**.",
            [(K.NAVIGATE, ("Valves",), None), (K.CLICK, ("Add",), None)],
        ),
        ("Select one or more pumps.", [(K.SET, ("pumps",), None)]),
        (
            "Look for the row with the pump you are interested in",
            [(K.LOCATE, "the pump you are interested in", None)],
        ),
        (
            "Go to the pump and the mill that you want to drain.",
            [
                (K.OPEN_ROW, "the pump", None),
                (K.SELECT_ROW, "the mill that you want to drain", None),
            ],
        ),
        ("Go to **Mill** -> **Pumps**.", [(K.NAVIGATE, ("Mill", "Pumps"), None)]),
        ("Go to Mill -> Pumps.", [(K.NAVIGATE, ("Mill", "Pumps"), None)]),
        (
            "Under **Actions**, select **Drain** for the pump you want to drain.",
            [(K.LOCATE, "the pump you want to drain", None), (K.CLICK, ("Drain",), None)],
        ),
        (
            "Enter a pump name and define the depth.",
            [(K.SET, ("pump name",), None), (K.SET, ("depth",), None)],
        ),
        ("Set your desired speed, for example, `fast`.", [(K.SET, ("speed",), "fast")]),
        (
            "Enter a value that the pump should have, such as `7`.",
            [(K.SET, ("value",), "7")],
        ),
        (
            "Toggle the pump you want to disable.",
            [(K.CHECK, "the pump you want to disable", None)],
        ),
        (
            "Click on the specific Pump you want to drain",
            [(K.OPEN_ROW, "the specific Pump you want to drain", None)],
        ),
        (
            "Click on the edit button for the pump (a pencil icon)",
            [(K.LOCATE, "the pump", None), (K.CLICK, ("edit",), None)],
        ),
        (
            "Search for the Pump you are interested in and click on the link.",
            [(K.LOCATE, "the Pump you are interested in", None), (K.OPEN_ROW, "it", None)],
        ),
        ("Click Add pump.", [(K.CLICK, ("Add pump",), None)]),
        ("Open the **Default** mill.", [(K.OPEN_ROW, ("Default",), None)]),
        ("Open the **Mills** page.", [(K.NAVIGATE, ("Mills",), None)]),
        (
            "Select the [mill](/concepts/mill) where you want to have it.",
            [(K.SELECT_ROW, "the mill where you want to have it", None)],
        ),
    ],
)
def test_it_is_read_as_what_it_says(
    text: str, intents: list[tuple[IntentKind, tuple[str, ...] | str, str | None]]
) -> None:
    assert told(text) == intents


def test_a_thing_to_disable_is_turned_off() -> None:
    assert [one.checked for one in read("Toggle the pump you want to disable.")] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "For the second pump, click **Add**.",
        "Add more pumps, and click **Save**.",
        "Set your desired speed with the two wheels, for example, `fast`.",
        "Configure the values of the pump, such as the depth.",
        "Open the mill and the pump that you want to drain.",
        "Toggle the pump.",
        "Click Drain until empty.",
        "Go to the pump's page in the mill of your choice and drain it.",
    ],
)
def test_what_says_more_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("Use the **Pumping** switch to enable the pump.", True),
        ("Use the **Pumping** switch to turn the pump off.", False),
    ],
)
def test_a_switch_that_is_used_goes_the_way_that_is_told(text: str, on: bool) -> None:
    (switch,) = read(text)
    assert (switch.kind, switch.checked) == (K.CHECK, on)


def test_a_switch_that_may_go_either_way_is_not_read() -> None:
    reading = read_substep(
        procedure("Use the **Pumping** switch to turn it on or off.").substeps[0]
    )
    assert reading.not_understood


def test_of_two_controls_that_do_equally_both_are_kept() -> None:
    (pressed,) = read("Click **Drain** or the **Empty** button.")
    assert (pressed.label, pressed.others) == ("Drain", ("Empty",))
