"""The default runner: the terraform program with `-json`, read as the stream of events
that it is.

`plan` and `apply` write one JSON object a line; diagnostics carry the resource's
address and the line, which is what a person needs. What is applied is the plan that was
held against the allow-list (`planned`) and reviewed, not a second one. Outputs and
addresses are read from the state file, which spares two programs and their providers.
The child cannot outlive this process; a run that is cancelled or late is asked to end
first (Terraform then stores what it has made) and killed after a grace.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.resource_provisioner.runner import (
    PLAN,
    Applied,
    Diagnostic,
    Review,
    TerraformFailed,
    held_against_the_allow_list,
    mend_state,
    plan_digest,
    read_state,
    reviewed,
)
from proofwalk.resource_provisioner.terraform_process import TerraformProcess

_MAX_OUTPUT = 16 * 1024 * 1024
_COMMON = ("-input=false", "-no-color", "-json")


class JsonRunner:
    """Runs `terraform … -json`."""

    name = "json"

    def __init__(self, process: TerraformProcess) -> None:
        self._process = process

    async def plan(self, folder: Path, environment: Mapping[str, str]) -> JsonObject:
        return (await self._planned(folder, environment))[0]

    async def apply(self, folder: Path, environment: Mapping[str, str], review: Review) -> Applied:
        await reviewed(folder, await self._planned(folder, environment), review)
        await self._run(
            folder, environment, "apply", "-parallelism=10", "-lock-timeout=10s", *_COMMON, PLAN
        )
        return read_state(folder)

    async def _planned(
        self, folder: Path, environment: Mapping[str, str]
    ) -> tuple[JsonObject, str]:
        """The document of a new plan, and the digest of the plan."""
        await self._init(folder, environment)
        await self._run(folder, environment, "plan", f"-out={PLAN}", "-lock-timeout=10s", *_COMMON)
        digest = await asyncio.to_thread(plan_digest, folder)
        shown = await self._run(folder, environment, "show", "-no-color", "-json", PLAN)
        return held_against_the_allow_list(shown), digest

    async def destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        await self._init(folder, environment)
        await self._run(
            folder,
            environment,
            "destroy",
            "-auto-approve",
            "-parallelism=10",
            "-lock-timeout=10s",
            *_COMMON,
        )

    async def _init(self, folder: Path, environment: Mapping[str, str]) -> None:
        await asyncio.to_thread(mend_state, folder)
        await self._run(folder, environment, "init", *_COMMON)

    async def _run(self, folder: Path, environment: Mapping[str, str], *arguments: str) -> bytes:
        try:
            done = await self._process.run(folder, environment, arguments)
        except ProofwalkError as error:
            raise TerraformFailed(arguments[0], [Diagnostic(summary=error.message)]) from error
        if done.code:
            told = read_diagnostics(done.stdout[:_MAX_OUTPUT])
            said = (
                done.stderr.decode(errors="replace").strip()[-2000:] or f"exit status {done.code}"
            )
            raise TerraformFailed(arguments[0], told or [Diagnostic(summary=said)])
        return done.stdout[:_MAX_OUTPUT]


def read_diagnostics(stream: bytes) -> list[Diagnostic]:
    """The errors in a stream of events. Lines that are not JSON are Terraform's plain
    words."""
    found = []
    plain = []
    for line in stream.decode(errors="replace").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            plain.append(line)
            continue
        diagnostic = event.get("diagnostic") if isinstance(event, dict) else None
        if diagnostic and diagnostic.get("severity") == "error":
            place = (diagnostic.get("range") or {}).get("start") or {}
            found.append(
                Diagnostic(
                    summary=diagnostic.get("summary", ""),
                    detail=diagnostic.get("detail", ""),
                    address=diagnostic.get("address", ""),
                    line=place.get("line", 0),
                    file=(diagnostic.get("range") or {}).get("filename", ""),
                )
            )
    if not found and plain:
        found.append(
            Diagnostic(summary=" ".join(text.strip() for text in plain if text.strip())[-2000:])
        )
    return found
