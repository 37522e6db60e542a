"""Fields that a sentence counts, or that the page names in plain text: none is missing,
and what may be entered is made."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal import fields
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled, Memory
from proofwalk.agent.reading.intents import Origin
from proofwalk.console.observation import Box, Element, State
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

READ = "Read the statements and select both checkboxes to acknowledge them."


def form(*names: str) -> FakeConsole:
    boxes = [FakeField(label=name, kind="checkbox", text=name) for name in names]
    made = FakeForm(title="Create Instance", fields=boxes)
    return FakeConsole(forms={"Create Instance": lambda: made})


async def test_both_boxes_are_ticked() -> None:
    console = form("Anyone can see it", "I may do this")
    walked = await run(console, START, OPEN, "Click **Create Instance**.", READ)
    assert isinstance(walked.ending, Completed), walked.ending
    ticked = [done for done in console.log if done.startswith("set ")]
    assert ticked == ["set Anyone can see it=on", "set I may do this=on"]


async def test_of_three_boxes_none_is_meant() -> None:
    console = form("One", "Two", "Three")
    walked = await run(console, START, OPEN, "Click **Create Instance**.", READ)
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert "there are 3" in walked.ending.reason


async def test_a_field_whose_name_is_plain_text_is_not_missing() -> None:
    made = FakeForm(title="Create Instance", fields=[FakeField(label="Name")], notes=["Weekday"])
    console = FakeConsole(forms={"Create Instance": lambda: made})
    step = "For **Weekday**, choose **Fri**."
    walked = await run(console, START, OPEN, "Click **Create Instance**.", step)
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None


async def test_the_number_that_is_meant_may_be_beside_its_slider() -> None:
    numbers = [FakeField(label="Rollout", kind="slider"), FakeField(label="100%", kind="number")]
    made = FakeForm(title="Create Instance", fields=numbers)
    console = FakeConsole(forms={"Create Instance": lambda: made})
    binds = {"your rollout percentage": "25"}
    step = "Select your rollout percentage."
    await run(console, START, OPEN, "Click **Create Instance**.", step, binds=binds)
    assert console.log[-1] == "set 100%=25"


async def test_a_name_is_made_for_a_field_that_is_called_otherwise() -> None:
    made = FakeForm(title="Create Instance", fields=[FakeField(label="Subscription ID")])
    console = FakeConsole(forms={"Create Instance": lambda: made})
    step = "In the **Subscription ID** field, enter a name that is not in use yet."
    await run(console, START, OPEN, "Click **Create Instance**.", step)
    assert "set Subscription ID=proofwalk-example" in console.log


async def test_words_without_a_field_do_not_replace_what_the_document_set() -> None:
    page = await FakeConsole().observe()
    focus = frozenset({State.FOCUSED})
    fields_of = [
        Element(
            mark=90 + at,
            identity=name,
            role="textbox",
            tag="input",
            name=name,
            label=name,
            value=value,
            states=states,
            box=Box(x=500, y=100 + 60 * at, width=300, height=30),
        )
        for at, (name, value, states) in enumerate(
            [("Name", "otter", focus), ("Address", "", frozenset())]
        )
    ]
    origin = Origin(file="doc.md", line=1, sentence="Enter `otter` as the **Name**.")
    memory = Memory(filled=[Filled(label="Name", value="otter", origin=origin)])
    scene = SimpleNamespace(page=replace(page, elements=tuple(fields_of)), memory=memory)
    found = fields.meant_by_typing(cast(DocumentScene, scene), "https://otter.example")
    assert found is not None
    assert found.label == "Address"


@pytest.mark.parametrize(("word", "blamed"), [("Status", True), ("Depth", False)])
async def test_the_head_of_a_column_is_no_field_that_is_there(word: str, blamed: bool) -> None:
    """A document sets a field on the list, before the form is open."""
    console = FakeConsole(rows=[FakeRow(id="p-1", name="otter")], cards={"Depth": ""})
    walked = await run(console, START, OPEN, f"Set **{word}** to `3`.")
    assert isinstance(walked.ending, Unachievable)
    assert (walked.finding is not None) is blamed
