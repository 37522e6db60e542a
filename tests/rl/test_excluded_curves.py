"""The benchmark of excluded outcomes (`benchmarks.excluded_outcomes`), small: GRPO on
tasks whose better way the environment breaks more often."""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from benchmarks.excluded_outcomes import ARMS, CAREFUL, PAGES, QUICK, RIGHT, failing, learned, moved


def test_failures_are_a_fifth_and_fall_on_those_who_walk_longer() -> None:
    chance, hit = Random(0), Counter[str]()
    ways = [CAREFUL, QUICK] * 60
    for _ in range(200):
        broken = failing([PAGES[way] for way in ways], 0.2, chance)
        assert len(broken) == 24
        hit.update(ways[index] for index in broken)
    assert hit[CAREFUL] > 4 * hit[QUICK] > 0


@pytest.mark.timeout(180)  # ten processor-seconds of GRPO, on whatever the machine has left
def test_excluding_leaves_the_curve_as_it_is_and_noughts_turn_it_round(tmp_path: Path) -> None:
    seen = {
        arm: [learned(arm, seed, steps=24, folder=tmp_path) for seed in range(2)] for arm in ARMS
    }
    careful = {arm: statistics.fmean(one.careful[-1] for one in runs) for arm, runs in seen.items()}
    success = {arm: statistics.fmean(one.success[-1] for one in runs) for arm, runs in seen.items()}
    assert all(0.35 < one.careful[0] < 0.6 for runs in seen.values() for one in runs)
    assert careful["none"] > 0.8
    assert careful["excluded"] > 0.8
    assert careful["noughts"] < 0.4
    assert success["excluded"] == pytest.approx(success["none"], abs=0.03)
    assert success["noughts"] < RIGHT[QUICK] + 0.06 < success["excluded"]
    early = {
        arm: statistics.fmean(value for one in runs for value in one.advantage[:8])
        for arm, runs in seen.items()
    }
    assert early["noughts"] < early["none"] - 0.05
    assert early["excluded"] > early["none"] - 0.05


def test_advantages_move_no_more_than_fewer_episodes_make_them() -> None:
    found = moved(60, seed=1)
    rms, careful = found["rms"], found["careful"]
    assert rms["excluded"] < 1.3 * rms["uniform"]
    assert rms["noughts"] > 2 * rms["uniform"]
    assert careful["noughts"]["mean"] < 0 < careful["excluded"]["mean"]
    assert (
        abs(careful["excluded"]["mean"] - careful["none"]["mean"])
        < careful["none"]["sd_of_a_batch"]
    )
