"""Lists of which several options are chosen, and which stay open meanwhile."""

from __future__ import annotations

from proofwalk.agent.core.endings import Completed
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START


async def test_a_list_that_stays_open_is_closed_behind_each_choice() -> None:
    plans = FakeField(label="Plans", kind="select", options=["Basic", "Pro", "Max"], several=True)
    form = FakeForm(title="Create Instance", fields=[plans, FakeField(label="Name")])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    step = "For **Plans**, select **Basic** and **Max**."
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", step, "Enter `a` as the **Name**."
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-3:] == ["set Plans=Basic", "set Plans=Max", "set Name=a"]
    assert console.popup == ""
