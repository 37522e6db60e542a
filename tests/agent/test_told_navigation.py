"""Sentences that lead to a page through the navigation, walked where it has the
entry."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import START


@pytest.mark.parametrize(
    "text",
    [
        "In the left navigation pane, choose **Instances**.",
        "On the left sidebar, select **Instances**.",
        "Select **Instances**.",
        "Select **Instances** on the left.",
        "Expand **Instances & Images**, then select **Instances**.",
        "Select **Instances & Images** and then select **Instances**.",
        "Under **Instances & Images** in the navigation pane, choose **Instances**.",
        "Use the left navigation to go to **Instances**.",
        "Use the navigation pane to open **Instances**.",
        "From the console home page, choose **Instances**.",
        "In the ECS console, choose **Instances**.",
        "Make sure that you are on the **Instances** page.",
        "Open the Instances page.",
        "Locate **Instances** in the left menu and click it.",
    ],
)
async def test_the_entry_is_pressed(text: str) -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="web-1")])
    walked = await run(console, START, text)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances"]


async def test_an_entry_that_is_not_there_is_found_missing() -> None:
    console = FakeConsole(menu={"Overview": []})
    walked = await run(console, START, "Select **Instances**.")
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.ending.finding is not None
