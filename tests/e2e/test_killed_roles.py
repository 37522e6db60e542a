"""A small round of the chaos driver (`benchmarks.chaos`), as separate processes: the
worker dies in a walk, then the browsers' role does."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.chaos.faults import Fault, FaultKind
from benchmarks.chaos.jobs import Job
from benchmarks.chaos.rounds import Round, run_round


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.timeout(500)
async def test_roles_killed_in_a_walk_change_no_verdict_and_leave_nothing(tmp_path: Path) -> None:
    plan = Round(
        number=0,
        jobs=[Job(number=0, tenant="ant", document="01-vpc-create-vpc.md", after_s=0.0)],
        faults=[
            Fault(kind=FaultKind.KILL, target="rollout", gap_s=6.0),
            Fault(kind=FaultKind.KILL, target="sandbox_scheduler", gap_s=4.0),
        ],
        postgres=False,
        blob_mb=0,
    )
    result = await run_round(plan, tmp_path)
    assert result.violations == []
    assert [one.struck.is_effective for one in result.strikes] == [True, True]
    assert all(one.recovery_s is not None for one in result.strikes)
