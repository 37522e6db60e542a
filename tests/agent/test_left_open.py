"""A value that the document leaves to its reader: any that the field takes, and none
where nothing tells what it takes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.policies.literal import fields
from proofwalk.agent.policies.literal.made_values import STRONG_WORD, made_for
from proofwalk.agent.policies.literal.scene import DocumentScene, Memory
from proofwalk.console.observation import Box, Element
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START


def asking(label: str, kind: str = "text") -> FakeConsole:
    form = FakeForm(
        title="Create Instance", fields=[FakeField(label=label, kind=kind, required=True)]
    )
    return FakeConsole(forms={"Create Instance": lambda: form})


@pytest.mark.parametrize(
    ("label", "kind", "sentence", "entered"),
    [
        ("Threshold", "number", "Enter a suitable **Threshold** in percent.", "1"),
        (
            "Delete After",
            "text",
            "In the **Delete After** field, enter a suitable number of days.",
            "1",
        ),
        ("Image Family", "text", "Enter an **Image Family** of your choice.", "proofwalk-example"),
        ("Image Family", "text", "Set the image family.", "proofwalk-example"),
        (
            "Instance Name",
            "text",
            "Enter an **Instance Name** of your choice.",
            "proofwalk-example",
        ),
        ("Change Ticket", "text", "Specify **Change Ticket**.", "proofwalk-example"),
        ("Ticket Number", "text", "Specify **Ticket Number**.", "1"),
    ],
)
async def test_a_value_of_the_readers_choice(
    label: str, kind: str, sentence: str, entered: str
) -> None:
    console = asking(label, kind)
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", f"{sentence} Then, click **OK**."
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert f"set {label}={entered}" in console.log


async def test_any_text_of_a_chinese_document_is_made() -> None:
    console = asking("消息体")
    sentence = "在**消息体**中输入任意一段文本，单击**OK**。"
    walked = await run(console, START, OPEN, "Click **Create Instance**.", sentence)
    assert isinstance(walked.ending, Completed), walked.ending
    assert "set 消息体=proofwalk-example" in console.log


@pytest.mark.parametrize(
    ("binds", "entered"),
    [
        ({"Image Family": "pw-debian"}, "pw-debian"),
        ({"the family of your image": "pw-debian", "the family": "pw"}, "pw-debian"),
        ({"your image": "pw-debian"}, "proofwalk-example"),
        ({"the image": "web-1"}, "proofwalk-example"),
    ],
)
async def test_a_value_that_was_provisioned_for_the_field_or_its_words(
    binds: dict[str, str], entered: str
) -> None:
    console = asking("Image Family")
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Under **Image Family**, enter the family of your image for the image. Then, click **OK**.",
        binds=binds,
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert f"set Image Family={entered}" in console.log


@pytest.mark.parametrize(
    "label", ["CIDR Block", "Callback URL", "Valid Until Date", "访问密钥", "Passphrase"]
)
async def test_a_value_that_cannot_be_made_up_ends_the_walk_without_blame(label: str) -> None:
    console = asking(label)
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", f"Enter a suitable **{label}**."
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert not [line for line in console.log if line.startswith("set")]


async def test_a_field_that_may_stay_empty_gets_nothing_that_nobody_told() -> None:
    form = FakeForm(title="Create Instance", fields=[FakeField(label="Ticket")])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", "Specify **Ticket**. Click **OK**."
    )
    assert isinstance(walked.ending, Unachievable)
    assert not [line for line in console.log if line.startswith("set")]


@pytest.mark.parametrize(
    "sentence", ["Set the following parameters.", "Set the pool up.", "Specify the settings."]
)
async def test_what_a_form_is_to_have_in_all_is_no_field(sentence: str) -> None:
    console = asking("Pool")
    walked = await run(console, START, OPEN, "Click **Create Instance**.", sentence)
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert "I do not understand" in walked.ending.reason


@pytest.mark.parametrize(("name", "taken"), [("Value", True), ("Press Ctrl+K to search", False)])
async def test_a_search_box_is_no_entry_that_a_click_made(name: str, taken: bool) -> None:
    page = await FakeConsole().observe()
    box = Box(x=500, y=100, width=300, height=30)
    fresh = Element(
        mark=99,
        identity="fresh",
        role="textbox",
        tag="input",
        name=name,
        box=box,
        label=name,
        new=True,
    )
    scene = SimpleNamespace(page=replace(page, elements=(*page.elements, fresh)))
    assert (fields.fresh_entry(cast(DocumentScene, scene)) is not None) == taken


@pytest.mark.parametrize(
    ("form", "kind", "value"),
    [
        ("YYYY/MM/DD", "", "2026/01/31"),
        ("dd.mm.yyyy", "", "31.01.2026"),
        ("MM-DD-YYYY", "", "01-31-2026"),
        ("MM/DD/YYYY hh:mm aa", "", "01/31/2026 09:00 AM"),
        ("YYYY-MM-DD HH:mm:ss", "", "2026-01-31 09:00:00"),
        ("", "password", STRONG_WORD),
    ],
)
async def test_a_value_has_the_form_that_its_field_tells(form: str, kind: str, value: str) -> None:
    page = await FakeConsole().observe()
    asked = Element(
        mark=99,
        identity="asked",
        role="textbox",
        tag="input",
        name="",
        box=Box(x=500, y=100, width=300, height=30),
        placeholder=form,
        input_type=kind,
    )
    scene = cast(DocumentScene, SimpleNamespace(page=page, memory=Memory()))
    assert made_for(scene, Field(label="New", elements=(asked,)), "New") == value
