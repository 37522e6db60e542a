"""Wires the sandbox scheduler: rows, a backend, the loop that looks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import structlog
from prometheus_client import Gauge

from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2, sandbox_scheduler_pb2_grpc
from proofwalk.chassis.role import Loop, Role, RoleContext, Running
from proofwalk.chassis.rpc import RpcService
from proofwalk.console.browser.chromium import chromium_version, find_chromium
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.sandbox_scheduler.backend import Backend
from proofwalk.sandbox_scheduler.browser import SandboxedBrowser
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.grpc_api import SandboxSchedulerApi
from proofwalk.sandbox_scheduler.left_behind import end_left_behind
from proofwalk.sandbox_scheduler.local import LocalBackend, LocalSandbox
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings
from proofwalk.sandbox_scheduler.worker import tend

log = structlog.get_logger()


def role(settings: SandboxSchedulerSettings, *, backend: Backend | None = None) -> Role:
    """The sandbox scheduler; `backend` replaces that of the settings."""

    async def start(ctx: RoleContext) -> Running:
        chosen = backend or await _BACKENDS[settings.backend](ctx, settings)
        owner = ctx.ids.new("sched")
        cluster = Cluster(
            chosen, db=ctx.database, clock=ctx.clock, ids=ctx.ids, settings=settings, owner=owner
        )
        ctx.exits.push_async_callback(cluster.close)
        await cluster.look()
        gauge = Gauge(
            "proofwalk_sandbox_scheduler_sandboxes",
            "Sandboxes by state.",
            ["state"],
            registry=ctx.metrics,
        )
        service = RpcService(
            descriptor=sandbox_scheduler_pb2.DESCRIPTOR.services_by_name["SandboxScheduler"],
            register=sandbox_scheduler_pb2_grpc.add_SandboxSchedulerServicer_to_server,
            servicer=SandboxSchedulerApi(cluster),
        )

        async def loop() -> None:
            await tend(cluster, chosen.pulse, check_s=settings.check_s, gauge=gauge)

        return Running(services=[service], loops=[Loop(name="tend", run=loop)])

    return Role(name="sandbox_scheduler", start=start, package="proofwalk.sandbox_scheduler")


async def _chromium(ctx: RoleContext, settings: SandboxSchedulerSettings) -> Backend:
    binary = find_chromium(settings.chromium)
    profiles = ctx.folder / "profiles"
    await end_left_behind(profiles)

    async def browser() -> LocalSandbox:
        return await SandboxedBrowser.start(binary, folder=profiles)

    return _local(browser, ctx, settings, tool="chromium", version=await chromium_version(binary))


async def _desktop(ctx: RoleContext, settings: SandboxSchedulerSettings) -> Backend:
    # Its client of QEMU is in no image but the desktop's.
    from proofwalk.desktop.image import Image
    from proofwalk.desktop.machine import missing_programs
    from proofwalk.sandbox_scheduler.desktop import SandboxedDesktop

    missing = list(missing_programs())
    if missing:
        raise ProofwalkError(
            "sandbox.no_qemu",
            f"desktops need {', '.join(missing)}, and this system has not",
            status=Status.FAILED_PRECONDITION,
            hint="Debian, Ubuntu: apt-get install qemu-system-x86 qemu-utils zstd",
        )
    image = await asyncio.to_thread(Image.read, settings.desktop_image)
    machines = ctx.folder / "desktops"
    await end_left_behind(machines)

    async def desktop() -> LocalSandbox:
        return await SandboxedDesktop.start(image, folder=machines, within_s=settings.start_s)

    return _local(desktop, ctx, settings, tool="desktop", version=image.version)


def _local(
    start: Callable[[], Awaitable[LocalSandbox]],
    ctx: RoleContext,
    settings: SandboxSchedulerSettings,
    *,
    tool: str,
    version: str,
) -> Backend:
    bounds = {"start_s": settings.start_s, "check_s": settings.check_s, "hang_s": settings.hang_s}
    return LocalBackend(start, tool=tool, version=version, ids=ctx.ids, **bounds)


async def _kubernetes(ctx: RoleContext, settings: SandboxSchedulerSettings) -> Backend:
    # The client is a second to load, and in no image but the scheduler's.
    from proofwalk.sandbox_scheduler.kubernetes.agents import AgentSandboxBackend
    from proofwalk.sandbox_scheduler.kubernetes.api import KubernetesApi
    from proofwalk.sandbox_scheduler.kubernetes.backend import StatefulSetBackend
    from proofwalk.sandbox_scheduler.kubernetes.doors import PodDoors
    from proofwalk.sandbox_scheduler.tickets import TicketOffice

    told = settings.kubernetes
    if not told.image:
        raise ProofwalkError(
            "sandbox.no_image",
            "sandboxes as pods need an image",
            status=Status.FAILED_PRECONDITION,
            hint="set PROOFWALK_SANDBOX_SCHEDULER__KUBERNETES__IMAGE",
        )
    office = TicketOffice.from_pem(told.signing_key.get_secret_value())
    log.info("tickets_signed", public_key=office.public_key)
    api = await KubernetesApi.connect(kubeconfig=told.kubeconfig, namespace=told.namespace)
    doors = PodDoors(office, gateway=told.gateway)
    if told.pods_by == "agent-sandbox":
        return AgentSandboxBackend(api, doors, settings=told, clock=ctx.clock, ids=ctx.ids)
    return StatefulSetBackend(api, doors, settings=told, clock=ctx.clock)


_BACKENDS: Mapping[str, Callable[[RoleContext, SandboxSchedulerSettings], Awaitable[Backend]]] = {
    "local": _chromium,
    "desktop": _desktop,
    "kubernetes": _kubernetes,
}
