"""The transport: errors, deadlines, retries, sockets, health, over real gRPC."""

from __future__ import annotations

import asyncio
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.chassis.rpc import RpcServer
from proofwalk.chassis.rpc.statuses import MAX_TEXT
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.kernel.outcomes import EnvCause
from tests.chassis.wire import connected, request, serving


@pytest.fixture
def address(home: Path) -> str:
    return f"unix:{home}/a.sock"


async def fine(_request: Any, _context: Any) -> None:
    return


async def failure(awaitable: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await awaitable
    return caught.value


@pytest.mark.parametrize(
    "status", [status for status in Status if status not in (Status.UNAVAILABLE, Status.ABORTED)]
)
async def test_an_error_crosses_unchanged(address: str, tracing: Tracing, status: Status) -> None:
    sent = ProofwalkError(
        "a.b",
        "what, and why: ü",
        status=status,
        hint="what next",
        retryable=True,
        details={"k": "v"},
        cause=EnvCause.MODEL,
    )

    async def behave(_request: Any, _context: Any) -> None:
        raise sent

    async with serving(address, behave, tracing), connected(address, tracing) as (_, stub):
        got = await failure(stub.AcquireLease(request(), timeout=5))
    fields = ("code", "message", "status", "hint", "retryable", "details", "cause")
    assert [getattr(got, name) for name in fields] == [getattr(sent, name) for name in fields]


async def test_a_long_error_is_cut_not_lost(address: str, tracing: Tracing) -> None:
    async def behave(_request: Any, _context: Any) -> None:
        raise ProofwalkError("a.b", "x" * 100_000, status=Status.NOT_FOUND)

    async with serving(address, behave, tracing), connected(address, tracing) as (_, stub):
        got = await failure(stub.AcquireLease(request(), timeout=5))
    assert got.code == "a.b"
    assert len(got.message) == MAX_TEXT


@pytest.mark.parametrize(
    "bug", [KeyError("password=hunter2"), TimeoutError("hunter2"), ValueError("hunter2")]
)
async def test_a_bug_tells_its_trace_and_nothing_else(
    address: str, tracing: Tracing, spans: InMemorySpanExporter, bug: Exception
) -> None:
    async def behave(_request: Any, _context: Any) -> None:
        raise bug

    async with serving(address, behave, tracing), connected(address, tracing) as (_, stub):
        got = await failure(stub.AcquireLease(request(), timeout=5))
    assert (got.code, got.status) == ("internal", Status.INTERNAL)
    assert "hunter2" not in str(got)
    assert int(got.details["trace_id"], 16) in {
        span.context.trace_id for span in spans.get_finished_spans()
    }


async def test_the_server_continues_the_clients_trace(
    address: str, tracing: Tracing, spans: InMemorySpanExporter
) -> None:
    async with serving(address, fine, tracing), connected(address, tracing) as (_, stub):
        with tracing.span("outer"):
            await stub.AcquireLease(request(), timeout=5)
    finished = spans.get_finished_spans()
    own = {span.kind.name: span.context.span_id for span in finished if span.context is not None}
    parents = {span.kind.name: span.parent.span_id for span in finished if span.parent is not None}
    assert parents["SERVER"] == own["CLIENT"]
    assert parents["CLIENT"] == own["INTERNAL"]


async def test_a_call_ends_at_its_deadline_on_both_sides(address: str, tracing: Tracing) -> None:
    ended = asyncio.Event()

    async def behave(_request: Any, _context: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with serving(address, behave, tracing), connected(address, tracing) as (_, stub):
        got = await failure(stub.AcquireLease(request(), timeout=0.3))
        assert (got.status, got.retryable) == (Status.DEADLINE_EXCEEDED, True)
        await ended.wait()


async def test_a_call_without_a_deadline_gets_one(address: str, tracing: Tracing) -> None:
    async def behave(_request: Any, _context: Any) -> None:
        await asyncio.sleep(30)

    async with (
        serving(address, behave, tracing, max_call_s=0.2),
        connected(address, tracing, default_timeout_s=10) as (_, stub),
    ):
        bare = grpc.aio.insecure_channel(address)
        untyped: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = bare.unary_unary(
            "/proofwalk.api.account_pool.v1.AccountPool/AcquireLease"
        )
        call = untyped(b"")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asyncio.wait_for(call, 30)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        await bare.close()
        assert (await failure(stub.AcquireLease(request()))).code == "rpc.deadline_exceeded"


async def test_a_call_made_while_serving_ends_with_the_served_one(
    home: Path, tracing: Tracing
) -> None:
    remaining: list[float] = []

    async def inner(_request: Any, context: Any) -> None:
        remaining.append(context.time_remaining())

    async with (
        serving(f"unix:{home}/inner.sock", inner, tracing),
        connected(f"unix:{home}/inner.sock", tracing) as (_, inner_stub),
    ):

        async def outer(_request: Any, _context: Any) -> None:
            await inner_stub.AcquireLease(request(), timeout=60)

        async with (
            serving(f"unix:{home}/o.sock", outer, tracing),
            connected(f"unix:{home}/o.sock", tracing) as (_, stub),
        ):
            await stub.AcquireLease(request(), timeout=4)
    assert 0 < remaining[0] < 5  # a deadline on the wire is rounded


async def test_a_passing_failure_is_tried_again_with_pauses(address: str, tracing: Tracing) -> None:
    times: list[float] = []

    async def behave(_request: Any, _context: Any) -> None:
        times.append(time.monotonic())
        if len(times) < 4:
            raise unavailable("cloud.unavailable", "not yet")

    registry = CollectorRegistry()
    async with (
        serving(address, behave, tracing),
        connected(address, tracing, registry) as (_, stub),
    ):
        await stub.AcquireLease(request(), timeout=10)
    assert len(times) == 4
    assert times[-1] - times[0] > 0.1
    method = {"method": "proofwalk.api.account_pool.v1.AccountPool/AcquireLease"}
    assert registry.get_sample_value("proofwalk_rpc_retries_total", method) == 3
    assert (
        registry.get_sample_value(
            "proofwalk_rpc_calls_total", {"side": "client", "code": "OK", **method}
        )
        == 1
    )


async def test_a_try_that_the_deadline_cuts_short_is_told_as_what_it_was_tried_for(
    address: str, tracing: Tracing
) -> None:
    calls: list[None] = []

    async def behave(_request: Any, _context: Any) -> None:
        calls.append(None)
        if len(calls) > 1:
            await asyncio.Event().wait()
        raise unavailable("cloud.unavailable", "not yet")

    async with serving(address, behave, tracing), connected(address, tracing) as (_, stub):
        got = await failure(stub.AcquireLease(request(), timeout=1.0))
    assert (got.code, len(calls)) == ("cloud.unavailable", 2)


async def test_a_lasting_failure_is_raised_before_the_deadline_with_its_own_code(
    address: str, tracing: Tracing
) -> None:
    async def behave(_request: Any, _context: Any) -> None:
        raise unavailable("cloud.unavailable", "never")

    async with serving(address, behave, tracing), connected(address, tracing) as (_, stub):
        got = await failure(stub.AcquireLease(request(), timeout=0.5))
    assert got.code == "cloud.unavailable"


async def test_a_call_that_is_not_idempotent_is_made_once(address: str, tracing: Tracing) -> None:
    count = 0

    async def behave(_request: Any, _context: Any) -> None:
        nonlocal count
        count += 1
        raise unavailable("cloud.unavailable", "no")

    once = frozenset({"proofwalk.api.account_pool.v1.AccountPool/AcquireLease"})
    async with (
        serving(address, behave, tracing),
        connected(address, tracing, once=once) as (_, stub),
    ):
        assert (await failure(stub.AcquireLease(request(), timeout=2))).code == "cloud.unavailable"
    assert count == 1


async def test_a_role_that_starts_later_or_again_is_found(address: str, tracing: Tracing) -> None:
    async with connected(address, tracing) as (channel, stub):
        early = asyncio.create_task(_acquire(stub, 10))
        await asyncio.sleep(0)
        async with serving(address, fine, tracing):
            await channel.wait_until_ready(10)
            assert (await early).lease.lease_id == "lease_r"
        again = asyncio.create_task(_acquire(stub, 10))
        async with serving(address, fine, tracing):
            assert (await again).lease.lease_id == "lease_r"


async def _acquire(stub: Any, timeout_s: float) -> pb.AcquireLeaseResponse:
    reply: pb.AcquireLeaseResponse = await stub.AcquireLease(request(), timeout=timeout_s)
    return reply


async def test_nobody_there_ends_at_the_deadline(address: str, tracing: Tracing) -> None:
    async with connected(address, tracing) as (channel, stub):
        assert (
            await failure(stub.AcquireLease(request(), timeout=0.4))
        ).status is Status.DEADLINE_EXCEEDED
        assert (await failure(channel.wait_until_ready(0.4))).status is Status.DEADLINE_EXCEEDED


async def test_a_call_nobody_built_is_unimplemented(address: str, tracing: Tracing) -> None:
    async with serving(address, fine, tracing), connected(address, tracing) as (_, stub):
        got = await failure(stub.RenewLease(pb.RenewLeaseRequest(), timeout=5))
    assert (got.code, got.status) == ("rpc.unimplemented", Status.UNIMPLEMENTED)


async def test_readiness_is_what_health_says(address: str, tracing: Tracing) -> None:
    async with (
        serving(address, fine, tracing) as server,
        connected(address, tracing) as (channel, _),
    ):
        await channel.wait_until_ready(5)
        await server.ready(False)
        assert (await failure(channel.wait_until_ready(0.3))).status is Status.DEADLINE_EXCEEDED


async def test_two_live_servers_on_one_socket_are_refused(address: str, tracing: Tracing) -> None:
    async with serving(address, fine, tracing), connected(address, tracing) as (_, stub):
        with pytest.raises(ProofwalkError) as caught:
            async with serving(address, fine, tracing):
                pass
        assert caught.value.code == "rpc.address_in_use"
        await stub.AcquireLease(request(), timeout=5)


async def test_two_live_servers_on_one_port_are_refused(tracing: Tracing) -> None:
    async with (
        serving("127.0.0.1:0", fine, tracing) as first,
        connected(first.address, tracing) as (_, stub),
    ):
        await stub.AcquireLease(request(), timeout=5)
        with pytest.raises(ProofwalkError) as caught:
            async with serving(first.address, fine, tracing):
                pass
    assert caught.value.code == "rpc.address_in_use"


async def test_the_socket_file_of_a_killed_process_is_replaced(
    address: str, home: Path, tracing: Tracing
) -> None:
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(home / "a.sock"))
    stale.close()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            (
                "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX);"
                " print('held', flush=True); sys.stdin.read()"
            ),
            f"{home}/a.sock.lock",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    with pytest.raises(ProofwalkError):
        async with serving(address, fine, tracing):
            pass
    holder.kill()
    holder.communicate()
    async with serving(address, fine, tracing), connected(address, tracing) as (_, stub):
        await stub.AcquireLease(request(), timeout=5)


async def test_stopping_gives_running_calls_their_grace(address: str, tracing: Tracing) -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def behave(_request: Any, _context: Any) -> None:
        entered.set()
        await leave.wait()

    async with (
        serving(address, behave, tracing) as server,
        connected(address, tracing) as (_, stub),
    ):
        call = asyncio.create_task(_acquire(stub, 10))
        await entered.wait()
        stopping = asyncio.create_task(_stop(server))
        await asyncio.sleep(0)
        leave.set()
        assert (await call).lease.lease_id == "lease_r"
        await stopping


async def _stop(server: RpcServer) -> None:
    await server.stop(10)


async def test_a_message_over_the_bound_is_refused_not_tried_again(
    address: str, tracing: Tracing
) -> None:
    async with serving(address, fine, tracing), connected(address, tracing) as (_, stub):
        huge = pb.AcquireLeaseRequest(request_id="x" * (33 * 1024 * 1024))
        got = await failure(stub.AcquireLease(huge, timeout=30))
    assert got.code == "rpc.resource_exhausted"
    assert not got.retryable


async def test_a_socket_is_its_owners_also_where_others_may_enter(
    home: Path, tracing: Tracing
) -> None:
    shared = home / "shared"
    shared.mkdir(mode=0o777)
    async with serving(f"unix:{shared}/a.sock", fine, tracing):
        assert stat.S_IMODE((shared / "a.sock").stat().st_mode) & 0o077 == 0
