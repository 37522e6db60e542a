"""A form that the document fills in, and does not send: noted where one button sends it
of which no sentence speaks."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.kernel.outcomes import FindingKind
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

FILL = "Enter `40` as the **Disk Size**."


def console(submit: str = "Update") -> FakeConsole:
    form = FakeForm(title="Resize", fields=[FakeField(label="Disk Size")], submit=submit)
    return FakeConsole(forms={"Resize": lambda: form}, toolbar=["Resize"])


async def test_a_form_that_stays_open_is_noted_and_not_sent() -> None:
    fake = console()
    walked = await run(fake, START, OPEN, "Click **Resize**.", FILL)
    assert isinstance(walked.ending, Completed), walked.ending
    [noted] = walked.noted
    assert (noted.kind, noted.line) == (FindingKind.MISSING_STEP, 4)
    assert noted.candidates == ("Update",)
    assert "“Update” has still to be pressed" in noted.message
    assert fake.log[-1] == "set Disk Size=40"


@pytest.mark.parametrize(
    "told",
    [
        (FILL, "Click **Update**."),
        (f"{FILL} Updating takes a minute.",),
        ("Click **Cancel**.",),
    ],
)
async def test_a_form_of_whose_button_the_document_speaks_is_not(told: tuple[str, ...]) -> None:
    fake = console()
    walked = await run(fake, START, OPEN, "Click **Resize**.", *told)
    assert walked.noted == ()


async def test_a_window_that_only_closes_is_no_form_to_be_sent() -> None:
    walked = await run(console("Close"), START, OPEN, "Click **Resize**.", FILL)
    assert walked.noted == ()
