"""A policy version over the evaluation tasks, by the bench's runner: the same runs for
every version, each row kept as soon as it is known."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Progress, Work, run_all
from proofwalk.experiments.learn.recipe import Beginning
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import RandomIds
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.storage import load_suite

POLICY = "llm"
_LOAD_S = 600.0
_CALL_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Runs that a version is measured by."""

    tasks: Path
    """Folder of the suite."""
    version: str
    numbers: Sequence[int]
    """Of the runs of every task: a number is the same scenario for every version."""


async def serve(channel: grpc.aio.Channel, version: str, folder: Path | None) -> str:
    """Make a version the one that answers; without a folder, the model that the engine
    began with. The version's name."""
    stub = InferenceStub(channel)
    if folder is None:
        # What served before a kill serves again, and may be another version.
        known = (await stub.ListVersions(pb.ListVersionsRequest(), timeout=_CALL_S)).versions
        version = next(one.policy_version for one in known if one.policy_version == one.base)
    request = pb.LoadWeightsRequest(policy_version=version, uri=str(folder or ""))
    return str((await stub.LoadWeights(request, timeout=_LOAD_S)).policy_version)


async def check_serving(channel: grpc.aio.Channel, version: str) -> None:
    """Raises `learn.version_replaced` when another version answers than the one that is
    measured."""
    serving = (
        await InferenceStub(channel).ListVersions(pb.ListVersionsRequest(), timeout=_CALL_S)
    ).serving
    if serving != version:
        raise ProofwalkError(
            "learn.version_replaced",
            f"{serving} answers, and {version} was to be measured",
            status=Status.FAILED_PRECONDITION,
            hint=(
                "something else loads weights into this engine; remove the stage's file in rows/"
                " and run it again"
            ),
        )


async def evaluate(
    place: Platform,
    recipe: Beginning,
    measurement: Measurement,
    *,
    journal: Path,
    progress: Progress,
) -> list[Row]:
    """The measurement's runs, by the version that serves. Rows that the journal has are not run
    again."""
    suite, begun = (
        await asyncio.to_thread(load_suite, measurement.tasks),
        await asyncio.to_thread(journal.is_file),
    )
    part = recipe.evaluate
    works = [
        Work(task=task, policy=POLICY, run=number, level=part.level)
        for number in measurement.numbers
        for task in suite.tasks
    ]
    about = {
        "suite": suite.id,
        "version": suite.version,
        "policy": POLICY,
        "level": part.level,
        "policy_version": measurement.version,
    }
    rows = Journal(journal, run=about, resume=begun)
    return await run_all(
        place,
        works,
        rows,
        parallel=recipe.parallel,
        ids=RandomIds(SystemClock()),
        progress=progress,
    )
