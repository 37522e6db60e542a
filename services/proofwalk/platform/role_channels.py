"""Channels to the roles of the installation on this home, or at the addresses that are
set, for commands that speak to roles themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import Channels, RoleChannels, RpcChannel
from proofwalk.chassis.rpc.diagnosis import TLS_FAULTS
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.settings import Settings

if TYPE_CHECKING:
    from proofwalk.chassis.rpc.mutual_tls import MutualTls

_ANSWER_S = 3.0
"""A role on this machine says within this that it is there."""


@asynccontextmanager
async def role_channels(settings: Settings) -> AsyncIterator[Channels]:
    """A channel to each role that is asked for, connected or not; all are closed
    afterwards. Raises `rpc.bad_certificate`."""
    tracing = Tracing("proofwalk")
    channels = RoleChannels(
        settings.address_of,
        tracing=tracing,
        metrics=RpcMetrics(CollectorRegistry()),
        tls=await asyncio.to_thread(certificate_of, settings),
    )
    try:
        yield channels
    finally:
        await channels.close()
        tracing.shutdown()


def certificate_of(settings: Settings) -> MutualTls | None:
    """The certificate to call roles with, if one is set. Blocks. Raises
    `rpc.bad_certificate`."""
    if not settings.rpc.tls.given:
        return None
    from proofwalk.chassis.rpc.mutual_tls import MutualTls

    return MutualTls(settings.rpc.tls, clock=SystemClock())


@asynccontextmanager
async def role_channel(settings: Settings, role: str) -> AsyncIterator[RpcChannel]:
    """A channel to one role, closed afterwards."""
    async with role_channels(settings) as channels:
        yield channels.channel(role)


async def role_answers(settings: Settings, role: str) -> bool:
    """Whether the role runs and answers. Raises what keeps it from being called where
    that is the certificates."""
    address = settings.address_of(role)
    if address.startswith("unix:") and not await asyncio.to_thread(
        Path(address.removeprefix("unix:")).exists
    ):
        return False
    async with role_channel(settings, role) as channel:
        try:
            await channel.wait_until_ready(_ANSWER_S)
        except ProofwalkError as error:
            if error.code in TLS_FAULTS:
                raise
            return False
    return True
