"""The table of methods: gains run by run, intervals over seeds and tasks, and the
page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from proofwalk.experiments.methods import figures, page
from proofwalk.experiments.methods.figures import Ran
from proofwalk.experiments.methods.pipeline import bench
from tests.cli.benches import Trained, bench_of, row_of_run


def _ran(
    method: str,
    seed: int,
    passed: Sequence[bool | None],
    metrics: Sequence[Mapping[str, float]] = (),
) -> Ran:
    return Ran(
        method=method,
        paper="p",
        seed=seed,
        rows=[row_of_run(f"t{number}", seed, passed=one) for number, one in enumerate(passed)],
        metrics=metrics,
        environment_steps=100,
        updates=4,
        seconds=60.0,
        cpu_seconds=90.0,
    )


def test_a_gain_is_taken_against_the_same_seeds_runs_of_the_common_checkpoint() -> None:
    found = figures.table(
        [
            _ran("start", 1, [False, False, True, False]),
            _ran("start", 2, [False, True, True, False]),
            _ran("grpo", 1, [True, True, True, False]),
            _ran("grpo", 2, [True, True, True, False]),
        ],
        seed=0,
    )
    assert "gain" not in found["start"]
    assert (found["start"]["pass1"], found["grpo"]["pass1"]) == (0.375, 0.75)
    assert found["grpo"]["by_seed"] == {"1": 0.75, "2": 0.75}
    assert found["grpo"]["gain"] == 37.5, "two tasks of four, then one of four"
    low, high = found["grpo"]["low"], found["grpo"]["high"]
    assert isinstance(low, float)
    assert isinstance(high, float)
    assert 0 <= low < 37.5 < high <= 100


def test_seeds_that_disagree_widen_the_interval() -> None:
    start = [_ran("start", seed, [False] * 8) for seed in (1, 2, 3)]
    alike = [_ran("m", seed, [True, False] * 4) for seed in (1, 2, 3)]
    apart = [_ran("m", seed, [won] * 8) for seed, won in ((1, True), (2, False), (3, False))]

    def width(arms: Sequence[Ran]) -> float:
        part = figures.table([*start, *arms], seed=0)["m"]
        assert isinstance(part["low"], float)
        assert isinstance(part["high"], float)
        return part["high"] - part["low"]

    assert width(apart) > width(alike)


def test_what_the_environment_lost_is_left_out_of_both_sides() -> None:
    found = figures.table(
        [_ran("start", 1, [False, None, False]), _ran("m", 1, [True, True, None])], seed=0
    )
    assert (found["m"]["pass1"], found["m"]["gain"]) == (1.0, 100.0)
    nothing = figures.table([_ran("m", 1, [True])], seed=0)
    assert nothing["m"]["gain"] is None
    assert page.cells(nothing)[1][4] == "–"


def test_entropy_and_kl_are_those_of_the_last_updates_and_nothing_where_none_is_told() -> None:
    metrics = [{"entropy": 9.0, "staleness": 0.0}] * 3 + [{"entropy": 0.5, "staleness": 1.0}] * 5
    found = figures.table([_ran("m", 1, [True], metrics)], seed=0)["m"]
    assert (found["entropy"], found["kl"], found["staleness"]) == (0.5, None, 0.625)


def test_a_curve_goes_as_far_as_every_run() -> None:
    runs = [[{"reward": 0.0}, {"reward": 1.0}, {"reward": 1.0}], [{"reward": 1.0}, {"loss": 1.0}]]
    assert page.means(runs, "reward") == [(1, 0.5)]
    assert page.means(runs, "kl") == []


async def test_the_result_has_every_method_and_its_page_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Trained(monkeypatch)
    small = bench_of(tmp_path)
    await bench(small, small.recipe.arms)
    content = json.loads((tmp_path / "methods.json").read_text("utf-8"))
    assert list(content["methods"]) == ["start", "more", "grpo", "rft", "pulse"]
    grpo = content["methods"]["grpo"]
    assert (grpo["runs"], grpo["pass1"], grpo["gain"], grpo["low"]) == (3, 1.0, 100.0, 100.0)
    assert set(grpo) >= {"paper", "high", "entropy", "kl", "staleness", "seconds"}
    assert content["figures"]["arms"] == content["figures"]["arms_wanted"] == 15
    html = (tmp_path / "methods.html").read_text("utf-8")
    assert 'aria-label="grpo: entropy"' in html
    assert "15 of 15 runs" in html
