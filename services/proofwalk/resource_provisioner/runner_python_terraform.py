"""The `python-terraform` package as a runner, with its defects mended.

The package (2019) builds command lines, runs them and returns text. Three things are
wrong with it today: `destroy()` passes `-force`, which Terraform dropped (mended by
`force=IsNotFlagged, auto_approve=True`); every call inherits its caller's whole
environment; and a program that it started outlives us. So the package composes the
command lines here, and `TerraformProcess` runs them. It knows neither events nor
addresses, and what Terraform says about a failure is read from text meant for people;
that is why it is not the default (docs/adr/0003-terraform-runner.md).
"""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

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

_ERROR = re.compile(r"^Error: (?P<summary>.+)$", re.M)
_PLACE = re.compile(r"^\s*on (?P<file>\S+) line (?P<line>\d+)", re.M)
_ADDRESS = re.compile(r"^\s*with (?P<address>[^\s,]+)", re.M)


Compose = Callable[[Any, Any], Sequence[str]]
"""Makes a command line of the package's client and its flags."""


class PythonTerraformRunner:
    """Runs what `python_terraform.Terraform` composes."""

    name = "python-terraform"

    def __init__(self, process: TerraformProcess) -> None:
        if len(process.command) != 1:
            raise ValueError("python-terraform needs one binary, not a command with arguments")
        self._process = process

    async def plan(self, folder: Path, environment: Mapping[str, str]) -> JsonObject:
        return (await self._planned(folder, environment))[0]

    async def apply(self, folder: Path, environment: Mapping[str, str], review: Review) -> Applied:
        await reviewed(folder, await self._planned(folder, environment), review)
        await self._run(
            folder,
            environment,
            "apply",
            lambda terraform, flags: terraform.apply(
                PLAN, skip_plan=True, no_color=flags.IsFlagged, var=None
            ),
        )
        return read_state(folder)

    async def _planned(
        self, folder: Path, environment: Mapping[str, str]
    ) -> tuple[JsonObject, str]:
        """The document of a new plan, and the digest of the plan."""
        await self._init(folder, environment)

        def plan(terraform: Any, flags: Any) -> Sequence[str]:
            line: Sequence[str] = terraform.plan(
                detailed_exitcode=flags.IsNotFlagged, out=PLAN, no_color=flags.IsFlagged, var=None
            )
            return line

        await self._run(folder, environment, "plan", plan)
        digest = await asyncio.to_thread(plan_digest, folder)
        shown = await self._run(
            folder,
            environment,
            "show",
            lambda terraform, flags: terraform.cmd(
                "show", PLAN, json=flags.IsFlagged, no_color=flags.IsFlagged
            ),
        )
        return held_against_the_allow_list(shown), digest

    async def destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        await self._init(folder, environment)
        await self._run(
            folder,
            environment,
            "destroy",
            lambda terraform, flags: terraform.destroy(
                force=flags.IsNotFlagged, auto_approve=True, no_color=flags.IsFlagged, var=None
            ),
        )

    async def _init(self, folder: Path, environment: Mapping[str, str]) -> None:
        await asyncio.to_thread(mend_state, folder)
        await self._run(
            folder,
            environment,
            "init",
            lambda terraform, flags: terraform.init(no_color=flags.IsFlagged, var=None),
        )

    async def _run(
        self, folder: Path, environment: Mapping[str, str], command: str, compose: Compose
    ) -> bytes:
        _, *arguments = compose(*self._composer(folder))
        try:
            done = await self._process.run(folder, environment, arguments)
        except ProofwalkError as error:
            raise TerraformFailed(command, [Diagnostic(summary=error.message)]) from error
        if done.code:
            said = done.stderr.decode(errors="replace")
            raise TerraformFailed(
                command, read_words(said if said.strip() else done.stdout.decode(errors="replace"))
            )
        return done.stdout

    def _composer(self, folder: Path) -> tuple[Any, Any]:
        with warnings.catch_warnings():
            # The package is older than some of Python's warnings about escapes.
            warnings.simplefilter("ignore")
            import python_terraform

        class Composing(python_terraform.Terraform):  # type: ignore[misc]
            """The package's client, which hands its command lines out instead of
            running them."""

            def cmd(self, cmd: str, *args: Any, **kwargs: Any) -> list[str]:
                line: list[str] = self.generate_cmd_string(cmd, *args, **kwargs)
                return line

        return (
            Composing(working_dir=str(folder), terraform_bin_path=self._process.command[0]),
            python_terraform,
        )


def read_words(text: str) -> list[Diagnostic]:
    """The errors in Terraform's words for people: a summary, then the place, the
    address and the detail in some order."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    plain = "\n".join(line.lstrip("│╷╵ ").rstrip() for line in plain.splitlines())
    starts = list(_ERROR.finditer(plain))
    found = []
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(plain)
        rest = plain[start.end() : end]
        place, address = _PLACE.search(rest), _ADDRESS.search(rest)
        detail = " ".join(rest.rpartition("\n\n")[2].split()) if "\n\n" in rest.strip("\n") else ""
        found.append(
            Diagnostic(
                summary=start.group("summary"),
                detail=detail[:2000] or " ".join(rest.split())[-2000:],
                address=address.group("address") if address else "",
                line=int(place.group("line")) if place else 0,
                file=place.group("file") if place else "",
            )
        )
    return found or [
        Diagnostic(summary=plain.strip()[-2000:] or "terraform failed without saying why")
    ]
