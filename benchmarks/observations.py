"""Sandboxes and observations measured at the scheduler's and the console session's own
entry points, as an episode uses them.

`first_observations` takes warm sandboxes from the installation's pool and, alternating
with them, cold ones from a scheduler that keeps none ready. `dense_observations` pairs
every observation with the plain DevTools calls that could stand in for it (a screenshot
and a DOM snapshot through the same driver and tab), in alternating order, so that both
see the same machine.
"""

from __future__ import annotations

import asyncio
import base64
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks import dense_page
from benchmarks.record import spread, spreads
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as pb
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerStub
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds

TTL_S = 120
READY_S = 60.0
CLOCK = SystemClock()
IDS = RandomIds(CLOCK)


class Sandboxes:
    """Leases of one scheduler."""

    def __init__(self, channel: RpcChannel) -> None:
        self._stub = SandboxSchedulerStub(channel.grpc)

    async def until_warm(self) -> None:
        """Wait until the pool has a browser ready."""
        async with asyncio.timeout(READY_S):
            while True:
                tools = (await self._stub.ListTools(pb.ListToolsRequest(), timeout=10)).tools
                if any(tool.warm for tool in tools):
                    return
                await asyncio.sleep(0.1)

    @asynccontextmanager
    async def leased(self, host: str) -> AsyncIterator[pb.Sandbox]:
        """A sandbox that may reach `host`; ended afterwards."""
        request = pb.AcquireSandboxRequest(
            request_id=IDS.new("bench"), tool="chromium", holder="benchmark", allowed_hosts=[host]
        )
        request.ttl.FromSeconds(TTL_S)
        sandbox = (await self._stub.AcquireSandbox(request, timeout=60)).sandbox
        try:
            yield sandbox
        finally:
            end = pb.ReleaseSandboxRequest(sandbox_id=sandbox.sandbox_id, epoch=sandbox.epoch)
            await self._stub.ReleaseSandbox(end, timeout=30)


@asynccontextmanager
async def _session(endpoint: str, host: str) -> AsyncIterator[ConsoleSession]:
    with tempfile.TemporaryDirectory(prefix="proofwalk-") as folder:
        async with ConsoleSession.connect(
            endpoint, allowed_hosts=[host], secrets={}, clock=CLOCK, artifacts=Path(folder)
        ) as session:
            yield session


async def first_observations(
    warm: RpcChannel, cold: RpcChannel, console: str, *, n: int
) -> dict[str, Any]:
    """From asking for a sandbox to the first observation of the console's sign-in
    page."""
    samples: dict[bool, list[dict[str, float]]] = {True: [], False: []}
    pools = {True: Sandboxes(warm), False: Sandboxes(cold)}
    for number in range(n + 1):
        for is_warm, pool in pools.items():
            # Also before a cold one: the warm pool's own refilling must not run beside
            # it.
            await pools[True].until_warm()
            sample = await _first_observation(pool, console, warm=is_warm)
            # The first of each finds the driver's and the browser's files unread.
            if number:
                samples[is_warm].append(sample)
    return {"warm_sandbox_s": spreads(samples[True]), "cold_sandbox_s": spreads(samples[False])}


async def _first_observation(pool: Sandboxes, console: str, *, warm: bool) -> dict[str, float]:
    host = console.removeprefix("http://")
    started = time.monotonic()
    async with pool.leased(host) as sandbox:
        acquired = time.monotonic()
        if sandbox.warm != warm:
            raise RuntimeError(f"the scheduler gave a {'warm' if sandbox.warm else 'cold'} sandbox")
        async with _session(sandbox.cdp_endpoint, host) as session:
            connected = time.monotonic()
            await session.open(f"{console}/signin")
            opened = time.monotonic()
            seen = await session.observe()
            ended = time.monotonic()
    if not any(element.name == "Sign In" for element in seen.elements):
        raise RuntimeError(f"{seen.url} is not the sign-in page")
    return {
        "to_first_observation": ended - started,
        "acquire": acquired - started,
        "connect": connected - acquired,
        "open_page": opened - connected,
        "observe": ended - opened,
    }


async def dense_observations(channel: RpcChannel, *, n: int) -> dict[str, Any]:
    """An observation of the dense page beside `captureScreenshot` and `captureSnapshot`
    of the same page."""
    pool = Sandboxes(channel)
    ours: list[float] = []
    plain: list[float] = []
    marks = 0
    await pool.until_warm()
    async with (
        dense_page.served() as host,
        pool.leased(host) as sandbox,
        _session(sandbox.cdp_endpoint, host) as session,
    ):
        await session.open(f"http://{host}/")
        cdp = await session.context.new_cdp_session(session.context.pages[0])

        async def peer() -> None:
            looks = {"computedStyles": [], "includeDOMRects": True, "includePaintOrder": True}
            answers = await asyncio.gather(
                cdp.send(
                    "Page.captureScreenshot",
                    {"format": "jpeg", "quality": 80, "optimizeForSpeed": True},
                ),
                cdp.send("DOMSnapshot.captureSnapshot", looks),
            )
            base64.b64decode(answers[0]["data"])

        for number in range(n + 3):
            taken: dict[bool, float] = {}
            for is_ours in (True, False) if number % 2 else (False, True):
                started = time.monotonic()
                if is_ours:
                    marks = len((await session.observe()).elements)
                else:
                    await peer()
                taken[is_ours] = time.monotonic() - started
            if number >= 3:
                ours.append(taken[True])
                plain.append(taken[False])
    if marks < dense_page.CONTROLS:
        raise RuntimeError(f"the observation shows {marks} of {dense_page.CONTROLS} elements")
    return {
        "elements": marks,
        "observation_s": spread(ours),
        "raw_cdp_screenshot_and_dom_snapshot_s": spread(plain),
        "ratio_of_medians": round(statistics.median(ours) / statistics.median(plain), 3),
        "ratio_of_pairs": spread([mine / theirs for mine, theirs in zip(ours, plain, strict=True)]),
    }
