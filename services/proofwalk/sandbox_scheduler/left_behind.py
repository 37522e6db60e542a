"""What a killed predecessor may have left: each sandbox's folder has the identity of
its process, written when that came to be.

Sandboxes cannot outlive the process that started them, but for one that is killed
together with their guards.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

from proofwalk.chassis.processes import ProcessIdentity, end_if_same

_IDENTITY = "guard.json"


async def note(identity: ProcessIdentity, folder: Path) -> None:
    """Write down which process a sandbox's folder belongs to."""
    told = json.dumps({"pid": identity.pid, "started": identity.started})
    await asyncio.to_thread((folder / _IDENTITY).write_text, told, "ascii")


async def end_left_behind(folder: Path) -> None:
    """End what a killed predecessor left below `folder`, where it still is the same
    process, and remove all that is there."""
    for file in await asyncio.to_thread(lambda: sorted(folder.glob(f"*/{_IDENTITY}"))):
        try:
            told = json.loads(await asyncio.to_thread(file.read_text, "ascii"))
            identity = ProcessIdentity(pid=int(told["pid"]), started=float(told["started"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # its writer died while writing, and with it the sandbox
        await end_if_same(identity)
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
