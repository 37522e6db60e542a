"""Which sentences put a value under another one."""

from __future__ import annotations

import pytest

from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal.levels import puts_under


@pytest.mark.parametrize(
    "sentence",
    [
        "Set **Query Source** to **China Mobile**, which you find under **Carriers**.",
        "Set Query Source to China Mobile under the Carriers group.",
        "From the **Query Source** drop-down list, choose **Carriers** and then **China Mobile**.",
        "Choose **Carriers**, then **China Mobile**.",
        "Select **Carriers** > **China Mobile**.",
        "Select Carriers/China Mobile.",
    ],
)
def test_a_sentence_says_what_a_value_lies_under(sentence: str) -> None:
    said = normalise(sentence)
    assert puts_under(said, "carriers", "china mobile")
    assert not puts_under(said, "areas", "china mobile")


@pytest.mark.parametrize(
    "sentence",
    [
        "Set **Query Source** to **China Mobile** or **Carriers**.",
        "Set **Query Source** to **China Mobile**, not to **Carriers**.",
        "Choose **Carriers** and **China Mobile**.",
        "The understanding of Carriers: choose **China Mobile**.",
        "Choose **China Mobile** and then **Carriers**.",
    ],
)
def test_other_company_of_two_names_says_nothing(sentence: str) -> None:
    assert not puts_under(normalise(sentence), "carriers", "china mobile")


def test_without_a_name_nothing_lies_under_it() -> None:
    assert not puts_under("under : choose a", "", "a")
    assert not puts_under("under b", "b", "")
