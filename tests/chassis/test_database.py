"""The database: the same meaning on SQLite, on PostgreSQL and behind PgBouncer, under
races, cancellation and loss."""

from __future__ import annotations

import asyncio
import gc
import random
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Integer, String, Table, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database, Json, Transaction, UtcDateTime, role_metadata
from proofwalk.chassis.database_engines import BUSY_TIMEOUT_S, STATEMENT_S
from proofwalk.kernel.errors import ProofwalkError
from tests.chassis.example_pool import repository

METADATA = role_metadata()
ROWS = Table(
    "rows",
    METADATA,
    Column("id", String(20), primary_key=True),
    Column("n", Integer, nullable=False),
    Column("at", UtcDateTime),
    Column("doc", Json),
)
PACKAGE = "tests.chassis.example_pool"


async def put(transaction: Transaction, row_id: str = "a", n: int = 0, **values: object) -> None:
    await transaction.execute(insert(ROWS).values(id=row_id, n=n, **values))


async def get(transaction: Transaction, row_id: str = "a") -> int:
    return int(
        (await transaction.execute(select(ROWS.c.n).where(ROWS.c.id == row_id))).scalar_one()
    )


@pytest.fixture(
    params=[
        "sqlite_url",
        pytest.param("postgres_url", marks=pytest.mark.postgres),
        pytest.param("pooled_url", marks=pytest.mark.postgres),
    ]
)
def database_url(request: pytest.FixtureRequest) -> str:
    """Of each kind; what holds for PostgreSQL holds behind a pooler as well."""
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture
async def rows(database: Database) -> Database:
    async with database.transaction() as transaction:
        await transaction.run_sync(METADATA.create_all)
    return database


async def test_a_block_commits_at_its_end_and_an_exception_rolls_it_back(rows: Database) -> None:
    await rows.run(put)
    with pytest.raises(RuntimeError):
        async with rows.transaction() as transaction:
            await transaction.execute(update(ROWS).values(n=5))
            raise RuntimeError
    async with rows.read() as transaction:
        assert await get(transaction) == 0


async def test_counting_in_parallel_loses_no_update(rows: Database) -> None:
    await rows.run(put)

    async def increment(transaction: Transaction) -> None:
        n = await get(transaction)
        await transaction.execute(update(ROWS).values(n=n + 1))

    await asyncio.gather(*(rows.run(increment) for _ in range(20)))
    async with rows.read() as transaction:
        assert await get(transaction) == 20


async def test_two_objects_on_one_database_exclude_each_other_like_two_processes(
    rows: Database, database_url: str
) -> None:
    other = Database(database_url)
    await rows.run(put)

    async def increment(transaction: Transaction) -> None:
        n = await get(transaction)
        await asyncio.sleep(0)
        await transaction.execute(update(ROWS).values(n=n + 1))

    await asyncio.gather(*(database.run(increment) for database in (rows, other) for _ in range(8)))
    async with other.read() as transaction:
        assert await get(transaction) == 16
    await other.close()


async def test_a_snapshot_does_not_move_and_does_not_block_writers(rows: Database) -> None:
    await rows.run(put)
    async with rows.read() as snapshot:
        assert await get(snapshot) == 0

        async def write(transaction: Transaction) -> None:
            await transaction.execute(update(ROWS).values(n=9))

        await rows.run(write)
        assert await get(snapshot) == 0
    async with rows.read() as later:
        assert await get(later) == 9


async def test_moments_are_utc_and_documents_keep_their_shape(rows: Database) -> None:
    local = datetime(2026, 11, 21, 5, 4, 3, 123456, tzinfo=timezone(timedelta(hours=2)))
    document = {"a": [1, None, {"b": "ü"}]}
    await rows.run(lambda transaction: put(transaction, at=local, doc=document))
    async with rows.read() as transaction:
        row = (await transaction.execute(select(ROWS))).one()
        earlier = await transaction.execute(
            select(ROWS.c.id).where(ROWS.c.at < datetime(2026, 11, 21, 3, 4, 4, tzinfo=UTC))
        )
        assert earlier.scalar_one() == "a"
    assert row.at == local
    assert row.at.tzinfo is UTC
    assert row.doc == document


async def test_a_moment_without_a_zone_is_refused(sqlite_db: Database) -> None:
    async with sqlite_db.transaction() as transaction:
        await transaction.run_sync(METADATA.create_all)
    with pytest.raises(StatementError, match="time zone"):
        await sqlite_db.run(lambda transaction: put(transaction, at=datetime(2026, 1, 1)))  # noqa: DTZ001


async def test_a_broken_constraint_stays_what_it_is(rows: Database) -> None:
    await rows.run(put)
    with pytest.raises(IntegrityError):
        await rows.run(put)


async def test_cancelled_transactions_leave_nothing_and_lock_nothing(rows: Database) -> None:
    await rows.run(put)
    chance = random.Random(7)

    async def increment(transaction: Transaction) -> None:
        n = await get(transaction)
        await transaction.execute(update(ROWS).values(n=n + 1000))
        await asyncio.sleep(0.002)
        await transaction.execute(update(ROWS).values(n=n + 1))

    async def attempt() -> bool:
        try:
            async with asyncio.timeout(chance.uniform(0.0005, 0.02)):
                await rows.run(increment)
        except TimeoutError:
            return False
        return True

    done = 0
    for _ in range(8):
        done += sum(await asyncio.gather(*(attempt() for _ in range(5))))
    await rows.run(increment)
    async with rows.read() as transaction:
        n = await get(transaction)
    # A transaction that committed just as its caller gave up counts; one that was torn
    # would show thousands.
    assert done + 1 <= n <= 41


@pytest.fixture
async def file_db(tmp_path: Path) -> AsyncIterator[Database]:
    """A fresh database in a file, to which no connection has been opened."""
    database = Database(f"sqlite:///{tmp_path / 'rows.db'}")
    yield database
    await database.close()


async def test_giving_up_in_the_middle_of_a_statement_locks_nothing(file_db: Database) -> None:
    loop = asyncio.get_running_loop()
    started, cancelled = asyncio.Event(), threading.Event()

    def first_row() -> int:
        loop.call_soon_threadsafe(started.set)
        return int(cancelled.wait(10))

    async def query(transaction: Transaction) -> None:
        driver: Any = (await transaction.get_raw_connection()).driver_connection
        await driver.create_function("first_row", 0, first_row)
        await transaction.execute(text("SELECT first_row() UNION ALL SELECT 2"))

    task = asyncio.create_task(file_db.run(query))
    await started.wait()
    task.cancel()
    cancelled.set()
    with pytest.raises(asyncio.CancelledError) as given_up:
        await task
    await file_db.close()
    # The error keeps its frames alive, and with them a statement that had a row left.
    assert given_up.tb is not None
    assert_free(file_db)


async def test_giving_up_at_any_moment_of_opening_leaves_no_connection_behind(
    file_db: Database,
) -> None:
    async def one(transaction: Transaction) -> int:
        return int((await transaction.execute(text("SELECT 1"))).scalar_one())

    outcomes = set()
    for moment in range(80):
        with suppress(TimeoutError):
            async with asyncio.timeout(0.0002 * moment):
                outcomes.add(await file_db.run(one))
        await file_db.close()
        assert_free(file_db)
    gc.collect()  # A connection that nobody closed warns here.
    assert outcomes == {1}


def assert_free(database: Database) -> None:
    """Nobody holds the file's write lock."""
    other = sqlite3.connect(str(database.url.database), isolation_level=None, timeout=0.0)
    try:
        other.execute("BEGIN IMMEDIATE")
    finally:
        other.close()


async def test_a_lost_race_is_named_where_it_is_not_retried(postgres_db: Database) -> None:
    async with postgres_db.transaction() as transaction:
        await transaction.run_sync(METADATA.create_all)
    await postgres_db.run(put)
    with pytest.raises(ProofwalkError) as caught:
        async with postgres_db.transaction() as first:
            await get(first)
            async with postgres_db.transaction() as second:
                await second.execute(update(ROWS).values(n=1))
            await first.execute(update(ROWS).values(n=2))
    assert caught.value.code == "database.conflict"
    assert caught.value.retryable


async def test_a_connection_cut_by_the_server_is_unavailable_and_the_next_call_works(
    postgres_db: Database,
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        async with postgres_db.transaction() as victim:
            pid = (await victim.execute(text("SELECT pg_backend_pid()"))).scalar_one()
            async with postgres_db.transaction() as killer:
                await killer.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
            await victim.execute(text("SELECT 1"))
    assert caught.value.code == "database.unavailable"
    async with postgres_db.read() as transaction:
        assert (await transaction.execute(text("SELECT 1"))).scalar_one() == 1


async def test_writing_in_a_read_is_refused_by_postgresql(postgres_db: Database) -> None:
    with pytest.raises(DBAPIError):
        async with postgres_db.read() as transaction:
            await transaction.run_sync(METADATA.create_all)


@pytest.mark.parametrize(
    "url", ["mysql://h/d", "sqlite://", "sqlite:///:memory:", "postgresql://h/d?pgbouncer=yes"]
)
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        Database(url)
    assert caught.value.code == "database.bad_url"


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    database = Database("postgresql://postgres@/none?host=/nonexistent")
    with pytest.raises(ProofwalkError) as caught:
        await database.run(put)
    assert (caught.value.code, caught.value.retryable) == ("database.unavailable", True)
    await database.close()


async def test_several_processes_may_migrate_at_once(database_url: str) -> None:
    databases = [Database(database_url) for _ in range(4)]
    await asyncio.gather(*(migrations.migrate(database, PACKAGE) for database in databases))
    assert await migrations.difference(databases[0], PACKAGE, repository.METADATA) == []
    for database in databases:
        await database.close()


async def test_a_table_that_no_migration_makes_is_a_difference(database: Database) -> None:
    await migrations.migrate(database, PACKAGE)
    metadata = role_metadata()
    Table("example_pool_extra", metadata, Column("id", Integer, primary_key=True))
    found = await migrations.difference(database, PACKAGE, metadata)
    assert any("add_table" in line and "example_pool_extra" in line for line in found)
    assert any("remove_table" in line and "example_pool_lease" in line for line in found)


async def test_tables_of_a_newer_release_are_left_alone(database: Database) -> None:
    await migrations.migrate(database, PACKAGE)
    async with database.transaction() as transaction:
        await transaction.execute(
            text("UPDATE example_pool_alembic_version SET version_num = '9999'")
        )
        await transaction.execute(text("UPDATE example_pool_tables SET oldest_release = '9999'"))
    with pytest.raises(ProofwalkError) as caught:
        await migrations.migrate(database, PACKAGE)
    assert caught.value.code == "database.newer"


@pytest.mark.postgres
async def test_a_pooler_that_was_not_told_of_says_how_to_tell_of_it(pooled_url: str) -> None:
    database = Database(pooled_url.removesuffix("&pgbouncer=true"))
    with pytest.raises(ProofwalkError) as caught:
        await database.run(put)
    assert (caught.value.code, caught.value.retryable) == ("database.pooled", False)
    assert "pgbouncer=true" in (caught.value.hint or "")
    await database.close()


@pytest.mark.postgres
async def test_behind_a_pooler_no_statement_outlives_its_transaction(pooled_db: Database) -> None:
    async def many(transaction: Transaction) -> None:
        for number in range(20):
            await put(transaction, f"r{number}", number, doc={"n": number})
            await get(transaction, f"r{number}")

    async with pooled_db.transaction() as transaction:
        await transaction.run_sync(METADATA.create_all)
    await pooled_db.run(many)
    async with pooled_db.read() as transaction:
        kept = await transaction.execute(text("SELECT count(*) FROM pg_prepared_statements"))
        assert kept.scalar_one() == 0


@pytest.mark.postgres
@pytest.mark.parametrize("database_url", ["postgres_url", "pooled_url"], indirect=True)
async def test_no_transaction_waits_longer_for_a_lock_than_a_statement_may_take(
    database: Database,
) -> None:
    async with database.transaction() as transaction:
        waits = (await transaction.execute(text("SHOW lock_timeout"))).scalar_one()
    assert waits == f"{BUSY_TIMEOUT_S:g}s"
    assert BUSY_TIMEOUT_S < STATEMENT_S
