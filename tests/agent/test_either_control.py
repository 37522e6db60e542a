"""Two controls of which the document says that either does."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
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


async def test_the_first_of_equal_buttons_that_make_a_named_thing_is_pressed() -> None:
    console = FakeConsole(toolbar=["Create Instance", "Create Instance"])
    await run(console, START, OPEN, "Click **Create Instance**.")
    assert console.log[1:] == ["press Create Instance"]


async def test_equal_buttons_that_do_not_say_what_they_make_are_not_chosen_between() -> None:
    console = FakeConsole(toolbar=["Add", "Add"])
    walked = await run(console, START, OPEN, "Click **Add**.")
    assert isinstance(walked.ending, Unachievable)
    assert "2 equal controls" in walked.ending.reason
