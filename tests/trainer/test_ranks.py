"""A run on several ranks, started by the role: it follows the run on one, over the
death of a rank, and one result is told."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest

from proofwalk.chassis.settings import ProcessSettings
from proofwalk.rl.run_files import read_metrics
from proofwalk.trainer.child import Order
from proofwalk.trainer.folder import Result, RunFolder
from proofwalk.trainer.launching import ranked
from proofwalk.trainer.learning import train
from tests.trainer import kit
from tests.trainer.kit import QUICK, get, happens, running, start, watch


@pytest.mark.long
@pytest.mark.timeout(400)  # it imports torch five times
async def test_a_run_on_two_ranks_of_which_one_is_killed_has_the_curve_of_one(
    process_settings: ProcessSettings, model_folder: Path, data_file: Path, tmp_path: Path
) -> None:
    settings = {"epochs": 5, "checkpoint_every": 7, "microbatch_tokens": 40}
    alone = RunFolder(tmp_path / "alone")
    alone.prepare(kit.configuration(model_folder, data_file, settings=settings), stopping=False)
    train(Order(folder=alone, rollout="", inference="", threads=1), should_stop=lambda: False)

    config = kit.configuration(
        model_folder, data_file, settings={**settings, "processes": "sharded"}
    )
    async with running(process_settings, QUICK.model_copy(update={"ranks": 2, "drain_s": 30})) as (
        stub,
        _,
    ):
        folder = Path((await start(stub, "r", config)).folder)
        metrics = folder / "metrics.jsonl"
        await happens(lambda: metrics.exists() and metrics.read_text().count("\n") >= 10, 200)
        os.kill(_rank(folder, "1").pid, signal.SIGKILL)
        await watch(stub, "r", timeout_s=300)
        run = await get(stub, "r")
    assert (run.state, run.crashes, run.step) == ("finished", 1, 20), (
        folder / "log.txt"
    ).read_text()[-4000:]
    rows = read_metrics(metrics)
    assert [row["step"] for row in rows] == list(range(1, 21))
    wanted = [row["loss"] for row in read_metrics(alone.metrics)]
    assert [row["loss"] for row in rows] == pytest.approx(wanted, abs=1e-4)
    assert not [
        one for one in psutil.Process().children(recursive=True) if str(folder) in one.cmdline()
    ]


def _rank(folder: Path, rank: str) -> psutil.Process:
    """One of the ranks among our descendants."""
    return next(
        one
        for one in psutil.Process().children(recursive=True)
        if str(folder) in one.cmdline() and one.environ().get("RANK") == rank
    )


def test_the_first_rank_that_says_why_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proofwalk.trainer import child

    folder = RunFolder(tmp_path / "r")
    for rank, text in (("1", "{method: sft, model: /m, settings: {batch_sise: 1}}"), ("0", "{")):
        (
            folder.prepare(text, stopping=False)
            if rank == "1"
            else (tmp_path / "r" / "run.yaml").write_text(text)
        )
        monkeypatch.setenv("RANK", rank)
        monkeypatch.setenv("LOCAL_RANK", rank)
        assert child.main([str(folder.path)]) == 1
        found = folder.read_result()
        assert isinstance(found, Result)
        assert (found.status, found.code) == ("failed", "rl.settings_invalid")


def test_the_launcher_is_torchs_and_stays_on_this_machine() -> None:
    started = ranked(("python", "-m", "x"), 3)
    assert started[1:3] == ["-m", "torch.distributed.run"]
    assert started[started.index("--nproc-per-node") + 1] == "3"
    assert started[started.index("--local-addr") + 1] == "127.0.0.1"
    assert started[-3:] == ["python", "-m", "x"]
