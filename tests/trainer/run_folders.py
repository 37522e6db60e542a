"""Folders of runs that learned from rollouts, with episodes whose answers are one token
each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import CAUSES, EVIDENCE, OUTCOMES
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.outcomes import EnvCause, Evidence, OutcomeKind
from proofwalk.trainer.folder import Result, RunFolder
from proofwalk.trainer.group_store import Kept, RolloutStore
from proofwalk.trainer.group_tasks import group_id, group_of
from proofwalk.trainer.group_trajectories import Attempt

CLOCK = ManualClock()


def model_in(folder: Path, tokenizer: str = "{}") -> Path:
    folder.mkdir()
    (folder / "tokenizer.json").write_text(tokenizer)
    return folder


def run_in(folder: Path, suite: Path, *, model: Path, ended: str = "finished") -> RunFolder:
    """A run's folder without episodes."""
    config = {"method": "grpo", "model": str(model), "rollouts": {"suite": str(suite)}}
    run = RunFolder(folder)
    run.prepare(yaml.safe_dump(config), stopping=False)
    if ended:
        run.write_result(Result.model_validate({"status": ended}))
    return run


def group_in(run: RunFolder, part: str, task: str) -> str:
    """The name of a task's group in a file of a step, or of a validation."""
    name = run.path.name
    return group_of(name, int(part), task) if part.isdigit() else group_id(name, part, task)


def keep(
    run: RunFolder,
    part: str,
    task: str,
    tokens: Sequence[int],
    *,
    outcome: OutcomeKind = OutcomeKind.VERIFIED,
) -> None:
    """Add an episode whose answers are one token each."""
    store = RolloutStore(run.path / "rollouts", clock=CLOCK)
    group = group_in(run, part, task)
    number = len(store.members(part, group))
    member = pb.GroupMember(
        verification_id=f"{run.path.name}-{part}-{task}-{number}",
        number=number,
        outcome=OUTCOMES.to_pb(outcome),
        evidence=EVIDENCE.to_pb(Evidence.AUDIT),
        cause=CAUSES.to_pb(EnvCause.SANDBOX if outcome is OutcomeKind.ENV_FAILURE else None),
    )
    attempts = tuple(
        Attempt(
            prompt=(1, 2),
            completion=(token, 0),
            logprobs=(-0.5, -0.25),
            constrained=(-0.5, -0.01),
            version="step-00000000",
        )
        for token in tokens
    )
    store.keep(part, group, Kept(member=member, attempts=attempts))
