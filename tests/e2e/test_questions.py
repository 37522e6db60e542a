"""A question that nobody wrote is answered in the real console: the right answer is
verified, another one is not, and neither is a walk that changes something."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.synthesis import Synthesiser
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import write_suite
from proofwalk.suites.synthesis.operations import Form
from tests.e2e.installation import HANGS_S, command

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(HANGS_S),
]


def _played(task: Task, name: str, *moves: object) -> Task:
    script = yaml.safe_dump([list(moves)], allow_unicode=True)
    document = f"{name}-{task.document_name}"
    return replace(task, id=f"{task.id}-{name}", document_name=document, script_yaml=script)


def _suite() -> Suite:
    console = DevcloudConsole()
    maker = Synthesiser(
        console=console, world=devcloud_world(console.shipped), seed=1, form=Form.GOAL
    )
    made = {task.id: task for task in maker.suite("questions", 1, held_back=[]).suite.tasks}
    # Both of one language: the moves of one are played in the other's console.
    question, change = next(
        (asked, acted)
        for who in ("owner", "auditor", "operator")
        for other in ("owner", "auditor", "operator")
        if (asked := made[f"kms-key-ask-spec-{who}-goal"]).language
        == (acted := made[f"kms-key-disable-{other}-goal"]).language
    )
    (entry,) = yaml.safe_load(question.script_yaml)
    (changing,) = yaml.safe_load(change.script_yaml)
    opened, read = entry
    name = {**read["read"], "column": "创建时间" if question.language == "zh" else "Created At"}
    tasks = (
        question,
        _played(question, "wrong", opened, {"read": name}),
        _played(question, "silent", opened),
        _played(question, "changes", *changing, *entry),
    )
    return Suite(id="questions", version=1, seed=1, tasks=tasks)


async def test_only_the_right_answer_of_a_walk_that_looks_is_verified(tmp_path: Path) -> None:
    suite, out = tmp_path / "suite", tmp_path / "out"
    write_suite(_suite(), suite)
    proven = await command(
        "bench",
        "prove",
        str(suite),
        "--oracle",
        "--parallel",
        "2",
        "--out",
        str(out),
    )
    assert proven.code == 1, proven.err[-3000:]
    proof = json.loads((out / "questions.proof.json").read_text("utf-8"))
    assert proof["figures"]["oracle"] == 1
    assert proof["figures"]["near_misses_rejected"] == proof["figures"]["near_misses"] == 3
    told = {one["task"].rpartition("-")[2]: one["what"] for one in proof["failures"]}
    assert set(told) == {"wrong", "silent", "changes"}
    assert "'spec' is wrong" in told["wrong"]
    assert "lacks 'spec'" in told["silent"]
    assert "DisableKey" in told["changes"]
