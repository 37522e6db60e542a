"""Doorbells: at least once, in spite of dead consumers, failing handlers, and a Redis
that forgets or goes away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from proofwalk.chassis.metrics import StreamMetrics
from proofwalk.chassis.redis_connections import connect
from proofwalk.chassis.redis_server import EmbeddedRedis
from proofwalk.chassis.streams import Doorbell, Entry, StreamConsumer, dead_key, stream_key
from proofwalk.chassis.tasks import end
from proofwalk.chassis.tracing import Tracing, trace_id
from proofwalk.kernel.errors import ProofwalkError

STREAM = "test.jobs"
Handler = Callable[[Entry], Awaitable[None]]


class Seen:
    """Collects what handlers got; `until(n)` waits for the n-th."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._changed = asyncio.Condition()

    async def handle(self, entry: Entry) -> None:
        async with self._changed:
            self.entries.append(entry)
            self._changed.notify_all()

    async def until(self, count: int, timeout_s: float = 15) -> None:
        async with asyncio.timeout(timeout_s), self._changed:
            await self._changed.wait_for(lambda: len(self.entries) >= count)

    @property
    def numbers(self) -> list[str]:
        return [entry.fields["n"] for entry in self.entries]


class Group:
    """Makes consumers of one group and runs them."""

    def __init__(self, redis: Redis, tracing: Tracing) -> None:
        self._redis = redis
        self._tracing = tracing
        self.registry = CollectorRegistry()
        self._metrics = StreamMetrics(self.registry)

    @asynccontextmanager
    async def consuming(
        self, handle: Handler, name: str = "c1", **options: Any
    ) -> AsyncIterator[StreamConsumer]:
        consumer = StreamConsumer(
            self._redis,
            stream=STREAM,
            group="g",
            consumer=name,
            handle=handle,
            tracing=self._tracing,
            metrics=self._metrics,
            **{"lease_s": 0.4, **options},
        )
        task = asyncio.create_task(consumer.run())
        try:
            yield consumer
        finally:
            await end([task])

    def count(self, result: str) -> float:
        labels = {"stream": STREAM, "group": "g", "result": result}
        return self.registry.get_sample_value("proofwalk_stream_entries_total", labels) or 0


@pytest.fixture
def group(redis: Redis, tracing: Tracing) -> Group:
    return Group(redis, tracing)


async def ring(redis: Redis, *numbers: int) -> None:
    for number in numbers:
        await Doorbell(redis).ring(STREAM, {"n": str(number)})


async def until(check: Callable[[], Awaitable[bool]], timeout_s: float = 10) -> None:
    async with asyncio.timeout(timeout_s):
        while not await check():
            await asyncio.sleep(0.01)


async def nothing_pending(redis: Redis) -> bool:
    pending: Any = await redis.xpending(stream_key(STREAM), "g")
    return int(pending["pending"]) == 0


async def test_what_was_rung_before_and_after_the_first_consumer_is_handled_once(
    redis: Redis, group: Group
) -> None:
    seen = Seen()
    await ring(redis, 1, 2)
    async with group.consuming(seen.handle):
        await seen.until(2)
        await ring(redis, 3)
        await seen.until(3)
        await until(lambda: _is(lambda: group.count("done") == 3))
        assert await nothing_pending(redis)
    assert sorted(seen.numbers) == ["1", "2", "3"]
    assert all(entry.deliveries == 1 for entry in seen.entries)


async def test_no_more_than_the_bound_run_at_once_and_the_rest_go_to_others(
    redis: Redis, group: Group
) -> None:
    running, peak, release, full = 0, 0, asyncio.Event(), asyncio.Event()

    async def slow(_entry: Entry) -> None:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        if running == 2:
            full.set()
        await release.wait()
        running -= 1

    other = Seen()
    await ring(redis, *range(6))
    async with group.consuming(slow, "c1", concurrency=2):
        await asyncio.wait_for(full.wait(), 10)
        async with group.consuming(other.handle, "c2"):
            await other.until(4)
            release.set()
            await until(lambda: nothing_pending(redis))
    assert peak == 2
    assert len(other.entries) == 4


async def test_a_handler_longer_than_the_lease_is_renewed_not_repeated(
    redis: Redis, group: Group
) -> None:
    calls = 0

    async def slow(_entry: Entry) -> None:
        nonlocal calls
        calls += 1
        await asyncio.sleep(1.2)

    await ring(redis, 1)
    async with group.consuming(slow, "c1"), group.consuming(slow, "c2"):
        await until(lambda: _is(lambda: group.count("done") == 1))
        assert await nothing_pending(redis)
    assert calls == 1


async def _is(check: Callable[[], bool]) -> bool:
    return check()


async def test_a_process_that_stood_still_is_not_counted_as_another_delivery(
    redis: Redis, group: Group
) -> None:
    tries: list[int] = []

    async def handle(entry: Entry) -> None:
        tries.append(entry.deliveries)
        if len(tries) == 1:
            time.sleep(0.3)  # noqa: ASYNC251  # the whole process stands still for three leases: nothing is renewed
            await asyncio.sleep(0.3)  # it claims its own entry meanwhile
            raise ValueError("bug")

    await ring(redis, 1)
    async with group.consuming(handle, concurrency=2, lease_s=0.1):
        await until(lambda: _is(lambda: group.count("done") == 1))
    assert tries == [1, 2]


async def test_the_entry_of_a_dead_consumer_is_taken_over(redis: Redis, group: Group) -> None:
    entered = asyncio.Event()

    async def hang(_entry: Entry) -> None:
        entered.set()
        await asyncio.Event().wait()

    await ring(redis, 1)
    async with group.consuming(hang, "dies"):
        await asyncio.wait_for(entered.wait(), 10)
    seen = Seen()
    async with group.consuming(seen.handle, "lives"):
        await seen.until(1)
    assert seen.entries[0].deliveries == 2


async def test_a_holder_that_was_taken_over_is_stopped(redis: Redis, group: Group) -> None:
    entered, stopped = asyncio.Event(), asyncio.Event()

    async def hang(_entry: Entry) -> None:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    await ring(redis, 1)
    async with group.consuming(hang, "slept"):
        await asyncio.wait_for(entered.wait(), 10)
        entries: Any = await redis.xpending_range(stream_key(STREAM), "g", "-", "+", 1)
        # What another consumer does after this one has been away for longer than its
        # lease.
        await redis.xclaim(stream_key(STREAM), "g", "thief", 0, [entries[0]["message_id"]])
        await asyncio.wait_for(stopped.wait(), 10)
        await until(lambda: _is(lambda: group.count("lost") == 1))
    owner: Any = await redis.xpending_range(stream_key(STREAM), "g", "-", "+", 1)
    assert owner[0]["consumer"] == "thief"


@pytest.mark.parametrize(
    "error",
    [ValueError("bug"), ProofwalkError("a.b", "no", status="INTERNAL")],  # type: ignore[arg-type]
)
async def test_a_poison_entry_dies_after_k_deliveries_and_others_live(
    redis: Redis, group: Group, error: Exception
) -> None:
    tries: list[int] = []
    seen = Seen()

    async def handle(entry: Entry) -> None:
        if entry.fields["n"] == "13":
            tries.append(entry.deliveries)
            raise error
        await seen.handle(entry)

    await ring(redis, 13, 1, 2)
    async with group.consuming(handle, lease_s=0.1, max_deliveries=3):
        await until(lambda: _is(lambda: group.count("dead") == 1))
        await ring(redis, 3)
        await seen.until(3)
        await until(lambda: nothing_pending(redis))
    assert tries == [1, 2, 3]
    letters: Any = await redis.xrange(dead_key(STREAM))
    assert [fields["n"] for _, fields in letters] == ["13"]


async def test_flushing_redis_loses_rings_but_not_the_consumer(redis: Redis, group: Group) -> None:
    seen = Seen()
    async with group.consuming(seen.handle):
        await ring(redis, 1)
        await seen.until(1)
        for number in range(2, 5):
            await redis.flushall()
            await ring(redis, number)
            await seen.until(number)
    assert seen.numbers == ["1", "2", "3", "4"]


async def test_draining_finishes_what_runs_and_takes_nothing_more(
    redis: Redis, group: Group
) -> None:
    entered, release = asyncio.Event(), asyncio.Event()
    seen = Seen()

    async def handle(entry: Entry) -> None:
        entered.set()
        await release.wait()
        await seen.handle(entry)

    await ring(redis, 1)
    async with group.consuming(handle, concurrency=1) as consumer:
        await asyncio.wait_for(entered.wait(), 10)
        draining = asyncio.create_task(consumer.drain())
        await ring(redis, 2)
        await asyncio.sleep(0)
        assert not draining.done()
        release.set()
        await asyncio.wait_for(draining, 10)
    assert seen.numbers == ["1"]


async def test_draining_a_consumer_that_never_ran_returns(redis: Redis, group: Group) -> None:
    consumer = StreamConsumer(
        redis,
        stream=STREAM,
        group="g",
        consumer="c",
        handle=Seen().handle,
        tracing=Tracing("t"),
        metrics=StreamMetrics(CollectorRegistry()),
    )
    await asyncio.wait_for(consumer.drain(), 1)


async def test_handling_is_a_trace_of_its_own_that_links_to_the_ring(
    redis: Redis, group: Group, tracing: Tracing, spans: InMemorySpanExporter
) -> None:
    seen = Seen()
    with tracing.span("ring"):
        ringing = trace_id()
        await ring(redis, 1)
    async with group.consuming(seen.handle):
        await seen.until(1)
        await until(lambda: nothing_pending(redis))
    handled = next(span for span in spans.get_finished_spans() if span.kind.name == "CONSUMER")
    assert format(handled.links[0].context.trace_id, "032x") == ringing
    assert format(handled.context.trace_id, "032x") != ringing


async def test_redis_killed_and_started_again(home: Path, tracing: Tracing) -> None:
    first = EmbeddedRedis(home)
    await first.start()
    client = connect(first.url)
    group, seen, bell = Group(client, tracing), Seen(), Doorbell(client)
    async with group.consuming(seen.handle):
        await ring(client, 1)
        await seen.until(1)
        await first.stop()
        assert not await bell.try_ring(STREAM, {"n": "x"})
        with pytest.raises(ProofwalkError) as caught:
            await ring(client, 9)
        assert caught.value.code == "redis.unavailable"
        await first.start()
        await ring(client, 2)
        await seen.until(2)
    assert seen.numbers == ["1", "2"]
    await client.aclose()
    await first.stop()


@pytest.mark.parametrize("call", ["xreadgroup", "xgroup_create"])
@pytest.mark.parametrize(
    "error",
    [ResponseError("READONLY You can't write against a read only replica."), ValueError("a bug")],
)
async def test_an_answer_that_nobody_expects_ends_no_consumer(
    redis: Redis, group: Group, monkeypatch: pytest.MonkeyPatch, call: str, error: Exception
) -> None:
    seen, asked, right = Seen(), 0, getattr(redis, call)

    async def strange(*arguments: Any, **options: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked < 3:
            raise error
        return await right(*arguments, **options)

    monkeypatch.setattr(redis, call, strange)
    async with group.consuming(seen.handle):
        await Doorbell(redis).ring(STREAM, {"n": "1"})
        await seen.until(1)
    assert asked >= 3
