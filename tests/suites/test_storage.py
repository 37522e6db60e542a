"""Suites on disk: what is written is read, and what is damaged is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.suites.model import Defect, Difficulty, Hardness, Scenario, Suite, Task
from proofwalk.suites.recording import Recording, from_json, to_json
from proofwalk.suites.storage import load_index, load_suite, write_recording, write_suite

MOMENT = datetime(2026, 1, 1, 12, tzinfo=UTC)
EVENT = AuditEvent(
    id="e1",
    time=MOMENT,
    service="Ecs",
    name="StopInstance",
    kind="ConsoleOperation",
    write=True,
    ok=True,
    request={"InstanceId": "i-1"},
)
RECORDING = Recording(start=MOMENT, end=MOMENT, outputs={"instance_id": "i-1"}, events=(EVENT,))


def task(task_id: str = "ecs-stop", **more: object) -> Task:
    given = {
        "id": task_id,
        "suite": "little",
        "family": "ecs-stop",
        "product": "ecs",
        "difficulty": Difficulty.STANDARD,
        "document_name": f"{task_id}.md",
        "media_type": "text/markdown",
        "document": "# Stop\n\n1. 单击 **Stop**.\n",
        "meta_yaml": f"id: {task_id}\n",
        "rule_yaml": f"id: {task_id}\n",
        "script_yaml": "- []\n",
    }
    return Task(**{**given, **more})  # type: ignore[arg-type]


HARD = task(
    "ecs-z",
    difficulty=Difficulty.HARD,
    because=(Hardness.MOVED_PATH,),
    language="zh",
    document_name="ecs-z.html",
    media_type="text/html",
    scenario=Scenario(language="zh", patches=({"at": "ecs/menu/disks", "remove": True},)),
    expected=Defect(kind="moved", sentence="Click **Disks**: now.", line=3, path="ecs/menu/disks"),
)
SUITE = Suite(id="little", version=2, seed=7, tasks=(task(), HARD))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_suite(SUITE, tmp_path / "little")
    return tmp_path / "little"


def refused(folder: Path) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        load_suite(folder)
    return caught.value


def test_a_suite_is_read_as_it_was_written(folder: Path) -> None:
    assert load_suite(folder) == SUITE
    assert (folder / "tasks/ecs/ecs-stop.md").read_text(encoding="utf-8") == SUITE.tasks[0].document
    assert not (folder / "tasks/ecs/ecs-stop.scenario.yaml").exists()
    assert [entry.expected for entry in load_index(folder)[3]] == [None, HARD.expected]


def test_a_recording_is_read_as_it_was_written(folder: Path) -> None:
    path = write_recording(folder, SUITE.tasks[0], RECORDING)
    assert load_suite(folder).tasks[0].recording == RECORDING
    assert from_json(to_json(RECORDING), name="x") == RECORDING
    path.write_text(path.read_text().replace('"service"', '"sorvice"'))
    assert refused(folder).code == "suite.recording_invalid"
    assert "'service' is missing" in refused(folder).message


def test_writing_again_keeps_recordings_of_unchanged_tasks_and_removes_what_left(
    folder: Path,
) -> None:
    write_recording(folder, SUITE.tasks[0], RECORDING)
    write_recording(folder, HARD, RECORDING)
    write_suite(replace(SUITE, tasks=(task(), replace(HARD, document="changed"))), folder)
    assert (folder / "tasks/ecs/ecs-stop.events.json").is_file()
    assert not (folder / "tasks/ecs/ecs-z.events.json").exists()
    write_suite(replace(SUITE, tasks=(task(),)), folder)
    assert (
        sorted(
            path.name for path in (folder / "tasks/ecs").iterdir() if path.stem.startswith("ecs-z")
        )
        == []
    )


def test_what_is_damaged_is_named(folder: Path) -> None:
    document = folder / "tasks/ecs/ecs-stop.md"
    document.write_text("other")
    assert refused(folder).code == "suite.damaged"
    assert "not those that the index was written for" in refused(folder).message
    document.unlink()
    assert "the file is missing" in refused(folder).message
    document.write_text(SUITE.tasks[0].document)
    (folder / "tasks/ecs/stray.md").write_text("x")
    assert "no task of the index owns this file" in refused(folder).message


@pytest.mark.parametrize(
    "text", ["[", "id: x", "{id: little, version: 0, seed: 1, tasks: []}", "- 1"]
)
def test_a_broken_index_is_damaged(folder: Path, text: str) -> None:
    (folder / "suite.yaml").write_text(text)
    assert refused(folder).code == "suite.damaged"


def test_no_suite_and_a_suite_without_files_are_told_apart(tmp_path: Path) -> None:
    assert refused(tmp_path).code == "suite.unknown"
    write_suite(SUITE, tmp_path, index_only=True)
    assert refused(tmp_path).code == "suite.not_written"
