"""A run's folder, `<trainer home>/runs/<run_id>/`: everything that is needed to look at
the run, to go on with it, and to do it again.

    run.yaml           the configuration, as given
    settings.json      all settings, with the digest of what the run began with (this and the next two: `rl.runs`)
    metrics.jsonl      a line a step
    checkpoints/       the best and the last
    provenance.json    commit, versions of packages, machine, digests of data and model
    tensorboard/       event files
    index.html         the run page
    log.txt            what its processes wrote
    rollouts/          the episodes that were learned from (this and the next: `group_rollouts`)
    weights/           the versions handed to the inference role
    result.json        how its last process ended, if it could still say so
    stop, leave, lock  a wish to stop, or to save and end for now (`node`); held by the process that writes here

The role and the run's process share it; no torch here.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject


class Result(BaseModel):
    """How a run's process ended. `interrupted`: it was asked to end, saved, and would
    go on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    status: Literal["finished", "stopped", "interrupted", "failed"]
    code: str = ""
    message: str = ""
    hint: str = ""
    retryable: bool = False
    """Of a failure: whether another start may do better."""

    @classmethod
    def of(cls, error: ProofwalkError) -> Result:
        """A failure."""
        return cls(
            status="failed",
            code=error.code,
            message=error.message,
            hint=error.hint,
            retryable=error.retryable,
        )


class RunFolder:
    """Paths of a run's folder, and its small files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def configuration(self) -> Path:
        return self.path / "run.yaml"

    @property
    def metrics(self) -> Path:
        return self.path / "metrics.jsonl"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def provenance(self) -> Path:
        return self.path / "provenance.json"

    @property
    def tensorboard(self) -> Path:
        return self.path / "tensorboard"

    @property
    def page(self) -> Path:
        return self.path / "index.html"

    @property
    def log(self) -> Path:
        return self.path / "log.txt"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def stop(self) -> Path:
        return self.path / "stop"

    @property
    def leaving(self) -> Path:
        return self.path / "leave"

    def prepare(self, configuration: str, *, stopping: bool) -> None:
        """Make it ready for a process: its configuration, the wish to stop, and neither
        a result of an earlier one nor a wish that it leave."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.configuration, configuration)
        (self.path / "result.json").unlink(missing_ok=True)
        self.leaving.unlink(missing_ok=True)
        self.ask_to_stop() if stopping else self.stop.unlink(missing_ok=True)

    def ask_to_stop(self) -> None:
        """The process sees it before its next step."""
        self.stop.touch()

    def ask_to_leave(self) -> None:
        """The process saves before its next step and ends, as one that will go on."""
        self.leaving.touch()

    def write_result(self, result: Result) -> None:
        write_whole(self.path / "result.json", result.model_dump_json(indent=1) + "\n")

    def read_result(self) -> Result | None:
        """None when the process ended without a word."""
        try:
            return Result.model_validate_json((self.path / "result.json").read_bytes())
        except (OSError, ValidationError):
            return None


def write_whole(path: Path, text: str) -> None:
    """A file that is there whole or as it was."""
    aside = path.with_name(f".{path.name}.writing")
    with aside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def write_json(path: Path, value: JsonObject) -> None:
    write_whole(path, json.dumps(dict(value), ensure_ascii=False, indent=1) + "\n")
