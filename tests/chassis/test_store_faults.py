"""Redis and PostgreSQL over a network that misbehaves (`benchmarks.faults.proxy`)."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from benchmarks.faults.conditions import BlackHole, Pass
from benchmarks.faults.proxy import FaultProxy
from proofwalk.chassis import database_engines, streams
from proofwalk.chassis.database import Database
from proofwalk.chassis.redis_connections import connect
from proofwalk.chassis.streams import Doorbell
from proofwalk.kernel.errors import ProofwalkError

SOON_S = 8.0


@pytest.fixture
async def postgres(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Database, FaultProxy]]:
    """A database behind a proxy, with little patience."""
    for name in ("_PING_S", "_CONNECT_S", "STATEMENT_S"):
        monkeypatch.setattr(database_engines, name, 0.3)
    url = make_url(postgres_url)
    socket_path = Path(str(url.query["host"])) / ".s.PGSQL.5432"
    async with FaultProxy(socket_path) as proxy:
        behind = Database(f"postgresql://postgres@{proxy.target}/{url.database}")
        yield behind, proxy
        await behind.close()


async def look(behind: Database) -> None:
    async with behind.read() as tx:
        await tx.execute(text("select 1"))


@pytest.mark.postgres
async def test_a_connection_that_does_not_answer_any_more_is_not_waited_for(
    postgres: tuple[Database, FaultProxy],
) -> None:
    behind, proxy = postgres
    await look(behind)
    proxy.condition = BlackHole()
    began = time.monotonic()
    with pytest.raises(ProofwalkError) as caught:
        await look(behind)
    assert time.monotonic() - began < SOON_S
    assert (caught.value.code, caught.value.retryable) == ("database.unavailable", True)
    proxy.condition = Pass()
    await look(behind)


@pytest.mark.postgres
async def test_a_transaction_whose_statement_is_not_answered_ends_without_its_rollback(
    postgres: tuple[Database, FaultProxy],
) -> None:
    behind, proxy = postgres
    await look(behind)
    began = time.monotonic()
    with pytest.raises(ProofwalkError) as caught:
        async with behind.transaction() as tx:
            await tx.execute(text("select 1"))
            proxy.condition = BlackHole()
            await tx.execute(text("select 2"))
    assert time.monotonic() - began < SOON_S
    assert caught.value.code == "database.unavailable"
    proxy.condition = Pass()
    await look(behind)


async def test_a_ring_that_is_not_answered_is_given_up_and_the_next_one_arrives(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "RING_S", 0.3)
    socket_path = Path(redis_url.removeprefix("unix://"))
    async with FaultProxy(socket_path) as proxy:
        behind = connect(f"redis://{proxy.target}/0")
        try:
            doorbell = Doorbell(behind)
            await doorbell.ring("test.jobs", {"n": "1"})
            proxy.condition = BlackHole()
            assert not await doorbell.try_ring("test.jobs", {"n": "2"})
            proxy.condition = Pass()
            entry = await doorbell.ring("test.jobs", {"n": "3"})
            rung: Any = await behind.xrange(streams.stream_key("test.jobs"), min=entry, max=entry)
        finally:
            await behind.aclose()
    assert [fields["n"] for _, fields in rung] == ["3"]
