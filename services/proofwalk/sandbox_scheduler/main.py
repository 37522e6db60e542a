"""Wires the sandbox scheduler: rows, the local Chromium backend, the pool's loop."""

from __future__ import annotations

import asyncio
import shutil

from prometheus_client import Gauge

from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2, sandbox_scheduler_pb2_grpc
from proofwalk.chassis.role import Role, RoleContext, Running, every
from proofwalk.chassis.rpc import RpcService
from proofwalk.console.chromium import chromium_version, find_chromium
from proofwalk.sandbox_scheduler.backend import Backend
from proofwalk.sandbox_scheduler.chromium import LocalChromium
from proofwalk.sandbox_scheduler.grpc_api import SandboxSchedulerApi
from proofwalk.sandbox_scheduler.pool import Pool
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings


def role(settings: SandboxSchedulerSettings, *, backend: Backend | None = None) -> Role:
    """The sandbox scheduler; `backend` replaces the local Chromium."""

    async def start(ctx: RoleContext) -> Running:
        chosen = backend or await _chromium(ctx, settings)
        pool = Pool(chosen, db=ctx.database, clock=ctx.clock, ids=ctx.ids, settings=settings, owner=ctx.ids.new("sched"))
        await pool.adopt()
        ctx.exits.push_async_callback(pool.close)
        gauge = Gauge("proofwalk_sandbox_scheduler_sandboxes", "Sandboxes by state.", ["state"], registry=ctx.metrics)

        async def tend() -> None:
            await pool.tend()
            census = await pool.census()
            for state in ("starting", "warm", "leased", "ending"):
                gauge.labels(state).set(getattr(census, state))

        service = RpcService(
            descriptor=sandbox_scheduler_pb2.DESCRIPTOR.services_by_name["SandboxScheduler"],
            register=sandbox_scheduler_pb2_grpc.add_SandboxSchedulerServicer_to_server,
            servicer=SandboxSchedulerApi(pool),
        )
        return Running(services=[service], loops=[every("tend", settings.check_s, tend)])

    return Role(name="sandbox_scheduler", start=start, package="proofwalk.sandbox_scheduler")


async def _chromium(ctx: RoleContext, settings: SandboxSchedulerSettings) -> Backend:
    binary = find_chromium(settings.chromium)
    profiles = ctx.folder / "profiles"
    # Profiles of a predecessor's browsers, which are gone.
    await asyncio.to_thread(shutil.rmtree, profiles, ignore_errors=True)
    return LocalChromium(binary, folder=profiles, version=await chromium_version(binary), hang_s=settings.hang_s)
