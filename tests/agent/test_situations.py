"""Conditions that only the reader can decide, and those that the console asks."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.policies.literal.substeps import read_substep
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

OWN = "If your mills use their own pumps, turn on **Sealed**."


@pytest.mark.parametrize(
    ("text", "passed_over", "done"),
    [
        (OWN, ["Sealed"], []),
        (f"{OWN} Otherwise, leave it off.", ["Sealed"], []),
        (f"{OWN} Otherwise, click **Next**.", ["Sealed"], ["Next"]),
        ("If you use single sign-on, click **SSO**. Otherwise, click **Next**.", ["SSO"], ["Next"]),
        ("Clear **Copy** if the pump must not leak. Otherwise, leave it turned off.", ["Copy"], []),
        ("If another mill has it already, click **Skip**.", ["Skip"], []),
    ],
)
def test_an_act_of_a_reader_in_another_situation_is_passed_over(
    text: str, passed_over: list[str], done: list[str]
) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not [one for one in reading.not_understood if not one.optional]
    assert [one.label for one in reading.intents if one.situation] == passed_over
    assert [one.label for one in reading.intents if not one.situation] == done


@pytest.mark.parametrize(
    "text",
    [
        "If you see the **Terms** page, click **Accept**.",
        "If your mill has a **Fast** pump, click **Add**.",
        "If the pump is idle, click **Add**. Otherwise, click **Next**.",
    ],
)
def test_what_the_console_may_show_is_no_situation_of_the_reader(text: str) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not [one for one in reading.intents if one.situation]


async def test_the_report_says_why_nothing_had_to_be_done() -> None:
    walked = await run(
        FakeConsole(), START, OPEN, "If you have a permit, click **Dredge**. Click **Overview**."
    )
    assert isinstance(walked.ending, Completed), walked.ending
    reading = walked.records[2].reading
    assert reading is not None
    acts = reading.acts
    assert [one.asked for one in acts] == ["click “Dredge”", "click “Overview”"]
    assert "only the reader can tell" in acts[0].waived
    assert "If you have a permit" in acts[0].waived
    assert not acts[1].waived


@pytest.mark.parametrize("asks", [True, False])
async def test_a_question_of_the_console_is_answered_where_it_asks(asks: bool) -> None:
    console = FakeConsole(toolbar=["Create Instance", "Yes"])
    if asks:
        form = FakeForm(title="Sure?", fields=[], submit="Yes")
        console.forms["Create Instance"] = lambda: form
        form.done = lambda values: console.log.append("confirmed")
    else:
        console.forms["Yes"] = lambda: FakeForm(title="Other")
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**. If you are asked to confirm, click **Yes**.",
    )
    assert ("confirmed" in console.log) == asks
    if not asks:
        assert console.form is None, "a button of the page is none of a window"
    assert walked.finding is None


async def test_what_a_choice_brings_up_is_filled_where_it_is_there() -> None:
    box = FakeField(label="Sealed", kind="checkbox", text="Sealed")
    form = FakeForm(title="Create Instance", fields=[box])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    text = "If you choose a deep pump, you also have to select **{}**."
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        text.format("Sealed"),
        text.format("Vented"),
        "Click **OK**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert "set Sealed=on" in console.log or "Sealed" in "".join(console.log)
