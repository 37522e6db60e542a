"""Sentences that say in which row an act is done, walked on a list of two."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import OPEN, START

BINDS = {"the instance": "web-1"}


def listed(*, more: bool = True) -> FakeConsole:
    rows = [FakeRow(id="i-2", name="web-2"), FakeRow(id="i-1", name="web-1")]
    return FakeConsole(rows=rows, more=["Restart"] if more else [])


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("On the row of the instance, click **Stop**.", "Stop web-1"),
        ("At the end of the row of the instance, click **Stop**.", "Stop web-1"),
        ("Click **Stop** in the instance's row.", "Stop web-1"),
        ("To stop the instance, click **Stop** in its row.", "Stop web-1"),
        ("To stop the instance, click **Stop**.", "Stop web-1"),
        ("Stop the instance by clicking **Stop**.", "Stop web-1"),
        ("Click **Stop** next to **web-1**.", "Stop web-1"),
        ("Next to **web-1**, click **Stop**.", "Stop web-1"),
        ("For **web-1**, click **Stop**.", "Stop web-1"),
        ("Click **Stop** in the row of **web-1**.", "Stop web-1"),
        ("Click **Stop** on the right of **web-1**.", "Stop web-1"),
        ("To the right of **web-1**, click **Stop**.", "Stop web-1"),
        ("Select **web-1**, and click **Stop**.", "Stop web-1"),
        ("Choose the instance. Click **Stop**.", "Stop web-1"),
        ("In the row for the instance, choose **More**, and then **Restart**.", "Restart web-1"),
        ("Select **Restart** from the **More** menu of the instance.", "Restart web-1"),
    ],
)
async def test_the_act_is_done_in_the_row_that_is_told(text: str, act: str) -> None:
    console = listed()
    walked = await run(console, START, OPEN, text, binds=BINDS)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[1:] == [act]


@pytest.mark.parametrize(
    "text",
    [
        "Click **web-1**.",
        "Open the details page of the instance.",
        "Go to the details page of the instance.",
    ],
)
async def test_a_thing_of_a_row_is_opened_by_its_link(text: str) -> None:
    console = listed()
    walked = await run(console, START, OPEN, text, binds=BINDS)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.path == "/ecs/instances/i-1"


@pytest.mark.parametrize("text", ["Click **Stop**.", "Under **Actions**, click **Stop**."])
async def test_no_row_is_guessed(text: str) -> None:
    console = listed()
    walked = await run(console, START, OPEN, text, binds=BINDS)
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert console.log[1:] == []


async def test_a_name_that_nothing_was_prepared_by_is_no_row() -> None:
    console = listed()
    walked = await run(console, START, OPEN, "Click **web-1**.")
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert console.path == "/ecs/instances"


async def test_a_column_that_is_checked_is_not_ticked() -> None:
    console = listed()
    walked = await run(console, START, OPEN, "Check the **Status** column.", binds=BINDS)
    assert isinstance(walked.ending, Completed), walked.ending
