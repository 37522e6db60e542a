"""Runs and checkpoints as `proofwalk train` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.kernel.clock import isoformat


def finite_values(values: Mapping[str, float]) -> dict[str, float | None]:
    """JSON has no NaN."""
    return {
        name: value if abs(value) < float("inf") else None for name, value in sorted(values.items())
    }


def run_data(run: pb.Run) -> dict[str, Any]:
    """A run as the JSON output has it."""
    return {
        "run_id": run.run_id,
        "state": run.state,
        "method": run.method,
        "step": run.step,
        "steps": run.steps,
        "crashes": run.crashes,
        "created_at": moment_text(run.created_at),
        "started_at": moment_text(run.started_at) if run.HasField("started_at") else None,
        "finished_at": moment_text(run.finished_at) if run.HasField("finished_at") else None,
        "error": (
            {"code": run.error_code, "message": run.error_message, "hint": run.error_hint}
            if run.error_code
            else None
        ),
        "best": checkpoint_data(run.best) if run.HasField("best") else None,
        "folder": run.folder,
    }


def checkpoint_data(checkpoint: pb.Checkpoint) -> dict[str, Any]:
    """A checkpoint as the JSON output has it."""
    return {
        "policy_version": checkpoint.policy_version,
        "step": checkpoint.step,
        "validation_score": (
            checkpoint.validation_score if checkpoint.HasField("validation_score") else None
        ),
        "uri": checkpoint.uri,
        "digest": checkpoint.digest,
    }


def run_line(run: pb.Run) -> str:
    return f"{run.run_id}: {run.state}, {run.method}, step {run.step} of {run.steps}"


def moment_text(stamp: Any) -> str:
    return isoformat(stamp.ToDatetime(tzinfo=UTC))
