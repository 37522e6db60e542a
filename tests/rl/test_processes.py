"""A run on two ranks follows the run on one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from proofwalk.rl.checkpoints import Checkpoints
from proofwalk.rl.processes import Single, dealt
from proofwalk.rl.run_files import read_metrics
from tests.rl import ranks
from tests.rl.kit import curve


class _Rank(Single):
    def __init__(self, rank: int, world: int) -> None:
        self.rank, self.world = rank, world


@pytest.mark.parametrize(("pieces", "world"), [(5, 2), (4, 2), (1, 3), (7, 1)])
def test_every_piece_counts_once_and_every_rank_has_as_many(pieces: int, world: int) -> None:
    hands = [dealt(list(range(pieces)), _Rank(rank, world)) for rank in range(world)]
    assert len({len(hand) for hand in hands}) == 1
    assert sorted(piece for hand in hands for piece, counts in hand if counts) == list(
        range(pieces)
    )


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def on_two_ranks(kind: str, folder: Path) -> None:
    base = {
        **os.environ,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(_free_port()),
        "WORLD_SIZE": "2",
        "ACCELERATE_USE_CPU": "true",
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
    }
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.rl.ranks", kind, str(folder)],
            env={**base, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        said = [process.communicate(timeout=280)[0] for process in both]
    finally:
        for process in both:
            process.kill()
            process.wait()
    assert [process.returncode for process in both] == [0, 0], said


@pytest.mark.timeout(300)
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["accelerate", "sharded"])
def test_two_ranks_follow_one(tmp_path: Path, kind: str) -> None:
    on_two_ranks(kind, tmp_path / "two")
    for run in ranks.RUNS:
        name = run.__name__
        alone = run(tmp_path / "one" / name, "single").metrics
        two = read_metrics(tmp_path / "two" / name / "metrics.jsonl")
        assert [row["step"] for row in two] == [row["step"] for row in alone]
        for figure in ("loss", "grad_norm", "entropy", "validation", "reward"):
            assert curve(two, figure) == pytest.approx(curve(alone, figure), abs=1e-4), (
                name,
                figure,
            )
        theirs = Checkpoints(tmp_path / "two" / name / "checkpoints").last()
        ours = Checkpoints(tmp_path / "one" / name / "checkpoints").last()
        assert theirs is not None
        assert ours is not None
        assert theirs.manifest.files.keys() == ours.manifest.files.keys()
        file = next(one for one in ours.manifest.files if one.endswith(".safetensors"))
        weights = load_file(theirs.path / file)
        for key, tensor in load_file(ours.path / file).items():
            # Of a gradient that is nearly nought, Adam makes a part of a step: a tenth
            # of one is allowed, of two to eight.
            assert torch.allclose(weights[key], tensor, atol=1e-3), (name, key)
