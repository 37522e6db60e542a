"""Menus that something else closes while they are used: an assistant that comes up, a
page that is drawn anew."""

from __future__ import annotations

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.console import actions as a
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow, Outcome
from tests.agent.test_findings import OPEN, START

MENU = "Click **⋮** in the **Actions** column of the instance, and then click **Release**."
LOG_ON = "Log on to the **Virtual Private Cloud** console."


async def test_a_row_s_menu_is_opened_again() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], shut_before_clicks=1)
    walked = await run(console, START, OPEN, MENU, binds={"the instance": "a"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "Release a"]


async def test_a_menu_that_is_always_closed_is_given_up_and_blamed_on_nobody() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], shut_before_clicks=9)
    walked = await run(console, START, OPEN, MENU, binds={"the instance": "a"})
    assert isinstance(walked.ending, Unachievable)
    assert walked.ending.finding is None
    assert console.log == ["enter Instances"]


class Covered(FakeConsole):
    """A console whose navigation stays open over its page until it is sent away."""

    over_page = True

    async def perform(self, action: a.GuiAction) -> Outcome:
        if isinstance(action, a.Press) and action.key == "Escape":
            self.over_page = False
        if isinstance(action, a.Click) and self.over_page:
            element = self._page.elements[action.id - 1]
            if element.role == "tab":
                told = f"{element.name} is covered by a menu; deal with that first"
                return Outcome(ok=False, message=told)
        return await super().perform(action)


async def test_a_menu_that_stays_open_over_the_page_is_sent_away() -> None:
    console = Covered(rows=[FakeRow(id="i-1", name="a")])
    steps = ("Open `i-1`.", "Click the **Disks** tab.")
    walked = await run(console, START, OPEN, *steps)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", "tab Disks"]


async def test_the_menu_of_products_is_opened_again() -> None:
    console = FakeConsole(product_button=True, shut_before_looks=1, path="/ecs/instances")
    assert isinstance((await run(console, LOG_ON)).ending, Completed)
    assert console.path == "/vpc/overview"


async def test_a_product_that_is_not_there_is_looked_for_twice_at_most() -> None:
    console = FakeConsole(product_button=True, shut_before_looks=9, path="/ecs/instances")
    walked = await run(console, LOG_ON)
    assert isinstance(walked.ending, Unachievable)
    assert "no product called" in walked.ending.reason
    assert console.shut_before_looks == 7
