"""Check boxes that a sentence counts and does not name."""

from __future__ import annotations

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

READ = "Read the statements and select both checkboxes to acknowledge them."


def form(*names: str) -> FakeConsole:
    boxes = [FakeField(label=name, kind="checkbox", text=name) for name in names]
    made = FakeForm(title="Create Instance", fields=boxes)
    return FakeConsole(forms={"Create Instance": lambda: made})


async def test_both_boxes_are_ticked() -> None:
    console = form("Anyone can see it", "I may do this")
    walked = await run(console, START, OPEN, "Click **Create Instance**.", READ)
    assert isinstance(walked.ending, Completed), walked.ending
    ticked = [done for done in console.log if done.startswith("set ")]
    assert ticked == ["set Anyone can see it=on", "set I may do this=on"]


async def test_of_three_boxes_none_is_meant() -> None:
    console = form("One", "Two", "Three")
    walked = await run(console, START, OPEN, "Click **Create Instance**.", READ)
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert "there are 3" in walked.ending.reason
