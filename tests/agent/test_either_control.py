"""Two controls of which the document says that either does."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.test_findings import OPEN, START
from tests.agent.test_left_open import asking


@pytest.mark.parametrize(
    "told", ["**Make** or **Create Instance**", "**Create Instance** or **Make**"]
)
async def test_of_two_controls_that_do_equally_the_one_that_is_there(told: str) -> None:
    console = asking("Instance Name")
    walked = await run(
        console, START, OPEN, f"Click {told}.", "Enter an **Instance Name**. Then, click **OK**."
    )
    assert isinstance(walked.ending, Completed), walked.ending


async def test_of_two_controls_that_do_equally_neither_is_there() -> None:
    console = asking("Instance Name")
    walked = await run(console, START, OPEN, "Click **Make** or **Forge**.")
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is not None
    assert "“Make”" in walked.ending.reason
