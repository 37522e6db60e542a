"""Things that are on another page of their list."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.console.observation import Box, State
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import OPEN, START


class Paged(FakeConsole):
    """A list that shows two rows at a time."""

    at = 0
    both_ways = True
    names = ("Previous page", "Next page")

    def _list(self) -> None:
        rows, self.rows = self.rows, self.rows[2 * self.at : 2 * self.at + 2]
        super()._list()
        self.rows = rows
        if self.both_ways:
            off = {State.DISABLED} if not self.at else set()
            back = Box(x=900, y=500, width=60, height=30)
            self._page.add("button", self.names[0], back, lambda: None, states=off)
        off = {State.DISABLED} if 2 * self.at + 2 >= len(self.rows) else set()
        box = Box(x=1000, y=500, width=60, height=30)
        self._page.add("button", self.names[1], box, self._turn, states=off)

    def _turn(self) -> None:
        self.at += 1
        self.log.append(f"page {self.at + 1}")


def paged(*, both_ways: bool = True) -> Paged:
    console = Paged(rows=[FakeRow(id=f"i-{one}", name=f"pump-{one}") for one in range(1, 6)])
    console.both_ways = both_ways
    return console


STOP = "Find `{}` and click **Stop** in the **Actions** column."


@pytest.mark.parametrize(
    "names",
    [("Previous page", "Next page"), ("上一页", "下一页"), ("chevron left", "chevron right")],
)
async def test_the_pages_are_turned_until_one_shows_the_thing(names: tuple[str, str]) -> None:
    console = paged()
    console.names = names
    walked = await run(console, START, OPEN, STOP.format("pump-5"))
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-3:] == ["page 2", "page 3", "Stop pump-5"]


async def test_a_thing_on_no_page_blames_no_document() -> None:
    walked = await run(paged(), START, OPEN, STOP.format("pump-9"))
    assert walked.finding is None
    assert not isinstance(walked.ending, Completed)


async def test_a_next_that_leads_one_way_turns_no_page() -> None:
    console = paged(both_ways=False)
    await run(console, START, OPEN, STOP.format("pump-5"))
    assert console.at == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Select the check box next to `pump-5`.", IntentKind.SELECT_ROW),
        ("Select the check box of `pump-5`, and then choose **Stop**.", IntentKind.SELECT_ROW),
        ("Select the check box next to **I agree**.", IntentKind.CHECK),
    ],
)
def test_a_box_next_to_an_id_is_that_of_its_row(text: str, kind: IntentKind) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert reading.intents[0].kind is kind
