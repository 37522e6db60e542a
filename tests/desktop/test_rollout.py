"""The rollout role on real machines: `make test-desktop`. A whole installation whose
sandboxes are desktops, and a group that a model walks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.chassis.database import Database
from proofwalk.chassis.logs import Redaction
from proofwalk.cloud.target import TargetCatalog
from proofwalk.desktop.image import Image
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.reward import Reward, reward_of
from proofwalk.models.asking import Model
from proofwalk.models.settings import ModelSettings
from proofwalk.orders.body import read_request
from proofwalk.rollout.desktop_walker import DesktopWalker
from proofwalk.rollout.ports import Sandbox
from proofwalk.rollout.walk_policies import WalkPolicies
from proofwalk.sandbox_scheduler.desktop import SandboxedDesktop
from proofwalk.trajectories.trajectory import Trajectory
from tests.datasets.kit import Scripted
from tests.e2e.installation import Installation, home, running
from tests.fixtures.templates import copy_migrated
from tests.rollout.groups import Place
from tests.rollout.setting import Setting
from tests.rollout.test_desktops import DESKTOP, document, on_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(900)]
IMAGE = Path("build/desktop").absolute()
TARGET = """\
id: desktops
title: Desktops
console: {url: "desktop:"}
files: files
"""
FILE = "/home/agent/greeting.txt"


def _task(*, gold: str, command: str = "true") -> str:
    """Compare a file that the setup downloads with what is wanted."""
    return json.dumps(
        {
            "id": "a-greeting",
            "instruction": "See that the greeting is right.",
            "config": [
                {
                    "type": "download",
                    "parameters": {"files": [{"url": "file:greeting.txt", "path": FILE}]},
                },
                {"type": "execute", "parameters": {"command": command, "shell": True}},
            ],
            "evaluator": {
                "func": "exact_match",
                "result": {"type": "vm_file", "path": FILE},
                "expected": {"type": "rule", "rules": {"expected": gold}},
            },
        }
    )


async def _verdict(found: Installation, text: str, key: str) -> Mapping[str, Any]:
    body = {
        "document": {"text": text, "name": "a-greeting.json"},
        "target": "desktops",
        "policy": "null",
        "attempts": 1,
    }
    created = await found.client.create(read_request(body), key=key)
    finished = await found.finish(created["verification_id"])
    verdict: Mapping[str, Any] = finished["verdict"]
    page = (await found.client.report(created["verification_id"])).decode()
    assert "See that the greeting is right." in page
    return verdict


async def test_an_installation_with_desktops_walks_tasks_to_typed_verdicts() -> None:
    with home() as folder:
        (folder / "targets" / "files").mkdir(parents=True)
        (folder / "targets" / "desktops.yaml").write_text(TARGET)
        (folder / "targets" / "files" / "greeting.txt").write_text("hello")
        environment = {
            "TARGETS": str(folder / "targets"),
            "SANDBOX_SCHEDULER__BACKEND": "desktop",
            "SANDBOX_SCHEDULER__DESKTOP_IMAGE": str(IMAGE),
            "SANDBOX_SCHEDULER__START_S": "120",
        }
        async with running(folder, environment) as found:
            right = await _verdict(found, _task(gold="hello"), "right")
            assert (right["outcome"], right["evidence"], right["goal"]) == (
                "verified",
                "validator",
                "yes",
            ), right
            wrong = await _verdict(found, _task(gold="good bye"), "wrong")
            assert (wrong["outcome"], wrong["goal"]) == ("agent_failure", "no"), wrong
            broken = await _verdict(found, _task(gold="hello", command="exit 3"), "broken")
            assert (broken["outcome"], broken["cause"]) == ("env_failure", "sandbox"), broken
            left = "select id from sandbox_scheduler_sandboxes where state <> 'ended'"
            assert await found.rows("sandbox_scheduler", left) == []
            open_ = "select key from rollout_intents where state <> 'undone'"
            assert await found.rows("rollout", open_) == []


LINE = {
    "id": "a-line",
    "instruction": "Type hello into the terminal, and press Enter.",
    "config": [
        {
            "type": "launch",
            "parameters": {
                "command": [
                    "xterm",
                    "-e",
                    "/bin/sh -c 'read line; echo \"$line\" > /home/agent/line.txt'",
                ]
            },
        }
    ],
    "evaluator": {
        "func": "exact_match",
        "result": {"type": "vm_command_line", "command": "cat /home/agent/line.txt"},
        "expected": {"type": "rule", "rules": {"expected": "hello\n"}},
    },
}
ANSWERS = (
    {"type": "wait", "seconds": 8},
    {"type": "type_focused", "text": "hello"},
    {"type": "press", "key": "Enter"},
    {"type": "task_complete", "note": "typed"},
)


class _Machines:
    """Answers `ports.SandboxScheduler` with machines of this process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.live: dict[str, SandboxedDesktop] = {}

    async def acquire(
        self,
        *,
        request_id: str,
        tool: str,
        holder: str,
        ttl: timedelta,
        allowed_hosts: Sequence[str],
    ) -> Sandbox:
        assert (tool, list(allowed_hosts)) == ("desktop", [])
        machine = await SandboxedDesktop.start(Image.read(IMAGE), folder=self._folder, within_s=120)
        self.live[request_id] = machine
        return Sandbox(sandbox_id=request_id, epoch=1, cdp_endpoint=machine.endpoint, warm=False)

    async def renew(self, sandbox: Sandbox, *, ttl: timedelta) -> None:
        """Nothing ends by itself."""

    async def release(self, sandbox: Sandbox) -> Mapping[str, int]:
        await self.live.pop(sandbox.sandbox_id).end()
        return {}


@asynccontextmanager
async def _place(setting: Setting, folder: Path, lines: Sequence[str]) -> AsyncIterator[Place]:
    """Groups whose members a model walks that says `lines`."""
    (folder / "targets").mkdir()
    (folder / "targets" / "desktops.yaml").write_text(TARGET.replace("files: files\n", ""))
    clock = SystemClock()
    model = Model(
        client=Scripted(lambda count, _: lines[(count - 1) % len(lines)]),
        settings=ModelSettings(vision=False),
    )
    policies = WalkPolicies(clock=clock, redaction=Redaction(), model=model)
    walker = DesktopWalker(TargetCatalog(folder / "targets", {}), policies=policies)
    machines = _Machines(folder / "m")
    peers = replace(setting.world.peers, walker=walker, sandboxes=machines)
    place = Place(setting, registry=CollectorRegistry(), targets={"desktops": DESKTOP})
    place.peers = peers
    yield place
    assert machines.live == {}


async def test_a_group_that_a_model_walks_is_fetched_with_its_trajectories(
    sqlite_db: Database, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    await copy_migrated("proofwalk.rollout", sqlite_db, tmp_path_factory)
    setting = Setting(db=sqlite_db, folder=tmp_path)
    lines = [json.dumps({"thought": "on", "action": one}) for one in ANSWERS]
    # The second member types nothing.
    async with _place(setting, tmp_path, [*lines, lines[-1]]) as place:
        task = on_desktop(document=document(task=LINE), policy="llm")
        await place.groups.run("run.1.line", task, size=2)
        await place.finish(0, 1, group_id="run.1.line")
        members = await place.watched("run.1.line")
    ends = [(one.judgement.outcome.kind, one.judgement.evidence) for one in members]
    assert [reward_of(*end) for end in ends] == [Reward(value=1.0), Reward(value=0.0)], ends
    assert [one.policy_versions for one in members] == [("tiny-7",), ("tiny-7",)]
    for number, wanted in ((0, [one["type"] for one in ANSWERS]), (1, ["task_complete"])):
        (episode,) = await setting.episodes(f"run.1.line.{number}")
        data = await setting.blobs.get(episode.facts["artefacts"]["trajectory"])
        (tmp_path / f"{number}.parquet").write_bytes(data)
        trajectory = Trajectory.load(tmp_path / f"{number}.parquet")
        assert trajectory.episode.title == "a-line"
        assert trajectory.ending.evidence == "validator"
        steps = list(trajectory)
        assert [json.loads(step.action)["type"] for step in steps] == wanted
        assert all(step.url.startswith("desktop:") for step in steps)
