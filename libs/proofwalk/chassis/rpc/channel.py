"""The client's side: a channel that generated stubs are built on.

Every call has a deadline (its own `timeout=`, else the channel's default, never beyond
the call being served), carries the trace, is counted, and raises `ProofwalkError`
instead of gRPC's errors. A call that ends UNAVAILABLE or ABORTED and retryable is made
again with growing, jittered pauses until its deadline or the last of `PAUSES_S`, since
every call of the contract is idempotent, unless it is named in `once`. A role that
restarts is found again: calls wait for a connection, and reconnecting is tried at least
once a second. A connection that no answer comes over any more, though nobody closed it,
is found out by pings (`KEEPALIVE`) and replaced. Where a name has several addresses,
calls go to each of them in turn.
Over TCP with `tls`, calls go over a connection of the process's certificate, a new one
when that is replaced (`rotation`).
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry.trace import SpanKind

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import deadlines
from proofwalk.chassis.rpc.rotation import InFlight, RotatingChannel
from proofwalk.chassis.rpc.server import KEEPALIVE, MAX_MESSAGE_BYTES
from proofwalk.chassis.rpc.statuses import from_rpc_error
from proofwalk.chassis.tracing import Tracing, carrier
from proofwalk.kernel.errors import ProofwalkError, Status

if TYPE_CHECKING:
    from proofwalk.chassis.rpc.mutual_tls import TowardsRole

DEFAULT_TIMEOUT_S = 15.0
ONCE = frozenset(
    {
        "proofwalk.api.inference.v1.Inference/Generate",
        "proofwalk.api.rollout.v1.Rollout/CreateVerification",
    }
)
"""Calls that no channel repeats: the first is not idempotent; the second makes rollout
ask a document's server, whose owner has no part in what failed here, so that only
whoever wants the verification says that it is tried again."""
_OPTIONS: list[tuple[str, str | int]] = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    # Channels to one address share a connection unless told otherwise, and with it each
    # other's backoff.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_http_proxy", 0),
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.default_authority", "proofwalk"),
    *KEEPALIVE,
]
PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, *(4.0,) * 9)
"""Before each further try, so that there are no more tries than that, however long the
deadline: a role whose database is restarted has 40 s."""


class RpcChannel:
    """A connection to one role. Build stubs on `.grpc`; `await close()` when done."""

    def __init__(
        self,
        address: str,
        *,
        tracing: Tracing,
        metrics: RpcMetrics,
        default_timeout_s: float = DEFAULT_TIMEOUT_S,
        once: frozenset[str] = ONCE,
        tls: TowardsRole | None = None,
    ) -> None:
        self.address = address
        rules = _Rules(tracing, metrics, default_timeout_s, once, self._fault)
        # A unix socket is guarded by its folder.
        secure = self._tls = None if address.startswith("unix:") else tls

        def connect(calls: InFlight) -> grpc.aio.Channel:
            interceptors = [_UnaryCalls(rules, calls), _StreamCalls(rules, calls)]
            if secure is None:
                return grpc.aio.insecure_channel(
                    address, options=_OPTIONS, interceptors=interceptors
                )
            return secure.connect(address, _OPTIONS, interceptors)

        self.grpc = RotatingChannel(connect, lambda: 0 if secure is None else secure.tls.version)

    async def wait_until_ready(self, timeout_s: float) -> None:
        """Return when the role says that it is ready; raises `rpc.unavailable` or
        `rpc.deadline_exceeded` when time is up."""
        stub = health_pb2_grpc.HealthStub(self.grpc)
        deadline = time.monotonic() + timeout_s
        while True:
            left = deadline - time.monotonic()
            reply = await stub.Check(health_pb2.HealthCheckRequest(), timeout=max(left, 0.001))
            if reply.status == health_pb2.HealthCheckResponse.SERVING:
                return
            await asyncio.sleep(min(0.05, max(left, 0)))

    async def _fault(self) -> ProofwalkError | None:
        """Why there is no connection, if it is the certificates."""
        connected = self.grpc.get_state() is grpc.ChannelConnectivity.READY
        if connected or self.address.startswith("unix:"):
            return None
        from proofwalk.chassis.rpc.diagnosis import tls_fault

        return await tls_fault(self.address, self._tls)

    async def close(self) -> None:
        """Cancel what is in flight and disconnect."""
        await self.grpc.close()


class Channels(Protocol):
    """Somebody who has a channel to each role."""

    def channel(self, role: str) -> RpcChannel: ...


class _Rules:
    def __init__(
        self,
        tracing: Tracing,
        metrics: RpcMetrics,
        default_timeout_s: float,
        once: frozenset[str],
        fault: Callable[[], Awaitable[ProofwalkError | None]],
    ) -> None:
        self.tracing = tracing
        self.metrics = metrics
        self.default_timeout_s = default_timeout_s
        self.once = once
        self._fault = fault

    def timeout(self, details: grpc.aio.ClientCallDetails) -> float:
        return deadlines.bounded(
            self.default_timeout_s if details.timeout is None else details.timeout
        )

    async def explained(self, error: ProofwalkError) -> ProofwalkError:
        """The error, or why no connection was made."""
        if error.status not in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED):
            return error
        return await self._fault() or error


def _method(details: grpc.aio.ClientCallDetails) -> str:
    # Typed as text, but bytes where the channel keeps registered methods.
    method: Any = details.method
    return (method.decode() if isinstance(method, bytes) else str(method)).lstrip("/")


def _with(details: grpc.aio.ClientCallDetails, timeout: float) -> grpc.aio.ClientCallDetails:
    metadata = grpc.aio.Metadata(*(details.metadata or ()))
    for key, value in carrier().items():
        metadata[key] = value
    return grpc.aio.ClientCallDetails(details.method, timeout, metadata, details.credentials, True)


def _worth_retrying(error: ProofwalkError) -> bool:
    return error.retryable and error.status in (Status.UNAVAILABLE, Status.ABORTED)


class _UnaryCalls(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, rules: _Rules, calls: InFlight) -> None:
        self._rules = rules
        self._calls = calls

    async def intercept_unary_unary(
        self,
        continuation: Callable[..., Any],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,
    ) -> Any:
        rules, method, started = self._rules, _method(client_call_details), time.monotonic()
        deadline = started + rules.timeout(client_call_details)
        pauses = iter(PAUSES_S)
        code = "CANCELLED"
        lasting: ProofwalkError | None = None
        with rules.tracing.span(method, kind=SpanKind.CLIENT):
            try:
                while True:
                    try:
                        call = await continuation(
                            _with(client_call_details, max(deadline - time.monotonic(), 0.001)),
                            request,
                        )
                        reply = await call
                        code = "OK"
                        return reply
                    except grpc.aio.AioRpcError as failure:
                        error = from_rpc_error(failure, method)
                    code = error.status.value
                    if lasting is not None and error.status is Status.DEADLINE_EXCEEDED:
                        # The last try was cut short; why there had to be one says more.
                        raise await rules.explained(lasting)
                    # Jitter, so that clients do not come back in step; not for secrets.
                    wait = random.uniform(0.5, 1.0) * next(pauses, math.inf)  # noqa: S311
                    if (
                        method in rules.once
                        or not _worth_retrying(error)
                        or time.monotonic() + wait >= deadline
                    ):
                        raise await rules.explained(error)
                    lasting = error
                    rules.metrics.retries.labels(method).inc()
                    await asyncio.sleep(wait)
            finally:
                self._calls.end()
                rules.metrics.observe("client", method, code, time.monotonic() - started)


class _StreamCalls(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, rules: _Rules, calls: InFlight) -> None:
        self._rules = rules
        self._calls = calls

    async def intercept_unary_stream(
        self,
        continuation: Callable[..., Any],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,
    ) -> Any:
        try:
            call = await continuation(
                _with(client_call_details, self._rules.timeout(client_call_details)), request
            )
        except BaseException:
            self._calls.end()
            raise
        call.add_done_callback(lambda _: self._calls.end())
        return self._items(call, _method(client_call_details))

    async def _items(self, call: Any, method: str) -> AsyncIterator[Any]:
        started, code = time.monotonic(), "CANCELLED"
        try:
            async for item in call:
                yield item
            code = "OK"
        except grpc.aio.AioRpcError as failure:
            error = from_rpc_error(failure, method)
            code = error.status.value
            raise await self._rules.explained(error) from None
        finally:
            call.cancel()
            self._rules.metrics.observe("client", method, code, time.monotonic() - started)
