"""What an experiment gained: the table, and the page with its curves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.learn import figures, page
from proofwalk.experiments.learn.experiment import Experiment
from proofwalk.experiments.learn.recipe import Recipe
from proofwalk.kernel.clock import ManualClock
from proofwalk.platform.laboratories import Laboratories
from proofwalk.platform.settings import Settings
from proofwalk.rl.run_files import write_metrics
from proofwalk.suites.counting.rows import Row, row_json
from tests.cli.recipes import LEAST


def _rows(passed: Sequence[Sequence[bool | None]]) -> list[Row]:
    """Tasks by runs; None: the environment lost it."""
    outcome = {True: "verified", False: "agent_failure", None: "env_failure"}
    return [
        Row(
            task=f"t{task}",
            digest="d",
            run=run + 1,
            policy="llm",
            product="dns",
            difficulty="standard",
            language="en",
            outcome=outcome[won],
        )
        for task, runs in enumerate(passed)
        for run, won in enumerate(runs)
    ]


def test_the_table_says_what_was_gained_and_leaves_out_what_the_environment_lost() -> None:
    rows = {
        "base": _rows([[False, False, False]] * 4),
        "tuned": _rows(
            [[True, False, False], [False, False, False], [True, True, None], [False, False, False]]
        ),
        "reinforced": _rows(
            [[True, True, True], [True, False, False], [True, True, True], [False, False, None]]
        ),
    }
    found = figures.table(rows, runs=3, seed=1)
    assert [found[name]["pass1"] for name in ("base", "sft", "grpo")] == [
        0.0,
        0.25,
        0.6389,
    ], "means over the runs"
    assert found["sft"]["runs_lost"] == found["grpo"]["runs_lost"] == 1
    assert found["sft"]["pass3"] == pytest.approx(1 / 3, abs=1e-4), (
        "of the tasks that have three runs"
    )
    # task by task: 1/3, 0, 1, 0 against nothing; then 1, 1/3, 1, 0 against that
    assert found["sft_gain"]["points"] == pytest.approx(100 * (1 / 3 + 1) / 4, abs=0.01)
    assert found["grpo_gain"]["points"] == pytest.approx(100 * (2 / 3 + 1 / 3) / 4, abs=0.01)
    assert found["grpo_gain"]["low"] <= found["grpo_gain"]["points"] <= found["grpo_gain"]["high"]
    assert found["grpo_gain"]["better"] == ["t0", "t1"]


def test_a_version_that_the_environment_lost_whole_has_no_gain_and_the_table_says_so() -> None:
    rows = {"base": _rows([[False]]), "tuned": _rows([[None]]), "reinforced": _rows([[True]])}
    found = figures.table(rows, runs=1, seed=1)
    assert (found["sft_gain"], found["grpo_gain"]) == (None, None)
    assert (found["sft"]["tasks"], found["sft"]["runs_lost"], found["grpo"]["pass1"]) == (0, 1, 1.0)
    assert [line[3:5] for line in page.cells(found)[1:]] == [["", ""], ["–", ""], ["–", ""]]


def test_what_is_held_out_whole_and_what_as_a_document_are_told_apart() -> None:
    rows = {
        "base": _rows([[False, False]] * 2),
        "tuned": _rows([[True, False], [False, False]]),
        "reinforced": _rows([[True, True], [False, True]]),
    }
    found = figures.by_held_out(rows, told=frozenset({"t0"}), runs=2, seed=1)
    assert list(found) == ["documents", "operations"]
    assert [found["documents"][name]["pass1"] for name in ("base", "sft", "grpo")] == [
        0.0,
        0.5,
        1.0,
    ]
    assert found["operations"]["grpo_gain"]["points"] == 50.0
    assert list(page.parts({"by_held_out": found})) == ["documents", "operations"]
    whole = figures.by_held_out(rows, told=frozenset(), runs=2, seed=1)
    assert list(whole) == ["operations"]
    assert page.parts({"by_held_out": whole}) == page.parts({}) == {}, (
        "one kind is the table itself"
    )


def test_the_page_holds_table_curves_and_tasks() -> None:
    rows = {
        name: _rows([[chance.random() < 0.5] * 3])
        for name, chance in zip(figures.NAMES, map(Random, range(3)), strict=True)
    }
    content: dict[str, Any] = {
        "recipe": "<b>least",
        "n": 1,
        "seed": 0,
        "commit": "c",
        "machine": {"cpus": 2},
        "taken_at": "now",
        "figures": {
            **figures.table(rows, runs=3, seed=0),
            "by_held_out": figures.by_held_out(rows, told=frozenset({"t0"}), runs=3, seed=0),
            "minutes": 1.0,
            "cpu_minutes": 2.0,
        },
        "cost": {"sft": {"seconds": 1.0, "cpu_seconds": 2.0, "attempts": 1}},
        "curves": {
            "sft": [{"step": 1.0, "loss": 2.0}, {"step": 2.0, "loss": 1.0}],
            "grpo": [{"step": 1.0, "reward": 0.5}],
        },
        "rows": {
            figures.NAMES[stage]: [json.loads(json.dumps(row_json(row))) for row in some]
            for stage, some in rows.items()
        },
    }
    html = page.render(content)
    assert 'aria-label="SFT: loss"' in html
    assert "<b>least" not in html
    assert "&lt;b&gt;least" in html
    assert len(page.cells(content["figures"])) == 4
    assert page.cells(content["figures"])[0][1:3] == ["pass@1", "pass@3"]


async def test_the_table_is_written_from_what_the_stages_left(tmp_path: Path) -> None:
    recipe = Recipe.model_validate({**LEAST, "evaluate": {"runs": 2}})
    experiment = Experiment(
        recipe,
        Laboratories(Settings()),
        folder=tmp_path,
        clock=ManualClock(),
        say=lambda text: None,
    )
    for arm, won in (("base", False), ("tuned", True), ("reinforced", True)):
        experiment.keys[arm] = arm * 4
        journal = Journal(experiment.rows(arm), run={"arm": arm}, resume=False)
        for row in _rows([[won, False]]):
            journal.add(row)
    for stage in figures.TRAINED:
        write_metrics(
            tmp_path / f"{stage}.metrics.jsonl",
            [{"step": 1.0, "loss": 2.0}, {"step": 2.0, "loss": 1.0}],
        )
    async with experiment.ledger.running("sft", "k") as entry:
        entry.result = {"steps": 2}
    told = await figures.write(experiment)
    assert (told["base"], told["sft"], told["grpo"]) == (0.0, 0.5, 0.5)
    content = page.read(tmp_path / "learn.json")
    assert content["figures"]["sft"]["pass2"] == 1.0
    assert content["figures"]["sft_gain"]["points"] == 50.0
    assert content["stages"] == {"sft": {"steps": 2}}
    assert content["settings"]["grpo"]["tasks"] == ["a", "b"]
    assert [line[0] for line in page.cells(content["figures"])] == [
        "Policy",
        "base",
        "SFT",
        "SFT + GRPO",
    ]
    assert 'aria-label="SFT: loss"' in (tmp_path / "learn.html").read_text("utf-8")
