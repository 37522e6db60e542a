"""The trainer contract (`proto/proofwalk/api/trainer/v1`) over the use cases: mapping
only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerServicer
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock
from proofwalk.rl import run_files
from proofwalk.trainer import usecases
from proofwalk.trainer.configuration import parse_configuration
from proofwalk.trainer.domain import ENDED, Measured, Run, RunState, check_run_id, policy_version
from proofwalk.trainer.examination import examine
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.leaks import Leaks

Context = grpc.aio.ServicerContext[Any, Any]
_POLL_S = 0.25
_PAGE, _MAX_PAGE = 50, 200


class TrainerApi(TrainerServicer):
    """Serves the contract. `folder` holds the runs' folders; `wake` tells the worker
    that there is something to do."""

    def __init__(
        self, db: Database, *, clock: Clock, folder: Path, leaks: Leaks, wake: Callable[[], None]
    ) -> None:
        self._db = db
        self._clock = clock
        self._folder = folder
        self._leaks = leaks
        self._wake = wake

    async def StartRun(self, request: pb.StartRunRequest, context: Context) -> pb.StartRunResponse:
        check_run_id(request.run_id)
        config = parse_configuration(request.config_yaml)
        run = await usecases.known_run(self._db, request.run_id, config_digest=config.digest)
        if run is None:
            steps = await asyncio.to_thread(examine, config, self._leaks, self._clock)
            queued = Run(
                id=request.run_id,
                state=RunState.QUEUED,
                config_digest=config.digest,
                config_yaml=request.config_yaml,
                method=config.learning.method,
                folder=self._folder / "runs" / request.run_id,
                steps=steps,
                created_at=self._clock.now(),
            )
            run = await usecases.start_run(self._db, queued)
        elif request.resume:
            run = await usecases.resume_run(self._db, run.id)
        self._wake()
        return pb.StartRunResponse(run_id=run.id, run=run_message(run))

    async def WatchRun(
        self, request: pb.WatchRunRequest, context: Context
    ) -> AsyncIterator[pb.Metric]:
        after = request.after_step if request.HasField("after_step") else -1
        while True:
            run, rows = await usecases.read_metrics(self._db, request.run_id, after=after)
            for row in rows:
                yield _metric(row)
                after = row.step
            if not rows and run.state in ENDED:
                return
            if not rows:
                await asyncio.sleep(_POLL_S)

    async def StopRun(self, request: pb.StopRunRequest, context: Context) -> pb.StopRunResponse:
        run = await usecases.request_stop(self._db, request.run_id, clock=self._clock)
        self._wake()
        return pb.StopRunResponse(run=run_message(run))

    async def GetRun(self, request: pb.GetRunRequest, context: Context) -> pb.GetRunResponse:
        run = await usecases.read_run(self._db, request.run_id)
        best = run_files.best_of(await self._checkpoints(run))
        message = run_message(run)
        if best is not None:
            message.best.CopyFrom(_checkpoint(run, best))
        message.config_yaml = run.config_yaml
        return pb.GetRunResponse(run=message)

    async def ListRuns(self, request: pb.ListRunsRequest, context: Context) -> pb.ListRunsResponse:
        limit = min(request.limit if request.limit > 0 else _PAGE, _MAX_PAGE)
        return pb.ListRunsResponse(
            runs=[run_message(run) for run in await usecases.read_runs(self._db, limit=limit)]
        )

    async def ListCheckpoints(
        self, request: pb.ListCheckpointsRequest, context: Context
    ) -> pb.ListCheckpointsResponse:
        run = await usecases.read_run(self._db, request.run_id)
        found = await self._checkpoints(run)
        return pb.ListCheckpointsResponse(
            checkpoints=[_checkpoint(run, checkpoint) for checkpoint in found]
        )

    async def _checkpoints(self, run: Run) -> list[run_files.Checkpoint]:
        return await asyncio.to_thread(
            run_files.read_checkpoints, RunFolder(run.folder).checkpoints
        )


def run_message(run: Run) -> pb.Run:
    """A run as the contract shows it, without what lies in its folder."""
    failure = run.failure
    return pb.Run(
        run_id=run.id,
        state=run.state.value,
        method=run.method,
        step=run.step,
        steps=run.steps,
        error_code=failure.code if failure else "",
        error_message=failure.message if failure else "",
        error_hint=failure.hint if failure else "",
        crashes=run.crashes,
        created_at=_stamp(run.created_at),
        started_at=_stamp(run.started_at),
        finished_at=_stamp(run.finished_at),
        folder=str(run.folder),
    )


def _metric(row: Measured) -> pb.Metric:
    return pb.Metric(step=row.step, time=_stamp(row.time), values=row.values)


def _checkpoint(run: Run, found: run_files.Checkpoint) -> pb.Checkpoint:
    manifest = found.manifest
    return pb.Checkpoint(
        policy_version=policy_version(run.id, manifest.step),
        step=manifest.step,
        uri=found.path.as_uri(),
        validation_score=manifest.score,
        digest=manifest.digest,
    )


def _stamp(moment: datetime | None) -> Timestamp | None:
    if moment is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(moment.astimezone(UTC))
    return stamp
