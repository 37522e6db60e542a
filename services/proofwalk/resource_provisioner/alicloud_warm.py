"""Provider processes that stay: one per account and region, to which Terraform
attaches.

Starting the provider takes longer than most of what it does, and Terraform starts it at
every command. Attached (`TF_REATTACH_PROVIDERS`) a run costs its calls. A process holds
one configuration, so there is one per set of credentials, and the secrets are in its
environment alone. It inherits no other (`chassis.child_environment`) and runs confined
(`chassis.confinement`): what it is told to make comes from others' templates, and it
reads no file of ours and connects to its endpoint's or its proxy's port alone.
Processes are bounded: the one that was unused longest ends when another is needed, and
all end with `close`, or with us. A process that died is started again at the next
request.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from proofwalk.chassis.child_environment import connect_ports, inherited
from proofwalk.chassis.confinement import confined
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.kernel.errors import unavailable
from proofwalk.resource_provisioner.alicloud_mirror import roots

_LOOK_S = 0.02
_MEMORY = 2 * 1024**3


@dataclass
class _Warm:
    child: ChildProcess
    attach: str


class WarmProviders:
    """Hands out attachments. Use as an async context manager."""

    def __init__(self, *, limit: int = 4, start_s: float = 20.0) -> None:
        self._limit = limit
        self._start_s = start_s
        self._warm: dict[str, _Warm] = {}
        self._starting = asyncio.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="pw-warm-")
        self._count = 0

    async def attachment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Variables for Terraform, by which it uses the warm provider of this
        environment instead of starting one."""
        key = hashlib.sha256(json.dumps(dict(environment), sort_keys=True).encode()).hexdigest()
        async with self._starting:
            known = self._warm.pop(key, None)
            if known is not None and known.child.returncode is not None:
                await known.child.terminate()
                known = None
            if known is None:
                await self._make_room()
                known = await self._start(environment)
            # Put back at the end: the order of the mapping is the order of last use.
            self._warm[key] = known
        return {"TF_REATTACH_PROVIDERS": known.attach}

    async def _make_room(self) -> None:
        while len(self._warm) >= self._limit:
            oldest = next(iter(self._warm))
            await self._warm.pop(oldest).child.terminate()

    async def _start(self, environment: Mapping[str, str]) -> _Warm:
        self._count += 1
        folder = Path(self._folder.name)
        file = folder / f"{self._count}.json"
        command = [
            sys.executable,
            "-P",
            "-m",
            "proofwalk.resource_provisioner.alicloud_provider",
            "--attach",
            str(file),
        ]
        whole = {
            **inherited(os.environ),
            **environment,
            "PYTHONPATH": os.pathsep.join(map(str, roots())),
            "HOME": str(folder),
            "TMPDIR": str(folder),
        }
        child = await start_child(
            confined(
                command,
                writable=[folder],
                readable=[*roots(), Path(sys.prefix), Path(sys.base_prefix)],
                executable=[Path(sys.executable)],
                limits={"CORE": 0, "DATA": _MEMORY},
                connects=connect_ports(whole),
            ),
            name="alicloud-provider",
            env=whole,
            cwd=folder,
        )
        try:
            async with asyncio.timeout(self._start_s):
                while not await asyncio.to_thread(file.is_file):
                    if child.returncode is not None:
                        raise unavailable(
                            "terraform.provider_ended",
                            f"the provider ended at once with {child.returncode}",
                        )
                    await asyncio.sleep(_LOOK_S)
        except TimeoutError:
            await child.terminate()
            raise unavailable(
                "terraform.provider_silent",
                f"the provider did not start within {self._start_s:g} s",
            ) from None
        except BaseException:
            await asyncio.shield(child.terminate())
            raise
        return _Warm(child=child, attach=await asyncio.to_thread(file.read_text, "utf-8"))

    async def end(self, environment: Mapping[str, str]) -> None:
        """End the provider that an environment is attached to, at once, whatever it is
        doing; the next run of its account starts one."""
        async with self._starting:
            attach = environment.get("TF_REATTACH_PROVIDERS")
            for key in [key for key, one in self._warm.items() if one.attach == attach]:
                await self._warm.pop(key).child.kill()

    async def close(self) -> None:
        """End every process."""
        async with self._starting:
            warm, self._warm = list(self._warm.values()), {}
            for each in warm:
                await each.child.terminate(grace_s=2)
        self._folder.cleanup()

    async def __aenter__(self) -> WarmProviders:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
