"""Redis and PostgreSQL. Every role reaches them by the same code of the chassis, so one
edge of each kind stands for all roles.

The servers are those of the tests, on unix sockets; the proxy gives them a port.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from sqlalchemy import text

from benchmarks.faults.edges import Call, Edge
from benchmarks.faults.place import Place
from benchmarks.faults.proxy import Endpoint, FaultProxy
from proofwalk.chassis.database import OPEN_S, Database, Transaction
from proofwalk.chassis.database_engines import STATEMENT_S
from proofwalk.chassis.metrics import StreamMetrics
from proofwalk.chassis.redis_connections import connect
from proofwalk.chassis.streams import RING_S, Doorbell, Entry, StreamConsumer
from proofwalk.chassis.tasks import end
from proofwalk.chassis.tracing import Tracing
from proofwalk.cloud.logs.options import SqlSource
from proofwalk.cloud.logs.sql import QUERY_DEADLINE_S, opened_query
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import unavailable
from tests.fixtures.databases import administrate
from tests.fixtures.servers import PostgresServer, postgres_files

HANDLED_S = 5.0
"""How long a ring is waited for."""
_SESSIONS_S = 3.0
_SESSIONS = (
    "select state, query from pg_stat_activity where application_name = 'proofwalk'"
    " and state <> 'idle'"
)
_STREAM = "faults"
_NUMBERS = itertools.count()


def redis_edges(place: Place) -> list[Edge]:
    """Ringing, and hearing it."""
    socket_path = place.settings.run_path("redis.sock")
    return [
        _ringing(socket_path, f"unix://{socket_path}"),
        _hearing(socket_path, f"unix://{socket_path}", place.process.tracing),
    ]


def _ringing(upstream: Endpoint, url: str) -> Edge:
    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        redis = connect(f"redis://{proxy.target}/0")
        doorbell = Doorbell(redis)

        async def call() -> None:
            await doorbell.ring(_STREAM, {"n": "1"})

        try:
            yield call
        finally:
            await redis.aclose()

    async def attempts(_: FaultProxy) -> int:
        redis = connect(url)
        try:
            stats: Any = await redis.info("commandstats")
        finally:
            await redis.aclose()
        return int(stats.get("cmdstat_xadd", {}).get("calls", 0))

    return Edge(
        caller="role",
        callee="redis",
        operation="ring a doorbell",
        deadline_s=RING_S,
        upstream=upstream,
        opened=opened,
        attempts=attempts,
    )


def _hearing(upstream: Endpoint, url: str, tracing: Tracing) -> Edge:
    """A consumer behind the proxy; it is rung past the proxy."""

    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        stream = f"{_STREAM}.{next(_NUMBERS)}"
        heard: set[str] = set()
        changed = asyncio.Condition()

        async def handle(entry: Entry) -> None:
            async with changed:
                heard.add(entry.id)
                changed.notify_all()

        behind, direct = connect(f"redis://{proxy.target}/0"), connect(url)
        consumer = StreamConsumer(
            behind,
            stream=stream,
            group="faults",
            consumer="1",
            handle=handle,
            tracing=tracing,
            metrics=StreamMetrics(CollectorRegistry()),
        )
        running = asyncio.create_task(consumer.run())

        async def call() -> None:
            entry = await Doorbell(direct).ring(stream, {"n": "1"})
            try:
                async with asyncio.timeout(HANDLED_S), changed:
                    await changed.wait_for(lambda: entry in heard)
            except TimeoutError:
                raise unavailable("faults.not_heard", "the ring was not heard") from None

        try:
            yield call
        finally:
            await end([running])
            await behind.aclose()
            await direct.aclose()

    async def attempts(proxy: FaultProxy) -> int:
        return proxy.connections

    return Edge(
        caller="role",
        callee="redis",
        operation="hear a doorbell",
        deadline_s=HANDLED_S,
        upstream=upstream,
        opened=opened,
        attempts=attempts,
    )


@asynccontextmanager
async def postgres_edges() -> AsyncIterator[list[Edge]]:
    """A transaction that writes, a snapshot that reads, and the query of an audit log
    that a target declares, on a server of one's own."""
    with postgres_files() as files, files.running() as server:
        async with _administrator(server) as admin:
            await admin.execute("create sequence tries")
            await admin.execute("create table effects (n bigint)")
        yield [*(_database(server, writes=writes) for writes in (True, False)), _query(server)]


@asynccontextmanager
async def _administrator(server: PostgresServer) -> AsyncIterator[asyncpg.Connection]:
    connection = await administrate(str(server.folder))
    try:
        yield connection
    finally:
        await connection.close()


def _database(server: PostgresServer, *, writes: bool) -> Edge:
    async def write(tx: Transaction) -> None:
        # A sequence keeps what a transaction that is rolled back took from it.
        await tx.execute(text("insert into effects select nextval('tries')"))

    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        database = Database(f"postgresql://postgres@{proxy.target}/postgres")

        async def call() -> None:
            if writes:
                await database.run(write)
                return
            async with database.read() as tx:
                await tx.execute(text("select count(*) from effects"))

        try:
            yield call
        finally:
            await database.close()

    async def attempts(proxy: FaultProxy) -> int:
        if not writes:
            return proxy.connections
        async with _administrator(server) as admin:
            return int(await admin.fetchval("select last_value from tries"))

    async def left() -> Sequence[str]:
        # The server looks at a session's end when it has done what came before.
        until = time.monotonic() + _SESSIONS_S
        async with _administrator(server) as admin:
            while rows := await admin.fetch(_SESSIONS):
                if time.monotonic() > until:
                    break
                await asyncio.sleep(0.1)
        return [f"session {row['state']}: {row['query']}" for row in rows]

    return Edge(
        caller="role",
        callee="postgresql",
        operation="write" if writes else "read",
        deadline_s=OPEN_S + STATEMENT_S,
        upstream=server.folder / ".s.PGSQL.5432",
        opened=opened,
        attempts=attempts,
        left=left,
    )


def _query(server: PostgresServer) -> Edge:
    clock = SystemClock()

    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        url = SecretStr(f"postgresql://postgres@{proxy.target}/postgres")
        source = SqlSource(url=url, query="select n from effects where n < :end_epoch limit 10")
        async with opened_query(source, server.folder) as records:

            async def call() -> None:
                now = clock.now()
                await records.records("a", start=now - timedelta(minutes=1), end=now)

            yield call

    async def attempts(proxy: FaultProxy) -> int:
        return proxy.connections

    return Edge(
        caller="reward_service",
        callee="declared database",
        operation="query",
        deadline_s=QUERY_DEADLINE_S,
        upstream=server.folder / ".s.PGSQL.5432",
        opened=opened,
        attempts=attempts,
    )
