"""Notes and extractions in the loop: a note stays in the history and never reaches the
page, what was read comes back as the result."""

from __future__ import annotations

from proofwalk.console.actions import Extract, GuiAction, Note, SubStepComplete
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, Outcome
from tests.agent.test_walk import Scripted


class Readable(FakeConsole):
    """A console whose page can be read."""

    asked: list[GuiAction]

    async def perform(self, action: GuiAction) -> Outcome:
        self.asked = [*getattr(self, "asked", []), action]
        return (
            Outcome(ok=True, message="text of page: Total 12.50")
            if isinstance(action, Extract)
            else await super().perform(action)
        )


async def test_a_note_goes_into_the_history_only_and_an_extraction_into_the_result() -> None:
    console = Readable()
    walked = await run(
        console,
        "One.",
        policy=Scripted(Note(text="the bill is 12.50"), Extract(query="total"), SubStepComplete()),
    )
    assert console.asked == [Extract(query="total")]
    assert [(step.action, step.result, step.ok) for step in walked.history[:2]] == [
        (Note(text="the bill is 12.50"), "noted", True),
        (Extract(query="total"), "text of page: Total 12.50", True),
    ]
