"""The default runner: the terraform program with `-json`, read as the stream of events that it is.

`apply` and `destroy` write one JSON object a line; diagnostics carry the resource's address and the line in the template, which is what a repair
loop and a person need. The child cannot outlive this process; a run that is cancelled or late is terminated first (Terraform then
stores what it has made) and killed after a grace.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proofwalk.chassis.processes import run_child
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.runner import Applied, Diagnostic, TerraformFailed, scrubbed

_GRACE_S = 15.0
_MAX_OUTPUT = 16 * 1024 * 1024


class JsonRunner:
    """Runs `terraform … -json`."""

    name = "json"

    def __init__(self, command: list[str], *, timeout_s: float) -> None:
        self._command = command
        self._timeout_s = timeout_s

    async def apply(self, folder: Path, environment: Mapping[str, str]) -> Applied:
        await self._init(folder, environment)
        await self._events(folder, environment, "apply", "-auto-approve", "-parallelism=10", "-json")
        shown = await self._document(folder, environment, "output", "-json")
        state = await self._document(folder, environment, "show", "-json")
        outputs = {name: _text(item.get("value")) for name, item in shown.items() if not item.get("sensitive")}
        resources = state.get("values", {}).get("root_module", {}).get("resources", [])
        addresses = [item["address"] for item in resources if item.get("mode") == "managed"]
        sensitive = frozenset(name for name, item in shown.items() if item.get("sensitive"))
        return Applied(outputs=outputs, sensitive=sensitive, addresses=addresses)

    async def destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        await self._init(folder, environment)
        await self._events(folder, environment, "destroy", "-auto-approve", "-parallelism=10", "-json")

    async def _init(self, folder: Path, environment: Mapping[str, str]) -> None:
        await self._events(folder, environment, "init", "-no-color", "-json")

    async def _events(self, folder: Path, environment: Mapping[str, str], *arguments: str) -> None:
        code, out = await self._run(folder, environment, *arguments)
        if code != 0:
            raise TerraformFailed(arguments[0], read_diagnostics(out))

    async def _document(self, folder: Path, environment: Mapping[str, str], *arguments: str) -> dict[str, Any]:
        code, out = await self._run(folder, environment, *arguments)
        if code != 0:
            raise TerraformFailed(arguments[0], read_diagnostics(out))
        document: dict[str, Any] = json.loads(out or b"{}")
        return document

    async def _run(self, folder: Path, environment: Mapping[str, str], *arguments: str) -> tuple[int, bytes]:
        try:
            done = await run_child(
                [*self._command, *arguments],
                timeout_s=self._timeout_s,
                env=scrubbed(os.environ, environment, data=folder / ".terraform"),
                cwd=folder,
                grace_s=_GRACE_S,
            )
        except ProofwalkError as error:
            raise TerraformFailed(arguments[0], [Diagnostic(summary=error.message)]) from error
        if done.code and not done.stdout.strip():
            said = done.stderr.decode(errors="replace").strip()[-2000:] or f"exit status {done.code}"
            raise TerraformFailed(arguments[0], [Diagnostic(summary=said)])
        return done.code, done.stdout[:_MAX_OUTPUT]


def read_diagnostics(stream: bytes) -> list[Diagnostic]:
    """The errors in a stream of events. Lines that are not JSON are Terraform's plain words."""
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
            found.append(
                Diagnostic(
                    summary=diagnostic.get("summary", ""),
                    detail=diagnostic.get("detail", ""),
                    address=diagnostic.get("address", ""),
                    line=diagnostic.get("range", {}).get("start", {}).get("line", 0),
                )
            )
    if not found and plain:
        found.append(Diagnostic(summary=" ".join(text.strip() for text in plain if text.strip())[-2000:]))
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
