"""The suites that are committed: what the sources give, whole, and readable by the
roles that they are for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.platform import suites
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.reward_service.bindings import bindings_of
from proofwalk.reward_service.evaluation import evaluate
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.families.generation import PLAN, shortfall
from proofwalk.suites.families.training import training_tasks
from proofwalk.suites.model import Difficulty, Hardness, Suite, Task
from proofwalk.suites.rules.decontamination import duplicates, leaks
from proofwalk.suites.rules.near_misses import near_misses
from proofwalk.suites.storage import load_index, load_suite, suite_files
from proofwalk.suites.writing.library_files import read_library
from proofwalk.suites.writing.planted import DefectKind

ROOT = Path(__file__).parents[2] / "suites"


@cache
def committed(name: str) -> Suite:
    return load_suite(ROOT / name)


def evaluation() -> Iterator[Task]:
    yield from committed("console-278").tasks
    yield from committed("drift-200").tasks


def test_the_console_suite_has_the_planned_numbers() -> None:
    tasks = committed("console-278").tasks
    assert shortfall(tasks) == []
    assert len(tasks) == 278
    assert Counter(task.difficulty for task in tasks) == {
        Difficulty.STANDARD: 76,
        Difficulty.HARD: 202,
    }
    assert {task.product for task in tasks} == set(PLAN)


def test_the_console_suite_is_hard_for_all_reasons_and_in_both_languages() -> None:
    tasks = committed("console-278").tasks
    reasons = Counter(reason for task in tasks for reason in task.because)
    assert set(reasons) == set(Hardness)
    assert min(reasons.values()) >= 10
    chinese = sum(task.language == "zh" for task in tasks)
    assert 0.2 <= chinese / len(tasks) <= 0.3
    assert {task.media_type for task in tasks} == {"text/markdown", "text/x-rst", "text/html"}
    hard = Counter(task.family for task in tasks if task.difficulty is Difficulty.HARD)
    assert sum(count == 1 for count in hard.values()) >= 0.6 * sum(hard.values())
    assert max(hard.values()) <= 2


def test_half_of_the_drift_suite_is_wrong_in_one_place() -> None:
    tasks = committed("drift-200").tasks
    kinds = Counter(task.expected.kind for task in tasks if task.expected)
    assert (len(tasks), sum(kinds.values())) == (200, 100)
    assert set(kinds) == {kind.value for kind in DefectKind}
    assert min(kinds.values()) >= 5


def test_every_wrong_sentence_stands_at_its_line() -> None:
    for task in committed("drift-200").tasks:
        if task.expected is not None:
            substeps = select(
                load(task.document_name, task.document.encode(), task.media_type)
            ).substeps
            found = [
                one
                for step in substeps
                for one in step.sentences
                if one.text == task.expected.sentence
            ]
            assert task.expected.line in [one.span.line for one in found], task.id


def test_every_record_is_read_by_the_role_that_it_is_for() -> None:
    for task in evaluation():
        outputs = read_meta(task.meta_yaml, id_=task.id).template.outputs
        rule = parse_rule(task.rule_yaml)
        assert rule.id == task.id
        assert rule.meta_names <= outputs
        script = parse_script(task.script_yaml, outputs=dict.fromkeys(outputs, "x"))
        assert len(script.entries) == len(
            select(load(task.document_name, task.document.encode(), task.media_type)).substeps
        )


def test_every_recorded_episode_meets_its_rule() -> None:
    recorded = [task for task in committed("console-278").tasks if task.recording is not None]
    assert len(recorded) == 278
    for task in recorded:
        assert task.recording is not None
        assert _met(task, task.recording.events), task.id


def test_no_near_miss_of_a_recorded_episode_meets_its_rule() -> None:
    for task in committed("console-278").tasks:
        if task.product == "sls" and task.recording is not None:
            misses = near_misses(yaml.safe_load(task.rule_yaml), task.recording)
            assert misses
            assert [miss.why for miss in misses if _met(task, miss.events)] == [], task.id


def _met(task: Task, events: Sequence[AuditEvent]) -> bool:
    rule, recording = parse_rule(task.rule_yaml), task.recording
    assert recording is not None
    end = recording.end + timedelta(seconds=rule.delta_s)
    seen = [one for one in events if recording.start <= one.time <= end]
    return evaluate(
        rule, seen, bindings_of(rule, start=recording.start, outputs=recording.outputs)
    ).met


def test_no_two_tasks_are_near_duplicates() -> None:
    assert duplicates(committed("console-278").tasks) == []


def test_the_training_suite_is_large_and_kept_as_an_index() -> None:
    entries = load_index(ROOT / "train")[3]
    assert len(entries) >= 1000
    assert len({entry.digest for entry in entries}) == len(entries)
    assert not (ROOT / "train" / "tasks").exists()
    assert not {entry.id for entry in entries} & {task.id for task in evaluation()}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_is_committed_is_what_the_sources_give(console: Any) -> None:
    library = read_library(ROOT)
    for made in (suites.console_suite(library, console), suites.drift_suite(library, console)):
        for path, text in suite_files(made).items():
            assert (ROOT / made.id / path).read_bytes() == text.encode(), (
                f"{made.id}/{path} is not what the sources give: make suites"
            )
        assert [task.id for task in committed(made.id).tasks] == [task.id for task in made.tasks]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_index_of_training_tasks_is_what_the_sources_give(console: Any) -> None:
    """The first tasks that are drawn; each depends on all that were drawn before it,
    and on the evaluation suites."""
    known = {entry.id: entry.digest for entry in load_index(ROOT / "train")[3]}
    tasks = list(evaluation())
    drawn = training_tasks(
        read_library(ROOT),
        console,
        tasks,
        suite_id=suites.TRAIN_SUITE,
        seed=suites.SEED,
        tries=10_000,
    )
    first = list(islice(drawn, 60))
    assert {task.id: task.digest for task in first}.items() <= known.items(), (
        "the index is not what the sources give: make suites"
    )
    assert leaks(first, tasks) == []
