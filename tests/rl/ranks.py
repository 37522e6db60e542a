"""A rank of a run, started by `test_processes`: python -m tests.rl.ranks KIND
FOLDER."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any, Literal, cast

import torch

from proofwalk.kernel.clock import ManualClock
from proofwalk.rl.grpo import run_grpo
from proofwalk.rl.runs import RunResult, ShouldStop
from proofwalk.rl.settings import GrpoSettings, SftSettings
from proofwalk.rl.sft import run_sft
from tests.rl.kit import copying_samples, ignore, never, tiny_model
from tests.rl.toy import Bandit

Kind = Literal["single", "accelerate", "sharded"]


def sft(folder: Path, kind: Kind, should_stop: ShouldStop = never) -> RunResult:
    """Batches of 9 in 5 micro-batches, so that the ranks do not have equally many."""
    settings = SftSettings(
        learning_rate=5e-3,
        batch_size=9,
        epochs=2,
        microbatch_tokens=14,
        checkpoint_every=3,
        processes=kind,
    )
    return run_sft(
        tiny_model(),
        None,
        copying_samples(18),
        settings,
        folder,
        ignore,
        should_stop,
        clock=ManualClock(),
    )


def resumed(folder: Path, kind: Kind) -> RunResult:
    """Ended after two updates, and gone on with from its checkpoint."""
    asked = itertools.count()
    stopped = sft(folder, kind, lambda: next(asked) == 2)
    assert (stopped.status, stopped.step) == ("stopped", 2)
    return sft(folder, kind)


def lora(folder: Path, kind: Kind) -> RunResult:
    """Adapters alone are learned; a checkpoint each step."""
    settings = SftSettings(
        adaptation="lora",
        learning_rate=2e-2,
        batch_size=6,
        epochs=2,
        microbatch_tokens=20,
        checkpoint_every=1,
        processes=kind,
    )
    return run_sft(
        tiny_model(),
        None,
        copying_samples(18),
        settings,
        folder,
        ignore,
        never,
        clock=ManualClock(),
    )


def grpo(folder: Path, kind: Kind) -> RunResult:
    settings = GrpoSettings(
        learning_rate=5e-3,
        group_size=8,
        steps=4,
        kl_coefficient=0.1,
        microbatch_tokens=40,
        checkpoint_every=2,
        processes=kind,
        share_prefix=kind != "sharded",
    )
    bandit = Bandit()

    def validate(step: int, model: Any) -> float:
        return bandit.chance_of_right(model)

    return run_grpo(
        tiny_model(1),
        None,
        bandit,
        settings,
        folder,
        ignore,
        never,
        clock=ManualClock(),
        validate=validate,
    )


RUNS = (sft, resumed, lora, grpo)


if __name__ == "__main__":
    torch.set_num_threads(1)
    kind = cast(Kind, sys.argv[1])
    for run in RUNS:
        run(Path(sys.argv[2]) / run.__name__, kind)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
