"""A run, its states, and the errors that say why not. Pure.

    queued --claim--> running --> finished | failed | stopped
      |  `<-- drain --'  `-- stop --> stopping --> stopped | finished | failed
      `-- stop --> stopped                         stopped, failed --resume--> queued

A claim is a lease with an epoch: whoever trains a run renews it and names it in every
write; one whose claim was taken over writes nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from proofwalk.chassis.processes import ProcessIdentity
from proofwalk.kernel.errors import (
    ProofwalkError,
    Status,
    conflict,
    invalid,
    not_found,
    unimplemented,
)

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class RunState(StrEnum):
    """Where a run is."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"


ENDED = frozenset({RunState.FINISHED, RunState.FAILED, RunState.STOPPED})


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a run failed, or its process died."""

    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run as stored."""

    id: str
    state: RunState
    config_digest: str
    config_yaml: str
    method: str
    folder: Path
    steps: int
    """Updates that it is to have."""
    step: int = 0
    """Updates done."""
    crashes: int = 0
    """How often its process has died, since it was queued."""
    failure: Failure | None = None
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    claim_holder: str = ""
    claim_epoch: int = 0
    claim_expires_at: datetime | None = None
    child: ProcessIdentity | None = None
    """The guard of its process, on the machine of the role that holds it."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A role's hold on a run."""

    run_id: str
    epoch: int


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The metrics of one step, and when they were seen."""

    step: int
    time: datetime
    values: Mapping[str, float]


def check_run_id(run_id: str) -> None:
    """Raises `trainer.bad_run_id`. An id is the name of a folder, and begins names of
    policy versions."""
    if not _RUN_ID.fullmatch(run_id):
        raise invalid(
            "trainer.bad_run_id",
            f"{run_id[:80]!r} cannot be a run's id: letters, digits and . _ -, at most 64",
        )


def policy_version(run_id: str, step: int) -> str:
    """As the inference role names a run's weights after `step` updates."""
    return f"{run_id}@step-{step:08d}"


def run_not_found(run_id: str) -> ProofwalkError:
    return not_found(
        "trainer.run_not_found",
        f"there is no run {run_id[:80]!r}",
        hint="`proofwalk train list` shows them",
    )


def run_exists(run_id: str) -> ProofwalkError:
    return ProofwalkError(
        "trainer.run_exists",
        f"the run {run_id!r} exists and was started from another configuration",
        status=Status.ALREADY_EXISTS,
        hint="give another run another id",
    )


def not_resumable(run: Run) -> ProofwalkError:
    return conflict(
        "trainer.not_resumable",
        f"the run {run.id!r} is {run.state}; a stopped or failed one is resumed",
    )


def not_built(what: str, *, hint: str = "") -> ProofwalkError:
    return unimplemented("trainer.not_built", what, hint=hint)
