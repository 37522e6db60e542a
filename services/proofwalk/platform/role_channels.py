"""Channels to the roles of the installation on this home, or at the addresses that are
set, for commands that speak to roles themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import Channels, RpcChannel
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.settings import Settings

_ANSWER_S = 3.0
"""A role on this machine says within this that it is there."""


class _RoleChannels:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tracing = Tracing("proofwalk")
        self._metrics = RpcMetrics(CollectorRegistry())
        self._channels: dict[str, RpcChannel] = {}

    def channel(self, role: str) -> RpcChannel:
        if role not in self._channels:
            self._channels[role] = RpcChannel(
                self._settings.address_of(role), tracing=self._tracing, metrics=self._metrics
            )
        return self._channels[role]

    async def close(self) -> None:
        for channel in self._channels.values():
            await channel.close()
        self._tracing.shutdown()


@asynccontextmanager
async def role_channels(settings: Settings) -> AsyncIterator[Channels]:
    """A channel to each role that is asked for, connected or not; all are closed
    afterwards."""
    channels = _RoleChannels(settings)
    try:
        yield channels
    finally:
        await channels.close()


@asynccontextmanager
async def role_channel(settings: Settings, role: str) -> AsyncIterator[RpcChannel]:
    """A channel to one role, closed afterwards."""
    async with role_channels(settings) as channels:
        yield channels.channel(role)


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
