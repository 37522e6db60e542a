"""Processes that read what strangers wrote: what they give, what ends them, and what is
left afterwards."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import psutil
import pytest

from proofwalk.chassis.readers import Bounds, Order, Readers
from proofwalk.kernel.errors import ProofwalkError, Status

SMALL = Bounds(wall_s=30, cpu_s=1, memory_bytes=100 << 20)


def order(reader: str, *, bounds: Bounds = SMALL, body: bytes = b"", **arguments: Any) -> Order:
    return Order(
        reader=f"tests.chassis.misbehaving:{reader}",
        subject="thing",
        arguments=arguments,
        body=body,
        bounds=bounds,
        hint="less",
    )


@pytest.fixture
async def readers() -> AsyncIterator[Readers]:
    async with Readers(processes=1, waiting=2) as readers:
        yield readers


async def refused(readers: Readers, asked: Order) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await readers.read(asked)
    return caught.value


async def echoed(readers: Readers, body: bytes = b"") -> dict[str, Any]:
    answer = await readers.read(order("echo", body=body, a=1))
    assert answer.endswith(body)
    found: dict[str, Any] = json.loads(answer.removesuffix(body))
    return found


async def test_a_process_reads_one_thing_after_another_and_knows_no_secret(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALICLOUD_SECRET_KEY", "s3cret")
    first = await echoed(readers, b"x" * 1_000_000)
    assert first["arguments"] == {"a": 1}
    assert "ALICLOUD_SECRET_KEY" not in first["environment"]
    assert (await echoed(readers))["pid"] == first["pid"], "it stays warm"


async def test_a_refusal_travels_whole_and_leaves_the_process(readers: Readers) -> None:
    pid = (await echoed(readers))["pid"]
    error = await refused(readers, order("refuse"))
    assert (error.code, error.message, error.hint, error.status) == (
        "document.odd", "it is odd", "make it even", Status.INVALID_ARGUMENT,
    )  # fmt: skip
    assert error.details == {"path": "a"}
    assert (await echoed(readers))["pid"] == pid


@pytest.mark.parametrize("reader", ["spin", "swell", "vanish"])
async def test_what_takes_too_much_is_ended_and_the_next_is_read(
    readers: Readers, reader: str
) -> None:
    pid = (await echoed(readers))["pid"]
    error = await refused(readers, order(reader))
    assert (error.code, error.status, error.hint) == (
        "thing.too_costly",
        Status.INVALID_ARGUMENT,
        "less",
    )
    assert not psutil.pid_exists(pid)
    assert (await echoed(readers))["pid"] != pid


async def test_what_waits_without_working_is_no_fault_of_the_thing(readers: Readers) -> None:
    error = await refused(
        readers, order("sleep", bounds=Bounds(wall_s=0.3, cpu_s=10, memory_bytes=100 << 20))
    )
    assert (error.code, error.retryable) == ("thing.unread", True)


async def test_a_bug_of_a_reader_tells_nothing_of_what_it_read(readers: Readers) -> None:
    error = await refused(readers, order("fail", secret="s3cret"))
    assert (error.code, error.status) == ("thing.unread", Status.INTERNAL)
    assert "s3cret" not in str(error)


async def test_a_process_that_has_grown_is_replaced(readers: Readers) -> None:
    first = await readers.read(order("grow"))
    assert await readers.read(order("grow")) != first


async def test_others_go_on_while_one_spins_and_too_many_are_refused(readers: Readers) -> None:
    spinning = asyncio.create_task(refused(readers, order("spin")))
    waiting = [asyncio.create_task(echoed(readers)) for _ in range(2)]
    await asyncio.sleep(0)
    before = time.monotonic()
    error = await refused(readers, order("echo"))
    assert (error.code, error.retryable) == ("thing.busy", True)
    assert time.monotonic() - before < 1, "the event loop is free"
    assert (await spinning).code == "thing.too_costly"
    assert len({found["pid"] for found in await asyncio.gather(*waiting)}) == 1


async def test_waiting_has_an_end() -> None:
    async with Readers(processes=1, wait_s=0.05) as readers:
        spinning = asyncio.create_task(refused(readers, order("spin")))
        await asyncio.sleep(0)
        assert (await refused(readers, order("echo"))).code == "thing.busy"
        await spinning


async def test_who_stops_waiting_leaves_no_process_at_work(readers: Readers) -> None:
    await echoed(readers)
    (guard,) = readers.pids
    spinning = asyncio.create_task(readers.read(order("spin")))
    while sum(psutil.Process(guard).children()[0].cpu_times()[:2]) < 0.5:
        await asyncio.sleep(0.01)
    spinning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await spinning
    assert readers.pids == ()
    assert not psutil.pid_exists(guard)
    assert await echoed(readers)


async def test_the_processes_end_with_their_owner() -> None:
    readers = Readers(processes=2)
    await asyncio.gather(echoed(readers), echoed(readers))
    guards = readers.pids
    assert len(guards) == 2
    await readers.close()
    assert not any(psutil.pid_exists(pid) for pid in guards)
    assert (await refused(readers, order("echo"))).code == "thing.unread"
