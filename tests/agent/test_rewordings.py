"""Sentences that name a field, a place or a second way in other words."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure
from tests.agent.test_paraphrases import told

K = IntentKind


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Select `east` as the region.", [(K.SET, ("region",), "east")]),
        ("Choose either **East** or **West** as the mill.", [(K.SET, ("mill",), "East")]),
        ("Set the pump depth to 3.", [(K.SET, ("pump depth",), "3")]),
        ("Set the idle time to 90 days.", [(K.SET, ("idle time",), "90 days")]),
        ("Enter the **Name** of the new pump.", [(K.SET, ("Name",), None)]),
        (
            "Enter the **Title** and **Author** of the pump.",
            [(K.SET, ("Title",), None), (K.SET, ("Author",), None)],
        ),
        ("Open the **Valves** tab of the pump.", [(K.CLICK, ("Valves",), None)]),
        (
            "On the **Summary** page for the selected pump, click **Drain**.",
            [(K.CLICK, ("Drain",), None)],
        ),
        (
            "On the **Pumps** page, go to the pump you want to stop and click **Stop**.",
            [(K.OPEN_ROW, "the pump you want to stop", None), (K.CLICK, ("Stop",), None)],
        ),
        ("Click **Save** in the footer.", [(K.CLICK, ("Save",), None)]),
        ("In the menu bar, click **Pumps**.", [(K.CLICK, ("Pumps",), None)]),
        ("Enter a depth (in metres).", [(K.SET, ("depth",), None)]),
        ("Accept the defaults and click **Save**.", [(K.CLICK, ("Save",), None)]),
        ("Give it a key such as `otter`.", [(K.SET, ("key",), "otter")]),
        ("Use the **Note** field to store a remark.", [(K.SET, ("Note",), None)]),
        (
            "Click the arrow next to **Valves** to unfold the section.",
            [(K.CLICK, ("Valves",), None)],
        ),
        ("As an admin user, click **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("Since the pump is old, click **Drain**.", [(K.CLICK, ("Drain",), None)]),
        (
            "To the right of the pump, click **Drain**.",
            [(K.LOCATE, "the pump", None), (K.CLICK, ("Drain",), None)],
        ),
        (
            "Click the three dots to the right of the pump that you want to drain.",
            [
                (K.LOCATE, "the pump that you want to drain", None),
                (K.CLICK, ("three dots",), None),
            ],
        ),
        ("Click **Save** to close the **Pump** dialog.", [(K.CLICK, ("Save",), None)]),
        (
            "Enter `otter` and then click **Save**.",
            [(K.SET, "", "otter"), (K.CLICK, ("Save",), None)],
        ),
        ("Enter a **Name**. Defaults to `otter` if left blank.", [(K.SET, ("Name",), None)]),
        ("Click **Save**. Alternatively, press **Drain**.", [(K.CLICK, ("Save",), None)]),
    ],
)
def test_what_is_said_besides_names_nothing_else(
    text: str, intents: list[tuple[IntentKind, tuple[str, ...] | str, str | None]]
) -> None:
    assert told(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "Select **Drain** of the pump.",
        "Click **Save** to drain the **Otter** pump.",
        "Set the pump depth to whatever suits you.",
        "Alternatively, press **Drain**.",
    ],
)
def test_what_may_be_something_else_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Create a pump: **Pumps** → **Add pump**.", [(K.CLICK, ("Pumps", "Add pump"), None)]),
        (
            "Click the pump(s) you want to drain.",
            [(K.OPEN_ROW, "the pumps you want to drain", None)],
        ),
        ("Type in or paste the address.", [(K.SET, ("address",), None)]),
        ("Hit enter to save it.", [(K.CLICK, ("Enter",), None)]),
        (
            "Enter the new miller's **Login** and their initial **Password**.",
            [(K.SET, ("Login",), None), (K.SET, ("Password",), None)],
        ),
        ("Add a note under **Log**.", [(K.SET, ("Log",), None)]),
        (
            "Add a title and click **Save**.",
            [(K.SET, ("title",), None), (K.CLICK, ("Save",), None)],
        ),
        ("Choose **Cold** and not **Warm**.", [(K.SET, "", "Cold")]),
        ("Select **Small** for the pump options.", [(K.SET, ("pump options",), "Small")]),
        ("Click **Allow** when prompted to let it run.", [(K.CLICK, ("Allow",), None)]),
        (
            "Use the search box to find the pump that keeps failing.",
            [(K.LOCATE, "the pump that keeps failing", None)],
        ),
    ],
)
def test_what_is_entered_or_searched_in_other_words(
    text: str, intents: list[tuple[IntentKind, tuple[str, ...] | str, str | None]]
) -> None:
    assert told(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "Add a pump.",
        "The key: **Pumps** → **Add pump**.",
        "Select **Small** for the pump.",
    ],
)
def test_what_is_not_entered_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood
