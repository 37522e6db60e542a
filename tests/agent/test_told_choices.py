"""Things that a page tells without a control, and what a document presupposes: none of
them is a defect of the document."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import OPEN, START


async def test_a_card_shows_its_button_under_the_pointer() -> None:
    console = FakeConsole(cards={"Gradual": "Configure", "Sudden": "Configure"})
    walked = await run(console, START, OPEN, "Select **Sudden** and click **Configure**.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "press Configure Sudden"]


async def test_what_stands_on_the_page_and_answers_nothing_blames_no_document() -> None:
    console = FakeConsole(cards={"Gradual": ""})
    walked = await run(console, START, OPEN, "Select **Gradual**.")
    assert isinstance(walked.ending, Unachievable)
    assert "nothing happens" in walked.ending.reason
    assert walked.finding is None


async def test_a_page_that_the_document_presupposes_is_no_defect() -> None:
    walked = await run(FakeConsole(), "Click **Add strategy**.")
    assert isinstance(walked.ending, Unachievable)
    assert "does not say where to begin" in walked.ending.reason
    assert walked.finding is None


@pytest.mark.parametrize(
    "step",
    [
        "Open the **Fleet tracker** application.",
        "Open the **Orders API**, and go to the **Routes** tab.",
    ],
)
async def test_a_thing_of_a_list_that_the_document_does_not_tell_is_no_defect(step: str) -> None:
    walked = await run(FakeConsole(), step)
    assert isinstance(walked.ending, Unachievable)
    assert "does not say where to begin" in walked.ending.reason
    assert walked.finding is None


async def test_a_thing_is_opened_from_the_page_of_its_list() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, "Open `i-1` from the **Instances** page.")
    assert isinstance(walked.ending, Completed), walked.ending
    missing = await run(FakeConsole(rows=[]), START, OPEN, "Open `otter-7`.")
    assert isinstance(missing.ending, Unachievable)
    assert missing.finding is None


async def test_a_name_that_the_first_page_happens_to_have_leads_nowhere() -> None:
    step = "On the mill's main page, select `i-1` and `i-9`, and click **Edit**."
    console = FakeConsole(path="/ecs/instances", rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, step)
    assert isinstance(walked.ending, Unachievable)
    assert "does not say where to begin" in walked.ending.reason
    assert walked.finding is None


async def test_what_was_prepared_is_where_a_document_without_a_way_begins() -> None:
    binds = {"a zone": "z-1", "an instance": "i-2"}

    def console() -> FakeConsole:
        rows = [FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")]
        return FakeConsole(rows=rows, path="/ecs/overview")

    steps = "To bind a disk to an instance, open the **Disks** tab."
    walked = await run(console(), steps, binds=binds)
    assert isinstance(walked.ending, Completed), walked.ending
    walked = await run(console(), steps.replace("Disks", "Mills"), binds=binds)
    assert isinstance(walked.ending, Unachievable)
    assert "does not say where to begin" in walked.ending.reason
    assert walked.finding is None


async def test_a_name_of_the_document_stands_for_what_was_prepared_under_it() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")])
    step = "Search for the instance you want (`i-1` in this example) and click on the link."
    walked = await run(console, START, OPEN, step, binds={"i-1": "i-2"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.path == "/ecs/instances/i-2"


@pytest.mark.parametrize(
    ("example", "binds", "opened"),
    [
        ("i-2", {}, "i-2"),
        ("i-9", {}, "i-1"),
        ("i-9", {"the instance you are interested in": "i-2"}, "i-2"),
    ],
)
@pytest.mark.parametrize(
    "step",
    [
        "Find the instance you are interested in and click on the link, such as `{}`.",
        "Look for the instance you are interested in, such as `{}`, and click its name.",
    ],
)
async def test_the_row_of_an_example_is_the_one_where_no_other_is_known(
    step: str, example: str, binds: dict[str, str], opened: str
) -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")])
    walked = await run(console, START, OPEN, step.format(example), binds=binds)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.path == f"/ecs/instances/{opened}"


@pytest.mark.parametrize(
    "first",
    [
        "In the left-side navigation pane, choose **Mills**.",
        "Click **Instances & Images > Mills** in the console menu.",
    ],
)
async def test_a_place_that_is_named_and_missing_is_one(first: str) -> None:
    walked = await run(FakeConsole(), first)
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is not None


async def test_a_row_without_a_box_is_selected_by_what_comes_next() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")])
    phrase = "the instance you want to stop"
    walked = await run(
        console, START, OPEN, f"Select {phrase}.", "Click **Stop**.", binds={phrase: "i-2"}
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "Stop b"]


async def test_a_tab_that_the_last_sentence_tells_of_is_looked_at() -> None:
    def console() -> FakeConsole:
        return FakeConsole(rows=[FakeRow(id="i-1", name="a")])

    steps = "Click the ID of the instance. The **Disks** tab lists the disks."
    binds = {"the instance": "i-1"}
    shown = console()
    walked = await run(shown, START, OPEN, steps, binds=binds)
    assert isinstance(walked.ending, Completed), walked.ending
    assert shown.log[-1] == "tab Disks"

    behind = console()
    more = f"{steps} Then, click **Basic Information**."
    walked = await run(behind, START, OPEN, more, binds=binds)
    assert "tab Disks" not in behind.log

    walked = await run(console(), START, OPEN, steps.replace("Disks", "Mills"), binds=binds)
    assert walked.finding is not None
    assert walked.finding.line == 3
