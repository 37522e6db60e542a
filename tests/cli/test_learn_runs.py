"""A run of the trainer followed to its end, to its stop, or to its failure."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.api.trainer.v1 import trainer_pb2_grpc
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.tracing import Tracing
from proofwalk.experiments.learn.training import train
from proofwalk.kernel.clock import Clock, ManualClock
from proofwalk.kernel.errors import ProofwalkError


class _Trainer(trainer_pb2_grpc.TrainerServicer):
    """A run of some steps; it goes on until it is asked to stop, or fails."""

    def __init__(self, *, steps: int, fails: int = 0, endless: bool = False) -> None:
        self.state, self.steps, self.fails, self.endless = "", steps, fails, endless
        self.started: list[tuple[str, bool]] = []
        self.others: dict[str, str] = {}
        """States of runs that are not the one asked for."""
        self.deaf = False

    def _run(self) -> pb.Run:
        return pb.Run(
            run_id="r",
            state=self.state,
            step=self.steps,
            error_code="rl.broken" if self.state == "failed" else "",
        )

    async def StartRun(self, request: pb.StartRunRequest, context: Any) -> pb.StartRunResponse:
        self.started.append((request.config_yaml, request.resume))
        if not self.state or request.resume:
            self.state = "running"
        return pb.StartRunResponse(run_id="r", run=self._run())

    async def WatchRun(self, request: pb.WatchRunRequest, context: Any) -> AsyncIterator[pb.Metric]:
        after = request.after_step if request.HasField("after_step") else -1
        for step in range(max(after + 1, 1), self.steps + 1):
            yield pb.Metric(step=step, values={"loss": 1.0 / step})
        if self.endless and self.state == "running":
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "later")
        elif self.fails:
            self.fails, self.state = self.fails - 1, "failed"
        elif self.state == "running":
            self.state = "finished"

    async def ListRuns(self, request: pb.ListRunsRequest, context: Any) -> pb.ListRunsResponse:
        return pb.ListRunsResponse(
            runs=[
                self._run(),
                *(pb.Run(run_id=name, state=state) for name, state in self.others.items()),
            ]
        )

    async def StopRun(self, request: pb.StopRunRequest, context: Any) -> pb.StopRunResponse:
        if request.run_id in self.others:
            if not self.deaf:
                self.others[request.run_id] = "stopped"
            return pb.StopRunResponse()
        self.state = "stopped"
        return pb.StopRunResponse(run=self._run())

    async def GetRun(self, request: pb.GetRunRequest, context: Any) -> pb.GetRunResponse:
        return pb.GetRunResponse(run=self._run())

    async def ListCheckpoints(
        self, request: pb.ListCheckpointsRequest, context: Any
    ) -> pb.ListCheckpointsResponse:
        def one(step: int, score: float | None) -> pb.Checkpoint:
            return pb.Checkpoint(
                policy_version=f"r@step-{step:08d}",
                step=step,
                uri=f"file:///runs/r/{step}",
                validation_score=score,
            )

        return pb.ListCheckpointsResponse(
            checkpoints=[one(0, 0.5), one(5, 0.75), one(10, 0.75), one(12, None)]
        )


class _Ticking(ManualClock):
    """Ten minutes pass at each look."""

    def monotonic(self) -> float:
        self.advance(600)
        return super().monotonic()


async def _trained(
    servicer: _Trainer, tmp_path: Path, clock: Clock, *, seconds: float = 1e9
) -> tuple[Any, list[float]]:
    from prometheus_client import CollectorRegistry

    tracing, metrics = Tracing("test"), RpcMetrics(CollectorRegistry())
    service = RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Trainer"],
        register=trainer_pb2_grpc.add_TrainerServicer_to_server,
        servicer=servicer,
    )
    address = f"unix:{tmp_path}/t.sock"
    server = RpcServer(address, [service], tracing=tracing, metrics=metrics)
    await server.start()
    channel = RpcChannel(address, tracing=tracing, metrics=metrics)
    seen: list[float] = []
    try:
        found = await train(
            channel.grpc,
            "r",
            {"method": "sft"},
            seconds=seconds,
            clock=clock,
            on_metric=lambda row: seen.append(row["step"]),
        )
    finally:
        await channel.close()
        await server.stop(0)
    return found, seen


async def test_a_run_is_followed_to_its_end_and_its_best_checkpoint_taken(tmp_path: Path) -> None:
    servicer = _Trainer(steps=4)
    found, seen = await _trained(servicer, tmp_path, ManualClock())
    assert (found.state, found.version, found.folder, found.score) == (
        "finished",
        "r@step-00000005",
        Path("/runs/r/5"),
        0.75,
    )
    assert seen == [1, 2, 3, 4]
    assert [row["loss"] for row in found.metrics] == [1.0, 0.5, pytest.approx(1 / 3), 0.25]
    assert yaml.safe_load(servicer.started[0][0]) == {"method": "sft"}


async def test_a_run_of_another_form_of_the_recipe_is_stopped(tmp_path: Path) -> None:
    servicer = _Trainer(steps=1)
    servicer.others = {"older": "running", "waiting": "queued", "oldest": "finished"}
    await _trained(servicer, tmp_path, ManualClock())
    assert servicer.others == {"older": "stopped", "waiting": "stopped", "oldest": "finished"}


async def test_a_run_that_does_not_stop_is_not_trained_or_measured_beside(tmp_path: Path) -> None:
    servicer = _Trainer(steps=1)
    servicer.others, servicer.deaf = {"older": "running"}, True
    with pytest.raises(ProofwalkError, match="the run older did not stop") as raised:
        await _trained(servicer, tmp_path, _Ticking())
    assert raised.value.code == "learn.run_not_ended"
    assert servicer.started == []


async def test_a_run_whose_minutes_are_over_is_stopped_and_no_metric_comes_twice(
    tmp_path: Path,
) -> None:
    servicer = _Trainer(steps=3, endless=True)
    found, seen = await _trained(servicer, tmp_path, _Ticking(), seconds=3000)
    assert found.state == servicer.state == "stopped"
    assert seen == [1, 2, 3]


async def test_a_run_that_never_came_to_an_update_is_no_result(tmp_path: Path) -> None:
    servicer = _Trainer(steps=0, endless=True)
    with pytest.raises(ProofwalkError, match="before its first update") as raised:
        await _trained(servicer, tmp_path, _Ticking(), seconds=3000)
    assert raised.value.code == "learn.no_update"
    servicer.steps = 2
    found, _ = await _trained(servicer, tmp_path, _Ticking(), seconds=3000)
    assert found.steps == 2
    assert servicer.started[-1][1] is True, "what was stopped goes on while there is time"


async def test_a_run_that_failed_is_taken_up_once_more_and_then_told(tmp_path: Path) -> None:
    servicer = _Trainer(steps=2, fails=2)
    for resumed in ([False], [False, False, True]):
        with pytest.raises(ProofwalkError, match=r"rl\.broken") as raised:
            await _trained(servicer, tmp_path, ManualClock())
        assert raised.value.code == "learn.run_failed"
        assert [resume for _, resume in servicer.started] == resumed
    found, _ = await _trained(servicer, tmp_path, ManualClock())
    assert found.state == "finished"
