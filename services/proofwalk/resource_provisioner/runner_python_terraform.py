"""The `python-terraform` package as a runner, with its defects mended.

The package (2019) builds command lines, runs them and returns text. Two things are wrong with it today: `destroy()` passes `-force`,
which Terraform dropped (mended by `force=IsNotFlagged, auto_approve=True`), and every call inherits the whole environment of its caller with no
way to give another (mended by overriding `cmd`). It blocks, so it runs in a thread, and it knows neither events nor addresses of
failures; that is why it is not the default (docs/adr/0003-terraform-runner.md).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from proofwalk.resource_provisioner.runner import Applied, Diagnostic, TerraformFailed, scrubbed

T = TypeVar("T")


class PythonTerraformRunner:
    """Runs Terraform through `python_terraform.Terraform`."""

    name = "python-terraform"

    def __init__(self, command: list[str], *, timeout_s: float) -> None:
        if len(command) != 1:
            raise ValueError("python-terraform needs one binary, not a command with arguments")
        self._binary = command[0]
        self._timeout_s = timeout_s

    async def apply(self, folder: Path, environment: Mapping[str, str]) -> Applied:
        return await self._threaded("apply", lambda: self._apply(folder, environment))

    async def destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        await self._threaded("destroy", lambda: self._destroy(folder, environment))

    async def _threaded(self, command: str, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except subprocess.TimeoutExpired:
            raise TerraformFailed(command, [Diagnostic(summary=f"not done within {self._timeout_s:g} s")]) from None

    def _open(self, folder: Path, environment: Mapping[str, str]) -> Any:
        with warnings.catch_warnings():
            # The package imports a module that Python has deprecated.
            warnings.simplefilter("ignore")
            import python_terraform

        variables, timeout_s = scrubbed(os.environ, environment, data=folder / ".terraform"), self._timeout_s

        class Mended(python_terraform.Terraform):  # type: ignore[misc]
            """The package's client with an environment of its own and a deadline."""

            def cmd(self, cmd: str, *args: Any, **kwargs: Any) -> tuple[int, str, str]:
                for handled in ("capture_output", "raise_on_error", "synchronous"):
                    kwargs.pop(handled, None)
                line = self.generate_cmd_string(cmd, *args, **kwargs)
                done = subprocess.run(
                    line, cwd=folder, env=variables, capture_output=True, text=True, timeout=timeout_s, check=False
                )
                return done.returncode, done.stdout, done.stderr

        return Mended(working_dir=str(folder), terraform_bin_path=self._binary), python_terraform

    def _apply(self, folder: Path, environment: Mapping[str, str]) -> Applied:
        terraform, package = self._open(folder, environment)
        _must("init", terraform.init(no_color=package.IsFlagged))
        _must("apply", terraform.apply(skip_plan=True, no_color=package.IsFlagged))
        shown = json.loads(_must("output", terraform.cmd("output", json=package.IsFlagged)) or "{}")
        listed = _must("state", terraform.cmd("state list")).split()
        return Applied(
            outputs={
                name: item["value"] if isinstance(item["value"], str) else json.dumps(item["value"])
                for name, item in shown.items()
                if not item.get("sensitive")
            },
            sensitive=frozenset(name for name, item in shown.items() if item.get("sensitive")),
            addresses=[address for address in listed if not address.startswith("data.")],
        )

    def _destroy(self, folder: Path, environment: Mapping[str, str]) -> None:
        terraform, package = self._open(folder, environment)
        _must("init", terraform.init(no_color=package.IsFlagged))
        _must("destroy", terraform.destroy(force=package.IsNotFlagged, auto_approve=True, no_color=package.IsFlagged))


def _must(command: str, result: tuple[int, str, str]) -> str:
    code, out, err = result
    if code != 0:
        raise TerraformFailed(command, [Diagnostic(summary=(err or out).strip()[-2000:])])
    return out
