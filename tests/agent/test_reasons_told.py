"""Reasons, contrasts and remarks beside an act, menus by their names, and tables that
have a page before each field."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.documents import inlines, procedure

SPAN = SourceSpan(file="doc.md", line=2, end_line=5)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Select **Cold**, because the pumps still run at night.", ["set Cold"]),
        ("Enter the total that you want in **Depth**, not the number to add.", ["set Depth"]),
        ("In **Tags**, type `cold` and press Enter again.", ["set cold", "click Enter"]),
        (
            "Click the **Options** icon ⋮ and then click **Drain**.",
            ["click Options", "click Drain"],
        ),
        ("Make sure that **Cold** is selected as the **Mode**.", ["set Cold"]),
        (
            "In the row of `otter`, open the overflow menu and click **Drain**.",
            ["locate otter", "click three dots", "click Drain"],
        ),
        (
            "From the overflow menu of `otter`, select **Drain**.",
            ["locate otter", "click three dots", "click Drain"],
        ),
        (
            "Open the overflow menu of the failed pump, `otter`, and click **Drain**.",
            ["locate otter", "click three dots", "click Drain"],
        ),
        (
            "Find `otter`. From its **Options** menu, choose **Drain**.",
            ["locate otter", "click Options", "click Drain"],
        ),
    ],
)
def test_what_stands_beside_an_act_is_no_other(text: str, read: list[str]) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood, reading.not_understood
    assert [
        f"{one.kind.value} {one.value or one.label or one.phrase}" for one in reading.intents
    ] == read


@pytest.mark.parametrize(
    "text",
    [
        "To drain only one of the pumps, you would select its name instead.",
        "Use this only if all pumps have a valve.",
        "A value of `0` ends the round at once.",
        "With this rule, old and new pumps can drink from the same well.",
    ],
)
def test_remarks_ask_for_nothing(text: str) -> None:
    reading = read_substep(procedure(f"Select **Cold**. {text}").substeps[0])
    assert not reading.not_understood, reading.not_understood
    acts = [one for one in reading.intents if one.kind is not IntentKind.MENTION]
    assert [one.value for one in acts] == ["Cold"]


@pytest.mark.parametrize(
    "text",
    [
        "With this rule, click the icon and it will open.",
        "Select **Cold**, because you must click **Save** first.",
        "Choose the **Day**, and specify how long the pump runs.",
    ],
)
def test_an_act_within_a_remark_is_not_passed_over(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


def test_an_example_names_the_thing_of_the_sentence_before() -> None:
    step = "Click the name of the pump that you want to drain. In this example, use `otter`."
    reading = read_substep(procedure(step).substeps[0])
    assert not reading.not_understood
    assert [(one.kind, one.label) for one in reading.intents] == [(IntentKind.OPEN_ROW, "otter")]


def test_a_field_without_markup_has_its_marked_value() -> None:
    bullets = Block(
        kind=BlockKind.BULLETS,
        span=SPAN,
        items=(inlines("Start: `03:30`"), inlines("Length: `6` hours. It must be 2 to 12 hours.")),
    )
    reading = read_substep(procedure(("Set the round:", bullets)).substeps[0])
    assert not reading.not_understood, reading.not_understood
    fields = [(one.label, one.value) for one in reading.intents if one.kind is IntentKind.SET]
    assert fields == [("Start", "03:30"), ("Length", "6")]


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        ((("Page", "Setting", "Value"), ("Wells", "Depth", "3"), ("Wells", "Mode", "Cold")), 2),
        ((("Page", "Setting", "Value"), ("Wells", "Depth", "3"), ("Valves", "Mode", "Cold")), 0),
        ((("Setting", "Value"), ("Depth", "3")), 1),
    ],
)
def test_a_table_names_its_fields_under_the_head_of_fields(
    rows: tuple[tuple[str, ...], ...], fields: int
) -> None:
    table = Block(kind=BlockKind.TABLE, span=SPAN, rows=rows)
    steps = procedure(("Enter the following values:", table))
    reading = read_substep(steps.substeps[0])
    named = [one.label for one in reading.intents if one.kind is IntentKind.SET]
    assert named == ["Depth", "Mode"][:fields]
    assert bool(reading.not_understood) is not bool(fields)
