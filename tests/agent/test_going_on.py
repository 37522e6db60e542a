"""Buttons that a document asks for without their names, and other short forms."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Submit the form.", "Apply"),
        ("Apply the changes.", "Save"),
        ("Enter `otter` in **Name**. Continue.", "Next"),
        ("Enter `otter` in **Name**. **Next**.", "Next"),
        ("Finish the wizard.", "Done"),
    ],
)
async def test_the_button_is_pressed_that_does_it(text: str, label: str) -> None:
    done: list[dict[str, str]] = []
    form = FakeForm(title="Add", fields=[FakeField(label="Name")], submit=label, done=done.append)
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(console, START, OPEN, "Click **Create Instance**.", text)
    assert isinstance(walked.ending, Completed), walked.ending
    assert len(done) == 1


async def test_a_window_that_is_closed_already_needs_nothing() -> None:
    walked = await run(FakeConsole(), START, OPEN, "Close the dialog.")
    assert isinstance(walked.ending, Completed), walked.ending
    reading = walked.records[2].reading
    assert reading is not None
    (act,) = reading.acts
    assert act.waived == "no window asks for it"


async def test_a_button_that_nobody_named_blames_no_document() -> None:
    walked = await run(FakeConsole(toolbar=["Add"]), START, OPEN, "Submit the form.")
    assert walked.finding is None
    assert not isinstance(walked.ending, Completed)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Sort the list by **Name**.", ["mention Name"]),
        ("Search for the pump by name.", ["locate the pump"]),
        ("Click the trash icon in the row of **otter-1**.", ["locate otter-1", "click trash"]),
        ("With the pump selected, click **Stop**.", ["click Stop"]),
        ("At the prompt, click **Yes**.", ["click Yes"]),
        ("Confirm that **otter-1** is listed.", ["expect_row otter-1"]),
        ("Make a note of the **Pump ID**.", ["copy Pump ID"]),
        ("Copy the token from **Your token**.", ["copy Your token"]),
        ("Enter the pump ID, `otter-1`, in the text input field.", ["set otter-1"]),
        ("Set the timeout to 60 seconds.", ["set 60 seconds"]),
        ("Change **Timeout** to 10 minutes.", ["set 10 minutes"]),
        ("Describe what happened in **Summary**.", ["set Summary"]),
        ("Answer the question with **Yes**.", ["click Yes"]),
        (
            "On the **Valves** tab of the **Otter**, click **Add**.",
            ["open_row Otter", "click Valves", "click Add"],
        ),
        (
            "In the navigation pane, under **Mills**, choose **Pumps**.",
            ["navigate Mills > Pumps"],
        ),
        ("Under **Idle**, for **Days**, enter `30`.", ["set 30"]),
        ("Open the Otter console, and choose **Pumps**.", ["log_on Otter", "set Pumps"]),
        ("Open the Otter console at https://otter.example/c.", ["log_on Otter"]),
        (
            "In the left navigation pane, under **Mills**, choose **Pumps**.",
            ["navigate Mills > Pumps"],
        ),
        ("Choose the name of the rule `deep`.", ["set deep"]),
        ("Choose the name of a pump that leaks, for example `otter`.", ["set otter"]),
        ("Choose the pump name to open its page.", ["open_row the pump"]),
        ("On the details page of the pump, choose **Edit**.", ["set Edit"]),
        ("In the new row, for **Effect**, choose **Drain**.", ["set Drain"]),
        ("For **Name**, keep the proposed name, or enter another one.", []),
        ("Use the toggle to turn on **Strict**.", ["check Strict"]),
        ("Under **Details**, enter `otter` for the **Pump name**.", ["set otter"]),
        ("In the table, click the row for `otter`.", ["locate otter", "open_row it"]),
        ("Set the window to Sunday, 03:00 UTC: choose **Sunday** for **Day**.", ["set Sunday"]),
        ("Click the title of the pump on the **Idle** tab.", ["open_row the pump"]),
    ],
)
def test_short_forms_are_read(text: str, read: list[str]) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood, reading.not_understood
    assert [
        f"{one.kind.value} {one.value or ' > '.join(one.path) or one.phrase}"
        for one in reading.intents
        if one.kind is not IntentKind.MENTION or "mention" in " ".join(read)
    ] == read


def test_a_first_sentence_may_say_what_the_others_do() -> None:
    text = "Add the valves. In the **Valves** list, select **North**, and click **Add**."
    assert not read_substep(procedure(text).substeps[0]).not_understood
    alone = "Restart the pump. Click **Add**."
    assert read_substep(procedure(alone).substeps[0]).not_understood


def test_what_is_left_on_is_turned_on() -> None:
    text = "**Strict** is on by default. Leave it on."
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert [(one.kind.value, one.label, one.checked) for one in reading.intents][-1] == (
        "check",
        "Strict",
        True,
    )
