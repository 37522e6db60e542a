"""What is said of a table's rows, of arrows, and of forms that are told of loosely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.page import page_rows
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import ARROW, FORM, IntentKind
from proofwalk.console.observation import Box, Element, Observation, State
from proofwalk.kernel.outcomes import FindingKind
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import OPEN, START
from tests.agent.test_paraphrases import read, told

K = IntentKind


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        (
            "To drain a pump, select and highlight the pump.",
            [(K.SELECT_ROW, "the row of the pump")],
        ),
        ("Click the pump's table row to highlight it.", [(K.SELECT_ROW, "the pump's table row")]),
        (
            "Click a pump's table row to highlight the selection Select **Drain**.",
            [(K.SELECT_ROW, "a pump's table row"), (K.SET, "Drain")],
        ),
        (
            "To see it, click its row in the table and then the **Valves** tab in the lower table:",
            [(K.SELECT_ROW, "its row"), (K.CLICK, "Valves")],
        ),
        (
            "Activate the **I am sure** check box and confirm with **Drain pump**.",
            [(K.CHECK, "I am sure"), (K.CLICK, "Drain pump")],
        ),
        ("Confirm any changes with **Save**.", [(K.CLICK, "Save")]),
        (
            "Open **Pumps** and edit the pump you'd like to change.",
            [(K.NAVIGATE, "Pumps"), (K.LOCATE, "the pump you want to change"), (K.CLICK, "edit")],
        ),
        (
            "Enter the pump's name, select the owner, and set the valve depth.",
            [(K.SET, "pump's name"), (K.SET, "owner"), (K.SET, "valve depth")],
        ),
        (
            "Click **Drain** to view its settings in the **Details** table below.",
            [(K.CLICK, "Drain")],
        ),
        ("Select `deep` as pump type.", [(K.SET, "pump type")]),
        (
            "To make a pump and configure it, click **Pumps > Add**.",
            [(K.CLICK, "Pumps"), (K.CLICK, "Add")],
        ),
    ],
)
def test_it_is_read_as_what_it_says(text: str, intents: list[tuple[IntentKind, str]]) -> None:
    flat = [
        (one.kind, label)
        for one in read(text)
        for label in (one.path or (one.value or one.phrase,))
    ]
    assert flat == intents


@pytest.mark.parametrize(
    ("text", "optional"),
    [
        (
            "Fill in their credentials, details about the key and quotas, then click **Save**.",
            False,
        ),
        ("Modify basic or additional pump information, such as its depth.", True),
        ("Specify additional options for the pump.", True),
        ("You can change the name of the pump, raise its depth, or enable draining.", True),
    ],
)
def test_a_form_may_be_told_of_loosely(text: str, optional: bool) -> None:
    first = read(text)[0]
    assert (first.kind, first.noun, first.optional) == (K.CONFIGURE, FORM, optional)


@pytest.mark.parametrize(
    "text",
    ["Specify the settings.", "Set the pump up.", "Press Save and the pump will Stop **A**."],
)
def test_what_says_too_little_is_not_understood(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


@pytest.mark.parametrize(
    "text",
    [
        "To set limits, click **Limits** and enter them.",
        "To tune it, click **Limits** and enter values for depth or speed.",
        "Select **Limits** in the top left of the table heading to edit the depth of the pump.",
    ],
)
def test_what_a_reader_may_enter_is_what_was_prepared(text: str) -> None:
    first, then = read(text)
    assert "Limits" in (first.label, first.value)
    assert (then.kind, then.noun, then.optional) == (K.CONFIGURE, FORM, True)


def test_the_arrow_beside_a_button_is_not_the_button() -> None:
    for text in (
        "Click the drop-down arrow next to the **Add** button.",
        "Select the drop-down box next to **Add**.",
    ):
        assert told(text) == [(K.CLICK, ("Add",), None)]
        assert [one.noun for one in read(text)] == [ARROW]


@dataclass
class SplitConsole(FakeConsole):
    """A list whose rows are chosen by a click, and whose first button, a split one, is
    then another."""

    chosen: str = ""
    unfolded: bool = False

    def _content(self, *, busy: bool) -> None:
        first = "Edit" if self.chosen else "Create"
        add = self._page.add
        add("button", first, Box(x=300, y=130, width=80, height=32), partial(self._press, first))
        states = {State.EXPANDED if self.unfolded else State.COLLAPSED}
        add("button", "▾", Box(x=380, y=130, width=20, height=32), self._unfold, states=states)
        for place, entry in enumerate(("Create", "Edit", "Delete") if self.unfolded else ()):
            off = {State.DISABLED} if entry != "Create" and not self.chosen else set()
            box = Box(x=300, y=170 + 30 * place, width=100, height=30)
            add("menuitem", entry, box, partial(self._press, f"{entry} entry"), states=off)
        for place, row in enumerate(self.rows):
            box = Box(x=300, y=400 + 40 * place, width=200, height=30)
            picked = {State.SELECTED} if row.id == self.chosen else set()
            text = f"{row.id} {row.name}"
            add("cell", row.name, box, partial(self._choose_row, row), row=text, states=picked)

    def _unfold(self) -> None:
        self.unfolded = not self.unfolded

    def _choose_row(self, row: FakeRow) -> None:
        self.chosen = row.id
        self.log.append(f"choose {row.name}")


def split() -> SplitConsole:
    return SplitConsole(rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")])


SELECT = "Select and highlight the instance."


async def test_a_row_is_chosen_and_the_arrow_opens_the_menu() -> None:
    console = split()
    arrow = "Click the drop-down arrow next to the **Edit** button and click **Delete**."
    walked = await run(console, START, OPEN, SELECT, arrow, binds={"the instance": "b"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert walked.finding is None
    assert console.log == ["enter Instances", "choose b", "press Delete entry"]


async def test_a_button_that_moved_into_the_menu_is_told_and_the_walk_goes_on() -> None:
    console = split()
    arrow = "Click the drop-down arrow next to the **Create** button and click **Delete**."
    walked = await run(console, START, OPEN, SELECT, arrow, binds={"the instance": "b"})
    (noted,) = walked.noted
    assert noted.kind is FindingKind.MOVED
    assert "“Edit”" in noted.message
    assert console.log[-1] == "press Delete entry"


async def test_an_entry_that_cannot_be_used_blames_nobody_for_its_place() -> None:
    console = split()
    arrow = "Click the drop-down arrow next to the **Edit** button."
    walked = await run(console, START, OPEN, arrow)
    assert not walked.noted


async def test_the_arrow_of_a_row_that_is_not_found_blames_nobody() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    arrow = "Click the drop-down arrow next to an instance in the **ID/Name** column."
    walked = await run(console, START, OPEN, arrow, binds={"an instance": "i-1"})
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.finding is None
    assert not walked.noted


async def test_what_unfolds_a_row_does_not_open_it() -> None:
    page = await see_rows("Expand/Collapse Row", "north")
    found = page_rows.row_link(page, "north | up")
    assert found is not None
    assert found.name == "north"
    assert page_rows.row_link(await see_rows("Expand/Collapse Row"), "north | up") is None


async def see_rows(*links: str) -> Observation:
    page = await FakeConsole().observe()
    told = tuple(
        Element(
            mark=90 + place,
            identity=name,
            role="link",
            tag="a",
            name=name,
            box=Box(x=300 + 100 * place, y=400, width=80, height=20),
            row="north | up",
        )
        for place, name in enumerate(links)
    )
    return replace(page, elements=told)


@pytest.mark.parametrize("edit", ["Edit", "Edit this kind of instance"])
async def test_what_edits_a_thing_stands_in_its_row(edit: str) -> None:
    rows = [FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")]
    console = FakeConsole(rows=rows, actions=[edit, "Stop"])
    step = "Edit the instance you'd like to change."
    walked = await run(console, START, OPEN, step, binds={"the instance": "i-2"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log == ["enter Instances", f"{edit} b"]
