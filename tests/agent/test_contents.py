"""Lists of what the console shows, told apart from lists of what there is to do."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.documents import inlines, procedure


def bullets(*items: str) -> Block:
    return Block(
        kind=BlockKind.BULLETS,
        span=SourceSpan(file="doc.md", line=2, end_line=2 + len(items)),
        items=tuple(map(inlines, items)),
    )


SHOWN = "Click **Pumps**. The table shows figures of each pump, including the following:"


def test_what_the_console_shows_is_not_asked_for() -> None:
    steps = procedure((SHOWN, bullets("Its depth", "Flow in litres", "known leaks")))
    reading = read_substep(steps.substeps[0])
    assert not reading.not_understood
    assert [one.path for one in reading.intents if one.kind is IntentKind.CLICK] == [("Pumps",)]
    assert {"Its depth", "Flow in litres", "known leaks"} <= {one.text for one in reading.prose}


@pytest.mark.parametrize(
    ("said", "item"),
    [
        (SHOWN, "Drain the pump of the row"),
        (SHOWN, "Pumps that you must drain"),
        ("Click **Pumps**. The form shows the following fields:", "Its depth"),
        ("Click **Pumps**. To go on, the following is needed:", "Its depth"),
    ],
)
def test_what_may_be_asked_for_stays_unread(said: str, item: str) -> None:
    reading = read_substep(procedure((said, bullets("A flow", item))).substeps[0])
    assert item in {one.text for one in reading.not_understood}


@pytest.mark.parametrize(
    ("lead", "asked"),
    [
        ("Ensure these addresses are available in the mill's plan:", 0),
        ("Make sure that the following pumps exist:", 0),
        ("Ensure that the following settings are as they should be:", 2),
    ],
)
def test_what_has_to_be_there_before_is_not_filled_in(lead: str, asked: int) -> None:
    items = bullets("**Inlet**: `10.0.20.1`", "**Outlet**: `10.0.20.2`")
    [substep] = procedure((lead, items)).substeps
    assert len(read_substep(substep).intents) == asked
