"""The versions' rows, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.inference import repository
from proofwalk.inference.domain import Version

START = datetime(2026, 1, 1, tzinfo=UTC)


def version(name: str, after_s: float) -> Version:
    loaded_at = START + timedelta(seconds=after_s)
    return Version(
        version=name,
        uri=f"/w/{name}",
        digest=name * 4,
        base="tiny",
        loaded_at=loaded_at,
        serving=True,
    )


async def serve(database: Database, row: Version) -> None:
    async def work(tx: Transaction) -> None:
        await repository.serve(tx, row)

    await database.run(work)


async def test_the_migrated_table_is_the_declared_one(database: Database) -> None:
    await migrate(database, "proofwalk.inference")
    assert await difference(database, "proofwalk.inference", repository.METADATA) == []


async def test_one_version_serves_whatever_order_they_come_in(database: Database) -> None:
    await migrate(database, "proofwalk.inference")
    await asyncio.gather(
        *(serve(database, version(name, place)) for place, name in enumerate("abcd"))
    )
    await serve(database, version("b", 10))
    async with database.read() as tx:
        rows = await repository.every(tx)
        assert await repository.find(tx, "b") == version("b", 10)
        assert await repository.find(tx, "z") is None
    assert [row.version for row in rows] == ["a", "c", "d", "b"]
    assert [row.version for row in rows if row.serving] == ["b"]
