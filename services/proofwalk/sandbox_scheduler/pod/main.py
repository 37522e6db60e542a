"""Wires the two programs of the data plane.

`run_sandbox` is the only program in a sandbox's pod: a browser behind its wall, or a
desktop, with a relay in front of it and the scheduler's door beside it. It ends when
the sandbox does, so that the pod says so and its node starts it again, with nothing of
what was. `run_gateway` carries DevTools to pods for holders that cannot reach them; any
number of them may run.
"""

from __future__ import annotations

import asyncio
import ipaddress
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import structlog
from prometheus_client import CollectorRegistry, Gauge

from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2 import ListToolsRequest
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerStub
from proofwalk.chassis.http import HttpServer, health_app, join_address, split_address
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.chassis.signals import stop_event
from proofwalk.chassis.tracing import Tracing
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.sandbox_scheduler.browser import SandboxedBrowser
from proofwalk.sandbox_scheduler.kubernetes.pods import DEVTOOLS_PORT
from proofwalk.sandbox_scheduler.left_behind import end_left_behind
from proofwalk.sandbox_scheduler.pod.control import Door, Walled, control_app
from proofwalk.sandbox_scheduler.pod.relay import Relay, Way
from proofwalk.sandbox_scheduler.pod.settings import DevtoolsGatewaySettings, SandboxPodSettings
from proofwalk.sandbox_scheduler.tickets import Purpose, TicketCheck

if TYPE_CHECKING:
    from proofwalk.chassis.rpc.mutual_tls import MutualTls

log = structlog.get_logger()
_CONNECTIONS = 16


async def run_sandbox(settings: SandboxPodSettings, *, home: Path) -> None:
    """Serve one sandbox until a signal. Raises `sandbox.start_failed`, and
    `sandbox.crashed` when it ends or hangs."""
    check = _check(settings.public_key, "PROOFWALK_SANDBOX__PUBLIC_KEY")
    folder = home / ("desktops" if settings.desktop_image else "profiles")
    async with AsyncExitStack() as exits:
        stop = exits.enter_context(stop_event())
        # A volume of the pod outlives its containers.
        await end_left_behind(folder)
        async with asyncio.timeout(settings.start_s):
            sandbox = await _start(settings, folder)
        exits.push_async_callback(sandbox.end)
        door = Door(sandbox, check, pod_uid=settings.pod_uid)
        relay = Relay(door.lead, most=_CONNECTIONS)
        exits.push_async_callback(relay.close)
        await relay.start(*split_address(settings.devtools_address))
        await exits.enter_async_context(HttpServer(control_app(door), settings.control_address))
        log.info("sandbox_ready", pod=settings.pod_uid)
        watching = asyncio.create_task(_watch(sandbox, settings), name="sandbox")
        stopping = asyncio.create_task(stop.wait(), name="signals")
        try:
            await asyncio.wait({watching, stopping}, return_when=asyncio.FIRST_COMPLETED)
            door.alive = False
            if watching.done():
                raise unavailable(
                    "sandbox.crashed",
                    "what is in this pod crashed or hangs",
                    hint="the pod's node starts it again",
                )
        finally:
            watching.cancel()
            stopping.cancel()
            await asyncio.gather(watching, stopping, return_exceptions=True)


class Sandbox(Walled, Protocol):
    """What a pod serves."""

    async def ended_within(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it came."""
        ...

    async def is_alive(self, within_s: float) -> bool:
        """Whether it answers."""
        ...

    async def end(self) -> object:
        """End it, with all that it had. Repeatable."""
        ...


async def _start(settings: SandboxPodSettings, folder: Path) -> Sandbox:
    if settings.desktop_image is None:
        return await SandboxedBrowser.start(find_chromium(settings.chromium), folder=folder)
    # Its client of QEMU is in no image but the desktop's.
    from proofwalk.desktop.image import Image
    from proofwalk.sandbox_scheduler.pod.desktop import ServedDesktop

    image = await asyncio.to_thread(Image.read, settings.desktop_image)
    return await ServedDesktop.start(image, folder=folder, within_s=settings.start_s)


async def _watch(sandbox: Sandbox, settings: SandboxPodSettings) -> None:
    """Until it ended or hangs."""
    while not await sandbox.ended_within(settings.check_s) and await sandbox.is_alive(
        settings.hang_s
    ):
        continue


async def run_gateway(
    settings: DevtoolsGatewaySettings, *, scheduler: str, tls: MutualTls | None = None
) -> None:
    """Carry DevTools until a signal. `scheduler` is where the scheduler's contract is
    served, asked for its public key if none is set."""
    registry = CollectorRegistry()
    key = settings.public_key or await ticket_key(
        scheduler, within_s=settings.key_s, metrics=RpcMetrics(registry), tls=tls
    )
    check = _check(key, "PROOFWALK_DEVTOOLS_GATEWAY__PUBLIC_KEY")
    relay = Relay(lambda ticket: lead_to_pod(check, ticket), most=settings.connections)
    gauge = Gauge(
        "proofwalk_devtools_gateway_connections", "Open DevTools connections.", registry=registry
    )
    gauge.set_function(lambda: relay.open)
    async with AsyncExitStack() as exits:
        stop = exits.enter_context(stop_event())
        exits.push_async_callback(relay.close)
        await relay.start(*split_address(settings.address))
        await exits.enter_async_context(
            HttpServer(health_app(registry, lambda: not stop.is_set()), settings.metrics_address)
        )
        log.info(
            "devtools_gateway_ready",
            address=join_address(split_address(settings.address)[0], relay.port),
        )
        await stop.wait()


async def ticket_key(
    scheduler: str, *, within_s: float, metrics: RpcMetrics, tls: MutualTls | None = None
) -> str:
    """The public key of the scheduler's tickets; empty if its sandboxes ask for none.
    Raises `rpc.*` when it does not answer in time."""
    channel = RpcChannel(
        scheduler,
        tracing=Tracing("devtools-gateway"),
        metrics=metrics,
        tls=None if tls is None else tls.towards("sandbox_scheduler"),
    )
    try:
        await channel.wait_until_ready(within_s)
        tools = (
            await SandboxSchedulerStub(channel.grpc).ListTools(ListToolsRequest(), timeout=within_s)
        ).tools
        return next((tool.ticket_key for tool in tools if tool.ticket_key), "")
    finally:
        await channel.close()


def lead_to_pod(check: TicketCheck, ticket: str, *, port: int = DEVTOOLS_PORT) -> Way:
    """Where a ticket's pod takes DevTools. Raises `sandbox.bad_ticket`, also for an
    address that no pod has."""
    told = check.check(ticket, Purpose.DEVTOOLS)
    address = ipaddress.ip_address(told.address.strip("[]"))
    if (
        address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
    ):
        raise ProofwalkError(
            "sandbox.bad_ticket", f"no pod is at {address}", status=Status.PERMISSION_DENIED
        )
    return Way(host=str(address), port=port, path=f"/devtools/{ticket}")


def _check(public_key: str, name: str) -> TicketCheck:
    if not public_key:
        raise ProofwalkError(
            "sandbox.no_public_key",
            "without the scheduler's public key nobody could be let in",
            status=Status.FAILED_PRECONDITION,
            hint=f"set {name}; the scheduler's log says it at its start",
        )
    return TicketCheck(public_key)
