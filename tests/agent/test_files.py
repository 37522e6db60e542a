"""Files that a document has its reader upload: one that nobody prepared is made if any
reader could write it, and one that has to be prepared is nobody's fault."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START


def asking(*, button: str = "") -> FakeConsole:
    """A form with a file input, or a button that opens one."""
    data = FakeField(label="User Data", kind="file", options=[button] if button else [])
    form = FakeForm(title="Create Instance", fields=[FakeField(label="Name", kind="text"), data])
    return FakeConsole(forms={"Create Instance": lambda: form})


@pytest.mark.parametrize(
    ("sentence", "handed"),
    [
        ("For **User Data**, upload `setup.sh`.", "setup.sh: #!/bin/sh"),
        ("Upload the file `flags.json` as the **User Data**.", "flags.json: {}"),
        (
            "Under **User Data**, select a text file that contains `Opening hours`.",
            "text.txt: Opening hours",
        ),
        (
            "For **User Data**, upload a text file with the content `Opening hours`.",
            "text.txt: Opening hours",
        ),
    ],
)
@pytest.mark.parametrize("button", ["", "Upload File"])
async def test_a_file_that_any_reader_could_write(sentence: str, handed: str, button: str) -> None:
    console = asking(button=button)
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", sentence, "Click **OK**."
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert f"set User Data={handed}" in console.log


@pytest.mark.parametrize("name", ["server.crt", "logo.png"])
async def test_a_file_that_has_to_be_prepared_ends_the_walk_without_blame(name: str) -> None:
    console = asking()
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", f"For **User Data**, upload `{name}`."
    )
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.ending.finding is None
    assert name in walked.ending.reason
