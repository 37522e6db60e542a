"""Sentences that say by an example what the sentence before left open."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.documents import inlines, procedure


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("In the **Host** field, enter the host. For example, `a.example`.", "a.example"),
        (
            'In the **Load** field, enter the load. It must be JSON, for example, `{"a": 1}`.',
            '{"a": 1}',
        ),
        ("Select a region. In this example, select **East**.", "East"),
    ],
)
def test_an_open_field_gets_the_example(text: str, value: str) -> None:
    (intent,) = read_substep(procedure(text).substeps[0]).intents
    assert (intent.value, intent.example) == (value, True)


def test_a_sign_in_brackets_is_no_part_of_a_path() -> None:
    text = "Select **More actions** (**...**) > **Drain**."
    read = read_substep(procedure(text).substeps[0])
    assert not read.not_understood
    assert [one.label or one.value for one in read.intents] == ["More actions", "Drain"]


def test_an_open_row_gets_the_name_that_is_used() -> None:
    text = "Find the pump that you want to drain. This example uses `otter`."
    (intent,) = read_substep(procedure(text).substeps[0]).intents
    assert (intent.kind, intent.path) == (IntentKind.LOCATE, ("otter",))


def test_a_value_that_was_given_stays() -> None:
    text = "In the **Host** field, enter `b.example`. It must be a name, for example, `a.example`."
    first, *_ = read_substep(procedure(text).substeps[0]).intents
    assert first.value == "b.example"


def test_a_key_is_pressed_behind_each_value() -> None:
    text = "In **Services**, add `checkout` and `gateway`. Press Enter after each of them."
    read = read_substep(procedure(text).substeps[0])
    assert not read.not_understood
    assert [one.value or one.label for one in read.intents] == [
        "checkout",
        "Enter",
        "gateway",
        "Enter",
    ]


def test_a_bullet_that_adds_values_is_an_instruction() -> None:
    span = SourceSpan(file="d", line=3, end_line=3)
    item = inlines("**Names**: Add `a.example` and `b.example`. Press Enter after each name.")
    block = Block(kind=BlockKind.BULLETS, span=span, items=(item,), row_lines=(3,))
    reading = read_substep(procedure(("Choose the values.", block)).substeps[0])
    values = [one.value for one in reading.intents if one.value]
    assert values == ["a.example", "b.example"]
    assert "Press Enter after each name." in [one.text for one in reading.prose]
