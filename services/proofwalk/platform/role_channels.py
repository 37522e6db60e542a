"""Channels to one role of the installation on this home, for commands that speak to a
role itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.settings import Settings

_ANSWER_S = 3.0
"""A role on this machine says within this that it is there."""


@asynccontextmanager
async def role_channel(settings: Settings, role: str) -> AsyncIterator[RpcChannel]:
    """A channel to the role, closed afterwards."""
    tracing = Tracing("proofwalk")
    channel = RpcChannel(
        settings.address_of(role), tracing=tracing, metrics=RpcMetrics(CollectorRegistry())
    )
    try:
        yield channel
    finally:
        await channel.close()
        tracing.shutdown()


async def role_answers(settings: Settings, role: str) -> bool:
    """Whether the role runs and answers."""
    address = settings.address_of(role)
    if address.startswith("unix:") and not await asyncio.to_thread(
        Path(address.removeprefix("unix:")).exists
    ):
        return False
    async with role_channel(settings, role) as channel:
        try:
            await channel.wait_until_ready(_ANSWER_S)
        except ProofwalkError:
            return False
    return True
