"""Kill any one process at any point of an episode: the verdict comes, once and right,
and nothing is left behind."""

from __future__ import annotations

import pytest

from tests.chaos import trial
from tests.chaos.conftest import WHOLE, Installations


@pytest.mark.chaos
@pytest.mark.timeout(500)
@pytest.mark.parametrize("seed", range(WHOLE))
async def test_a_killed_process_changes_no_verdict_and_leaves_nothing(
    seed: int, installations: Installations
) -> None:
    cluster = installations.get()
    try:
        result = await trial.run(cluster, trial.draw(seed))
    except BaseException:
        installations.discard()
        raise
    installations.results.append(result)
    print(f"{result.figures()}")
