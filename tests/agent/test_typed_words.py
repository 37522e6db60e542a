"""Words that are typed where the document names no field."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import TYPED, IntentKind
from proofwalk.kernel.outcomes import FindingKind
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

CREATE = "Click **Create Instance**."
SENTENCES = (
    "To confirm deletion, type {} and click **OK**.",
    "Type {} to confirm. Click **OK**.",
    "In the dialog, enter {}, then click **OK**.",
    "Type the word {} and click **OK**.",
)


def window(field: FakeField, *, notes: tuple[str, ...] = ()) -> FakeConsole:
    made = FakeForm(title="Create Instance", fields=[field], notes=[*notes])
    return FakeConsole(forms={"Create Instance": lambda: made})


def typed(console: FakeConsole) -> list[str]:
    return [line for line in console.log if line.startswith("set ")]


@pytest.mark.parametrize("markup", ["`delete`", "**delete**", '"delete"'])
@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize(
    ("label", "note"),
    [
        ("To confirm, type delete in the field", ""),
        ("Enter “delete” to confirm", ""),
        ("Confirmation", "To confirm, type delete below."),
    ],
)
async def test_words_go_where_they_are_asked_for(
    sentence: str, markup: str, label: str, note: str
) -> None:
    field = FakeField(label=label, required=True, pattern="delete")
    console = window(field, notes=(note,) if note else ())
    walked = await run(console, START, OPEN, CREATE, sentence.format(markup))
    assert isinstance(walked.ending, Completed), walked.ending
    assert typed(console) == [f"set {label}=delete"]


async def test_words_in_code_go_into_the_only_field() -> None:
    console = window(FakeField(label="Name", required=True))
    walked = await run(console, START, OPEN, CREATE, "Enter `web-1` and click **OK**.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert typed(console) == ["set Name=web-1"]


async def test_a_label_is_no_value_where_nobody_asks_for_it() -> None:
    console = window(FakeField(label="Name", required=True))
    walked = await run(console, START, OPEN, CREATE, "Enter **title** and click **OK**.")
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.ending.finding is None
    walked = await run(console, START, OPEN, CREATE, "Enter **Title** and click **OK**.")
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.ending.finding is not None
    assert walked.ending.finding.kind is FindingKind.MISSING
    assert typed(console) == []


async def test_a_label_is_the_field_where_one_is_called_so() -> None:
    console = window(FakeField(label="Name", required=True))
    walked = await run(
        console, START, OPEN, CREATE, "Enter **Name** and click **OK**.", binds={"Name": "web-1"}
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert typed(console) == ["set Name=web-1"]


async def test_a_page_without_a_place_for_the_words_blames_nobody() -> None:
    console = window(FakeField(label="Zone", kind="select", options=["East", "West"]))
    walked = await run(console, START, OPEN, CREATE, "Type `delete` and click **OK**.")
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.ending.finding is None


async def test_other_words_than_the_window_wants_are_found() -> None:
    console = window(FakeField(label="Enter “delete” to confirm", required=True))
    walked = await run(console, START, OPEN, CREATE, "Type `remove` and click **OK**.")
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.ending.finding is not None
    assert walked.ending.finding.kind is FindingKind.WRONG_VALUE
    assert typed(console) == []


@pytest.mark.parametrize(
    ("text", "path", "value", "noun"),
    [
        ("Enter the name `web-1`.", ("the name",), "web-1", "words"),
        ("Enter the name **web-1**.", ("name",), "web-1", "words"),
        ("Type the word `drain`.", (), "drain", TYPED),
        ("Enter the CAS `Name`.", ("CAS Name",), None, ""),
        ("Enter the pump **Depth**.", ("Depth",), None, ""),
        ("Enter **Depth** field.", ("Depth",), None, ""),
    ],
)
def test_a_value_stands_behind_what_it_is(
    text: str, path: tuple[str, ...], value: str | None, noun: str
) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    found = [one for one in reading.intents if one.kind is IntentKind.SET]
    assert [(one.path, one.value, one.noun) for one in found] == [(path, value, noun)]
