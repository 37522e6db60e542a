"""A channel that changes its connection without its stubs noticing.

Stubs are built once and keep the channel. Each call asks here for the connection of the
newest version; the one before is closed when the last call on it has ended, at most
`LONGEST_S` later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc

from proofwalk.chassis.tasks import end

LONGEST_S = 3600.0
"""A server lets no stream run longer (`RpcServer`)."""


class InFlight:
    """Counts the calls on one connection."""

    def __init__(self) -> None:
        self._calls = 0
        self._none = asyncio.Event()
        self._none.set()

    def begin(self) -> None:
        self._calls += 1
        self._none.clear()

    def end(self) -> None:
        self._calls -= 1
        if not self._calls:
            self._none.set()

    async def over(self) -> None:
        """Return when no call is under way."""
        await self._none.wait()


class _Connection:
    def __init__(self, version: int, channel: grpc.aio.Channel, calls: InFlight) -> None:
        self.version = version
        self.channel = channel
        self.calls = calls


class RotatingChannel(grpc.aio.Channel):
    """`connect(calls)` makes a connection whose interceptors call `calls.end()` when a
    call has ended; `version()` says when a new one is due."""

    def __init__(
        self, connect: Callable[[InFlight], grpc.aio.Channel], version: Callable[[], int]
    ) -> None:
        self._connect = connect
        self._version = version
        self._retiring: set[asyncio.Task[None]] = set()
        self._now = self._new_connection()

    def connection(self) -> _Connection:
        """The one to call on."""
        if self._now.version != self._version():
            task = asyncio.get_running_loop().create_task(
                self._retire(self._now), name="retire a connection"
            )
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)
            self._now = self._new_connection()
        return self._now

    def unary_unary(self, *method: Any, **options: Any) -> Any:
        return _Method(self, lambda channel: channel.unary_unary(*method, **options))

    def unary_stream(self, *method: Any, **options: Any) -> Any:
        return _Method(self, lambda channel: channel.unary_stream(*method, **options))

    def stream_unary(self, *method: Any, **options: Any) -> Any:
        raise NotImplementedError("no call of the contract takes a stream of requests")

    stream_stream = stream_unary

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        return self.connection().channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self.connection().channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self.connection().channel.channel_ready()

    async def close(self, grace: float | None = None) -> None:
        await self._now.channel.close(grace)
        await end(list(self._retiring))

    async def __aenter__(self) -> RotatingChannel:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def _new_connection(self) -> _Connection:
        calls = InFlight()
        return _Connection(self._version(), self._connect(calls), calls)

    async def _retire(self, old: _Connection) -> None:
        try:
            async with asyncio.timeout(LONGEST_S):
                await old.calls.over()
        except TimeoutError:
            pass
        finally:
            await old.channel.close()


class _Method:
    """What a stub keeps of one call."""

    def __init__(self, rotating: RotatingChannel, make: Callable[[grpc.aio.Channel], Any]) -> None:
        self._rotating = rotating
        self._make = make
        self._connection: _Connection | None = None
        self._call: Any = None

    def __call__(self, *request: Any, **options: Any) -> Any:
        connection = self._rotating.connection()
        if connection is not self._connection:
            self._connection, self._call = connection, self._make(connection.channel)
        connection.calls.begin()
        return self._call(*request, **options)
