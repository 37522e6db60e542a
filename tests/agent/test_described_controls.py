"""Controls that a document describes and does not name: the button of the window that
asks, and a picture. What is not found that way blames no document."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal.substeps import read_substep
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

STOP = "Find the instance that you want to stop and click **Stop** in the **Actions** column"


def stopping(**forms: FakeForm) -> FakeConsole:
    return FakeConsole(
        rows=[FakeRow(id="i-1", name="a")],
        forms={name: (lambda form=form: form) for name, form in forms.items()},  # type: ignore[misc]
    )


async def test_the_button_that_goes_on_confirms() -> None:
    console = stopping(Stop=FakeForm(title="Stop Instance", submit="Stop now"))
    walked = await run(console, START, OPEN, f"{STOP}, and confirm your choice.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "Stop a", "submit Stop Instance"]


async def test_a_window_that_the_document_leaves_out_is_confirmed_at_its_end() -> None:
    console = stopping(Stop=FakeForm(title="Stop Instance", submit="Stop now"))
    walked = await run(console, START, OPEN, f"{STOP}.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "Stop a", "submit Stop Instance"]
    assert walked.noted == ()


async def test_a_window_gets_the_words_that_it_wants_typed() -> None:
    asks = "To go on, please enter the following confirmation text in the input below: stop it"
    form = FakeForm(
        title="Stop Instance",
        submit="Stop now",
        fields=[FakeField(label="Confirmation")],
        notes=[asks],
    )
    console = stopping(Stop=form)
    walked = await run(console, START, OPEN, f"{STOP}.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[1:] == ["Stop a", "set Confirmation=stop it", "submit Stop Instance"]


async def test_a_window_with_something_to_fill_in_is_left() -> None:
    form = FakeForm(title="Stop Instance", submit="Stop now", fields=[FakeField(label="Reason")])
    console = stopping(Stop=form)
    await run(console, START, OPEN, f"{STOP}.")
    assert console.log == ["enter Instances", "Stop a"]


async def test_no_window_to_confirm_is_told_without_blame() -> None:
    console = stopping()
    walked = await run(console, START, OPEN, f"{STOP}, and confirm the operation.")
    assert isinstance(walked.ending, Unachievable)
    assert walked.ending.reason == "no window asks to confirm"
    assert walked.finding is None


async def test_a_picture_that_is_not_found_blames_no_document() -> None:
    console = stopping()
    walked = await run(console, START, OPEN, "Click the wrench icon.")
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert console.log == ["enter Instances"]


async def test_a_picture_is_clicked_by_its_name() -> None:
    console = FakeConsole(toolbar=["Wrench"])
    walked = await run(console, START, OPEN, "Click the wrench icon.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "press Wrench"]


async def test_a_thing_is_opened_from_wherever_the_page_is() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")])
    phrase = "the instance you'd like to look at"
    walked = await run(console, START, f"Go to {phrase}.", binds={phrase: "i-2"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[0] == "enter Instances"
    assert console.path.endswith("i-2")


@pytest.mark.parametrize(
    "text",
    [
        "Go back to the overview.",
        "Open the settings of the mill.",
        "Open the mill and the pump that you want to drain.",
        "Use the **Depth** field to change it and drain the pump.",
        "Confirm the pump.",
        "Click **Add** in **Pumps**.",
    ],
)
def test_what_is_not_described_well_enough_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood
