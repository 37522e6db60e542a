"""One channel to each role that is called, made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc.channel import RpcChannel
from proofwalk.chassis.tracing import Tracing

if TYPE_CHECKING:
    from proofwalk.chassis.rpc.mutual_tls import MutualTls


class RoleChannels:
    """`address_of` says where a role is. `await close()` closes every channel."""

    def __init__(
        self,
        address_of: Callable[[str], str],
        *,
        tracing: Tracing,
        metrics: RpcMetrics,
        tls: MutualTls | None = None,
    ) -> None:
        self._address_of = address_of
        self._tracing = tracing
        self._metrics = metrics
        self._channels: dict[str, RpcChannel] = {}
        self.tls = tls
        """By which channels are made from now on."""

    def channel(self, role: str) -> RpcChannel:
        """The channel to a role. Stubs take its `.grpc`."""
        if role not in self._channels:
            self._channels[role] = RpcChannel(
                self._address_of(role),
                tracing=self._tracing,
                metrics=self._metrics,
                tls=None if self.tls is None else self.tls.towards(role),
            )
        return self._channels[role]

    async def close(self) -> None:
        """Disconnect."""
        for channel in self._channels.values():
            await channel.close()
        self._channels.clear()
