"""A Chromium of a process's own: started with the profile that sandboxes have, and
never outliving this process.

It is for who has no sandbox scheduler to ask: the Gymnasium environment, which lies
below it and in a cluster is given an endpoint, and a person who tries a target. The
browser runs under the deathwatch.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from proofwalk.chassis.child_environment import inherited, inherited_by_browsers
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
async def started_browser(
    binary: Path | None = None, *, headless: bool = True
) -> AsyncIterator[str]:
    """CDP endpoint of a fresh browser that ends with the block. One that is not
    `headless` has a window, and needs a display."""
    program = await asyncio.to_thread(find_chromium, binary, window=not headless)
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="proofwalk-browser-"))
    child: ChildProcess | None = None
    try:
        arguments = [
            *(flag for flag in FLAGS if headless or not flag.startswith("--headless")),
            f"--user-data-dir={folder}",
            "--remote-debugging-address=127.0.0.1",
            "--remote-debugging-port=0",
        ]
        # It goes by its user's own proxies.
        environment = inherited(os.environ) | inherited_by_browsers(os.environ)
        child = await start_child([program, *arguments, "about:blank"], env=environment)
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
