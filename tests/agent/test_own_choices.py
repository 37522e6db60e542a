"""Conditions on what was chosen in the console before."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.policies.literal.substeps import read_substep
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

FAST = "If you select **Fast** as the pace, enter `3` in the **Depth** field."


def console() -> FakeConsole:
    pace = FakeField(label="Pace", kind="select", options=["Slow", "Fast"])
    form = FakeForm(title="Create Instance", fields=[pace, FakeField(label="Depth")])
    return FakeConsole(forms={"Create Instance": lambda: form})


@pytest.mark.parametrize(
    ("pace", "log"),
    [("Fast", ["set Pace=Fast", "set Depth=3"]), ("Slow", ["set Pace=Slow"])],
)
async def test_what_depends_on_a_choice_is_done_if_it_was_made(pace: str, log: list[str]) -> None:
    fake = console()
    walked = await run(
        fake,
        START,
        OPEN,
        "Click **Create Instance**.",
        f"From the **Pace** drop-down list, select **{pace}**. {FAST}",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert [line for line in fake.log if line.startswith("set ")] == log


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        (FAST, ["Fast"]),
        ("If you chose **Fast**, click **Add**, and click **Save**.", ["Fast", "Fast"]),
        ("If you want **Fast**, click **Add**.", [""]),
    ],
)
def test_which_sentence_depends_on_a_choice(text: str, choices: list[str]) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert [one.depends_on for one in reading.intents] == choices


@pytest.mark.parametrize(
    "text",
    [
        "If you have a **Fast** pump, click **Add**.",
        "If you choose **Fast**, drain the pump and click **Add**.",
    ],
)
def test_what_only_the_reader_knows_is_not_read(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood
