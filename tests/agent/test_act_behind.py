"""An act behind what only looks, waits or tells: whatever joins the two, it is read, or
the sentence is not understood. It is never passed over."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure
from tests.agent.test_paraphrases import told

K = IntentKind
ACTS = frozenset({K.CLICK, K.SET, K.SELECT_ROW, K.NAVIGATE, K.OPEN_ROW, K.CHECK})
FIRST = [
    "Scroll to the end of the list",
    "Scroll down",
    "Go to the bottom of the page",
    "Look for the banner at the top",
    "Review the terms",
    "Observe the banner",
    "Wait for the page to load",
    "Note the identifier of the pump",
    "The page opens",
    "The **Pumps** page is displayed",
    "You are taken to the **Pumps** page",
    "You can see the pump in the list",
    "For more information, see the manual",
    "The pump is now in the list",
    "When the wizard opens",
    "Make sure that the pump runs",
    "Leave the other fields empty",
    "Do not close the window",
    "Remember that the pump is shared",
    "Decide how long the pump runs",
    "Find the pump in the list",
    "You will be asked for a reason",
]
THEN = [
    ", and click **Save**.",
    " and click **Save**.",
    ", then click **Save**.",
    " and then press **Save**.",
    "; click **Save**.",
    ". Click **Save**.",
    " and drain **Basin**.",
    ", and drain the **Basin** pool.",
    " and hit the **Save** button.",
    " and you click **Save**.",
    ", where you click **Save**.",
]


@pytest.mark.parametrize("then", THEN)
def test_it_is_read_or_not_understood(then: str) -> None:
    passed_over = []
    for first in FIRST:
        reading = read_substep(procedure(first + then).substeps[0])
        acts = [one for one in reading.intents if one.kind in ACTS]
        if not acts and not reading.not_understood:
            passed_over.append(first + then)
    assert passed_over == []


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Scroll to the bottom of the page and click **Drain**.", [(K.CLICK, ("Drain",), None)]),
        ("Scroll down, then click **Save**.", [(K.CLICK, ("Save",), None)]),
        ("Scroll up.", []),
        ("Look at the list and press **Refresh**.", [(K.CLICK, ("Refresh",), None)]),
        ("A page appears, and you click **Save**.", [(K.CLICK, ("Save",), None)]),
        (
            "The **Add pump** dialog opens, where you enter the name.",
            [(K.SET, ("name",), None)],
        ),
        ("On the **Pumps** page, you click **Add**.", [(K.CLICK, ("Add",), None)]),
        (
            "Click your avatar in the top right corner, then click **Settings**.",
            [(K.CLICK, ("user",), None), (K.CLICK, ("Settings",), None)],
        ),
        ("Open your user menu.", [(K.CLICK, ("user",), None)]),
        ("Click the name of the pump to open its page.", [(K.OPEN_ROW, "the pump", None)]),
    ],
)
def test_what_stands_before_it_takes_nothing_away(
    text: str, intents: list[tuple[IntentKind, tuple[str, ...] | str, str | None]]
) -> None:
    assert told(text) == intents
