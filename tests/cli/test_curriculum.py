"""`proofwalk data curriculum`: a suite that others take, a report that hides nothing,
and errors that say what next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from proofwalk.cli.data import app
from proofwalk.datasets.collection import Collection
from proofwalk.experiments.bench.journal import Journal
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.suites import SEED
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.families.training import training_tasks
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite
from proofwalk.suites.writing.library_files import read_library

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["curriculum", *arguments])


def collected(folder: Path, tasks: Sequence[Task], *, outcome: str) -> Path:
    """A collection without trajectories in which each task ended so."""
    Collection(folder).add_tasks(Suite(id="toy", version=1, seed=1, tasks=tuple(tasks)), tasks)
    journal = Journal(folder / "rows.jsonl", run={"suite": "toy"}, resume=False)
    for task in tasks:
        journal.add(
            Row(
                task=task.id,
                digest=task.digest,
                run=1,
                policy="literal",
                product=task.product,
                difficulty=str(task.difficulty),
                language=task.language,
                outcome=outcome,
                evidence="audit",
            )
        )
    return folder


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """Tasks whose units stand beside them, as those of an evolved suite do."""
    drawn = training_tasks(
        read_library(ROOT / "suites"), DevcloudConsole(), (), suite_id="toy", seed=5, tries=50
    )
    return list(islice((task for task in drawn if task.language == "en"), 2))


def test_where_nothing_was_failed_at_it_is_said_and_nothing_is_written(
    tmp_path: Path, tasks: list[Task]
) -> None:
    result = run(
        str(collected(tmp_path / "walked", tasks, outcome="verified")),
        "--out",
        str(tmp_path / "evolved"),
    )
    assert result.exit_code != 0
    assert "curriculum.no_failures" in result.output
    assert not (tmp_path / "evolved").exists()


def test_a_folder_that_is_no_collection_is_named(tmp_path: Path) -> None:
    result = run(str(tmp_path), "--out", str(tmp_path / "evolved"))
    assert result.exit_code != 0
    assert "curriculum.no_walks" in result.output


def test_a_name_that_is_no_suites_is_refused(tmp_path: Path) -> None:
    result = run(str(tmp_path), "--out", str(tmp_path / "Evolved_Tasks"))
    assert result.exit_code != 0
    assert "curriculum.bad_name" in result.output


def test_values_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    path.write_text('["0.5"]', encoding="utf-8")
    result = run(str(tmp_path), "--out", str(tmp_path / "evolved"), "--values", str(path))
    assert result.exit_code != 0
    assert "curriculum.bad_values" in result.output


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_phases_tasks_are_written_filtered_and_proven_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    train = train_tasks()
    walked = collected(tmp_path / "walked", train, outcome="agent_failure")
    out = tmp_path / "evolved"
    result = run(str(walked), "--out", str(out), "--count", "12")
    assert result.exit_code == 0, result.output
    assert "the filter did not run" in result.output
    suite = load_suite(out)
    assert len(suite.tasks) == 12
    report = json.loads((out / "curriculum.json").read_text(encoding="utf-8"))
    assert report["made"] == sum(report["by_way"].values()) == 12
    assert report["values"] is None
    assert set(report["parents"]) <= {task.id for task in train}

    values = tmp_path / "values.json"
    ids = [task.id for task in suite.tasks]
    values.write_text(json.dumps({name: 0.9 if name == ids[0] else 0.3 for name in ids}))
    proof = tmp_path / "evolved.proof.json"
    proof.write_text(json.dumps({"failures": [{"task": ids[1]}]}))
    result = run(str(walked), "--out", str(out), "--values", str(values), "--without", str(proof))
    assert result.exit_code == 0, result.output
    assert [task.id for task in load_suite(out).tasks] == ids[2:]
    report = json.loads((out / "curriculum.json").read_text(encoding="utf-8"))
    assert report["dropped"]["value_high"] == 1
    assert report["oracle_failed"] == [ids[1]]


def train_tasks() -> list[Task]:
    """Tasks of `train` as files keep them: without their units."""
    library, console = read_library(ROOT / "suites"), DevcloudConsole()
    evaluation = [
        task
        for name in ("console-278", "drift-200")
        for task in load_suite(ROOT / "suites" / name).tasks
    ]
    drawn = training_tasks(library, console, evaluation, suite_id="train", seed=SEED, tries=200)
    english = (task for task in drawn if task.language == "en")
    return [replace(task, chain=()) for task in islice(english, 3)]
