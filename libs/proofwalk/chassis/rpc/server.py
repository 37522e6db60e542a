"""The gRPC server of a process: health, reflection where it is asked for, and one
interceptor through which every call passes.

The interceptor gives a call its span (continuing the caller's trace), asks the guard
whether the caller may make it (`identity`; over TLS alone), bounds it (at
`max_call_s` or `max_stream_s`, also when the caller set no deadline), counts and times
it, logs its end, and turns a raised `ProofwalkError` into a status with details
(`statuses`). A unix socket is guarded by a lock file next to it: the file that a killed
process left is replaced, a second live server is refused.

Calls are bounded by kind, so that none takes another's room: at most `max_concurrent`
that do something, at most `max_watchers` that wait for something to happen
(`RpcService.watches`); health and reflection have a reserve of their own, which the
transport's bound, the sum of all, leaves free. One call too many ends at once with
RESOURCE_EXHAUSTED and may be made again later.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import structlog
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from opentelemetry.trace import SpanKind
from structlog.contextvars import bound_contextvars

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import deadlines, identity, statuses
from proofwalk.chassis.tracing import Tracing, trace_id
from proofwalk.kernel.errors import ProofwalkError, Status, conflict, exhausted, unimplemented

if TYPE_CHECKING:
    from proofwalk.chassis.rpc.mutual_tls import MutualTls

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
"""Screenshots travel in messages; documents and logs of more than this go through
blobs."""

KEEPALIVE: Sequence[tuple[str, int]] = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    # Of pings that measure the line: none follows one that has no answer yet.
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Any number, also while a long call has nothing to say.
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
)
"""Both sides ping over a connection on which nothing arrives, and drop one that does
not answer. A router that forgot a connection tells neither."""
CONNECTION_S = 300.0
"""How long a connection takes new calls. A balancer, a Service of Kubernetes
among them, chooses a replica for each connection: one that was kept would never reach a
replica that came later. Calls that are under way end as they would."""
_UNIX = "unix:"
_HEALTH_RESERVE = 32
"""Calls of health and reflection that the transport takes beside all others."""

_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class RpcService:
    """A servicer and how it is registered."""

    descriptor: ServiceDescriptor
    """`account_pool_pb2.DESCRIPTOR.services_by_name["AccountPool"]`"""
    register: Callable[[Any, Any], None] = field(repr=False)
    """`account_pool_pb2_grpc.add_AccountPoolServicer_to_server`"""
    servicer: object
    watches: frozenset[str] = frozenset()
    """Names of calls that stay open to tell what happens (`WatchEvents`)."""


class RpcServer:
    """Serves services on one address. `await start()`, `ready(True)`, … `await
    stop(grace_s)`."""

    def __init__(
        self,
        address: str,
        services: Sequence[RpcService],
        *,
        tracing: Tracing,
        metrics: RpcMetrics,
        max_call_s: float = 600.0,
        max_stream_s: float = 3600.0,
        max_connection_s: float = CONNECTION_S,
        max_concurrent: int = 200,
        max_watchers: int = 128,
        tls: MutualTls | None = None,
        reflect: bool = False,
    ) -> None:
        self._address = address
        # A unix socket is guarded by its folder.
        self._tls = None if address.startswith(_UNIX) else tls
        self._reflect = reflect
        self._services = services
        self._names = [service.descriptor.full_name for service in services]
        self._health = health.aio.HealthServicer()
        self._lock: int | None = None
        watched = {
            f"{service.descriptor.full_name}/{name}"
            for service in services
            for name in service.watches
        }
        rooms = _Rooms(frozenset(watched), calls=max_concurrent, watchers=max_watchers)
        self._server = grpc.aio.server(
            interceptors=[
                _Calls(
                    tracing,
                    metrics,
                    _Bounds(max_call_s=max_call_s, max_stream_s=max_stream_s, rooms=rooms),
                    self._tls.guard() if self._tls is not None else None,
                )
            ],
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
                ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
                *KEEPALIVE,
                ("grpc.max_connection_age_ms", int(max_connection_s * 1000)),
            ],
            maximum_concurrent_rpcs=max_concurrent + max_watchers + _HEALTH_RESERVE,
        )
        self.address = address
        """Where it listens; with port 0, the port that was chosen (after `start`)."""

    async def start(self) -> None:
        """Bind and serve; not ready yet. Raises `rpc.address_in_use`."""
        if self._address.startswith(_UNIX):
            self._claim(Path(self._address.removeprefix(_UNIX)))
        for service in self._services:
            service.register(service.servicer, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if self._reflect:
            reflection.enable_server_reflection(
                [*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME], self._server
            )
        await self.ready(False)
        try:
            port = self._bind()
        except RuntimeError:
            raise conflict(
                "rpc.address_in_use",
                f"cannot listen on {self._address}",
                hint="is another process of this role running?",
            ) from None
        if self._address.endswith(":0"):
            self.address = f"{self._address.removesuffix(':0')}:{port}"
        await self._server.start()

    def _bind(self) -> int:
        if self._tls is not None:
            return self._server.add_secure_port(self._address, self._tls.server_credentials())
        if not self._address.startswith(_UNIX):
            return self._server.add_insecure_port(self._address)
        # So that the socket is its owner's from its first moment, also in a folder that
        # others may enter.
        before = os.umask(0o077)
        try:
            return self._server.add_insecure_port(self._address)
        finally:
            os.umask(before)

    async def ready(self, serving: bool) -> None:
        """Tell health checks whether calls are welcome."""
        status = (
            health_pb2.HealthCheckResponse.SERVING
            if serving
            else health_pb2.HealthCheckResponse.NOT_SERVING
        )
        for name in ("", *self._names):
            await self._health.set(name, status)

    async def stop(self, grace_s: float) -> None:
        """Refuse new calls, give running ones `grace_s`, then cancel them."""
        await self._server.stop(grace_s)
        if self._lock is not None:
            self._release(Path(self._address.removeprefix(_UNIX)), self._lock)
            self._lock = None

    def _release(self, path: Path, lock: int) -> None:
        path.unlink(missing_ok=True)
        os.close(lock)

    def _claim(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise conflict(
                "rpc.address_in_use",
                f"another process serves {path}",
                hint="stop it, or set another PROOFWALK_HOME",
            ) from None
        path.unlink(missing_ok=True)
        self._lock = lock


class _Rooms:
    """How many calls of each kind are being served. Of one event loop."""

    def __init__(self, watched: frozenset[str], *, calls: int, watchers: int) -> None:
        self._watched = watched
        self._bounds = {False: calls, True: watchers}
        self._busy = {False: 0, True: 0}

    @contextmanager
    def one(self, method: str) -> Iterator[None]:
        """Count a call. Raises `rpc.too_many_watchers`, `rpc.too_many_calls`."""
        kind = method in self._watched
        if self._busy[kind] >= self._bounds[kind]:
            code, what = (
                ("rpc.too_many_watchers", "watchers") if kind else ("rpc.too_many_calls", "calls")
            )
            raise exhausted(
                code,
                f"{self._bounds[kind]} {what} are being served, and no more are taken",
                hint="try again later",
            )
        self._busy[kind] += 1
        try:
            yield
        finally:
            self._busy[kind] -= 1


@dataclass(frozen=True, kw_only=True)
class _Bounds:
    max_call_s: float
    max_stream_s: float
    rooms: _Rooms


class _Calls(grpc.aio.ServerInterceptor):
    """See the module docstring."""

    def __init__(
        self,
        tracing: Tracing,
        metrics: RpcMetrics,
        bounds: _Bounds,
        guard: identity.Guard | None,
    ) -> None:
        self._tracing = tracing
        self._metrics = metrics
        self._bounds = bounds
        self._guard = guard

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(details)
        if handler is None or details.method.startswith(("/grpc.health.", "/grpc.reflection.")):
            return handler
        codecs = {
            "request_deserializer": handler.request_deserializer,
            "response_serializer": handler.response_serializer,
        }
        if handler.response_streaming:
            behaviour = handler.stream_stream if handler.request_streaming else handler.unary_stream

            async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
                async with self._call(details, context, self._bounds.max_stream_s):
                    async for item in behaviour(request, context):
                        yield item

            make = (
                grpc.stream_stream_rpc_method_handler
                if handler.request_streaming
                else grpc.unary_stream_rpc_method_handler
            )
            return make(stream, **codecs)
        behaviour = handler.stream_unary if handler.request_streaming else handler.unary_unary

        async def unary(request: Any, context: Any) -> Any:
            async with self._call(details, context, self._bounds.max_call_s):
                return await behaviour(request, context)

        make = (
            grpc.stream_unary_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_unary_rpc_method_handler
        )
        return make(unary, **codecs)

    @asynccontextmanager
    async def _call(
        self, details: grpc.HandlerCallDetails, context: Any, max_s: float
    ) -> AsyncIterator[None]:
        started = time.monotonic()
        method = details.method.lstrip("/")
        carrier = {
            str(key): value
            for key, value in details.invocation_metadata or ()
            if isinstance(value, str)
        }
        remaining = context.time_remaining()
        # gRPC gives an enormous number, or none at all, for a call without a deadline.
        bound = max_s if remaining is None else min(remaining, max_s)
        deadlines.note(bound)
        code, trace = "OK", ""
        try:
            with (
                bound_contextvars(rpc=method),
                self._tracing.span(method, kind=SpanKind.SERVER, carrier=carrier),
            ):
                trace = trace_id()
                caller = self._admit(method, context)
                with (
                    bound_contextvars(trace_id=trace, **caller),
                    self._bounds.rooms.one(method),
                ):
                    async with self._bounded(method, bound):
                        yield
        except asyncio.CancelledError:
            code = "CANCELLED"
            raise
        except ProofwalkError as error:
            code = error.status.value
            _log.info("rpc_refused", rpc=method, trace_id=trace, code=error.code, status=code)
            await context.abort_with_status(statuses.to_status(error))
        except grpc.aio.AbortError:
            code = "ABORTED"
            raise
        except Exception:
            code = "INTERNAL"
            _log.exception("rpc_crashed", rpc=method, trace_id=trace)
            await context.abort_with_status(statuses.to_status(statuses.internal(trace)))
        finally:
            seconds = time.monotonic() - started
            self._metrics.observe("server", method, code, seconds)
            _log.debug(
                "rpc_served", rpc=method, trace_id=trace, code=code, ms=round(seconds * 1000, 1)
            )

    def _admit(self, method: str, context: Any) -> dict[str, str]:
        """What the log says of the caller."""
        if self._guard is None:
            return {}
        try:
            caller = self._guard.admit(method, context)
        except ProofwalkError as error:
            _log.warning("rpc_caller_refused", code=error.code, reason=error.message)
            raise
        identity.note(caller)
        return {"caller": caller.role}

    @asynccontextmanager
    async def _bounded(self, method: str, bound_s: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(bound_s) as limit:
                yield
        except TimeoutError:
            # Only ours: a TimeoutError that a handler let through is its bug.
            if not limit.expired():
                raise
            raise _late(method) from None
        except NotImplementedError:
            # What the generated base class raises for a call that the servicer does not
            # have.
            raise unimplemented(
                "rpc.unimplemented",
                f"{method} is not built",
                hint="compare the versions of the roles",
            ) from None


def _late(method: str) -> ProofwalkError:
    return ProofwalkError(
        "rpc.deadline_exceeded",
        f"{method} was not done in time",
        status=Status.DEADLINE_EXCEEDED,
        retryable=True,
    )
