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
            "Select the pump(s) you want to drain.",
            [(K.SELECT_ROW, "the pumps you want to drain", None)],
        ),
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


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Don't forget to click **Save**.", [(K.CLICK, ("Save",), None)]),
        ("Make sure to click **Save**.", [(K.CLICK, ("Save",), None)]),
        ("Make sure you click **Save**.", [(K.CLICK, ("Save",), None)]),
        ("You'll want to click **Save** first.", [(K.CLICK, ("Save",), None)]),
        (
            "You are going to change the **Depth** to `3`.",
            [(K.SET, ("Depth",), "3")],
        ),
        ("You then press **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("Now we click **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("It is necessary to set **Depth** to `3`.", [(K.SET, ("Depth",), "3")]),
        ("Time to press **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("The next step is to press **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("At this point you should press **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("Simply click **Drain**.", [(K.CLICK, ("Drain",), None)]),
    ],
)
def test_words_before_an_imperative_ask_for_nothing(
    text: str, intents: list[tuple[IntentKind, tuple[str, ...] | str, str | None]]
) -> None:
    assert told(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "Feel free to change the **Depth**.",
        "You can also change the **Depth**.",
        "Optionally, you can also change the **Depth**.",
        "You may want to also change the **Depth**.",
    ],
)
def test_words_that_offer_make_the_act_optional(text: str) -> None:
    (change,) = read(text)
    assert (change.kind, change.path, change.optional) == (K.SET, ("Depth",), True)


@pytest.mark.parametrize(
    "text",
    [
        "Administrators will need to click **Save**.",
        "After the pump stops, we will select the **Best** mill for you.",
        "Be sure to bring the **Key**.",
    ],
)
def test_what_others_do_or_no_rule_knows_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("Flip **Pumping** on.", True),
        ("Toggle the **Pumping** switch off.", False),
        ("Move the **Pumping** switch to the **Yes** position to drain the mill.", True),
        ("Move the switch next to **Pumping** to the **No** position.", False),
        ("The **Pumping** switch must be off.", False),
        ("**Pumping** needs to be switched on before anything else.", True),
    ],
)
def test_a_switch_is_turned_the_way_that_is_told(text: str, on: bool) -> None:
    (switch,) = read(text)
    assert (switch.kind, switch.path, switch.checked) == (K.CHECK, ("Pumping",), on)


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("**Depth** should be set to `3`.", [(K.SET, ("Depth",), "3")]),
        ("Lower the **Depth** to `3`.", [(K.SET, ("Depth",), "3")]),
        ("As the **Engine**, take `diesel`.", [(K.SET, ("Engine",), "diesel")]),
        ("For **Depth**, we go with `3`.", [(K.SET, ("Depth",), "3")]),
        ("Name the pump `otter`.", [(K.SET, ("name",), "otter")]),
        ("Write a **Title**.", [(K.SET, ("Title",), None)]),
        ("In **Depth** enter `3`.", [(K.SET, ("Depth",), "3")]),
        ("Proceed to **Payment**.", [(K.NAVIGATE, ("Payment",), None)]),
        (
            "Move on to the **Valves** step and click **Add**.",
            [(K.NAVIGATE, ("Valves",), None), (K.CLICK, ("Add",), None)],
        ),
        (
            "Click the **Save** button to keep it, or the **Cancel** button to leave.",
            [(K.CLICK, ("Save",), None)],
        ),
        (
            "Use the drop-down listbox next to **Mill** to select the mill that owns it.",
            [(K.SET, ("Mill",), None)],
        ),
        ("In the **Port** field, open the list and select `80`.", [(K.SET, ("Port",), "80")]),
        (
            "Click **Pumps** - **Add**.",
            [(K.CLICK, ("Pumps",), None), (K.CLICK, ("Add",), None)],
        ),
        ("Click **Save** at the foot of the page.", [(K.CLICK, ("Save",), None)]),
        ("Click **Save** from upper right corner.", [(K.CLICK, ("Save",), None)]),
        ("Click **Save** once you are done with it.", [(K.CLICK, ("Save",), None)]),
        (
            "From the pump that you want to drain, click **Drain**.",
            [
                (K.LOCATE, "the pump that you want to drain", None),
                (K.CLICK, ("Drain",), None),
            ],
        ),
        ("Select the **Mill**, choosing either **East** or **West**.", [(K.SET, "", "Mill")]),
        ("Select **Yes** for the option **Public**.", [(K.SET, ("Public",), "Yes")]),
        ("Uncheck **Drain** so the miller cannot use it.", [(K.CHECK, ("Drain",), None)]),
        (
            "**Advanced** → untick **Strict**.",
            [(K.CLICK, ("Advanced",), None), (K.CHECK, ("Strict",), None)],
        ),
        ("Tab **Mill** → **Add**.", [(K.CLICK, ("Mill", "Add"), None)]),
        ("Then **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("Close it with the **Close** button.", [(K.CLICK, ("Close",), None)]),
        (
            "Drain the pump through **Actions** > **Drain**.",
            [(K.CLICK, ("Actions", "Drain"), None)],
        ),
        (
            "After you confirm the address, you can start the pump by clicking **Start**.",
            [(K.CLICK, ("Start",), None)],
        ),
        (
            "On the **Otter** row, click **Edit**.",
            [(K.LOCATE, ("Otter",), None), (K.CLICK, ("Edit",), None)],
        ),
    ],
)
def test_an_act_in_other_words(
    text: str, intents: list[tuple[IntentKind, tuple[str, ...] | str, str | None]]
) -> None:
    assert told(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "Nobody drains pumps with the **Drain** button.",
        "Click **Drain**. The **Pumping** switch must be off.",
        "Drain a pump via **⋮** > **Drain**.",
        "Toggle the **Pumping** switch.",
        "To change the depth of a mill, double-click the cell to access the editor.",
    ],
)
def test_a_way_that_is_not_told_to_the_reader_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


def test_a_drawn_sign_does_as_well_as_its_name() -> None:
    (pressed,) = read("Click the plus sign +.")
    assert (pressed.label, pressed.others) == ("+", ("plus sign",))
