"""A procedure of another edition of the product: what is missing blames no document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.agent.policies.literal.editions import edition_of
from tests.agent.documents import procedure, sentence


@pytest.mark.parametrize(
    ("text", "edition"),
    [
        ("Plan: Enterprise | Version: 4.19+", "Enterprise"),
        ("**Tier:** Premium, Ultimate", "Premium, Ultimate"),
        ("This feature is only available in the Pro plan.", "Pro plan"),
        ("It requires a business subscription.", "business subscription"),
        ("Edition: Free, Enterprise", ""),
        ("Version: 4.13+ for Pro and Enterprise.", ""),
        ("A plan for your enterprise: stop the pump first.", ""),
        ("The pump is available.", ""),
    ],
)
def test_it_is_told_before_the_steps(text: str, edition: str) -> None:
    told = replace(
        procedure("Click **Add**."),
        introduction=(sentence("Pumps."), sentence(text), sentence("Do it:")),
    )
    assert edition_of(told) == edition


def test_the_nearest_counts() -> None:
    told = replace(
        procedure("Click **Add**."),
        introduction=(sentence("Plan: Enterprise"), sentence("Plan: all plans, also Pro")),
    )
    assert edition_of(told) == ""
