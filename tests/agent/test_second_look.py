"""Before the document is blamed: the page is loaded and looked at once more, and what
only looks like a defect is told apart from one."""

from __future__ import annotations

import json

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.page.scene import Stuck
from proofwalk.agent.policies.literal.policy import _of_both
from proofwalk.kernel.obstacles import Obstacle, ObstacleKind
from proofwalk.kernel.outcomes import Finding, FindingKind
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START, found


def renaming() -> FakeForm:
    return FakeForm(title="Rename", fields=[FakeField(label="Instance Name")])


async def test_a_click_that_a_redrawn_page_swallowed_is_no_missing_field() -> None:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a")],
        actions=["Rename"],
        forms={"Rename": renaming},
        swallowed=1,
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and click **Rename** in the **Actions** column.",
        "Enter `web` in the **Instance Name** field and click **OK**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == [
        "enter Instances",
        "swallowed Rename",
        "Rename a",
        "set Instance Name=web",
        "submit Rename",
    ]


async def test_what_is_missing_twice_is_missing() -> None:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a")], actions=["Rename"], forms={"Rename": renaming}
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and click **Rename** in the **Actions** column.",
        "Enter `web` in the **Host Name** field and click **OK**.",
    )
    found(walked, FindingKind.MISSING, 4)
    assert console.log == ["enter Instances", "Rename a", "Rename a"]


async def test_the_first_look_leaves_the_longest_wait_to_the_second() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    events: list[StepEvent] = []
    walked = await run(console, START, OPEN, "Click **Export**.", events=events)
    found(walked, FindingKind.MISSING, 3)
    actions = [json.loads(one.action) for one in events]
    waits = [one for one in actions if one["type"] == "wait"]
    assert [one["seconds"] for one in waits if one.get("text") == "Export"] == [4, 4, 6]


async def test_what_was_once_seen_greyed_out_is_not_missing() -> None:
    greyed = Stuck("greyed", obstacle=Obstacle(kind=ObstacleKind.PRECONDITION, message="greyed"))
    missing = Stuck(
        "gone", Finding(file="d", line=1, sentence="s", kind=FindingKind.MISSING, message="gone")
    )
    assert _of_both(greyed, missing) is greyed
    assert _of_both(missing, greyed) is greyed
    assert _of_both(None, missing) is missing
    assert _of_both(missing, missing) is missing


async def test_what_was_sent_is_not_sent_again_by_the_second_look() -> None:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a")], actions=["Rename"], forms={"Rename": renaming}
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and click **Rename** in the **Actions** column.",
        "Enter `web` in the **Instance Name** field and click **OK**.",
        "Click **Export**.",
    )
    found(walked, FindingKind.MISSING, 5)
    assert console.log.count("submit Rename") == 1


async def test_a_dialog_over_the_first_page_is_answered_before_anything_is_missed() -> None:
    console = FakeConsole(over="Select a region")
    assert isinstance((await run(console, START, OPEN)).ending, Completed)
    assert console.log == ["enter Instances"]


async def test_a_menu_entry_that_moved_is_noted_and_the_walk_goes_on() -> None:
    console = FakeConsole(menu={"Instances & Images": ["Images"], "More Services": ["Instances"]})
    walked = await run(console, START, OPEN)
    assert isinstance(walked.ending, Completed), walked.ending
    [noted] = walked.noted
    assert (noted.kind, noted.line, noted.candidates) == (
        FindingKind.MOVED,
        2,
        ("More Services > Instances",),
    )
    # With the one in the place of the other, the sentence is right.
    assert (noted.asked, noted.offered) == (
        "Instances & Images > Instances",
        "More Services > Instances",
    )
    assert noted.way == ("More Services", "Instances")
    assert console.log == ["enter Instances"]


async def test_a_section_under_another_name() -> None:
    form = FakeForm(title="Edit Tags", fields=[FakeField(label="Labels", kind="list")])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "In the **Tags** section, click **Add**.",
    )
    assert found(walked, FindingKind.MISSING, 4).candidates == ("Labels",)


async def test_a_section_that_is_there() -> None:
    form = FakeForm(title="Edit Tags", fields=[FakeField(label="Tags", kind="list")])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "In the **Tags** section, click **Add**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending


async def test_a_state_that_nothing_of_the_walk_leads_through() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and click **Stop** in the **Actions** column. Refresh the list until it"
        " is in the **Creating** state.",
    )
    assert found(walked, FindingKind.WRONG_OUTCOME, 3).candidates == ("Running",)


async def test_a_changed_default_that_makes_a_choice_impossible_is_what_is_wrong() -> None:
    fields = [
        FakeField(
            label="Policy Type",
            kind="radio",
            options=["System Policy", "Custom Policy"],
            value="Custom Policy",
        ),
        FakeField(label="Policy Name", kind="select", options=[]),
    ]
    console = FakeConsole(forms={"Create Instance": lambda: FakeForm(title="Grant", fields=fields)})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "From the **Policy Name** drop-down list, select **ReadOnlyAccess**.",
        "Make sure that **Policy Type** is set to **System Policy**, which is the default value.",
    )
    assert found(walked, FindingKind.WRONG_VALUE, 5).candidates == ("Custom Policy",)


async def test_the_action_of_a_row_is_never_taken_from_the_page() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], more=["Restart"], toolbar=["Release"])
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and choose **More** > **Release** in the **Actions** column.",
    )
    assert isinstance(walked.ending, Unachievable)
    assert console.log == ["enter Instances"]


async def test_a_greyed_out_entry_of_the_rows_menu_is_a_precondition() -> None:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a")], more=["Restart", "Release"], disabled={"Release"}
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and choose **More** > **Release** in the **Actions** column.",
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert walked.ending.obstacle is not None
    assert walked.ending.obstacle.kind is ObstacleKind.PRECONDITION


async def test_a_title_in_the_list_of_steps_says_nothing_of_the_step_in_front() -> None:
    titles = ("Basics", "Storage", "Advanced Settings")
    last = FakeForm(
        title="Create Instance", fields=[FakeField(label="Data Encryption")], steps=titles
    )
    middle = FakeForm(
        title="Create Instance",
        fields=[FakeField(label="Disk Size")],
        steps=titles,
        submit="Next",
        then=last,
    )
    first = FakeForm(
        title="Create Instance",
        fields=[FakeField(label="Host Name")],
        steps=titles,
        submit="Next",
        then=middle,
    )
    console = FakeConsole(forms={"Create Instance": lambda: first})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**. Click **Next** until the **Advanced Settings** step is shown.",
        "Enter `key` in the **Data Encryption** field and click **OK**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-4:] == [
        "submit Create Instance",
        "submit Create Instance",
        "set Data Encryption=key",
        "submit Create Instance",
    ]


async def test_a_choice_in_a_row_is_the_rows_action() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(
        console,
        START,
        OPEN,
        "In the row of the instance that you want to restart, choose **Restart**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "Restart a"]
