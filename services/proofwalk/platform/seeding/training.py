"""Writes a training run into the trainer role's store, by its use cases with the clock
of that time: finished, with the metrics of its steps, and with its page."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.trainer import page, usecases
from proofwalk.trainer.domain import Run, RunState
from proofwalk.trainer.folder import RunFolder, write_whole

RUN_ID = "sample-grpo"
_STEPS = 60
_STEP_S = 95
_TTL = timedelta(hours=12)
_CONFIGURATION = """\
# A run of the made-up history: it never took place, and has no checkpoint.
method: grpo
settings: {steps: 60, group_size: 8, learning_rate: 1.0e-06}
"""


async def write_run(db: Database, *, folder: Path, seed: int, now: datetime) -> None:
    """Write the run; `folder` is the trainer role's. Its page is left out where charts
    are not installed."""
    source = random.Random(seed)  # noqa: S311 - a fixed sequence is what is asked for
    queued = now - timedelta(days=3)
    run = Run(
        id=RUN_ID,
        state=RunState.QUEUED,
        config_digest=hashlib.sha256(_CONFIGURATION.encode()).hexdigest(),
        config_yaml=_CONFIGURATION,
        method="grpo",
        folder=folder / "runs" / RUN_ID,
        steps=_STEPS,
        created_at=queued,
    )
    await usecases.start_run(db, run)
    claimed = await usecases.claim(
        db, RUN_ID, holder="seeding", ttl=_TTL, clock=ManualClock(queued + timedelta(seconds=5))
    )
    assert claimed is not None, "the run was written just now, and nobody else is here"
    held, _ = claimed
    for step in range(1, _STEPS + 1):
        at = ManualClock(queued + timedelta(seconds=_STEP_S * step))
        await usecases.keep_metrics(db, held, {step: _measured(step, source)}, step=step, clock=at)
    ended = ManualClock(queued + timedelta(seconds=_STEP_S * (_STEPS + 1)))
    await usecases.finish(db, held, RunState.FINISHED, failure=None, clock=ended)
    await _write_page(db, now)


def _measured(step: int, source: random.Random) -> Mapping[str, float]:
    """What a run that learns measures: reward rises, entropy falls, both with noise."""
    learned = 1 - math.exp(-step / 22)
    metrics = {
        "loss": 0.02 * (1 - learned) + source.gauss(0, 0.004),
        "reward": 0.32 + 0.5 * learned + source.gauss(0, 0.035),
        "kl": 0.004 * learned + abs(source.gauss(0, 0.0006)),
        "entropy": 1.4 - 0.8 * learned + source.gauss(0, 0.03),
        "clip_share": 0.02 + abs(source.gauss(0, 0.01)),
        "completion_tokens": 74 - 20 * learned + source.gauss(0, 2),
        "episode_steps": 11 - 4 * learned + source.gauss(0, 0.4),
        "excluded": float(source.randint(0, 3)),
        "informative": 0.7 - 0.3 * learned + source.gauss(0, 0.05),
        "grad_norm": 0.9 + source.gauss(0, 0.12),
        "learning_rate": 1e-6,
    }
    if step % 10 == 0:
        metrics["validation"] = 0.35 + 0.42 * learned + source.gauss(0, 0.02)
    return metrics


async def _write_page(db: Database, now: datetime) -> None:
    run, rows = await usecases.read_metrics(db, RUN_ID, after=0)
    try:
        text = page.render(run, rows, now=now)
    except ProofwalkError:
        return
    run.folder.mkdir(parents=True, exist_ok=True)
    write_whole(RunFolder(run.folder).page, text)
