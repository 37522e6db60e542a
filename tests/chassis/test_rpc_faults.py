"""Calls over a network that misbehaves (`benchmarks.faults.proxy`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from benchmarks.faults.conditions import Direction, HalfOpen, Pass, Reset
from benchmarks.faults.proxy import FaultProxy
from proofwalk.chassis.http import split_address
from proofwalk.chassis.rpc import channel
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.errors import ProofwalkError, unavailable
from tests.chassis.wire import connected, request, serving

PING_MS = 200


@pytest.fixture
def quick_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = ("keepalive_time_ms", "keepalive_timeout_ms", "ping_timeout_ms")
    options = [
        (name, PING_MS if name.endswith(waits) else value) for name, value in channel._OPTIONS
    ]
    monkeypatch.setattr(channel, "_OPTIONS", options)


@pytest.fixture
async def proxy(tracing: Tracing) -> AsyncIterator[FaultProxy]:
    """In front of a role that answers."""

    async def behave(_request: Any, _context: Any) -> None:
        return

    async with (
        serving("127.0.0.1:0", behave, tracing) as server,
        FaultProxy(split_address(server.address)) as proxy,
    ):
        yield proxy


@pytest.mark.parametrize("dead", Direction)
@pytest.mark.usefixtures("quick_pings")
async def test_a_call_on_a_connection_that_died_in_silence_is_answered_over_another(
    proxy: FaultProxy, tracing: Tracing, dead: Direction
) -> None:
    async with connected(proxy.target, tracing) as (_, stub):
        await stub.AcquireLease(request(), timeout=5)
        # Of the connection that lives; whoever connects again is not concerned.
        proxy.condition = HalfOpen(dead)
        proxy.condition = Pass()
        await stub.AcquireLease(request(), timeout=5)
    assert proxy.connections == 2


async def test_answers_that_are_always_reset_are_asked_for_so_often_and_no_more(
    proxy: FaultProxy, tracing: Tracing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "PAUSES_S", (0.0, 0.0))
    async with connected(proxy.target, tracing) as (_, stub):
        await stub.AcquireLease(request(), timeout=5)
        proxy.condition = Reset(after_bytes=proxy.newest_answered // 2)
        with pytest.raises(ProofwalkError) as caught:
            await stub.AcquireLease(request(), timeout=60)
    assert caught.value.code == "rpc.unavailable"
    # The first, one for each try, and one that the channel makes anew by itself.
    assert proxy.connections <= 5


async def test_a_lasting_failure_is_not_asked_about_until_a_distant_deadline(
    tracing: Tracing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "PAUSES_S", (0.0,) * 3)
    calls: list[None] = []

    async def behave(_request: Any, _context: Any) -> None:
        calls.append(None)
        raise unavailable("cloud.unavailable", "never")

    async with (
        serving("127.0.0.1:0", behave, tracing) as server,
        connected(server.address, tracing) as (_, stub),
    ):
        with pytest.raises(ProofwalkError) as caught:
            await stub.AcquireLease(request(), timeout=600)
    assert (caught.value.code, len(calls)) == ("cloud.unavailable", 4)


def test_there_are_few_tries_however_long_the_deadline() -> None:
    assert len(channel.PAUSES_S) < 20
    assert 30 < sum(channel.PAUSES_S) < 60
