"""A process that holds a sandbox scheduler with browsers and does nothing else, until
it is killed.

    driver.py HOME N

prints `{"pids": […]}` once N browsers stand ready: every process that it has below it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import psutil

from benchmarks.sessions.sandboxes import scheduler, until_warm


async def main(home: Path, sandboxes: int) -> None:
    async with scheduler(home, warm=sandboxes, quota=sandboxes) as process:
        await until_warm(process.channel("sandbox_scheduler"), sandboxes)
        print(
            json.dumps(
                {"pids": [child.pid for child in psutil.Process().children(recursive=True)]}
            ),
            flush=True,
        )
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
