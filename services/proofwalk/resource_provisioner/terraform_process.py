"""One command of Terraform in a folder: its environment, its confinement, its end.

Terraform inherits an allow-listed environment (`chassis.child_environment`), the
variables that are set here, and those of its run: the leased account's credentials and
the provider's attachment. It runs confined (`chassis.confinement`): it writes its
folder and a temporary one, reads the system and its providers, and starts its providers
and nothing else; it connects to the ports of the proxies and endpoints that its
environment names: of the role's own proxy, which leads to the cloud's hosts alone
(`chassis.egress`), or of the one address that the cloud has. HOME is in its folder;
TMPDIR is a private folder that goes with the command, because sockets of providers need
short paths.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from proofwalk.chassis.child_environment import connect_ports, inherited
from proofwalk.chassis.confinement import confined
from proofwalk.chassis.processes import Finished, run_child
from proofwalk.kernel.errors import conflict
from proofwalk.resource_provisioner.alicloud_mirror import roots

GRACE_S = 20.0
"""Longer than the provider goes on waiting for a resource after Terraform was
interrupted."""
_GIB = 1024**3
_MEMORY = 2 * _GIB
"""For Terraform and for each provider; the largest of them takes a quarter of it."""
_FILE = 2 * _GIB
"""The largest provider's program is under half of it."""
_PROCESSORS = 4
"""Seconds of processor time for each second that a command may take."""
_NO_MEMORY = re.compile(rb"fatal error: .*(?:out of memory|cannot allocate memory)")
"""How a program in Go ends when it is given no more."""


class TerraformProcess:
    """Runs commands.

    `readable` and `executable`: what Terraform needs besides the system, such as a
    mirror.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout_s: float,
        readable: Sequence[Path] = (),
        executable: Sequence[Path] = (),
        required: bool = False,
    ) -> None:
        self.command = tuple(command)
        self._timeout_s = timeout_s
        # A provider's start script is run by the shell, and the embedded provider by
        # Python. Terraform out of a package is a script of ours, wherever that is
        # installed.
        scripts = [Path(word) for word in self.command[1:] if os.path.isabs(word)]
        self._readable = (
            *readable,
            *executable,
            *scripts,
            *roots(),
            Path(sys.prefix),
            Path(sys.base_prefix),
        )
        program = Path(shutil.which(self.command[0]) or self.command[0])
        self._executable = (*executable, program, Path("/bin/sh"), Path(sys.executable))
        self._required = required

    async def run(
        self, folder: Path, environment: Mapping[str, str], arguments: Sequence[str]
    ) -> Finished:
        """Run one command to its end; raises `process.timed_out`,
        `terraform.too_large`."""
        temporary = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="pw-tf-"))
        home = folder / ".home"
        whole = process_environment(os.environ, environment, folder=folder, temporary=temporary)
        try:
            await asyncio.to_thread(home.mkdir, mode=0o700, exist_ok=True)
            done = await run_child(
                confined(
                    [*self.command, *arguments],
                    writable=[folder, temporary],
                    readable=self._readable,
                    # Terraform keeps the providers that it installs in its folder.
                    executable=[*self._executable, folder / ".terraform"],
                    limits=_limits(self._timeout_s),
                    # Terraform asks by a signal whether an attached provider lives, and
                    # gives its calls up where it may not ask.
                    signals=True,
                    connects=connect_ports(whole),
                    required=self._required,
                ),
                timeout_s=self._timeout_s,
                name="terraform",
                env=whole,
                cwd=folder,
                grace_s=GRACE_S,
            )
            if done.code and _NO_MEMORY.search(done.stderr):
                raise conflict(
                    "terraform.too_large",
                    f"terraform {arguments[0]} needed more than {_MEMORY / _GIB:g} GiB of memory",
                    hint="make the template's values smaller",
                )
            return done
        finally:
            await asyncio.to_thread(shutil.rmtree, temporary, ignore_errors=True)


def process_environment(
    outside: Mapping[str, str], given: Mapping[str, str], *, folder: Path, temporary: Path
) -> dict[str, str]:
    """The whole environment of one command: `given` is the run's own part of it."""
    return {
        **inherited(outside),
        "HOME": str(folder / ".home"),
        "TMPDIR": str(temporary),
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        "TF_DATA_DIR": str(folder / ".terraform"),
        "CHECKPOINT_DISABLE": "1",
        **given,
    }


def _limits(timeout_s: float) -> Mapping[str, int]:
    return {"CORE": 0, "FSIZE": _FILE, "DATA": _MEMORY, "CPU": int(timeout_s * _PROCESSORS) + 1}
