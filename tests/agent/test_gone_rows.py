"""What the document says is gone from a list: looked for, and told if it stays."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.kernel.outcomes import FindingKind
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_findings import OPEN, START

RELEASE = "In the row of `pump-1`, click **More** and click **Release**."
GONE = "The instance disappears from the list."


def console(*, drops: bool, status: str = "Running") -> FakeConsole:
    made = FakeConsole(
        rows=[FakeRow(id=one, name=one, status=status) for one in ("pump-1", "pump-2")]
    )

    def act(label: str, row: FakeRow) -> None:
        if label == "Release" and drops:
            made.rows.remove(row)

    made.on_action = act
    return made


@pytest.mark.parametrize(
    "told",
    [GONE, "The instance is no longer shown in the list.", "`pump-1` is removed from the list."],
)
async def test_a_row_that_goes_is_gone(told: str) -> None:
    walked = await run(console(drops=True), START, OPEN, f"{RELEASE} {told}")
    assert isinstance(walked.ending, Completed), walked.ending


async def test_a_row_that_stays_is_told() -> None:
    walked = await run(console(drops=False), START, OPEN, f"{RELEASE} {GONE}")
    assert walked.finding is not None
    assert walked.finding.kind is FindingKind.WRONG_OUTCOME
    assert "“pump-1” is in the list no more" in walked.finding.message


async def test_a_row_that_is_being_removed_blames_nobody() -> None:
    walked = await run(console(drops=False, status="Releasing"), START, OPEN, f"{RELEASE} {GONE}")
    assert isinstance(walked.ending, Completed), walked.ending
