"""A Chromium of the environment's own: started with the profile that sandboxes have,
and never outliving this process.

The environment belongs below the sandbox scheduler and cannot ask it for a browser; in
a cluster it is given an endpoint and starts none. The browser runs under the
deathwatch.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.console.browser.chromium import (
    FLAGS,
    devtools_address,
    find_chromium,
    remove_profile,
)
from proofwalk.kernel.errors import unavailable

_START_S = 30.0


@asynccontextmanager
async def started_browser(binary: Path | None = None) -> AsyncIterator[str]:
    """CDP endpoint of a fresh browser that ends with the block."""
    program = await asyncio.to_thread(find_chromium, binary)
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="proofwalk-gym-"))
    child: ChildProcess | None = None
    try:
        arguments = [
            *FLAGS,
            f"--user-data-dir={folder}",
            "--remote-debugging-address=127.0.0.1",
            "--remote-debugging-port=0",
        ]
        child = await start_child([program, *arguments, "about:blank"])
        try:
            async with asyncio.timeout(_START_S):
                port, path = await devtools_address(child, folder)
        except TimeoutError:
            raise unavailable(
                "sandbox.start_failed", f"the browser did not listen within {_START_S:g} s"
            ) from None
        yield f"ws://127.0.0.1:{port}{path}"
    finally:
        if child is not None:
            await asyncio.shield(child.kill())
        remove_profile(folder)  # not in a thread: at the program's end no pool takes work any more
