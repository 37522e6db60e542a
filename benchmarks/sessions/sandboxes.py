"""The sandbox scheduler: how long a hand-out from its pool takes, and what is left of
its browsers when it is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks import record
from benchmarks.observations import Sandboxes
from benchmarks.record import judged, spread
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as pb
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerStub
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import read_settings

READY_S = 120.0
GONE_S = 10.0
STILL_S = 0.5


@asynccontextmanager
async def scheduler(home: Path, *, warm: int, quota: int) -> AsyncIterator[Process]:
    """A sandbox scheduler in this process."""
    defaults = read_settings({"PROOFWALK_HOME": str(home)})
    changed = defaults.sandbox_scheduler.model_copy(
        update={"warm": warm, "quota": quota, "check_s": 0.5}
    )
    settings, roles = choose(
        "sandbox_scheduler", defaults.model_copy(update={"sandbox_scheduler": changed})
    )
    configure_logging(LogSettings(format=settings.log.format, level="error"), Redaction(()))
    async with Process(settings, roles) as process:
        yield process


async def until_warm(channel: RpcChannel, sandboxes: int) -> None:
    """Wait until the pool has so many browsers ready."""
    stub = SandboxSchedulerStub(channel.grpc)
    async with asyncio.timeout(READY_S):
        while (  # noqa: ASYNC110
            sum(
                tool.warm
                for tool in (await stub.ListTools(pb.ListToolsRequest(), timeout=10)).tools
            )
            < sandboxes
        ):  # nobody announces it
            await asyncio.sleep(0.1)


async def until_still() -> None:
    """Wait until the browsers below this process use next to no processor: a fresh one
    goes on starting up after it is ready."""
    async with asyncio.timeout(READY_S):
        before = _processor_s()
        while True:
            await asyncio.sleep(STILL_S)
            now = _processor_s()
            if now - before < STILL_S * 0.05:
                return
            before = now


def _processor_s() -> float:
    used = 0.0
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            times = child.cpu_times()
            used += times.user + times.system
    return used


async def hand_outs(home: Path, n: int) -> dict[str, Any]:
    """`AcquireSandbox` over gRPC while the pool is warm: with browsers that have come
    to rest, and right behind a browser's start."""
    taken: dict[str, list[float]] = {"at_rest": [], "behind_a_start": []}
    async with scheduler(home, warm=2, quota=4) as process:
        channel = process.channel("sandbox_scheduler")
        pool = Sandboxes(channel)
        for number in range(n + 1):
            for case, times in taken.items():
                await until_warm(channel, 2)
                if case == "at_rest":
                    await until_still()
                started = time.perf_counter()
                async with pool.leased("127.0.0.1:9") as sandbox:
                    ms = (time.perf_counter() - started) * 1000
                    if not sandbox.warm:
                        raise RuntimeError("the scheduler gave a cold sandbox")
                if number:
                    times.append(ms)
    return {
        "ms": spread(taken["at_rest"]),
        "behind_a_start_ms": spread(taken["behind_a_start"]),
        "median_ms": judged(spread(taken["at_rest"])["median"], at_most=50),
    }


async def orphans(home: Path, sandboxes: int) -> dict[str, Any]:
    """Kill a process that holds browsers, and count what still runs of all that it had
    started."""
    script = record.ROOT / "benchmarks" / "sessions" / "driver.py"
    driver = await asyncio.create_subprocess_exec(
        sys.executable,
        str(script),
        str(home),
        str(sandboxes),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(record.ROOT)},
        cwd=record.ROOT,
    )
    assert driver.stdout is not None
    try:
        async with asyncio.timeout(READY_S + 30):
            told = json.loads(await driver.stdout.readline())
        below = [psutil.Process(pid) for pid in told["pids"] if psutil.pid_exists(pid)]
        browsers = sum("chrom" in process.name() for process in below)
    finally:
        driver.send_signal(signal.SIGKILL)
        await driver.wait()
    started = time.monotonic()
    left = below
    while left and time.monotonic() - started < GONE_S:
        await asyncio.sleep(0.05)
        left = [process for process in left if _runs(process)]
    return {
        "sandboxes": sandboxes,
        "processes_before": len(below),
        "browser_processes_before": browsers,
        "gone_after_s": round(time.monotonic() - started, 2) if not left else None,
        "left": judged(len(left), at_most=0),
    }


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
