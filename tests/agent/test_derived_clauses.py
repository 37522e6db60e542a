"""Clauses that describe what is used, read by the grammar: what they ask for, and what
stays unread."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.policies.literal.substeps import read_procedure, read_substep
from proofwalk.agent.reading.intents import Intent
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import OPEN, START


def told(intent: Intent) -> str:
    """An intent in one line."""
    parts = [str(intent.kind)]
    parts += [" > ".join(intent.path)] if intent.path else []
    parts += [f"= {intent.value}"] if intent.value is not None else []
    parts += ["off"] if not intent.checked else []
    parts += [f"<{intent.phrase}>"] if intent.phrase else []
    return " ".join(parts) + (" if" if intent.conditional else "")


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Click the red dot to see the first fault.", ["click red dot <the red dot>"]),
        (
            "Select the gear next to the pump that you want to drain.",
            ["locate <the pump that you want to drain>", "click gear"],
        ),
        ("Open the settings menu in the header.", ["click settings <the settings menu>"]),
        ("Click the small cross within it.", ["click small cross <the small cross within it>"]),
        (
            "Click the three dots (**⋯**) to the right of a gauge, and then **Copy**.",
            ["locate <a gauge>", "click ⋯", "click Copy"],
        ),
        (
            "Hover over the filter that you want to remove, then click the trash icon.",
            [
                "hover <the filter that you want to remove>",
                "locate <the filter that you want to remove>",
                "click trash",
            ],
        ),
        ("Hover over the row title.", ["hover <the row title>"]),
        ("Enter a new value.", ["set value <a new value>"]),
        (
            "Select an operator and enter a value.",
            ["set operator <an operator>", "set value <a value>"],
        ),
        (
            "Enter the guest's new password in the password field.",
            ["set password <the guest's new password>"],
        ),
        (
            "Select **Drain** on the pump of your choice.",
            ["locate <the pump>", "click Drain"],
        ),
        ("Upload your logo.", ["upload <your logo>"]),
        (
            "Click **Import** and choose a file containing the readings.",
            ["click Import", "upload <a file containing the readings>"],
        ),
        ("Select the event and click **Open**.", ["set event <the event>", "click Open"]),
        (
            "Tick **Replace everything** only if the file is complete.",
            ["check Replace everything if"],
        ),
        ("Turn the flag off.", ["check off <the flag>"]),
        (
            "Clear the check box next to each plan that you want to exclude.",
            ["check off <each plan that you want to exclude>"],
        ),
        ("Use the main pump toggle to disable it.", ["check off <the main pump toggle>"]),
        ("In the drawer, select `ae0` in the Lag drop-down selector.", ["set Lag = ae0"]),
        ("Select `80` in the Port list if it is offered.", ["set Port = 80 if"]),
        ("Confirm the logout.", ["confirm <confirm the logout>"]),
        ("Update the name of the folder.", ["set name <the name of the folder>"]),
        ("Find your country or region.", ["locate <your country or region>"]),
        ("Select several fields and save.", ["set fields <several fields>", "click Save <save>"]),
    ],
)
def test_a_description_is_read(text: str, intents: list[str]) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    read = [told(intent) for intent in reading.intents]
    assert [one[: len(wanted)] for one, wanted in zip(read, intents, strict=True)] == intents


@pytest.mark.parametrize(
    "text",
    [
        "Click the red dot and drain the pool.",
        "Select the file and drain the pool that it tells of.",
        "Click the button.",
        "Click the menu.",
        "Paste the address to your destination.",
        "Click the gear next to the pumps and the mills.",
        "Select the file.",
        "Click the gear next to its pump.",
        "Upload the flange.",
        "Turn the flag around.",
        "Either type a password or let the console make one by pressing the dice.",
        "Confirm the pump.",
    ],
)
def test_what_may_mean_something_else_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


def test_what_is_described_is_no_label_of_the_document() -> None:
    """What carries no marked-up words blames no document (`findings`)."""
    for text in ("Click the red dot.", "Open the settings menu.", "Select the event."):
        for intent in read_substep(procedure(text).substeps[0]).intents:
            assert not intent.words


def test_that_button_is_the_one_that_the_sub_step_before_told_of() -> None:
    told, used = read_procedure(
        procedure("On the right you will find **Merge**.", "Click on that button to open the tool.")
    )
    assert not told.not_understood
    (click,) = used.intents
    assert (click.kind.value, click.path, click.origin.line) == ("click", ("Merge",), 1)
    told, used = read_procedure(procedure("Click **Merge**.", "Click on that button."))
    assert used.not_understood


def test_that_button_is_the_one_that_was_told_of() -> None:
    text = "On the right you will find **Merge**. Click on that button to open the tool."
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert not reading.unplaced
    click = reading.intents[-1]
    assert (click.path, click.noun, click.words) == (("Merge",), "button", ("Merge",))


@pytest.mark.parametrize(
    "text",
    [
        "Click that button.",
        "Click **Merge**. Click that button.",
        "You will find **Merge** and **Split**. Click that button.",
        "You will find **Merge**. Click that button and frobnicate the pump.",
    ],
)
def test_a_button_that_was_not_told_of_is_not_guessed(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


@pytest.mark.parametrize(
    "text", ["Change the name of the pump.", "Change the basic information of a pump."]
)
def test_a_title_above_its_steps_enters_nothing(text: str) -> None:
    (title,) = procedure(text).substeps
    assert read_substep(title).intents
    assert not read_substep(title, leads=True).intents


async def test_the_row_that_a_sentence_describes_is_pointed_at() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    events: list[StepEvent] = []
    text = "Hover over the instance that you want to stop."
    walked = await run(console, START, OPEN, text, events=events)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances"]
    assert any('"hover"' in event.action and event.ok for event in events)
