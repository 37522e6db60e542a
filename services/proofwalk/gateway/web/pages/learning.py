"""Training runs: the list, and one run with its curves, checkpoints and rollout groups.

The trainer's list has no measurements; the newest of each run are read from its stream,
which is left as soon as what is stored has come. A run's groups are named by nobody but
the run (`<run>.<step>.<task>`), so a group is looked up by its name, and rollout says
which verifications it has. What is under way belongs to the run as a principal, and
rollout tells that by itself.
"""

from __future__ import annotations

import asyncio
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from proofwalk.api.rollout.v1 import rollout_pb2 as rollouts
from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_from_pb
from proofwalk.gateway.neighbours import DIAGNOSIS_S, TOLD, Neighbours
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.streams import caller_message
from proofwalk.gateway.web.curves import HEIGHT, WIDTH, Curve, curve
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.listing import Row, row_of
from proofwalk.gateway.web.page_parts import PagePart, part_of
from proofwalk.gateway.web.rollout_rows import RolloutRow, rollout_rows
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.jobs import JobState

router = APIRouter()
PATH = "/console/learning"
_RUNS = 20
_MEMBERS = 200
_UNDER_WAY = 100
_LIVE = ("queued", "running", "stopping")
CURVES: Sequence[str] = (
    "reward",
    "validation",
    "loss",
    "kl",
    "entropy",
    "clip_share",
    "completion_tokens",
    "episode_steps",
    "excluded",
    "informative",
    "staleness",
    "grad_norm",
    "learning_rate",
    "tokens_per_second",
)
"""Measurements that have a curve, in the order of the page."""


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run as the list has it."""

    id: str
    state: str
    method: str
    step: int
    steps: int
    crashes: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error_code: str
    error_message: str
    error_hint: str
    latest: Mapping[str, float]
    """Measurements of its newest step, as far as they were read."""
    resume_command: str
    """What goes on with the run on the role's machine; empty while it lives, and where
    the role names no folder."""


@dataclass(frozen=True, kw_only=True)
class CheckpointRow:
    """A checkpoint that is on disk."""

    policy_version: str
    step: int
    score: float | None
    folder: str
    digest: str
    best: bool


@router.get(PATH)
async def learning(visit: SignedIn, pages: Pages, parts: App) -> Response:
    parts.keys.permit(visit.caller, Act.OPERATE)
    roles = parts.neighbours
    runs: PagePart[pb.ListRunsResponse] = await roles.ask(
        roles.trainer.ListRuns, pb.ListRunsRequest(limit=_RUNS)
    )
    listed = [] if runs.content is None else list(runs.content.runs)
    series = await asyncio.gather(
        *(_metrics(roles, one, after=max(one.step - 1, 0) - 1) for one in listed)
    )
    rows = [
        _row(one, _latest(metrics.content)) for one, metrics in zip(listed, series, strict=True)
    ]
    return pages.page(visit, "learning", runs=runs.mapped(lambda _: rows), most=_RUNS)


@router.get(PATH + "/{run_id}")
async def run(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    run_id: Annotated[str, Path(max_length=64)],
    group: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """Raises `trainer.run_not_found`."""
    parts.keys.permit(visit.caller, Act.OPERATE)
    roles = parts.neighbours
    got: PagePart[pb.GetRunResponse] = await roles.ask(
        roles.trainer.GetRun, pb.GetRunRequest(run_id=run_id)
    )
    this = None if got.content is None else got.content.run
    metrics, checkpoints, members, rollouts_now = await asyncio.gather(
        _metrics(roles, this, after=-1),
        _checkpoints(roles, this),
        _members(visit, parts, group),
        _under_way(visit, parts, run_id),
    )
    return pages.page(
        visit,
        "learning_run",
        run_id=run_id,
        run=got.mapped(lambda reply: _row(reply.run, _latest(metrics.content))),
        curves=metrics.mapped(_curves),
        size=(WIDTH, HEIGHT),
        checkpoints=checkpoints,
        is_live=this is not None and this.state in _LIVE,
        rollouts=rollouts_now,
        most_rollouts=_UNDER_WAY,
        group=group,
        members=members,
    )


async def _metrics(
    roles: Neighbours, run: pb.Run | None, *, after: int
) -> PagePart[Sequence[pb.Metric]]:
    """What is stored of a run behind a step."""
    if run is None or (run.step == 0 and run.state in _LIVE):
        return PagePart(content=())
    return await part_of(
        _stored(roles, run, after=after), also=TOLD, wait_s=roles.patience_s + DIAGNOSIS_S
    )


async def _stored(roles: Neighbours, run: pb.Run, *, after: int) -> Sequence[pb.Metric]:
    """The stream of a run that lives goes on; it is left at the run's newest step, or
    when time is up, with what came."""
    metrics: list[pb.Metric] = []
    request = pb.WatchRunRequest(run_id=run.run_id, after_step=after)
    stream = roles.trainer.WatchRun(request, timeout=roles.patience_s)
    try:
        async for metric in stream:
            metrics.append(metric)
            if metric.step >= run.step:
                break
    except ProofwalkError as error:
        if error.status is not Status.DEADLINE_EXCEEDED:
            raise
    finally:
        stream.cancel()
    return metrics


async def _checkpoints(roles: Neighbours, run: pb.Run | None) -> PagePart[Sequence[CheckpointRow]]:
    if run is None:
        return PagePart(content=())
    listed: PagePart[pb.ListCheckpointsResponse] = await roles.ask(
        roles.trainer.ListCheckpoints, pb.ListCheckpointsRequest(run_id=run.run_id)
    )
    best = run.best.policy_version if run.HasField("best") else ""
    return listed.mapped(lambda reply: [_checkpoint(one, best) for one in reply.checkpoints])


async def _members(visit: SignedIn, parts: App, group: str) -> PagePart[Sequence[Row]]:
    """The members of a group, by their numbers."""
    if not group:
        return PagePart(content=())
    request = rollouts.ListVerificationsRequest(
        caller=caller_message(visit.caller), group_id=group, limit=_MEMBERS
    )
    listed: PagePart[rollouts.ListVerificationsResponse] = await parts.neighbours.ask(
        parts.rollout.ListVerifications, request
    )
    return listed.mapped(
        lambda reply: sorted(map(row_of, reply.verifications), key=lambda row: _number(row.id))
    )


async def _under_way(visit: SignedIn, parts: App, run_id: str) -> PagePart[Sequence[RolloutRow]]:
    """The run's rollouts that are worked on now."""
    request = rollouts.ListVerificationsRequest(
        caller=caller_message(visit.caller),
        principal=f"trainer:{run_id}",
        state=JobState.RUNNING.value,
        with_members=True,
        limit=_UNDER_WAY,
    )
    listed: PagePart[rollouts.ListVerificationsResponse] = await parts.neighbours.ask(
        parts.rollout.ListVerifications, request
    )
    return listed.mapped(rollout_rows)


def _number(verification_id: str) -> int:
    """k of `<group>.<k>`."""
    number = verification_id.rpartition(".")[2]
    return int(number) if number.isdecimal() else 0


def _latest(metrics: Sequence[pb.Metric] | None) -> Mapping[str, float]:
    """The newest value of each measurement; a step need not have all."""
    latest: dict[str, float] = {}
    for metric in metrics or ():
        latest.update(metric.values)
    return latest


def _curves(metrics: Sequence[pb.Metric]) -> list[Curve]:
    drawn = (
        curve(name, [(one.step, one.values[name]) for one in metrics if name in one.values])
        for name in CURVES
    )
    return [one for one in drawn if one is not None]


def _row(run: pb.Run, latest: Mapping[str, float]) -> RunRow:
    return RunRow(
        id=run.run_id,
        state=run.state,
        method=run.method,
        step=run.step,
        steps=run.steps,
        crashes=run.crashes,
        created_at=moment_from_pb(run.created_at),
        started_at=moment_from_pb(run.started_at) if run.HasField("started_at") else None,
        finished_at=moment_from_pb(run.finished_at) if run.HasField("finished_at") else None,
        error_code=run.error_code,
        error_message=run.error_message,
        error_hint=run.error_hint,
        resume_command=_resume_command(run),
        latest={name: value for name, value in latest.items() if math.isfinite(value)},
    )


def _resume_command(run: pb.Run) -> str:
    # The trainer keeps a run's configuration in the run's folder.
    if run.state in _LIVE or not run.folder:
        return ""
    configuration = f"{run.folder}/run.yaml"
    words = ("proofwalk", "train", "start", configuration, "--run-id", run.run_id, "--resume")
    return shlex.join(words)


def _checkpoint(checkpoint: pb.Checkpoint, best: str) -> CheckpointRow:
    return CheckpointRow(
        policy_version=checkpoint.policy_version,
        step=checkpoint.step,
        score=checkpoint.validation_score if checkpoint.HasField("validation_score") else None,
        folder=checkpoint.uri.removeprefix("file://"),
        digest=checkpoint.digest,
        best=checkpoint.policy_version == best,
    )
