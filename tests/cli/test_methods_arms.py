"""What an arm does with its budget: phases that follow each other, what there is
nothing to learn from, and going on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proofwalk.experiments.methods.pipeline import bench
from proofwalk.kernel.errors import ProofwalkError
from tests.cli.benches import Trained, bench_of


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Trained:
    return Trained(monkeypatch)


async def test_every_method_begins_with_the_common_checkpoint_and_is_measured_by_the_same_runs(
    tmp_path: Path, trained: Trained
) -> None:
    small = bench_of(tmp_path)
    assert await bench(small, small.recipe.arms) is True
    first = {name: config for name, config in trained.asked if name.endswith("1 learn-1")}
    assert set(first) == {"more:1 learn-1", "grpo:1 learn-1", "rft:1 learn-1", "pulse:1 learn-1"}
    assert {config["model"] for config in first.values()} == {str(tmp_path / "sft")}
    assert first["more:1 learn-1"]["data"] == str(tmp_path / "samples.parquet")
    numbers = {name: found for name, _, found in trained.measured}
    assert numbers["start:2"] == numbers["grpo:2"] == numbers["pulse:2"] == [5, 6]
    assert numbers["start:1"] == [3, 4]
    versions = {name: version for name, version, _ in trained.measured}
    assert versions["start:1"] == "start@9"
    assert versions["pulse:1"] == "learn-3@1"


async def test_phases_share_a_budget_and_what_one_uses_too_much_the_next_lacks(
    tmp_path: Path, trained: Trained
) -> None:
    small = bench_of(tmp_path)
    await bench(small, [("grpo", 1), ("pulse", 1), ("rft", 2)])
    asked: dict[str, Any] = dict(trained.asked)
    assert asked["grpo:1 learn-1"]["settings"]["environment_steps"] == 100
    assert asked["pulse:1 learn-1"]["settings"]["environment_steps"] == 50
    assert asked["pulse:1 learn-3"]["settings"]["environment_steps"] == 100 - 60
    assert trained.walked == [100]
    assert asked["rft:2 learn-1"]["settings"]["seed"] == 2
    content = json.loads((tmp_path / "methods.json").read_text("utf-8"))
    used = {name: part["environment_steps"] for name, part in content["methods"].items()}
    assert used == {"grpo": 110, "pulse": 110, "rft": 110}


async def test_successes_are_those_of_the_methods_own_rollouts(
    tmp_path: Path, trained: Trained
) -> None:
    await bench(bench_of(tmp_path), [("pulse", 1)])
    asked: dict[str, Any] = dict(trained.asked)
    runs = tmp_path / "pulse-1/home/state/trainer/runs"
    assert asked["pulse:1 learn-2"]["successes"] == {
        "runs": [str(runs / "learn-1")],
        "per_task": 4,
    }
    assert asked["pulse:1 learn-2"]["model"] == str(runs / "learn-1/checkpoints/step-1")


async def test_what_there_is_nothing_to_learn_from_keeps_its_weights(
    tmp_path: Path, trained: Trained
) -> None:
    trained.written, trained.reward = 0, 0.0
    await bench(bench_of(tmp_path), [("rft", 1), ("pulse", 1)])
    assert [name for name, _ in trained.asked] == ["pulse:1 learn-1", "pulse:1 learn-3"]
    versions = {name: version for name, version, _ in trained.measured}
    assert versions["rft:1"] == "start@9"


async def test_done_arms_are_not_run_again_and_a_changed_method_is(
    tmp_path: Path, trained: Trained
) -> None:
    await bench(bench_of(tmp_path), [("grpo", 1), ("more", 1)])
    trained.asked.clear()
    assert await bench(bench_of(tmp_path), [("grpo", 1), ("more", 1)]) is False
    assert trained.asked == []
    changed = {
        "grpo": {"paper": "A", "phases": [{"kind": "samples", "settings": {"method": "sft"}}]}
    }
    await bench(bench_of(tmp_path, methods=changed), [("grpo", 1)])
    assert [name for name, _ in trained.asked] == ["grpo:1 learn-1"]


async def test_a_run_that_fails_ends_no_other_and_is_told_at_the_end(
    tmp_path: Path, trained: Trained
) -> None:
    trained.fails = {"grpo"}
    said: list[str] = []
    with pytest.raises(ProofwalkError, match="grpo failed"):
        await bench(bench_of(tmp_path, said), [("grpo", 1), ("more", 1)])
    assert any("grpo:1 failed: learn.run_failed" in line for line in said)
    content = json.loads((tmp_path / "methods.json").read_text("utf-8"))
    assert list(content["methods"]) == ["more"]


async def test_only_what_is_needed_to_measure_again_stays(tmp_path: Path, trained: Trained) -> None:
    await bench(bench_of(tmp_path), [("more", 1)])
    left = {path.name for path in (tmp_path / "more-1/home").rglob("*") if path.is_file()}
    assert left == {"model.safetensors"}
