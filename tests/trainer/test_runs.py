"""Whole runs with the real process: killed in the middle, it ends where an undisturbed
one does, bit for bit."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import psutil
import pytest

from proofwalk.chassis.settings import ProcessSettings
from proofwalk.rl.run_files import read_metrics
from proofwalk.trainer.child import Order
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.learning import train
from tests.trainer import kit
from tests.trainer.kit import get, happens, running, start, watch


def _curve(folder: Path) -> list[dict[str, float]]:
    return [
        {name: value for name, value in row.items() if name != "tokens_per_second"}
        for row in read_metrics(folder / "metrics.jsonl")
    ]


@pytest.mark.long
@pytest.mark.timeout(300)  # it imports torch twice
async def test_a_run_killed_in_the_middle_has_the_curve_of_an_undisturbed_one(
    process_settings: ProcessSettings, model_folder: Path, data_file: Path, tmp_path: Path
) -> None:
    config = kit.configuration(
        model_folder, data_file, settings={"epochs": 15, "checkpoint_every": 7}
    )
    undisturbed = RunFolder(tmp_path / "undisturbed")
    undisturbed.prepare(config, stopping=False)
    order = Order(folder=undisturbed, rollout="", inference="", threads=1)
    assert train(order, should_stop=lambda: False).step == 60

    async with running(process_settings) as (stub, _):
        folder = Path((await start(stub, "r", config)).folder)
        metrics = folder / "metrics.jsonl"
        await happens(lambda: metrics.exists() and metrics.read_text().count("\n") >= 12, 120)
        os.kill(_child(folder).pid, signal.SIGKILL)
        steps = [metric.step for metric in await watch(stub, "r", timeout_s=200)]
        run = await get(stub, "r")
    assert (run.state, run.crashes, run.step) == ("finished", 1, 60)
    assert steps == list(range(1, 61))
    assert _curve(folder) == _curve(undisturbed.path)
    weights = "checkpoints/step-00000060/model.safetensors"
    assert (folder / weights).read_bytes() == (undisturbed.path / weights).read_bytes()
    log = (folder / "log.txt").read_text()
    assert log.count("samples_read") == 2
    assert json.loads((folder / "provenance.json").read_text())["model"]["path"] == str(
        model_folder
    )


def _child(folder: Path) -> psutil.Process:
    """The training process among our descendants: the guard's child."""
    return next(
        one
        for one in psutil.Process().children(recursive=True)
        if str(folder) in one.cmdline()
        and "proofwalk.trainer.child" in one.cmdline()
        and "deathwatch" not in " ".join(one.cmdline())
    )
