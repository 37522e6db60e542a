"""What is taken along: a copied text, a dragged thing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.console import actions as a
from proofwalk.kernel.outcomes import FindingKind
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow, Outcome
from tests.agent.test_findings import OPEN, START, found

K = IntentKind


def read(text: str) -> list[tuple[IntentKind, tuple[str, ...], str | None, str]]:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood, reading.not_understood
    return [(one.kind, one.path, one.value, one.phrase) for one in reading.intents]


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Copy the **Pump ID** value.", [(K.COPY, ("Pump ID",), None, "")]),
        (
            "Copy the **Pump ID** and **Mill ID** values shown on the page.",
            [(K.COPY, ("Pump ID",), None, ""), (K.COPY, ("Mill ID",), None, "")],
        ),
        ("Copy the new key and store it somewhere safe.", [(K.COPY, (), None, "the new key")]),
        ("Copy the key immediately - it is shown once.", [(K.COPY, (), None, "the key")]),
        (
            "Drag and drop **Otter** into the **Drained** column.",
            [(K.DRAG, ("Otter",), "Drained", "")],
        ),
        (
            "Click and drag the pump to another mill.",
            [(K.DRAG, (), None, "the pump to another mill")],
        ),
    ],
)
def test_what_is_taken_along_is_read(text: str, intents: list[object]) -> None:
    assert read(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "Copy the pump.",
        "Copy the **Otter** pump.",
        "Copy the key and drain the pump.",
        "Copy the key to the second mill.",
        "Copy the key and save it in the **Vault** field, then drain the pump.",
        "Copy the key and store it in the mill, and drain the pump.",
        "Copy the key immediately and drain the pump.",
        "Copy the key to a safe mill and drain the pump.",
        "Drag the pump.",
    ],
)
def test_what_may_change_something_else_is_not_read(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


def test_a_slider_is_set() -> None:
    assert read("Drag the **Depth** slider to `3`.")[0][:3] == (K.SET, ("Depth",), "3")


async def test_what_is_copied_has_to_be_there() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    assert isinstance((await run(console, START, OPEN, "Copy the key.")).ending, Completed)
    walked = await run(console, START, OPEN, "Copy the **Actions** value.")
    assert isinstance(walked.ending, Completed), walked.ending
    walked = await run(console, START, OPEN, "Copy the **Secret Key** value.")
    found(walked, FindingKind.MISSING, 3)


class Board(FakeConsole):
    """A list whose rows change their state when something is dropped on them."""

    idle = False
    dragged: Sequence[str] = ()
    dropped: Sequence[str] = ()
    """What lies at the end of the drag. The head's columns lie above each other."""

    async def perform(self, action: a.GuiAction) -> Outcome:
        if isinstance(action, a.DragTo) and not self.idle:
            start, end = (action.from_x, action.from_y), (action.x, action.y)
            self.dragged = [one.name for one in self._page.elements if one.box.center == start]
            self.dropped = [one.text for one in self._page.texts if one.box.center == end]
            self.rows[0].status = "Moved"
        return await super().perform(action)


DRAG = "Drag and drop **i-1** into the **Status** column."


async def test_a_named_thing_is_dragged_onto_another() -> None:
    console = Board(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, OPEN, DRAG)
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.dragged == ["i-1"]
    assert "Status" in console.dropped


async def test_a_drag_without_an_effect_blames_nobody() -> None:
    console = Board(rows=[FakeRow(id="i-1", name="a")])
    console.idle = True
    for step in (DRAG, "Drag the pump to another mill."):
        walked = await run(console, START, OPEN, step)
        assert isinstance(walked.ending, Unachievable)
        assert walked.finding is None
