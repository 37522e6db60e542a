"""How far a collection's tasks are solved."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.cli import data_collecting
from proofwalk.datasets.strata import Stratum, strata_of
from proofwalk.experiments.bench.journal import Journal
from proofwalk.kernel.errors import ProofwalkError
from tests.datasets.kit import DOCUMENT, defect, row_for, task_of

WRONG = DOCUMENT.replace("**Stop**", "**Halt**")
TASKS = {name: task_of(name) for name in ("always", "mixed", "never", "lost", "unwalked")} | {
    "wrong": task_of("wrong", document=WRONG, expected=defect(WRONG, "Halt"))
}


def test_walks_of_all_teachers_count_together_and_the_environments_failures_do_not() -> None:
    always, mixed, never, lost, wrong = (
        TASKS[name] for name in ("always", "mixed", "never", "lost", "wrong")
    )
    rows = [
        row_for(always),
        row_for(always, policy="llm"),
        row_for(always, "env_failure", run=2),
        row_for(mixed),
        row_for(mixed, "agent_failure", policy="llm"),
        row_for(never, "agent_failure"),
        row_for(never, "doc_defect", policy="llm"),
        row_for(lost, "env_failure"),
        row_for(wrong),  # walked through without seeing that it is wrong
        row_for(task_of("another")),
        row_for(task_of("unwalked", document=WRONG)),  # another task under this name
    ]
    assert strata_of(TASKS, rows) == {
        "always": Stratum.SOLVED,
        "mixed": Stratum.PARTLY,
        "never": Stratum.UNSOLVED,
        "wrong": Stratum.UNSOLVED,
    }


async def test_a_collection_says_which_of_its_tasks_are_in_a_stratum(tmp_path: Path) -> None:
    tasks = [TASKS["always"], TASKS["mixed"], TASKS["never"]]
    with pytest.raises(ProofwalkError) as none:
        await data_collecting.of_stratum(tmp_path, tasks, Stratum.UNSOLVED)
    assert none.value.code == "data.no_task"
    journal = Journal(tmp_path / "rows.jsonl", run={"suite": "train"}, resume=False)
    for row in (
        row_for(tasks[0]),
        row_for(tasks[1]),
        row_for(tasks[1], "agent_failure", run=2),
        row_for(tasks[2], "agent_failure"),
    ):
        journal.add(row)
    for stratum, task in zip(Stratum, tasks, strict=True):
        assert await data_collecting.of_stratum(tmp_path, tasks, stratum) == [task]
