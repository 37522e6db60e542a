"""A small share of tests/chaos: the worker dies in a walk, then the
browsers' role does, as separate processes."""

from __future__ import annotations

import pytest

from tests.chaos import trial
from tests.chaos.cluster import Cluster
from tests.chaos.trial import Plan


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.timeout(500)
async def test_roles_killed_in_a_walk_change_no_verdict_and_leave_nothing() -> None:
    with Cluster() as cluster:
        for seed, victim in enumerate(("rollout", "sandbox_scheduler")):
            plan = Plan(
                seed=seed,
                victim=victim,
                document=trial.PLAIN,
                event="step_taken",
                occurrence=3,
                delay_s=0.0,
            )
            result = await trial.run(cluster, plan)
            # Nothing goes on where a walk broke off: it is walked again.
            assert result.episodes == 2
