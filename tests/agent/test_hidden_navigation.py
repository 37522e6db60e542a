"""A navigation that a button hides, and what documents call it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.page import regions
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.console.observation import Box, Observation, State
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_paraphrases import told


class Hidden(FakeConsole):
    """Its navigation is shown by a button in the upper left corner."""

    shown = False
    name = "Navigation menu"

    async def observe(self) -> Observation:
        if self.path == "/":
            self.path = "/ecs/overview"
        return await super().observe()

    def _side(self) -> None:
        states = {State.EXPANDED if self.shown else State.COLLAPSED}
        corner = Box(x=0, y=0, width=48, height=48)
        self._page.add("button", self.name, corner, self._show, states=states)
        if self.shown:
            super()._side()

    def _show(self) -> None:
        self.shown = True


@pytest.mark.parametrize(
    "text",
    [
        "From the **Navigation menu**, select **Instances**.",
        "From the navigation menu, expand **Instances & Images** and click **Instances**.",
        "Open the navigation menu and select **Instances**.",
        "Go to the **Instances** page.",
        "On the **Instances** page, click **Create Instance**.",
    ],
)
async def test_it_is_shown_where_the_document_leads_through_it(text: str) -> None:
    console = Hidden(rows=[FakeRow(id="p-1", name="otter")])
    console.collapsed = {"Instances & Images"}
    walked = await run(console, text)
    assert isinstance(walked.ending, Completed), walked.ending
    assert "enter Instances" in console.log


@pytest.mark.parametrize(
    ("name", "opens"),
    [
        ("Navigation menu", True),
        ("Open navigation", True),
        ("Menu", True),
        ("展开导航", True),
        ("Close navigation menu", False),
        ("Menu of dishes", False),
        ("Notifications", False),
    ],
)
async def test_a_button_in_the_corner_shows_it_by_its_name(name: str, opens: bool) -> None:
    console = Hidden()
    console.name = name
    found = regions.navigation_opener(await console.observe())
    assert (found is not None) is opens


@pytest.mark.parametrize(("tiles", "opens"), [(1, True), (4, False)])
async def test_a_navigation_in_sight_needs_no_button(tiles: int, opens: bool) -> None:
    console = Hidden()
    page = await console.observe()
    for at in range(tiles):
        box = Box(x=32, y=120 + 40 * at, width=180, height=30)
        console._page.add("link", f"Pumps {at}", box, lambda: None)
    found = regions.navigation_opener(replace(page, elements=tuple(console._page.elements)))
    assert (found is not None) is opens


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("From the **Actions** menu, select **Drain**.", ("Actions", "Drain")),
        ("In the Navigation menu, select **Pumps**.", ("Pumps",)),
        ("Click the **Navigation menu** icon ☰, and then click **Pumps**.", ("Pumps",)),
    ],
)
def test_only_the_navigation_is_read_as_one(text: str, path: tuple[str, ...]) -> None:
    kind = IntentKind.CLICK if "Actions" in path else IntentKind.NAVIGATE
    assert told(text) == [(kind, path, None)]


class Bar(FakeConsole):
    """Its page has no navigation, and a bar of buttons begins at the left edge."""

    def _side(self) -> None:
        for place, name in enumerate(("Create", "Refresh", "Delete")):
            box = Box(x=24 + 110 * place, y=138, width=96, height=32)
            self._page.add("button", name, box, lambda: None)


async def test_the_first_button_of_a_bar_is_no_entry_of_a_navigation() -> None:
    console = Bar(path="/ecs/overview")
    page = await console.observe()
    first = next(one for one in page.elements if one.name == "Create")
    assert not regions.in_navigation(page, first)


async def test_an_entry_beside_a_bar_of_the_page_is_one_of_the_navigation() -> None:
    page = await FakeConsole(path="/ecs/overview").observe()
    entry = next(one for one in page.elements if one.name == "Overview")
    box = entry.box
    bar = tuple(
        replace(
            entry,
            identity=f"bar {at}",
            role="button",
            name=f"Bar {at}",
            box=replace(box, x=box.x + box.width + 60 + 110 * at, width=96),
        )
        for at in range(3)
    )
    assert regions.in_navigation(replace(page, elements=(*page.elements, *bar)), entry)
