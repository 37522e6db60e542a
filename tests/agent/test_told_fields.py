"""Fields that a sentence tells by what they are for, and words beside a control."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure
from tests.agent.test_paraphrases import told

K = IntentKind
DEPTH = [(K.SET, ("Depth",), None)]
ADD = [(K.CLICK, ("Add",), None)]


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Use the **Depth** field to limit the flow, in litres; it holds for all.", DEPTH),
        ("Use the **Depth** field to enter a depth; it holds for all.", DEPTH),
        ("Use the drop-down listbox next to **Depth** to apply it to the pump.", DEPTH),
        ("Use the drop-down **Depth** to select the order of the pumps.", DEPTH),
        ("Store notes about the pump in the **Depth** field.", DEPTH),
        ("Select the depth of the new pump from **Depth** options.", DEPTH),
        ("In the **Depth** field drop-down selector, select the appropriate depth.", DEPTH),
        ("Click the **Add** icon (+) to add a **Name** pair to the table.", ADD),
        ("Click **Add** to add a **Name** pair; to discard it, click the trash icon.", ADD),
        ("Click **Add** to begin; to leave without a change, click **Cancel**.", ADD),
        ("Click the **Add** (new pump) or **Update** (old pump) button.", ADD),
        ("To view drained pumps inside **Overview**, click **Add**.", ADD),
        (
            "In the pump configuration, select **Slow** from the **Depth** menu.",
            [(K.CLICK, ("Depth", "Slow"), None)],
        ),
        (
            "A window opens, asking you to confirm the deletion.",
            [(K.CONFIRM, "confirm the deletion", None)],
        ),
        ("Use search or filters to narrow the list.", []),
        ("At the end, review the settings.", []),
    ],
)
def test_what_is_told_is_read(text: str, intents: list[object]) -> None:
    assert told(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "Use the **Pumps** field to find the pump.",
        "Use the **Guard** switch to keep the pump.",
        "Use the pump to fill the pool.",
        "Click **Add** to frobnicate a **Name** pair.",
        "Click **Add**; to go on, frobnicate the valve.",
        "Click **Add**; to delete the pump, click **Delete**.",
        "Use filters to narrow the list, and frobnicate the first.",
        "In the pump house, frobnicate **Slow**.",
    ],
)
def test_other_words_are_not_passed_over(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood
