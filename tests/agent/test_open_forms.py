"""Forms whose fields a document calls required, and whose button it leaves out."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import FORM
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

ADD = "To make an instance, click **Create Instance**."
REQUIRED = "The **Depth** and **Reach** fields are both required."


def pumps(submit: str = "OK") -> FakeConsole:
    fields = [FakeField(label=one, required=True) for one in ("Depth", "Reach")]
    form = FakeForm(title="Create Instance", fields=fields, submit=submit, modal=False)
    return FakeConsole(forms={"Create Instance": lambda: form})


@pytest.mark.parametrize(
    ("sentence", "optional", "conditional"),
    [
        ("The **Depth** field is required.", False, True),
        ("The `Depth`, `Reach`, and `Speed` fields are all mandatory.", False, True),
        ("Adjust the remaining options as needed.", True, False),
        ("Review and modify the pump settings, such as the depth, if necessary.", True, False),
    ],
)
def test_forms_that_are_left_to_the_reader(
    sentence: str, optional: bool, conditional: bool
) -> None:
    reading = read_substep(procedure(sentence).substeps[0])
    assert not reading.not_understood
    (intent,) = reading.intents
    assert (intent.noun, intent.optional, intent.conditional) == (FORM, optional, conditional)


@pytest.mark.parametrize(
    "sentence",
    [
        "The **Depth** field is required when **Reach** is on.",
        "Configure the settings.",
        "The **Depth** field is required to be a number; raise it.",
    ],
)
def test_what_says_more_or_too_little_is_not_understood(sentence: str) -> None:
    assert read_substep(procedure(sentence).substeps[0]).not_understood


@pytest.mark.parametrize("submit", ["Create", "OK"])
async def test_a_form_with_required_fields_is_filled_in_and_sent(submit: str) -> None:
    console = pumps(submit)
    walked = await run(
        console, START, OPEN, f"{ADD} {REQUIRED}", binds={"Depth": "7", "Reach": "9"}
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[1:] == [
        "press Create Instance",
        "set Depth=7",
        "set Reach=9",
        "submit Create Instance",
    ]


async def test_a_form_is_not_sent_by_a_button_of_another_name() -> None:
    console = pumps("Continue elsewhere")
    await run(console, START, OPEN, f"{ADD} {REQUIRED}", binds={"Depth": "7", "Reach": "9"})
    assert "submit Create Instance" not in console.log


async def test_where_no_form_is_open_the_sentence_asks_for_nothing() -> None:
    console = FakeConsole()
    walked = await run(console, START, OPEN, REQUIRED)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances"]
