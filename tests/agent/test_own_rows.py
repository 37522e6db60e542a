"""A row that the document leaves to its reader: how it is marked, and another one where
the first is not fit for the act."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.console.observation import Box
from proofwalk.kernel.outcomes import FindingKind
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import OPEN, START
from tests.agent.test_marked_rows import Marking

K = IntentKind
RELEASE = "Click **More** in the row of the instance, and click **Release**."


class Own(FakeConsole):
    """A console in which one's own row cannot be released."""

    own = "pump-1"

    def _popup(self) -> None:
        self.disabled = {"Release"} if self.popup == f"more {self.own}" else set()
        super()._popup()


def own(*names: str) -> Own:
    return Own(rows=[FakeRow(id=one, name=one) for one in names])


async def test_a_row_that_is_not_fit_is_left_for_the_next() -> None:
    console = own("pump-1", "pump-2")
    walked = await run(console, START, OPEN, RELEASE)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-1] == "Release pump-2"


async def test_the_only_row_is_looked_at_twice() -> None:
    console = own("pump-1")
    walked = await run(console, START, OPEN, RELEASE)
    assert walked.finding is None
    assert "cannot be used" in str(walked.ending)


async def test_a_row_that_the_document_names_is_not_left() -> None:
    console = own("pump-1", "pump-2")
    walked = await run(console, START, OPEN, RELEASE.replace("the instance", "`pump-1`"))
    assert not isinstance(walked.ending, Completed)
    assert console.log == ["enter Instances"]


async def test_what_no_row_has_is_a_finding() -> None:
    console = own("pump-1", "pump-2")
    walked = await run(console, START, OPEN, RELEASE.replace("Release", "Free up"))
    assert walked.finding is not None
    assert walked.finding.kind in (FindingKind.MISSING, FindingKind.RENAMED)


class Searched(Marking):
    """A list with a box above it that finds pumps."""

    def _list(self) -> None:
        super()._list()
        self._page.add("textbox", "Find pumps", Box(x=300, y=170, width=300, height=30), print)


async def test_a_row_is_selected_where_a_box_searches_for_its_kind() -> None:
    console = Searched(rows=[FakeRow(id="p-1", name="otter")], toolbar=["Drain"])
    walked = await run(console, START, OPEN, "Select the pump, and then click **Drain**.")
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-2:] == ["mark p-1", "press Drain"]


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Click the round button in front of the pump.", [(K.SELECT_ROW, "the row of the pump")]),
        (
            "Choose the option button to the left of the pump, and then click **Edit**.",
            [(K.SELECT_ROW, "the row of the pump"), (K.CLICK, "Edit")],
        ),
        ("Click the radio button next to **otter**.", [(K.SET, "otter")]),
    ],
)
def test_the_dot_of_a_row_is_told_by_its_place(text: str, intents: list[Any]) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert [(one.kind, one.phrase or one.label or one.value) for one in reading.intents] == intents


class Dotted(FakeConsole):
    """A list whose rows have dots, and links that are not called as they are."""

    def _list(self) -> None:
        super()._list()
        self._page.elements[:] = [
            replace(one, name="Open") if one.role == "link" and one.row else one
            for one in self._page.elements
        ]
        for index, row in enumerate(self.rows):
            text, box = (
                f"{row.id} {row.name} | {row.status}",
                Box(x=270, y=240.0 + 50 * index, width=16, height=16),
            )
            self._page.add("radio", "", box, partial(self.log.append, f"dot {row.id}"), row=text)


async def test_the_dot_of_a_named_row_is_pressed() -> None:
    console = Dotted(rows=[FakeRow(id="p-1", name="otter"), FakeRow(id="p-2", name="seal")])
    sentence = "Choose the option button next to **seal**, and then choose **Create Instance**."
    walked = await run(console, START, OPEN, sentence)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-2:] == ["dot p-2", "press Create Instance"]


async def test_a_word_of_a_row_is_no_choice_of_that_row() -> None:
    """`Select **Running**` may be an entry of a list; no dot of a row is spoken of."""
    console = Dotted(rows=[FakeRow(id="p-1", name="otter")])
    await run(console, START, OPEN, "Select **Running**.")
    assert not [line for line in console.log if line.startswith("dot")]
