"""A collection keeps what it is given, whole or not at all, and says what is wrong with
what is not."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from proofwalk import datasets
from proofwalk.datasets.collection import Collection, Notes
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Finding, FindingKind
from tests.datasets.kit import (
    BINDS,
    CONSOLE,
    MOMENT,
    collect,
    console,
    policy_of,
    recorded,
    row_for,
    suite_of,
    task_of,
    walked,
)
from tests.datasets.outcome_cases import case


async def test_an_episode_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    finding = Finding(
        file="f",
        line=5,
        sentence="s",
        kind=FindingKind.MOVED,
        message="m",
        candidates=("a", "b"),
        asked="s",
        offered="b",
        place="Pumps",
        way=("a", "b"),
    )
    writes = (MOMENT, MOMENT + timedelta(seconds=1.5))
    episode = await collect(
        Collection(tmp_path / "c"),
        tmp_path,
        task_of(),
        outcome="doc_defect",
        finding=finding,
        writes=writes,
    )
    assert episode.name == "ecs-stop.literal.1"
    assert (episode.notes.finding, episode.notes.writes, episode.notes.binds) == (
        finding,
        writes,
        BINDS,
    )
    assert (episode.notes.console, episode.notes.row.outcome) == (CONSOLE, "doc_defect")
    assert episode.task == task_of()
    assert [one.number for one in episode.procedure.substeps] == ["1", "2", "3", "4"]
    assert [one.step for one in episode.steps] == list(range(1, len(episode.steps) + 1))
    assert all(one.observation is not None for one in episode.steps)


async def test_what_the_judge_saw_is_kept_and_what_is_damaged_named(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "c")
    recording = case().recording
    episode = await collect(collection, tmp_path, task_of(), recording=recording)
    assert episode.recording == recording
    events = tmp_path / "c" / "episodes" / episode.name / "events.json.gz"
    for damage in (events.read_bytes()[:40], b"no archive"):
        events.write_bytes(damage)
        with pytest.raises(ProofwalkError) as damaged:
            collection.episode(episode.name)
        assert damaged.value.code == "data.damaged"
    events.unlink()
    assert collection.episode(episode.name).recording is None


async def test_episodes_are_read_by_name_and_a_later_one_replaces_its_namesake(
    tmp_path: Path,
) -> None:
    collection = Collection(tmp_path / "c")
    first = await collect(collection, tmp_path, task_of(), run=2)
    await collect(collection, tmp_path, task_of("ecs-other"))
    await collect(collection, tmp_path, task_of(), run=2, outcome="agent_failure", binds=None)
    again = Collection(tmp_path / "c")
    assert again.names() == ["ecs-other.literal.1", first.name]
    assert [one.notes.row.outcome for one in again] == ["verified", "agent_failure"]
    assert again.episode(first.name).notes.binds is None
    assert sorted(again.tasks) == ["ecs-other", "ecs-stop"]


async def test_what_was_cut_off_while_it_was_written_is_not_there(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "c")
    task = task_of()
    _, events = await walked(task, policy_of("literal", task), console())
    data = await recorded(tmp_path, task, events, row_for(task))
    collection.add_tasks(suite_of(), [task])
    with pytest.raises(ProofwalkError) as refused:
        collection.keep(Notes(row=row_for(task), binds={}), data[: len(data) // 2])
    assert refused.value.code == "data.bad_bundle"
    assert collection.names() == []
    (tmp_path / "c" / "episodes" / ".ecs-stop.literal.1.partial").mkdir(parents=True)
    collection.keep(Notes(row=row_for(task), binds={}), data)
    assert collection.names() == ["ecs-stop.literal.1"]


async def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "c")
    with pytest.raises(ProofwalkError) as missing:
        _ = collection.tasks
    episode = await collect(collection, tmp_path, task_of())
    notes = tmp_path / "c" / "episodes" / episode.name / "episode.json"
    members = json.loads(notes.read_text())
    notes.write_text(
        json.dumps({**members, "row": {**members["row"], "digest": "of another task"}})
    )
    with pytest.raises(ProofwalkError) as changed:
        collection.episode(episode.name)
    notes.write_text(json.dumps({**members, "writes": ["yesterday"]}))
    with pytest.raises(ProofwalkError) as damaged:
        collection.episode(episode.name)
    with pytest.raises(ProofwalkError) as other:
        collection.add_tasks(suite_of(suite="another"), [])
    with pytest.raises(ProofwalkError) as name:
        collection.keep(Notes(row=replace(row_for(task_of()), task="../../etc"), binds={}), b"")
    codes = [one.value.code for one in (missing, changed, damaged, other, name)]
    assert codes == [
        "data.not_found",
        "data.unknown_task",
        "data.damaged",
        "data.other_suite",
        "data.bad_name",
    ]


def test_nothing_here_needs_torch() -> None:
    """The command line imports this package: of `rl` it may reach itself alone, for the
    rest of it needs torch."""
    imported: set[str] = set()
    for path in Path(datasets.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
    assert "proofwalk.agent.policies.llm.context" in imported
    assert not {
        name
        for name in imported
        if name.split(".")[0] in ("torch", "transformers", "peft", "trl", "accelerate")
    }
    assert not {name for name in imported if name.startswith("proofwalk.rl")}
