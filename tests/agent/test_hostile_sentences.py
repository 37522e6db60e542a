"""Sentences that are written to hold a walk up are read in bounded time."""

from __future__ import annotations

import time

import pytest

from proofwalk.agent.policies.literal.grammar import MAX_CHARACTERS, read_sentence
from tests.agent.documents import sentence

UNITS = (
    "in a ", "in the a ", "for the pump, ", "for a while, ", "when a, ", "if a ",
    "under **A**, ", "select the pump ", "select **A** or ", "**A**, ",
    "and then **A** ", "to a pump, ",
    "enter the pump and ", "scroll to **A** and ", "find **A** and ", "the pump, ", "(a ",
    "it takes a ", "do the following ", "choose the pump to see ", "make any changes ",
    "repeat this step ", "for each new pump ", "we will ",
    "在**A**中", "单击**A**后，", "阅读",
)  # fmt: skip


@pytest.mark.parametrize("lead", ["", "Select ", "Specify the name, "])
@pytest.mark.parametrize("unit", UNITS)
def test_what_repeats_itself_takes_bounded_time(lead: str, unit: str) -> None:
    text = f"{lead}{unit * (1_200 // len(unit))}x."
    began = time.process_time()
    read_sentence(sentence(text))
    assert time.process_time() - began < 10


def test_what_is_longer_than_anybody_writes_is_not_understood() -> None:
    reading = read_sentence(sentence("Click **A**, and " + "click **B**, and " * MAX_CHARACTERS))
    assert reading.not_understood
    assert not reading.intents
