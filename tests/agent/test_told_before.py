"""A section that begins on the page to which a section before it has led, and signs
that a document shows without a name."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.page import pictures
from proofwalk.agent.policies.literal.changing_names import may_do
from proofwalk.console.observation import Element
from proofwalk.procedures.icons import of_file
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START
from tests.procedures.reading import read

WAY = f"{START} {OPEN} Click **Create Instance**."
ADD = "Click **Create Instance**."


def listing() -> FakeConsole:
    return FakeConsole(rows=[FakeRow(id="i-1", name="a")], toolbar=["Create Instance"])


async def test_the_way_of_a_procedure_before_is_walked_up_to_its_first_change() -> None:
    console = listing()
    walked = await run(console, ADD, before=("Enter a name.", WAY))
    assert isinstance(walked.ending, Completed), walked.ending
    assert walked.finding is None
    assert console.log == ["enter Instances", "press Create Instance"]


async def test_a_button_that_may_do_something_ends_the_way() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], toolbar=["Invite Members"])
    way = f"{START} {OPEN} Click **Invite Members**."
    walked = await run(console, "Select `i-1` and click **Stop**.", before=(way,))
    assert "press Invite Members" not in console.log, walked.ending


def test_a_sign_that_opens_a_menu_leads_somewhere() -> None:
    shown = ("gear", "bell", "View logs", "Roles", "Network")
    assert not any(map(may_do, shown))
    assert all(map(may_do, ("trash", "Invite Members", "Create", "Schedule", "启动")))


async def test_what_the_introduction_asks_to_click_leads_to_the_steps() -> None:
    form = FakeForm(title="Create Instance", fields=[FakeField(label="Name", required=True)])
    console = FakeConsole(
        toolbar=["Create Instance"], forms={"Create Instance": lambda: form}, rows=[]
    )
    told = "To add one, click **Create Instance** and do the following on the **New** screen:"
    walked = await run(
        console, "Enter `web` as the **Name**.", "Click **OK**.", before=(WAY,), introduction=told
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert "set Name=web" in console.log


async def test_what_is_not_there_either_blames_no_document() -> None:
    walked = await run(listing(), "Click **Make One**.", before=(WAY,))
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert "does not say where to begin" in walked.ending.reason


async def test_a_procedure_before_that_leads_nowhere_is_none() -> None:
    console = listing()
    walked = await run(console, ADD, before=("Click **Delete**.", "Enter a name."))
    assert isinstance(walked.ending, Unachievable)
    assert console.log == []


async def test_to_the_letter_nothing_is_walked_that_the_procedure_does_not_say() -> None:
    console = listing()
    walked = await run(console, ADD, before=(WAY,), purpose="follow")
    assert not isinstance(walked.ending, Completed)
    assert console.log == []


def test_a_procedure_knows_how_those_before_it_begin() -> None:
    document = read("""
        # Pumps

        ## Listing

        1. Click **Pumps**.
        2. Look.

        ## Adding

        1. Click **Add**.
        2. Wait.

        ## Draining

        1. Click **Drain**.
        2. Wait.
    """)
    told = [[steps[0].text for steps in one.before] for one in document.procedures]
    assert told == [[], ["Click Pumps."], ["Click Add.", "Click Pumps."]]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("images/dash_icon_gear.png", "gear"),
        ("gear-icon.svg?v=2", "gear"),
        ("btn_add.png", "add"),
        ("images/pump.png", ""),
        ("icon.png", ""),
    ],
)
def test_a_sign_without_words_is_called_as_its_file(address: str, name: str) -> None:
    assert of_file(address) == name


async def test_a_sign_is_the_one_control_that_is_named_after_what_it_stands_for() -> None:
    console = FakeConsole(
        toolbar=["Settings", "Help", "pump add", "A long way to say settings here"]
    )
    await run(console, START, OPEN)
    page = await console.observe()

    def named(sign: str) -> list[str]:
        found: list[Element] = pictures.controls(page, sign)
        return [one.name for one in found]

    assert named("gear") == ["Settings"]
    assert named("question") == ["Help"]
    assert named("pump_add") == ["pump add"]
    assert named("trash") == []


@pytest.mark.parametrize(
    ("place", "blames"), [("At the bottom of **Images**", False), ("In the **Gate** section", True)]
)
async def test_words_that_describe_a_place_name_no_section(place: str, blames: bool) -> None:
    walked = await run(listing(), START, OPEN, f"{place}, click **Create Instance**.")
    assert (walked.finding is not None) == blames
