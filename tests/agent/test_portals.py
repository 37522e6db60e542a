"""Portals: their search box is asked for what nothing in sight leads to, entries stand
under heads, and fields of tags open no list."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeRow
from tests.agent.fake_portal import FakePortal, FakeTagging
from tests.agent.test_findings import OPEN, START

PUMPS = {"Pumps": "/ecs/instances", "Pump houses": "/ecs/overview"}


async def test_a_page_that_nothing_leads_to_is_asked_of_the_search_box() -> None:
    console = FakePortal(path="/ecs/overview", suggestions=PUMPS)
    walked = await run(console, START, "Go to **Pumps**.", "Click **Create Instance**.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["ask 'Pumps'", "press Create Instance"]


async def test_what_the_box_does_not_know_is_cleared_from_it() -> None:
    console = FakePortal(path="/ecs/overview", suggestions=PUMPS)
    walked = await run(console, START, "Go to **Turbines**.")
    assert isinstance(walked.ending, Unachievable)
    assert console.asked == ""
    assert console.log == ["ask 'Turbines'", "ask ''"] * 2, "once more before it blames"


async def test_one_of_two_suggestions_is_not_guessed() -> None:
    two = {"Pumps of the north": "/ecs/instances", "Pumps of the south": "/ecs/overview"}
    console = FakePortal(path="/ecs/overview", suggestions=two)
    walked = await run(console, START, "Go to **Pumps**.")
    assert isinstance(walked.ending, Unachievable)
    assert console.path == "/ecs/overview"


async def test_a_suggestion_that_goes_on_with_its_kind_is_taken() -> None:
    console = FakePortal(
        path="/ecs/overview",
        suggestions={"otter Pump": "/ecs/instances/otter", "rivet Pump": "/ecs/instances/rivet"},
    )
    asks = "In the search box, enter `otter`. Select the pump in the search results."
    walked = await run(console, START, asks)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.path == "/ecs/instances/otter"


async def test_an_entry_is_chosen_under_a_head_that_is_folded() -> None:
    console = FakePortal(path="/ecs/overview", collapsed={"Instances & Images"})
    walked = await run(console, START, "Under **Instances & Images**, select **Instances**.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances"]


async def test_an_entry_under_a_head_that_is_no_control() -> None:
    console = FakePortal(
        path="/ecs/instances",
        rows=[FakeRow(id="i-1", name="a")],
        heads={"Services": ("Pumps", "Valves")},
    )
    walked = await run(console, START, OPEN, "Select **Pumps** under **Services**.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "press Pumps"]


@pytest.mark.parametrize(
    ("head", "under"),
    [("Data Model", ""), ("Data Management", "DATA MODEL"), ("Data", ""), ("Extensibility", "")],
)
async def test_an_entry_under_another_title_of_its_menu_has_moved(head: str, under: str) -> None:
    console = FakePortal(
        path="/ecs/instances",
        menu={"Extensibility": []},
        heads={
            "EXTENSIBILITY": (),
            "DATA MANAGEMENT": ("Notes",),
            "DATA MODEL": ("Relationships",),
        },
        heads_in="EXTENSIBILITY",
    )
    way = f"Navigate to **Extensibility** > **{head}** > **Relationships**."
    way = way.replace("**Extensibility** > **Extensibility**", "**Extensibility**")
    walked = await run(console, START, way)
    told = [one.way for one in walked.noted]
    assert told == ([(under, "Relationships")] if under else [])
    if head != "Data":
        assert isinstance(walked.ending, Completed), walked.ending
        assert console.log[-1] == "press Relationships"


async def test_a_box_of_tags_takes_what_is_typed() -> None:
    console = FakeTagging(path="/ecs/instances", rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, OPEN, "Select **blue** from the **Labels** list.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.tags == ["blue"]


async def test_a_box_that_only_takes_what_it_offers_is_left_as_it_was() -> None:
    console = FakeTagging(
        path="/ecs/instances", rows=[FakeRow(id="i-1", name="a")], takes_any=False
    )
    walked = await run(console, START, OPEN, "Select **blue** from the **Labels** list.")
    assert not isinstance(walked.ending, Completed)
    assert walked.finding is None
    assert console.tags == []
    assert console.typed == ""
