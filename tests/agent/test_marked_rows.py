"""Rows that a sentence selects by their names are marked where what follows is done
above the list, and opened where it is done on their page."""

from __future__ import annotations

from proofwalk.agent.core.endings import Completed
from proofwalk.console import actions as a
from proofwalk.console.observation import Box
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow, Outcome
from tests.agent.test_findings import OPEN, START


class Marking(FakeConsole):
    """A list whose rows have boxes, and one that turns each on."""

    def _list(self) -> None:
        super()._list()
        for index, row in enumerate(self.rows):
            text, y = f"{row.id} {row.name} | {row.status}", 240.0 + 50 * index
            box = Box(x=270, y=y, width=16, height=16)
            self._page.add("checkbox", "", box, lambda: None, row=text)
            right = Box(x=700, y=y, width=16, height=16)
            self._page.add("checkbox", "On", right, lambda: None, row=text, column="On")

    async def perform(self, action: a.GuiAction) -> Outcome:
        if isinstance(action, a.SetChecked) and self.form is None:
            self.log.append(f"mark {self._page.elements[action.id - 1].row.split()[0]}")
            return Outcome(ok=True, message="done")
        return await super().perform(action)


def console() -> Marking:
    rows = [FakeRow(id=one, name=one) for one in ("pump-1", "pump-2", "pump-3")]
    return Marking(rows=rows, toolbar=["Edit", "Create Instance"])


async def test_several_rows_are_marked_for_a_button_above_them() -> None:
    pumps = console()
    sentence = "Select the appropriate pumps (`pump-1` and `pump-3`) and click **Edit**."
    walked = await run(pumps, START, OPEN, sentence)
    assert isinstance(walked.ending, Completed)
    assert pumps.log[1:] == ["mark pump-1", "mark pump-3", "press Edit"]


async def test_a_row_is_opened_where_nothing_of_the_sentence_is_done_here() -> None:
    pumps = console()
    walked = await run(pumps, START, OPEN, "Select **pump-2**.")
    assert isinstance(walked.ending, Completed)
    assert pumps.path == "/ecs/instances/pump-2"


async def test_the_boxes_of_rows_are_ticked_and_no_row_is_opened() -> None:
    pumps = console()
    walked = await run(
        pumps, START, OPEN, "Select the check boxes of **pump-1** and **pump-3**. Click **Edit**."
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert pumps.log[1:] == ["mark pump-1", "mark pump-3", "press Edit"]
