"""Search boxes that suggest: what is taken from them, and when they are asked."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure

K = IntentKind


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("In the search box, enter `otter`. Select the pump in the search results.", "otter"),
        ("In the search box, enter `otter`. Select it from the results.", "otter"),
        ("In the search box, enter `otter` and select the pump under **Resources**.", "otter"),
        ("Type **Pumps** in the search box and select it from the results.", "Pumps"),
    ],
)
def test_what_is_taken_is_what_was_searched_for(text: str, taken: str) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert reading.intents[-1].kind is K.SET
    assert (reading.intents[-1].path, reading.intents[-1].value) == ((), taken)


def test_a_result_without_a_search_is_what_it_says() -> None:
    reading = read_substep(procedure("Select the pump in the search results.").substeps[0])
    assert [one.value for one in reading.intents] == [None]
