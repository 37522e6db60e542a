"""`Review the settings before clicking **Create**`: whether it asks for the click, the
neighbours tell."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_procedure
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure

LOOKS = [
    "Review the settings before clicking **Create**.",
    "Review the settings before you click the **Create** button.",
    "Before clicking **Create**, review the settings.",
    "Before you click **Create**, double-check the name and the region.",
    "Verify that the values are right before pressing **Create**.",
]


def clicks(*steps: str) -> list[list[str]]:
    """The labels that each sub-step asks to click; fails where one is not
    understood."""
    readings = read_procedure(procedure(*steps))
    assert [one.not_understood for one in readings] == [()] * len(readings)
    return [
        [one.label for one in reading.intents if one.kind is IntentKind.CLICK]
        for reading in readings
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_a_click_that_nobody_else_asks_for_is_done_after_the_look(look: str) -> None:
    assert clicks(look) == [["Create"]]
    assert clicks("Click **Pumps**.", look, "Click **Done**.") == [["Pumps"], ["Create"], ["Done"]]


@pytest.mark.parametrize("look", LOOKS)
def test_a_click_that_a_later_sentence_asks_for_is_that_ones(look: str) -> None:
    assert clicks(look, "Click **Create**.") == [[], ["Create"]]
    assert clicks(look, "Enter `x` in the **Name** field.", "Click **Create**.")[0] == []
    assert clicks(f"{look} Then, click **Create**.") == [["Create"]]


def test_what_was_clicked_before_is_another_click() -> None:
    look = "Review the settings before clicking **Create**."
    assert clicks("Click **Create**.", look) == [["Create"], ["Create"]]


@pytest.mark.parametrize(
    "sentence",
    [
        "Review the settings before clicking **Create** or **Cancel**.",
        "Review the **Create** page.",
        "Review what happens before the **Create** button is shown.",
    ],
)
def test_other_words_about_a_label_ask_for_no_click(sentence: str) -> None:
    assert clicks(sentence) == [[]]
