"""Tables of parameters: the value that a row's description gives, in whatever sentence
of it, and rows that tell more than is understood."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.parameters import read_rows
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import Intent, IntentKind, Reading
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Block, BlockKind, SourceSpan

SPAN = SourceSpan(file="doc.md", line=1, end_line=2)


def row(*cells: str, header: tuple[str, ...] = ("Parameter", "Description")) -> Reading:
    rows = (header, cells)
    return read_rows(Block(kind=BlockKind.TABLE, span=SPAN, rows=rows, row_lines=(1, 2)))


def only(reading: Reading) -> Intent:
    (intent,) = reading.intents
    assert reading.not_understood == ()
    return intent


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The zone of the pump. Select **East**.", "East"),
        ("The zone of the pump. In this example, **East** is selected.", "East"),
        ("Days to keep. Valid values: 1 to 31. In this example, the parameter is set to 10.", "10"),
        ("How often it is tried. Valid values: 5 to 100. Set this parameter to 8.", "8"),
        ("The name of the rule. Example: `outbound-stuck`.", "outbound-stuck"),
    ],
)
def test_a_description_gives_its_value_in_any_sentence(text: str, value: str) -> None:
    assert only(row("Zone", text.replace("**", ""))).value == value


@pytest.mark.parametrize(
    "text",
    [
        "The name of the pump. Use letters only.",
        "Whether it is quick. Turn on this option if you are in a hurry.",
        "The kind of the pump. Select this option to save water.",
        "Water that is kept. Enter at most 60 litres.",
    ],
)
def test_advice_in_a_later_sentence_asks_for_nothing(text: str) -> None:
    assert only(row("Name", text)).kind is IntentKind.MENTION


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("Whether order is kept. In this example, the switch is turned on.", True),
        ("Whether order is kept. In this example, the check box is cleared.", False),
    ],
)
def test_an_example_turns_a_switch(text: str, on: bool) -> None:
    intent = only(row("Order", text))
    assert (intent.kind, intent.checked) == (IntentKind.CHECK, on)


def test_the_parts_of_one_field_are_two_values() -> None:
    text = "The operator and the depth. Set the operator to >= and the depth to 900."
    reading = row("Condition", text)
    assert not reading.not_understood
    told = [(one.path, one.value, one.scopes[0].label) for one in reading.intents]
    assert told == [(("operator",), ">=", "Condition"), (("depth",), "900", "Condition")]


def test_a_description_gives_several_values() -> None:
    reading = row("Resources", "What is watched. Select email-out and webhook-retry.")
    assert [one.value for one in reading.intents] == ["email-out", "webhook-retry"]


def test_an_example_of_what_a_field_does_is_no_value() -> None:
    text = "The protocol. For example, if the pump leaks, the mill uses another."
    assert only(row("Protocol", text)).kind is IntentKind.MENTION


@pytest.mark.parametrize(
    "text",
    [
        "The days. Set the first day to 1 May and the last one to 3 May of the year.",
        "On, 200 Mbps",
        "When it runs. In this example, the job is started each night.",
    ],
)
def test_a_row_that_tells_more_is_not_understood(text: str) -> None:
    reading = row("Condition", text)
    assert reading.intents == ()
    assert [one.text for one in reading.not_understood] == [f"Condition | {text}"]


VALUES = ("Setting", "Value")


@pytest.mark.parametrize("cell", ["Accept the default, v1.", "Keep the default.", "Optional."])
def test_a_value_that_is_left_as_it_is_asks_for_nothing(cell: str) -> None:
    assert only(row("Version", cell, header=VALUES)).kind is IntentKind.MENTION


def test_a_value_in_words_is_left_to_the_reader() -> None:
    intent = only(row("Reason", "A short text that says why it stops", header=VALUES))
    assert (intent.kind, intent.value) == (IntentKind.SET, None)
    tags = only(row("Tags", "Optional. Type a tag, and then press Enter.", header=VALUES))
    assert (tags.value, tags.optional) == (None, True)


def test_a_value_of_two_ends_is_not_understood() -> None:
    assert row("Window", "From 2027-12-20 to 2028-01-03", header=VALUES).not_understood


def test_a_name_with_a_full_stop_heads_a_bullet() -> None:
    text = b"""# Add a pump

1. In the dialog, make the following choices:

   - **Name**. Any name that you want.
   - **Scope**. (For administrators only). Who sees the pump.
   - **Strict**. Select this check box to count each drop.
   - Click **Save**. Then wait.
"""
    (substep,) = load("pump.md", text).procedures[0].substeps
    reading = read_substep(substep)
    assert not reading.not_understood
    told = [(one.kind, one.path) for one in reading.intents if one.kind is not IntentKind.CONFIGURE]
    assert told == [
        (IntentKind.MENTION, ("Name",)),
        (IntentKind.MENTION, ("Scope",)),
        (IntentKind.CHECK, ("Strict",)),
        (IntentKind.CLICK, ("Save",)),
        (IntentKind.WAIT, ()),
    ]
