"""A role: a name and `start(ctx) -> Running`, which says its gRPC services, its
background loops, and how it hands work back. `role_process` runs roles.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.metrics import RpcMetrics, StreamMetrics
from proofwalk.chassis.readers import Readers
from proofwalk.chassis.rpc import RoleChannels, RpcChannel, RpcService
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.streams import Doorbell, Entry, StreamConsumer
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import IdSource

_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Loop:
    """Background work that runs until it is cancelled."""

    name: str
    run: Callable[[], Awaitable[None]]


async def _nothing() -> None:
    return


@dataclass(frozen=True, kw_only=True)
class Running:
    """What a role's `start` gives to the process."""

    services: Sequence[RpcService] = ()
    loops: Sequence[Loop] = ()
    drain: Callable[[], Awaitable[None]] = _nothing
    """Stop intake and hand back what is held; cancelled when the grace is over."""


@dataclass(frozen=True, kw_only=True)
class RoleContext:
    """What a role is given."""

    role: str
    settings: ProcessSettings
    folder: Path
    """The role's own files; exists."""
    clock: Clock
    ids: IdSource
    database: Database
    """The role's database; migrated, if the role has a `package`."""
    redis: Redis
    doorbell: Doorbell
    blobs: Blobs
    tracing: Tracing
    metrics: CollectorRegistry
    rpc_metrics: RpcMetrics
    stream_metrics: StreamMetrics
    redaction: Redaction
    """Register secrets here as soon as they are known."""
    readers: Readers
    """Reads what strangers wrote, in processes of their own; shared by the roles of
    this process."""
    exits: AsyncExitStack
    """What the role opened: closed after its loops and server have ended."""
    _channels: RoleChannels = field(repr=False)

    def channel(self, role: str) -> RpcChannel:
        """The channel to another role (one for each, closed by the process). Stubs take
        its `.grpc`."""
        return self._channels.channel(role)

    def consumer(
        self,
        stream: str,
        handle: Callable[[Entry], Awaitable[None]],
        *,
        concurrency: int = 4,
        lease_s: float = 30.0,
        max_deliveries: int = 5,
    ) -> StreamConsumer:
        """This role's consumer of a stream; its `run` is a loop, its `drain` belongs
        into `Running.drain`."""
        return StreamConsumer(
            self.redis,
            stream=stream,
            group=self.role,
            consumer=self.ids.new("con"),
            handle=handle,
            tracing=self.tracing,
            metrics=self.stream_metrics,
            concurrency=concurrency,
            lease_s=lease_s,
            max_deliveries=max_deliveries,
        )


@dataclass(frozen=True, kw_only=True)
class Role:
    """A role, wired by its `main.py`: `def role(settings: …Settings) -> Role`."""

    name: str
    start: Callable[[RoleContext], Awaitable[Running]]
    package: str = ""
    """The package whose `migrations/versions` make the role's tables; empty for a role
    without rows."""


def every(name: str, seconds: float, work: Callable[[], Awaitable[Any]]) -> Loop:
    """A loop that does `work`, then waits. What `work` raises is logged and the loop
    goes on: the next look may succeed."""

    async def run() -> None:
        while True:
            try:
                await work()
            except Exception as error:
                _log.exception("periodic_work_failed", work=name, error=error)
            await asyncio.sleep(seconds)

    return Loop(name=name, run=run)
