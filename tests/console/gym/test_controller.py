"""The controller over real browsers, driven by the example client: a foreign program
that has nothing of ours."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proofwalk.controller.consoles import Browsers, ConsoleTasks, miniwob_tasks
from proofwalk.controller.http_api import build_app, serve
from proofwalk.controller.owners import Owner, Owners
from proofwalk.controller.sessions import Sessions
from proofwalk.controller.wire import AgentOutput, SampleStatus
from proofwalk.gym.episode_limits import Limits
from proofwalk.gym.miniwob import MiniwobTask
from proofwalk.kernel.clock import SystemClock
from tests.console.conftest import Site
from tests.console.gym.conftest import SiteTask

CLIENT = Path(__file__).parents[3] / "examples" / "agentbench" / "client.py"
ANN = Owner("ann")


@pytest.fixture
async def address(browser: str) -> AsyncIterator[str]:
    """A controller with one page of MiniWoB++."""
    clock = SystemClock()
    tasks = ConsoleTasks(
        "miniwob",
        ["click-test"],
        MiniwobTask,
        browsers=Browsers(clock=clock, endpoint=browser),
    )
    async with Sessions([tasks], clock=clock) as sessions:
        app = build_app(sessions, owners=Owners(), clock=clock)
        async with serve(app, "127.0.0.1:0") as server:
            yield f"{server.url}/api"


async def _run(*arguments: str) -> tuple[int, list[str], str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(CLIENT),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin"},
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode().splitlines(), err.decode()


async def test_the_example_drives_a_task_to_its_score(address: str) -> None:
    code, lines, err = await _run(address, "miniwob", "click-test@0")
    assert code == 0, err
    sample, overall = map(json.loads, lines)
    assert (sample["status"], sample["result"]["score"]) == ("completed", 1.0)
    assert (overall["success_rate"], overall["excluded"]) == (1.0, 0)


async def test_an_agent_may_be_any_program(address: str, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text('#!/bin/sh\necho \'{"type": "task_unachievable", "reason": "no"}\'\n')
    agent.chmod(0o700)
    code, lines, err = await _run(address, "miniwob", "--agent", str(agent))
    assert code == 0, err
    assert json.loads(lines[0])["result"]["score"] == 0.0
    code, _, err = await _run(address, "miniwob", "no-such@0")
    assert (code, "controller.unknown_index" in err) == (1, True)


async def test_ends_of_an_episode_have_agentbenchs_words(browser: str, site: Site) -> None:
    clock = SystemClock()
    tasks = ConsoleTasks(
        "site",
        ["buttons"],
        lambda _: SiteTask(site),
        browsers=Browsers(clock=clock, endpoint=browser, limits=Limits(steps=2, failures=2)),
    )
    idle, off = '{"type": "click", "id": 3}', '{"type": "click", "id": 99}'
    async with Sessions([tasks], clock=clock) as sessions:
        for answer, status, code in (
            (idle, SampleStatus.TASK_LIMIT_REACHED, "episode.step_limit"),
            (off, SampleStatus.AGENT_INVALID_ACTION, "episode.action_failures"),
        ):
            begun = await sessions.start(ANN, "site", "buttons@0")
            for _ in range(2):
                over = await sessions.interact(ANN, begun.session_id, AgentOutput(content=answer))
            assert over.output.status is status
            assert over.output.result is not None
            assert (over.output.result.code, over.output.result.score) == (code, 0.0)


async def test_a_browser_that_cannot_be_had_is_a_task_error() -> None:
    clock = SystemClock()
    tasks = ConsoleTasks(
        "miniwob",
        ["click-test"],
        MiniwobTask,
        browsers=Browsers(clock=clock, chromium=Path("/no/chromium")),
    )
    async with Sessions([tasks], clock=clock) as sessions:
        begun = await sessions.start(ANN, "miniwob", "click-test@0")
    assert begun.output.status is SampleStatus.TASK_ERROR
    assert begun.output.result is not None
    assert begun.output.result.score is None


def test_the_set_of_miniwob_has_an_index_for_each_seed() -> None:
    tasks = miniwob_tasks(Browsers(clock=SystemClock()), seeds=2, capacity=1)
    assert len(tasks.indices) == 250
    assert {"click-test@0", "click-test@1"} <= set(tasks.indices)
