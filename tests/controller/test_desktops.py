"""Tasks of OSWorld's format as samples, on an episode whose desktop is in memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from proofwalk.console import actions as a
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.observation import Observation
from proofwalk.controller.desktops import DesktopTasks, read_tasks
from proofwalk.controller.owners import LOCAL
from proofwalk.controller.sessions import Sessions
from proofwalk.controller.wire import SampleStatus
from proofwalk.desktop.osworld.episode import OsworldEpisode
from proofwalk.desktop.osworld.files import files_of
from proofwalk.desktop.osworld.task import OsworldTask
from proofwalk.desktop.session import DesktopSession
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, unavailable
from tests.controller.environments import clicks, says, seen

EXACT = {
    "func": "exact_match",
    "result": {"type": "vm_command_line", "command": "whoami"},
    "expected": {"type": "rule", "rules": {"expected": "agent"}},
}
ELSEWHERE = {"func": "compare_table", "result": {"type": "vm_file", "path": "/a"}}


def _task(evaluator: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"id": "t", "instruction": "Say who you are", "evaluator": evaluator}


class _Guest:
    """Answers every program alike, or is gone."""

    def __init__(self, out: bytes | None) -> None:
        self.out = out

    async def run(self, argv: object) -> object:
        if self.out is None:
            raise unavailable("desktop.guest_silent", "the guest does not answer")
        return SimpleNamespace(code=0, out=self.out, err=b"")


class _Session:
    def __init__(self, guest: _Guest) -> None:
        self.seat = SimpleNamespace(guest=guest, screen=(800, 600))

    async def perform(self, action: a.GuiAction) -> ActionResult:
        return ActionResult(ok=True, message="clicked")

    async def observe(self) -> Observation:
        return seen()


def _tasks(out: bytes | None, evaluator: Mapping[str, Any] = EXACT) -> DesktopTasks:
    @asynccontextmanager
    async def desktop(task: OsworldTask, *, pictures: bool) -> AsyncIterator[OsworldEpisode]:
        session = cast(DesktopSession, _Session(_Guest(out)))
        yield OsworldEpisode(task, session, seen(), fetch=files_of(Path("/")), most_steps=9)

    return DesktopTasks({"t": OsworldTask.model_validate(_task(evaluator))}, desktop)


@pytest.mark.parametrize(
    ("out", "status", "score", "outcome"),
    [
        (b"agent", SampleStatus.COMPLETED, 1.0, "verified"),
        (b"root", SampleStatus.COMPLETED, 0.0, "agent_failure"),
        (None, SampleStatus.TASK_ERROR, None, "env_failure"),
    ],
)
async def test_a_sample_ends_as_the_validator_says(
    out: bytes | None, status: SampleStatus, score: float | None, outcome: str
) -> None:
    async with Sessions([_tasks(out)], clock=ManualClock()) as sessions:
        begun = await sessions.start(LOCAL, "osworld", "t")
        assert "Say who you are" in begun.output.history[0].content
        went_on = await sessions.interact(LOCAL, begun.session_id, clicks(1))
        assert went_on.output.status is SampleStatus.RUNNING
        over = await sessions.interact(
            LOCAL, begun.session_id, says('{"type": "task_complete", "note": ""}')
        )
    assert over.output.result is not None
    end = over.output.result
    assert (over.output.status, end.score, end.outcome) == (status, score, outcome)


def test_tasks_that_desktops_cannot_score_are_not_served(tmp_path: Path) -> None:
    folder = tmp_path / "examples" / "os"
    folder.mkdir(parents=True)
    for name, evaluator in (("yes", EXACT), ("no", ELSEWHERE)):
        (folder / f"{name}.json").write_text(json.dumps({**_task(evaluator), "id": name}))
    index = tmp_path / "index.json"
    index.write_text(json.dumps({"os": ["yes", "no"]}))
    assert list(read_tasks(index)) == ["yes"]
    index.write_text(json.dumps({"os": ["no"]}))
    with pytest.raises(ProofwalkError, match=r"controller\.no_tasks"):
        read_tasks(index)


async def test_files_come_from_their_folder_and_from_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"there")
    (tmp_path / "secret").write_bytes(b"elsewhere")
    (folder / "link").symlink_to(tmp_path / "secret")
    fetch = files_of(folder)
    assert await fetch("file:a.txt") == b"there"
    for url in ("file:../secret", "file:link", "file:none", "file:/etc/passwd", "https://a/b"):
        with pytest.raises(ProofwalkError, match=r"osworld\.no_download"):
            await fetch(url)
