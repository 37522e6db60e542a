"""Sentences that say which value a field gets, walked on a form that has it."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

CREATE = "Click **Create Instance**."


def form() -> FakeConsole:
    made = FakeForm(
        title="Create Instance",
        fields=[
            FakeField(label="Name"),
            FakeField(label="Zone", kind="select", options=["West", "East"], value="West"),
            FakeField(label="Size", kind="number", value="1"),
            FakeField(label="Tier", kind="radio", options=["Basic", "Pro"], value="Basic"),
            FakeField(label="Encryption", kind="checkbox", text="Encryption"),
            FakeField(label="Description"),
        ],
    )
    return FakeConsole(forms={"Create Instance": lambda: made})


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("For **Zone** choose **East**.", ["set Zone=East"]),
        ("In the **Size** box that appears, enter `2`.", ["set Size=2"]),
        ("In the **Description** box, enter `for tests`.", ["set Description=for tests"]),
        ("For the zone, choose **East**.", ["set Zone=East"]),
        ("For the name, enter `web-1`.", ["set Name=web-1"]),
        ("For name, enter `web-1`.", ["set Name=web-1"]),
        ("Enter `web-1` for the name.", ["set Name=web-1"]),
        ("Add `for tests` as the description.", ["set Description=for tests"]),
        ("Put `for tests` in **Description**.", ["set Description=for tests"]),
        ("**Name**: `web-1`", ["set Name=web-1"]),
        ("**Name:** `web-1`", ["set Name=web-1"]),
        ("**Name** - `web-1`", ["set Name=web-1"]),
        ("From the **Zone** menu, choose **East**.", ["set Zone=East"]),
        ("Use the **Zone** menu to choose **East**.", ["set Zone=East"]),
        ("Select **Zone** > **East**.", ["set Zone=East"]),
        ("Select the **East** option for **Zone**.", ["set Zone=East"]),
        ("Click the **Zone** dropdown, then click **East**.", ["set Zone=East"]),
        ("Click on the **Zone** dropdown and select **East**.", ["set Zone=East"]),
        ("Open the **Zone** list and pick **East**.", ["set Zone=East"]),
        ("Expand the **Zone** dropdown and choose **East**.", ["set Zone=East"]),
        ("Click **Zone** and select **East**.", ["set Zone=East"]),
        ("Select a **Zone** (`East`).", ["set Zone=East"]),
        ("Ensure that **Zone** is **East**.", ["set Zone=East"]),
        ("Switch **Zone** to **East**.", ["set Zone=East"]),
        ("Click in the **Name** field and type `web-1`.", ["set Name=web-1"]),
        ("Click the **Name** box, and enter `web-1`.", ["set Name=web-1"]),
        ("Click **Name**, then type `web-1`.", ["set Name=web-1"]),
        ("Select the **Name** field and enter `web-1`.", ["set Name=web-1"]),
        ("Place the cursor in **Name** and type `web-1`.", ["set Name=web-1"]),
        ("Increase **Size** to 3.", ["set Size=3"]),
        ("Configure **Size** as 3.", ["set Size=3"]),
        ("Make sure **Size** is set to 3.", ["set Size=3"]),
        ("Switch **Encryption** to **On**.", ["set Encryption=on"]),
        ("Turn the **Encryption** toggle to **On**.", ["set Encryption=on"]),
        ("Select the radio button for **Pro**.", ["set Tier=Pro"]),
        ("Select **Tier** > **Pro**.", ["set Tier=Pro"]),
    ],
)
async def test_a_field_gets_the_value(text: str, done: list[str]) -> None:
    console = form()
    walked = await run(console, START, OPEN, CREATE, text)
    assert isinstance(walked.ending, Completed), walked.ending
    assert [line for line in console.log if line.startswith("set ")] == done


async def test_fields_that_are_completed_get_what_was_prepared() -> None:
    console = form()
    text = "Complete the **Name** and **Description** fields."
    binds = {"Name": "web-1", "Description": "for tests"}
    walked = await run(console, START, OPEN, CREATE, text, binds=binds)
    assert isinstance(walked.ending, Completed), walked.ending
    filled = [line for line in console.log if line.startswith("set ")]
    assert filled == ["set Name=web-1", "set Description=for tests"]


async def test_what_is_optional_behind_a_field_may_be_left_out() -> None:
    console = form()
    text = "Enter a **Name** and, optionally, a **Description**."
    walked = await run(console, START, OPEN, CREATE, text, binds={"Name": "web-1"})
    assert isinstance(walked.ending, Completed), walked.ending
    assert "set Name=web-1" in console.log


@pytest.mark.parametrize(("value", "right"), [("West", True), ("East", False)])
async def test_a_value_that_is_verified_is_looked_at(value: str, right: bool) -> None:
    console = form()
    walked = await run(console, START, OPEN, CREATE, f"Verify that **Zone** is **{value}**.")
    assert isinstance(walked.ending, Completed if right else Unachievable), walked.ending
    assert not [line for line in console.log if line.startswith("set ")]
