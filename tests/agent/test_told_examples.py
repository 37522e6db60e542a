"""Sentences that say by an example what the sentence before left open."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure


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


def test_an_open_row_gets_the_name_that_is_used() -> None:
    text = "Find the pump that you want to drain. This example uses `otter`."
    (intent,) = read_substep(procedure(text).substeps[0]).intents
    assert (intent.kind, intent.path) == (IntentKind.LOCATE, ("otter",))


def test_a_value_that_was_given_stays() -> None:
    text = "In the **Host** field, enter `b.example`. It must be a name, for example, `a.example`."
    first, *_ = read_substep(procedure(text).substeps[0]).intents
    assert first.value == "b.example"
