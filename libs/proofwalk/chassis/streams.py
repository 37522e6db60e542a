"""Doorbells on Redis Streams: SQL is the truth, a stream only rings.

`Doorbell.ring` appends an entry that says "look at this row"; losing it loses time,
never work, because each role also looks at its rows periodically. `StreamConsumer` is
one member of a consumer group:

- new entries arrive by XREADGROUP, at most `concurrency` at a time; a handler that
  returns acknowledges its entry;
- while a handler runs, its entry is renewed four times per `lease_s`, by a script that
  checks that it is still ours; an entry that was taken over cancels its handler (the
  row's epoch fences what it may still try to write);
- an entry whose consumer died, or whose handler failed, is claimed by anybody once it
  has been idle for `lease_s`;
- after `max_deliveries` it goes to `<stream>:dead` and is counted;
- Redis restarted or flushed: the group is made again from the beginning, and the loop
  goes on.

Delivery is at least once, so handlers are idempotent. Entries carry the trace context;
handling starts a trace linked to it. Keys under `PERMANENT_KEYS` live without TTL and
are trimmed; any other key must have one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from proofwalk.chassis.metrics import StreamMetrics
from proofwalk.chassis.redis_connections import BLOCK_MS
from proofwalk.chassis.tasks import end, is_cancelled
from proofwalk.chassis.tracing import Tracing, carrier, trace_id
from proofwalk.kernel.errors import ProofwalkError, unavailable

PERMANENT_KEYS = ("proofwalk:stream:",)
"""Prefixes of keys that may live without TTL."""
_MAXLEN = 10_000
_PAUSE_S = 0.25
RING_S = 2.0
"""Seconds that a ring may take, connecting included. Whoever rings has a caller that
waits, and the row is found without."""

_RENEW = """
local entries = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1)
if #entries == 0 then return 1 end
if entries[1][2] ~= ARGV[2] then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'JUSTID')
return 1
"""

_log: structlog.stdlib.BoundLogger = structlog.get_logger()


def stream_key(stream: str) -> str:
    """The Redis key of a stream."""
    return f"{PERMANENT_KEYS[0]}{stream}"


def dead_key(stream: str) -> str:
    """The Redis key of a stream's dead letters."""
    return f"{stream_key(stream)}:dead"


class Doorbell:
    """Rings streams."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def ring(self, stream: str, fields: Mapping[str, str]) -> str:
        """Append an entry; raises `redis.unavailable`. The row that it is about must be
        committed before."""
        try:
            body: Any = {**fields, **carrier()}
            async with asyncio.timeout(RING_S):
                entry: Any = await self._redis.xadd(
                    stream_key(stream), body, maxlen=_MAXLEN, approximate=True
                )
        except (RedisError, TimeoutError) as error:
            raise unavailable(
                "redis.unavailable",
                f"the doorbell {stream} could not be rung: {type(error).__name__}",
            ) from error
        return str(entry)

    async def try_ring(self, stream: str, fields: Mapping[str, str]) -> bool:
        """`ring`, for callers whose row is found by the periodic look anyway: False
        when Redis is away."""
        try:
            await self.ring(stream, fields)
        except ProofwalkError as error:
            _log.warning("doorbell_missed", stream=stream, code=error.code)
            return False
        return True


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One ring, as handed to a handler."""

    id: str
    fields: Mapping[str, str]
    deliveries: int
    """1 at the first delivery."""


class StreamConsumer:
    """A member of a consumer group. `run()` is a background loop; `drain()` lets it
    finish what it has."""

    def __init__(
        self,
        redis: Redis,
        *,
        stream: str,
        group: str,
        consumer: str,
        handle: Callable[[Entry], Awaitable[None]],
        tracing: Tracing,
        metrics: StreamMetrics,
        concurrency: int = 4,
        lease_s: float = 30.0,
        max_deliveries: int = 5,
    ) -> None:
        self._redis = redis
        self._stream = stream
        self._key = stream_key(stream)
        self._group = group
        self._consumer = consumer
        self._handle = handle
        self._tracing = tracing
        self._metrics = metrics
        self._concurrency = concurrency
        self._lease_ms = int(lease_s * 1000)
        self._max_deliveries = max_deliveries
        self._running: dict[str, asyncio.Task[None]] = {}
        self._deliveries: dict[str, int] = {}
        """Of what runs."""
        self._draining = asyncio.Event()
        self._stopped = asyncio.Event()
        self._stopped.set()
        self._next_sweep = 0.0

    async def run(self) -> None:
        """Consume until drained; cancelling it cancels the handlers, whose entries are
        delivered again elsewhere."""
        self._stopped.clear()
        try:
            async with asyncio.TaskGroup() as tasks:
                while not self._draining.is_set():
                    if is_cancelled():
                        raise asyncio.CancelledError
                    try:
                        await self._turn(tasks)
                    except RedisError as error:
                        if isinstance(error, ResponseError) and "NOGROUP" in str(error):
                            await self._make_group()
                        else:
                            _log.warning(
                                "stream_unreachable",
                                stream=self._stream,
                                error=type(error).__name__,
                            )
                            await self._pause()
                    except Exception:
                        # An answer that nobody expects, at the start of a server for
                        # example, is no reason to hear no doorbell again.
                        _log.exception("stream_turn_crashed", stream=self._stream)
                        await self._pause()
        finally:
            self._stopped.set()

    async def drain(self) -> None:
        """Take no more entries; returns when the running handlers are done. Bound it
        with a timeout."""
        self._draining.set()
        await self._stopped.wait()

    async def _turn(self, tasks: asyncio.TaskGroup) -> None:
        if len(self._running) >= self._concurrency:
            await asyncio.wait(list(self._running.values()), return_when=asyncio.FIRST_COMPLETED)
            return
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + self._lease_ms / 4000
            await self._sweep(tasks)
        room = self._concurrency - len(self._running)
        if room <= 0 or self._draining.is_set():
            return
        block = max(1, min(BLOCK_MS, self._lease_ms // 4))
        reply: Any = await self._redis.xreadgroup(
            self._group, self._consumer, {self._key: ">"}, count=room, block=block
        )
        for entry_id, fields in _entries(reply):
            self._take(tasks, Entry(id=entry_id, fields=fields, deliveries=1))

    def _take(self, tasks: asyncio.TaskGroup, entry: Entry) -> None:
        if entry.id in self._running:
            return
        task = tasks.create_task(self._hold(entry), name=f"{self._stream} {entry.id}")
        self._running[entry.id], self._deliveries[entry.id] = task, entry.deliveries
        task.add_done_callback(lambda _: self._ended(entry.id))

    async def _hold(self, entry: Entry) -> None:
        labels = (self._stream, self._group)
        started = time.monotonic()
        work = asyncio.create_task(self._work(entry), name=f"handle {self._stream} {entry.id}")
        keep = asyncio.create_task(self._renew(entry), name=f"renew {self._stream} {entry.id}")
        try:
            await asyncio.wait({work, keep}, return_when=asyncio.FIRST_COMPLETED)
            result = "lost" if not work.done() else "done" if work.result() else "failed"
        finally:
            await end([work, keep])
        self._metrics.entries.labels(*labels, result).inc()
        self._metrics.seconds.labels(*labels).observe(time.monotonic() - started)

    def _ended(self, entry_id: str) -> None:
        self._running.pop(entry_id, None)
        self._deliveries.pop(entry_id, None)

    async def _work(self, entry: Entry) -> bool:
        """Whether the handler succeeded; then the entry has been acknowledged, if Redis
        could be told."""
        with (
            self._tracing.linked_span(f"{self._stream} handle", entry.fields),
            structlog.contextvars.bound_contextvars(
                stream=self._stream, entry=entry.id, trace_id=trace_id()
            ),
        ):
            try:
                await self._handle(entry)
            except ProofwalkError as error:
                _log.warning("entry_failed", code=error.code, deliveries=entry.deliveries)
                return False
            except Exception:
                _log.exception("entry_crashed", deliveries=entry.deliveries)
                return False
            try:
                await self._redis.xack(self._key, self._group, entry.id)
            except RedisError as error:
                _log.warning("entry_not_acknowledged", error=type(error).__name__)
            return True

    async def _renew(self, entry: Entry) -> None:
        """Return when the entry has been taken over by somebody else."""
        while not is_cancelled():
            await asyncio.sleep(self._lease_ms / 4000)
            try:
                ours: Any = await self._redis.eval(
                    _RENEW, 1, self._key, self._group, self._consumer, entry.id
                )
            except RedisError as error:
                _log.warning("entry_not_renewed", entry=entry.id, error=type(error).__name__)
                continue
            if not int(ours):
                _log.warning("entry_taken_over", entry=entry.id)
                return

    async def _sweep(self, tasks: asyncio.TaskGroup) -> None:
        """Claim what has been idle for a lease, put aside what was delivered too often,
        and measure how far behind we are."""
        room = self._concurrency - len(self._running)
        if room > 0:
            reply: Any = await self._redis.xautoclaim(
                self._key,
                self._group,
                self._consumer,
                min_idle_time=self._lease_ms,
                start_id="0-0",
                count=room,
            )
            for entry_id, fields in reply[1]:
                await self._claimed(tasks, entry_id, fields)
        await self._measure()

    async def _claimed(
        self, tasks: asyncio.TaskGroup, entry_id: str, fields: Mapping[str, str] | None
    ) -> None:
        if entry_id in self._running:
            # Ours all the time: renewals were late, because this process was. The claim
            # was no delivery, and does not count as one.
            await self._redis.xclaim(
                self._key,
                self._group,
                self._consumer,
                min_idle_time=0,
                message_ids=[entry_id],
                retrycount=self._deliveries[entry_id],
                justid=True,
            )
            return
        pending: Any = await self._redis.xpending_range(
            self._key, self._group, min=entry_id, max=entry_id, count=1
        )
        if not pending or fields is None:
            return
        # The count includes the claim that was just made.
        deliveries = int(pending[0]["times_delivered"])
        if deliveries <= self._max_deliveries:
            self._take(tasks, Entry(id=entry_id, fields=fields, deliveries=deliveries))
            return
        body: Any = {**fields, "entry": entry_id}
        await self._redis.xadd(dead_key(self._stream), body, maxlen=_MAXLEN, approximate=True)
        await self._redis.xack(self._key, self._group, entry_id)
        self._metrics.entries.labels(self._stream, self._group, "dead").inc()
        _log.error("entry_died", stream=self._stream, entry=entry_id, deliveries=deliveries - 1)

    async def _measure(self) -> None:
        labels = (self._stream, self._group)
        groups: Any = await self._redis.xinfo_groups(self._key)
        for group in groups:
            if group["name"] == self._group:
                self._metrics.lag.labels(*labels).set(group.get("lag") or 0)
        pending: Any = await self._redis.xpending(self._key, self._group)
        oldest = pending["min"]
        age = max(0.0, time.time() - int(str(oldest).split("-")[0]) / 1000) if oldest else 0.0
        self._metrics.oldest.labels(*labels).set(age)

    async def _make_group(self) -> None:
        try:
            await self._redis.xgroup_create(self._key, self._group, id="0", mkstream=True)
        except Exception as error:
            # A server that is away, or loading, or became a replica: it answers, and
            # does not do it.
            if not (isinstance(error, ResponseError) and "BUSYGROUP" in str(error)):
                _log.warning("stream_unreachable", stream=self._stream, error=type(error).__name__)
                await self._pause()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(_PAUSE_S):
                await self._draining.wait()
        except TimeoutError:
            return


def _entries(reply: Any) -> list[tuple[str, Mapping[str, str]]]:
    """XREADGROUP's reply, which is a list of pairs in RESP2 and a mapping in RESP3."""
    if not reply:
        return []
    streams = reply.items() if isinstance(reply, dict) else reply
    entries: list[tuple[str, Mapping[str, str]]] = []
    for _, batch in streams:
        for item in batch:
            entries.extend(
                item
                if isinstance(item, list) and item and isinstance(item[0], (list, tuple))
                else [item]
            )
    return [(str(entry_id), fields) for entry_id, fields in entries]
