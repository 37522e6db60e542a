"""Runs of the trainer role, over its contract: starts and follows them, and stops them
when their minutes are over.

A run is named by the experiment and the key of its stage, so that asking again finds
the run that is there and follows it from its first metric on; the trainer goes on from
its last checkpoint. When the time is over the run is asked to stop: it does so behind
the update that it is at, with a checkpoint. The trainer is the experiment's own: a run
that another form of the recipe has begun is stopped, since nobody waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import grpc

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub
from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.kernel.json_values import JsonObject

_CALL_S = 60.0
_WATCH_S = 3600.0
_STOP_GRACE_S = 1800.0
_LOOK_S = 1.0
"""A run that was asked to stop ends behind the update that it is at, and that behind
its rollouts."""
_ENDED = ("finished", "stopped")


@dataclass(frozen=True, kw_only=True)
class Trained:
    """What came of a run."""

    run_id: str
    state: str
    """finished or stopped."""
    version: str
    """Policy version of the checkpoint to use: the best by validation, else the
    last."""
    folder: Path
    """That checkpoint."""
    step: int
    """Of that checkpoint."""
    score: float | None
    steps: int
    """Updates done in all."""
    metrics: Sequence[Mapping[str, float]]
    """A row for each step, in order; each has `step`."""


OnMetric = Callable[[Mapping[str, float]], None]


async def train(
    channel: grpc.aio.Channel,
    run_id: str,
    config: JsonObject,
    *,
    seconds: float,
    clock: Clock,
    on_metric: OnMetric,
) -> Trained:
    """Start or continue a run, and follow it to its end. After `seconds` it is stopped
    behind the update that it is at.

    Raises `learn.run_failed`, `learn.run_not_ended`, `learn.no_update`, and what the
    trainer's calls raise.
    """
    stub = TrainerStub(channel)
    await stop_others(channel, keep=run_id, clock=clock)
    request = pb.StartRunRequest(run_id=run_id, config_yaml=write_yaml(dict(config)))
    run = (await stub.StartRun(request, timeout=_CALL_S)).run
    if run.state in ("failed", "stopped") and seconds > 0:
        request.resume = True
        run = (await stub.StartRun(request, timeout=_CALL_S)).run
    rows: dict[int, dict[str, float]] = {}
    run = await _until_ended(stub, run_id, rows, seconds=seconds, clock=clock, on_metric=on_metric)
    _check(run, seconds)
    checkpoints = (
        await stub.ListCheckpoints(pb.ListCheckpointsRequest(run_id=run_id), timeout=_CALL_S)
    ).checkpoints
    best = _best(checkpoints, run_id)
    return Trained(
        run_id=run_id,
        state=run.state,
        version=best.policy_version,
        folder=Path(unquote(urlsplit(best.uri).path)),
        step=best.step,
        score=best.validation_score if best.HasField("validation_score") else None,
        steps=run.step,
        metrics=[rows[step] for step in sorted(rows)],
    )


async def _until_ended(
    stub: TrainerStub,
    run_id: str,
    rows: dict[int, dict[str, float]],
    *,
    seconds: float,
    clock: Clock,
    on_metric: OnMetric,
) -> pb.Run:
    """Follow a run until it has ended, and add its metrics to `rows`. After `seconds`
    it is asked to stop. Raises `learn.run_not_ended`."""
    until, stopping = clock.monotonic() + seconds, False
    while True:
        left = until - clock.monotonic()
        if left <= 0:
            if stopping:
                raise unavailable(
                    "learn.run_not_ended",
                    f"the run {run_id} did not stop within {_STOP_GRACE_S:g} s",
                )
            await stub.StopRun(pb.StopRunRequest(run_id=run_id), timeout=_CALL_S)
            stopping, until = True, clock.monotonic() + _STOP_GRACE_S
            continue
        await _follow(stub, run_id, rows, seconds=min(left, _WATCH_S), on_metric=on_metric)
        run: pb.Run = (await stub.GetRun(pb.GetRunRequest(run_id=run_id), timeout=_CALL_S)).run
        if run.state in (*_ENDED, "failed"):
            return run


def _check(run: pb.Run, seconds: float) -> None:
    """Raise `learn.run_failed` or `learn.no_update` for a run that has no result."""
    if run.state == "failed":
        raise ProofwalkError(
            "learn.run_failed",
            f"the run {run.run_id} failed at step {run.step}: {run.error_code}:"
            f" {run.error_message}",
            status=Status.FAILED_PRECONDITION,
            hint=run.error_hint or f"its log lies in {run.folder}",
        )
    if not run.step:
        raise ProofwalkError(
            "learn.no_update",
            f"the run {run.run_id} was stopped before its first update: {seconds:.0f} s were left"
            " for it",
            status=Status.FAILED_PRECONDITION,
            hint="give the stage more minutes in the recipe",
        )


async def stop_others(channel: grpc.aio.Channel, *, keep: str = "", clock: Clock) -> None:
    """End every run but `keep`. The role takes up what a kill left running, and a run
    of GRPO hands its weights to whoever is asked.

    Raises `learn.run_not_ended`."""
    stub, until, asked = TrainerStub(channel), clock.monotonic() + _STOP_GRACE_S, set[str]()
    while True:
        runs = (await stub.ListRuns(pb.ListRunsRequest(limit=200), timeout=_CALL_S)).runs
        going = [
            run.run_id for run in runs if run.run_id != keep and run.state in ("queued", "running")
        ]
        if not going:
            return
        unasked = [run_id for run_id in going if run_id not in asked]
        for run_id in unasked:
            asked.add(run_id)
            await stub.StopRun(pb.StopRunRequest(run_id=run_id), timeout=_CALL_S)
        if unasked:
            continue
        if clock.monotonic() > until:
            raise unavailable(
                "learn.run_not_ended", f"the run {going[0]} did not stop within {_STOP_GRACE_S:g} s"
            )
        await asyncio.sleep(_LOOK_S)


async def _follow(
    stub: TrainerStub,
    run_id: str,
    rows: dict[int, dict[str, float]],
    *,
    seconds: float,
    on_metric: OnMetric,
) -> None:
    """Add the run's metrics after those in `rows`, until it ends or `seconds` are
    over."""
    request = pb.WatchRunRequest(run_id=run_id)
    if rows:
        request.after_step = max(rows)
    try:
        async for metric in stub.WatchRun(request, timeout=max(seconds, 0.1)):
            row = {**dict(metric.values), "step": float(metric.step)}
            rows[metric.step] = row
            on_metric(row)
    except ProofwalkError as error:
        if error.status is not Status.DEADLINE_EXCEEDED:
            raise


def _best(checkpoints: Sequence[pb.Checkpoint], run_id: str) -> pb.Checkpoint:
    """Return the best checkpoint by validation, the earliest of equals; the last one if
    none was validated."""
    if not checkpoints:
        raise unavailable(
            "learn.no_checkpoint",
            f"the run {run_id} has left no checkpoint",
            hint="its log says why",
        )
    scored = [one for one in checkpoints if one.HasField("validation_score")]
    if scored:
        return max(scored, key=lambda one: (one.validation_score, -one.step))
    return max(checkpoints, key=lambda one: one.step)
