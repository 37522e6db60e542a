"""A run's files as they are read by who trains nothing: manifests of checkpoints, and
metrics. No torch.

A checkpoint's folder is `step-…` with a `manifest.json` (`checkpoints` writes it and
says what else lies there); metrics are a JSON object a line. Whoever reads while the
run goes on sees whole checkpoints only, since they appear and go away by a rename.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.kernel.errors import ProofwalkError, Status

MANIFEST = "manifest.json"


class Manifest(BaseModel):
    """What a checkpoint says about itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: int
    """Updates done."""
    position: dict[str, int]
    """Where in its data the run stands."""
    score: float | None
    """Validation score; higher is better."""
    settings: dict[str, Any]
    origin: str
    """Digest of what the run began with: weights, and the data set where there is
    one."""
    files: dict[str, str]
    """SHA-256 by name."""
    digest: str
    """SHA-256 over `files`: the identity of the content."""


class Checkpoint(NamedTuple):
    """A whole checkpoint on disk."""

    path: Path
    manifest: Manifest


def read_checkpoints(folder: Path) -> list[Checkpoint]:
    """Whole checkpoints by step. Raises `rl.checkpoint_damaged`."""
    found: list[Checkpoint] = []
    for path in sorted(folder.glob("step-*")):
        try:
            manifest = Manifest.model_validate_json((path / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValidationError) as error:
            if not path.exists():  # it was pruned since the folder was listed
                continue
            raise damaged(path, f"its manifest cannot be read: {error}") from None
        found.append(Checkpoint(path, manifest))
    return sorted(found, key=lambda checkpoint: checkpoint.manifest.step)


def best_of(checkpoints: Sequence[Checkpoint]) -> Checkpoint | None:
    """The highest validation score, the earliest of equals; None before the first
    validation."""
    scored = [(checkpoint.manifest.score, checkpoint) for checkpoint in checkpoints]
    ranked = [(score, checkpoint) for score, checkpoint in scored if score is not None]
    return max(ranked, key=lambda pair: (pair[0], -pair[1].manifest.step))[1] if ranked else None


def damaged(path: Path, what: str) -> ProofwalkError:
    """The error of a checkpoint that is not what was written."""
    return ProofwalkError(
        "rl.checkpoint_damaged",
        f"{path}: {what}",
        status=Status.FAILED_PRECONDITION,
        hint="remove this checkpoint; the run resumes from the one before it, or begins again",
    )


def write_metrics(path: Path, metrics: Sequence[Mapping[str, float]]) -> None:
    """One JSON object a line."""
    path.write_text("".join(json.dumps(dict(row)) + "\n" for row in metrics), encoding="utf-8")


def read_metrics(path: Path) -> list[dict[str, float]]:
    """Inverse of `write_metrics`; a torn last line (a crash while it was written) is
    left out."""
    rows: list[dict[str, float]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


def synced(path: Path) -> None:
    """Until the disk has the file, or the folder's names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
