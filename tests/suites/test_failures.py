"""What counts as a failure at a task."""

from __future__ import annotations

from dataclasses import replace

from proofwalk.orders.order import SCRIPTED
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.evolution.failures import failures_of, walks_of
from proofwalk.suites.model import Difficulty, Task

TASKS = {
    name: Task(
        id=name,
        suite="toy",
        family=name,
        product="ecs",
        difficulty=Difficulty.STANDARD,
        document_name=f"{name}.md",
        media_type="text/markdown",
        document=f"# {name}\n",
        meta_yaml="",
        rule_yaml="",
        script_yaml="",
    )
    for name in ("one", "two", "three")
}


def row(task: str, outcome: str, *, policy: str = "literal", run: int = 1) -> Row:
    return Row(
        task=task,
        digest=TASKS[task].digest,
        run=run,
        policy=policy,
        product="ecs",
        difficulty="standard",
        language="en",
        outcome=outcome,
        evidence="audit",
    )


def failed(*rows: Row) -> dict[str, tuple[int, int]]:
    return {
        failure.task.id: (failure.failed, failure.walks)
        for failure in failures_of(TASKS, walks_of(TASKS, rows))
    }


def test_a_task_is_failed_at_where_one_walk_fails_or_blames_a_right_document() -> None:
    assert failed(
        row("one", "agent_failure"),
        row("one", "verified", run=2),
        row("two", "doc_defect"),
        row("three", "verified"),
    ) == {"one": (1, 2), "two": (1, 1)}


def test_what_the_environment_failed_or_nobody_could_tell_is_no_failure() -> None:
    assert (
        failed(row("one", "env_failure"), row("two", "unproven"), row("three", "suspected")) == {}
    )


def test_nothing_is_evolved_from_a_task_that_the_oracle_fails_at() -> None:
    rows = [row(name, "agent_failure") for name in ("one", "two")]
    oracle = [
        row("one", "agent_failure", policy=SCRIPTED),
        row("three", "agent_failure", policy=SCRIPTED),
    ]
    assert failed(*rows, *oracle) == {"two": (1, 1)}


def test_a_row_of_a_task_that_has_changed_since_does_not_count() -> None:
    assert failed(replace(row("one", "agent_failure"), digest="0" * 64)) == {}
