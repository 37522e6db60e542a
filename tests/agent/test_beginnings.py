"""Where a walk goes to before the document has led it anywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.policies.literal import introduced
from tests.agent.documents import procedure, run, sentence
from tests.agent.fake_console import FakeConsole, FakeRow


def console(**more: object) -> FakeConsole:
    rows = [FakeRow(id="i-1", name="otter"), FakeRow(id="i-2", name="pike")]
    menu = {"Images": ["Snapshots"], "Pumps": ["Instances"], "Overview": []}
    return FakeConsole(rows=rows, menu=menu, path="/ecs/overview", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "step",
    [
        "On the **Instances** page, find `otter` and click **Stop** in the **Actions** column.",
        "In the **Instances** list, find `otter` and click **Stop** in the **Actions** column.",
    ],
)
@pytest.mark.parametrize("folded", [False, True])
async def test_the_page_that_a_sentence_names_is_opened(step: str, folded: bool) -> None:
    fake = console(collapsed={"Pumps"} if folded else set())
    walked = await run(fake, step)
    assert isinstance(walked.ending, Completed), walked.ending
    assert fake.log[-1] == "Stop otter"


async def test_a_thing_that_no_way_leads_to_is_looked_for_in_the_lists() -> None:
    fake = console()
    walked = await run(fake, "Open **pike**.", "Click the **Disks** tab.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert fake.path.startswith("/ecs/instances/")


async def test_a_thing_in_no_list_blames_no_document() -> None:
    walked = await run(console(), "Open **bream**.")
    assert walked.finding is None
    assert not isinstance(walked.ending, Completed)


@pytest.mark.parametrize(
    ("title", "pressed"), [("Start an instance", True), ("Start a mill", False)]
)
async def test_a_button_of_many_pages_is_pressed_on_a_page_that_the_title_names(
    title: str, pressed: bool
) -> None:
    fake = console(toolbar=["Create"])
    await run(fake, "Click **Create**.", title=title)
    assert ("press Create" in fake.log) is pressed


@pytest.mark.parametrize(
    ("introduction", "phrase", "names"),
    [
        ("To drain the pump **Otter**, do the following:", "the pump", ["Otter"]),
        ("This drains the **Otter** pump.", "idle pump", ["Otter"]),
        ("To drain the pump **Otter** or the pump **Pike**:", "the pump", []),
        ("To drain the pump **Otter**:", "the mill", []),
        ("Click the button **Drain**.", "the button", []),
    ],
)
def test_a_name_is_known_from_the_introduction(
    introduction: str, phrase: str, names: list[str]
) -> None:
    read = replace(procedure("Find the pump."), introduction=(sentence(introduction),))
    assert introduced.names_of(read, phrase, before=0) == names


async def test_the_row_is_that_of_the_name_in_the_introduction() -> None:
    fake = console()
    walked = await run(
        fake,
        "On the **Instances** page, find the pump and click **Stop** in the **Actions** column.",
        introduction="To stop the pump **pike**:",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert fake.log[-1] == "Stop pike"
