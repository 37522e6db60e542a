"""Names that a document writes shorter or longer than the console does."""

from __future__ import annotations

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START


async def test_a_verb_alone_is_the_button_with_the_kind_of_thing() -> None:
    form = FakeForm(title="Create Instance", fields=[FakeField(label="Name", required=True)])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console, START, OPEN, "Click **Create**.", "Enter the instance **Name**. Click **OK**."
    )
    assert isinstance(walked.ending, Completed), walked.ending


async def test_another_verb_alone_is_not_this_button() -> None:
    walked = await run(FakeConsole(), START, OPEN, "Click **Add**.")
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is not None


async def test_the_first_word_of_a_fields_name_may_be_what_the_window_is_about() -> None:
    form = FakeForm(title="Create Instance", fields=[FakeField(label="Name", required=True)])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Specify the **Instance Name**.",
        "Click **OK**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert any(line.startswith("set Name=") for line in console.log)
