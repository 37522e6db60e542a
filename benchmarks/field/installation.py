"""The platform with one field console as its target: every role in this process but the
embedded cloud, on a home that is thrown away.

It is the `Platform` of experiments, so that a walk here is run, tried again and kept as
one of any suite. A console of `reset: each` is brought back to its seed whenever a walk
begins; walks then come one after the other.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.field.process import RESET_S, ConsoleProcess
from benchmarks.field.suite import FOLDER, FieldConsole
from proofwalk.chassis.role_process import Process
from proofwalk.gateway.keys import KEY_FILE, URL_FILE, local_key
from proofwalk.platform.bindings import binds_of
from proofwalk.platform.client import Client
from proofwalk.platform.installation import quiet
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import read_settings
from proofwalk.suites.model import Task
from proofwalk.suites.recording import Recording

TOLD_TARGETS = ("ROLLOUT", "ACCOUNT_POOL", "REWARD_SERVICE", "RESOURCE_PROVISIONER")


@dataclass(frozen=True, kw_only=True)
class Resets:
    """Where suites register scenarios of a console: a field console has none, but may
    be reset here."""

    console: FieldConsole
    process: ConsoleProcess

    async def register(self, task: Task, *, level: str, seed: int) -> str:
        """Reset the console where each walk wants it; no scenario."""
        if self.console.reset == "each":
            await self.process.call("reset", deadline_s=RESET_S)
        return ""


@dataclass(frozen=True, kw_only=True)
class FieldPlatform:
    """A running platform whose target is the console."""

    client: Client
    scenarios: Resets
    process: Process
    target: str

    async def recording(self, episode_id: str) -> Recording | None:
        """None: recordings of field consoles are not kept."""
        return None

    def binds(
        self, task: Task, outputs: Mapping[str, str] | None, listed: Sequence[str]
    ) -> Mapping[str, str] | None:
        """What the document's phrases stood for."""
        return binds_of(task, outputs, listed)


@asynccontextmanager
async def platform(
    console: FieldConsole, process: ConsoleProcess, *, settings: Mapping[str, str] | None = None
) -> AsyncIterator[FieldPlatform]:
    """Start it. `settings` are further ones, without `PROOFWALK_`."""
    with tempfile.TemporaryDirectory(prefix="pwf-") as folder:
        home = Path(folder)
        targets = home / "targets"
        targets.mkdir()
        source = FOLDER / console.console
        shutil.copy(source / "target.yaml", targets / f"{console.console}.yaml")
        for beside in (source / "accounts.yaml", *source.glob("*.py")):  # what it may call
            shutil.copy(beside, targets)
        os.environ.update(process.places)  # the target's file refers to them
        given = {
            "HOME": str(home),
            "LOG__LEVEL": "error",
            "GATEWAY__ADDRESS": "127.0.0.1:0",
            "SANDBOX_SCHEDULER__WARM": "0",
            "ROLLOUT__SCREENSHOTS": "false",
            **{f"{role}__TARGETS": str(targets) for role in TOLD_TARGETS},
            **(settings or {}),
        }
        read = read_settings({f"PROOFWALK_{name}": value for name, value in given.items() if value})
        chosen, roles = choose("all", read)
        quiet(chosen)
        async with Process(chosen, [role for role in roles if role.name != "devcloud"]) as running:
            url = (home / "run" / URL_FILE).read_text(encoding="ascii").strip()
            async with Client(url, local_key(home / KEY_FILE)) as client:
                yield FieldPlatform(
                    client=client,
                    scenarios=Resets(console=console, process=process),
                    process=running,
                    target=console.console,
                )
