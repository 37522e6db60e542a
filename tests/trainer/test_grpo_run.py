"""Runs of GRPO and WebRL with the real process and real gRPC: groups of episodes in,
versions of weights out, over a kill of the process."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

import psutil
import pytest
import yaml

from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.tracing import Tracing
from proofwalk.rl.run_files import read_metrics
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer import main
from tests.trainer.group_fakes import Ending, serving
from tests.trainer.group_place import TASKS
from tests.trainer.kit import QUICK, get, happens, start, watch


@pytest.mark.slow
@pytest.mark.timeout(400)  # it imports torch twice
@pytest.mark.parametrize("method", ["grpo", pytest.param("webrl", marks=pytest.mark.long)])
async def test_a_run_on_rollouts_survives_a_kill_and_repeats_no_finished_episode(
    method: str,
    process_settings: ProcessSettings,
    model_folder: Path,
    tmp_path: Path,
    tracing: Tracing,
    home: Path,
) -> None:
    write_suite(Suite(id="train", version=1, seed=0, tasks=TASKS), tmp_path / "suite")
    config = yaml.safe_dump(
        {
            "method": method,
            "model": str(model_folder),
            "settings": {
                "steps": 5,
                "group_size": 4,
                "learning_rate": 1e-3,
                "validate_every": 2,
                "checkpoint_every": 1,
            },
            "rollouts": {"suite": str(tmp_path / "suite"), "tasks_per_step": 2, "deadline_s": 60},
            "validation": {"tasks": [TASKS[0].id], "runs": 2},
        }
    )
    (home / "peers").mkdir()
    async with serving(home / "peers", tracing) as peers:
        peers.rollout.ending = lambda group, number: Ending(
            outcome=("verified", "agent_failure")[(number + len(group)) % 2]
        )
        addresses = {"rollout": peers.rollout_address, "inference": peers.inference_address}
        settings = process_settings.model_copy(update={"addresses": addresses})
        async with Process(settings, [main.role(QUICK)]) as process:
            from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub

            stub = TrainerStub(process.channel("trainer").grpc)
            folder = Path((await start(stub, "r", config)).folder)
            metrics = folder / "metrics.jsonl"
            await happens(lambda: metrics.exists() and '"step": 2.0' in metrics.read_text(), 150)
            os.kill(_child(folder).pid, signal.SIGKILL)
            steps = [metric.step for metric in await watch(stub, "r", timeout_s=200)]
            run = await get(stub, "r")
            log = await asyncio.to_thread((folder / "log.txt").read_text)
            assert (run.state, run.crashes, run.step) == ("finished", 1, 5), f"{run}\n{log[-4000:]}"
    assert steps == [0, 1, 2, 3, 4, 5]
    rows = read_metrics(metrics)
    assert all(row["reward"] == 0.5 for row in rows if "reward" in row)
    assert {int(row["step"]) for row in rows if "validation" in row} == {0, 2, 4, 5}
    versions = list(dict.fromkeys(peers.inference.loaded))
    assert versions == [f"r@step-{step:08d}" for step in range(6)]
    assert run.best.policy_version.startswith("r@step-")
    repeated = [name for name, times in Counter(peers.rollout.fetched).items() if times > 1]
    assert repeated == []
    # each step's groups, and each validation's, once
    assert len(peers.rollout.members) == 5 * 2 + 4


def _child(folder: Path) -> psutil.Process:
    """The training process among our descendants: the guard's child."""
    return next(
        one
        for one in psutil.Process().children(recursive=True)
        if str(folder) in one.cmdline() and "deathwatch" not in " ".join(one.cmdline())
    )
