"""Connections of a run to the roles that its rollouts come from, made in the event loop
that uses them, when they are first used.

The run's process has the certificate's files from its environment (`launching`). A run
takes days, so they are looked at again whenever a role is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RoleChannels as Channels
from proofwalk.chassis.settings import TLS_PREFIX, ProcessSettings, load_settings
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import SystemClock

if TYPE_CHECKING:
    from proofwalk.chassis.rpc.mutual_tls import MutualTls


class RoleChannels:
    """`close` it in the same loop."""

    def __init__(
        self, addresses: Mapping[str, str], *, tracing: Tracing, tls: MutualTls | None = None
    ) -> None:
        self._tls = tls
        self._channels = Channels(
            addresses.__getitem__,
            tracing=tracing,
            metrics=RpcMetrics(CollectorRegistry()),
            tls=tls,
        )

    def to(self, role: str) -> Any:
        """What a stub of the role is built on."""
        if self._tls is not None:
            self._tls.refresh()
        return self._channels.channel(role).grpc

    async def close(self) -> None:
        """Disconnect."""
        await self._channels.close()


def own_certificate(environment: Mapping[str, str] | None = None) -> MutualTls | None:
    """The certificate that this process's environment names. Blocks. Raises
    `settings.invalid`, `rpc.bad_certificate`."""
    given = os.environ if environment is None else environment
    named = {name: value for name, value in given.items() if name.startswith(TLS_PREFIX)}
    settings = load_settings(ProcessSettings, named).rpc.tls
    if not settings.given:
        return None
    from proofwalk.chassis.rpc.mutual_tls import MutualTls

    return MutualTls(settings, clock=SystemClock())
