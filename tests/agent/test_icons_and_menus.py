"""Icons that say what they are called when they are pointed at, menus of a click with
the right button, paths that go through a thing, and names of which one is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.console import actions as a
from proofwalk.console.observation import Box, Observation
from proofwalk.procedures.model import Block, BlockKind, Inline, InlineRole, SourceSpan
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow, Outcome
from tests.agent.test_findings import OPEN, START

ICONS = {"people": "Mill Hands", "box": "Tool Store"}


@dataclass
class Workshop(FakeConsole):
    """A bar of icons at the left, and rows that have a menu of the right button."""

    pointed: list[str] = field(default_factory=list)
    menu_of_rows: bool = True

    async def observe(self) -> Observation:
        page = await super().observe()
        for place, (icon, told) in enumerate(ICONS.items()):
            box = Box(x=0, y=500 + 40 * place, width=30, height=30)
            self._page.add("link", icon, box, partial(self.log.append, f"enter {told}"))
            if self.pointed[-1:] == [icon]:
                self._page.text(told, Box(x=40, y=box.y, width=90, height=20))
        return replace(page, elements=tuple(self._page.elements), texts=tuple(self._page.texts))

    async def perform(self, action: a.GuiAction) -> Outcome:
        match action:
            case a.Click(id=mark, right=True):
                name = self._page.elements[mark - 1].name
                self.log.append(f"right {name}")
                if self.menu_of_rows:
                    self.open("more i-1", ["Drain", "Fill"])
                return Outcome(ok=True, message="done")
            case a.Hover(id=mark):
                self.pointed.append(self._page.elements[mark - 1].name)
        return await super().perform(action)


def workshop(*, menu_of_rows: bool = True) -> Workshop:
    return Workshop(rows=[FakeRow(id="i-1", name="otter")], menu_of_rows=menu_of_rows)


async def test_an_icon_is_found_by_what_it_says_when_it_is_pointed_at() -> None:
    console = workshop()
    walked = await run(console, START, OPEN, "Go to the **Tool Store** module.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-1] == "enter Tool Store"
    assert set(console.pointed) <= set(ICONS)


async def test_each_icon_is_pointed_at_once() -> None:
    console = workshop()
    walked = await run(console, START, OPEN, "Go to **Oil**.")
    assert walked.finding is not None
    assert sorted(console.pointed) == sorted(ICONS)


async def test_the_menu_of_the_right_button_is_opened_where_the_thing_is() -> None:
    console = workshop()
    step = "Right-click the instance that you want to drain, and select **Drain**."
    walked = await run(console, START, OPEN, step, binds={"the instance": "otter"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-2:] == ["right i-1", "Drain otter"]


async def test_where_no_menu_opens_nobody_is_blamed() -> None:
    console = workshop(menu_of_rows=False)
    step = "Right-click the instance that you want to drain, and select **Drain**."
    walked = await run(console, START, OPEN, step, binds={"the instance": "otter"})
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.finding is None


async def test_a_path_goes_through_the_thing_that_the_reader_puts_in() -> None:
    console = workshop()
    step = "Go to **Instances & Images > Instances > [Instance]**."
    walked = await run(console, START, step, binds={"[Instance]": "otter"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.path == "/ecs/instances/i-1"


async def test_a_button_that_counts_what_is_behind_it_is_found_by_its_name() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="otter")], toolbar=["6 Valves"])
    walked = await run(console, START, OPEN, "Click **Valves**.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-1] == "press 6 Valves"


CHOICES = Block(
    kind=BlockKind.BULLETS,
    span=SourceSpan(file="doc.md", line=3, end_line=4),
    items=(
        (Inline(role=InlineRole.STRONG, text="Slow"), Inline(role=InlineRole.TEXT, text=" – dry.")),
        (Inline(role=InlineRole.STRONG, text="Fast"), Inline(role=InlineRole.TEXT, text=" – wet.")),
    ),
    row_lines=(3, 4),
)


@pytest.mark.parametrize(
    ("toolbar", "binds", "pressed"),
    [
        (["Fast", "Slow"], {}, "press Slow"),
        (["Fast", "Slow"], {"the speed": "Fast"}, "press Fast"),
        (["Fast"], {}, "press Fast"),
        (["Stop"], {}, "enter Instances"),
    ],
)
async def test_of_names_in_a_list_one_is_chosen(
    toolbar: list[str], binds: dict[str, str], pressed: str
) -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="otter")], toolbar=toolbar)
    step = ("Choose one of the following:", CHOICES)
    walked = await run(console, START, OPEN, step, binds=binds)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-1] == pressed


async def test_a_page_that_only_an_icon_leads_to_is_gone_to_first() -> None:
    console = workshop()
    step = "On the **Tool Store** page, right-click `i-1`, and select **Drain**."
    await run(console, step)
    assert "enter Tool Store" in console.log


@dataclass
class Restless(Workshop):
    """Controls come and go with each look, so that marks are others each time."""

    async def observe(self) -> Observation:
        self.toolbar = [] if self.toolbar else ["Grind", "Sift", "Pack"]
        return await super().observe()


async def test_icons_are_pointed_at_by_the_marks_of_the_latest_look() -> None:
    console = Restless(rows=[FakeRow(id="i-1", name="otter")])
    walked = await run(console, START, OPEN, "Go to the **Tool Store** module.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert set(console.pointed) <= set(ICONS)
