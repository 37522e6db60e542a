"""Connections of a run to the roles that its rollouts come from, made in the event loop
that uses them, when they are first used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prometheus_client import CollectorRegistry

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.chassis.tracing import Tracing


class RoleChannels:
    """`close` it in the same loop."""

    def __init__(self, addresses: Mapping[str, str], *, tracing: Tracing) -> None:
        self._addresses = addresses
        self._tracing = tracing
        self._metrics = RpcMetrics(CollectorRegistry())
        self._channels: dict[str, RpcChannel] = {}

    def to(self, role: str) -> Any:
        """What a stub of the role is built on."""
        if role not in self._channels:
            self._channels[role] = RpcChannel(
                self._addresses[role], tracing=self._tracing, metrics=self._metrics
            )
        return self._channels[role].grpc

    async def close(self) -> None:
        """Disconnect."""
        for channel in self._channels.values():
            await channel.close()
        self._channels.clear()
