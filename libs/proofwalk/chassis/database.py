"""SQL, the truth of every role: one object over SQLite (embedded) and PostgreSQL (by
URL), with the same meaning on both.

`run(work)` is the way to write: one call is one serialisable transaction, and one that
lost a race is run again from its start, so `work` must have no effect but its SQL.
`read()` is a consistent snapshot that takes no lock. On SQLite a writer begins with
BEGIN IMMEDIATE and the writers of one process queue on a lock, so that they wait in
order instead of polling the file; on PostgreSQL the level is SERIALIZABLE. A caller may
give up at any moment: what it opened is closed behind it, and nothing stays locked.
Whatever a driver raises leaves here as a `ProofwalkError` that says whether to try
again (`database_errors`), but for what is the program's own mistake. Rows are read and
written by a role's `repository.py` alone, as SQLAlchemy Core over the tables that it
declares; `migrations` creates them.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import structlog
from sqlalchemy import JSON, DateTime, Dialect, MetaData, TypeDecorator, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from proofwalk.chassis import database_errors
from proofwalk.chassis.database_engines import (
    BUSY_TIMEOUT_S,
    READ,
    async_url,
    postgres_engine,
    sqlite_engine,
)
from proofwalk.kernel.errors import ProofwalkError

T = TypeVar("T")
Transaction = AsyncConnection
"""What `repository.py` functions take: a connection inside a transaction that somebody
else ends."""

OPEN_S = 10.0
"""How long a connection that works may be looked for: one of the pool is asked whether
it lives, and another one made where it does not answer."""
_RETRIES = 12
_MIGRATION_LOCK = 0x50726F6F66

log = structlog.get_logger()

_NAMING: Mapping[str, str] = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


def role_metadata() -> MetaData:
    """The collection of a role's tables. Its naming rule lets a migration find every
    constraint by name on both engines."""
    return MetaData(naming_convention=dict(_NAMING))


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: timezone-aware UTC in Python, `timestamptz` in PostgreSQL, sortable UTC
    text in SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs a time zone: {value!r}")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """A JSON document; `jsonb` in PostgreSQL. None is SQL's NULL."""

    impl = JSON
    cache_ok = True

    def __init__(self) -> None:
        super().__init__(none_as_null=True)

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        kind = JSONB if dialect.name == "postgresql" else JSON
        return dialect.type_descriptor(kind(none_as_null=True))


class Database:
    """A role's database. Open with `Database(url)`; `await close()` when done."""

    def __init__(self, url: str, *, pool_size: int = 5, echo: bool = False) -> None:
        self.url = async_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writer = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self.engine = (
            sqlite_engine(self.url, echo)
            if self.is_sqlite
            else postgres_engine(self.url, pool_size, echo)
        )

    async def close(self) -> None:
        """Close every connection, also those that a caller gave up on while they were
        opened."""
        while self._closing:
            await asyncio.wait(self._closing)
        await self.engine.dispose()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """One serialisable read-write transaction, committed at the end of the block,
        rolled back by an exception.

        It is not run again when it loses a race (`database.conflict`); prefer `run`.
        Transactions do not nest.
        """
        async with _translated(), self._turn(), self._connected() as connection, connection.begin():
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A consistent snapshot, without locks; writing in it is an error of the
        program."""
        async with _translated(writing=False), self._connected() as connection:
            options = (
                {READ: True}
                if self.is_sqlite
                else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
            )
            snapshot = await connection.execution_options(**options)
            async with snapshot.begin():
                yield snapshot

    @asynccontextmanager
    async def changing_tables(self) -> AsyncIterator[Transaction]:
        """One transaction for migrations, alone of its kind on this database.

        PostgreSQL holds a lock and sees what others have committed until then (a
        serialisable snapshot is taken before the lock comes). SQLite looks away from
        foreign keys, since it alters a table by making another and dropping the first.
        """
        async with _translated(), self._turn(), self._connected() as connection:
            if self.is_sqlite:
                driver: Any = (await connection.get_raw_connection()).driver_connection
                await driver.execute("PRAGMA foreign_keys=OFF")
                try:
                    async with connection.begin():
                        yield connection
                finally:
                    await driver.execute("PRAGMA foreign_keys=ON")
                return
            current = await connection.execution_options(isolation_level="READ COMMITTED")
            async with current.begin():
                await current.execute(
                    text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK}
                )
                yield current

    async def run(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run `work` in one transaction, again from its start if it lost a race, and
        return what it returned."""
        for attempt in range(_RETRIES):
            try:
                async with self.transaction() as transaction:
                    return await work(transaction)
            except ProofwalkError as error:
                if error.code != "database.conflict" or attempt == _RETRIES - 1:
                    raise
            # Jitter, so that the transactions that collided do not collide again; not
            # for secrets.
            await asyncio.sleep(random.uniform(0.5, 1.0) * min(0.005 * 2**attempt, 0.5))  # noqa: S311
        raise AssertionError("unreachable: the last attempt returns or raises")

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection]:
        """A connection of the pool, given back at the end of the block.

        Both go on when the caller is cancelled in the middle of them, as tasks that
        `close` awaits: the pool forgets a connection that is interrupted while it is
        set up, and nobody would close it.
        """
        opening = asyncio.ensure_future(self.engine.connect().start())
        try:
            yield await asyncio.shield(opening)
        finally:
            closing = asyncio.create_task(_close(opening))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            await asyncio.shield(closing)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        if not self.is_sqlite:
            yield
            return
        try:
            async with asyncio.timeout(BUSY_TIMEOUT_S):
                await self._writer.acquire()
        except TimeoutError:
            raise database_errors.busy(
                f"no turn to write came within {BUSY_TIMEOUT_S:g} s"
            ) from None
        try:
            yield
        finally:
            self._writer.release()


async def _close(opening: asyncio.Future[AsyncConnection]) -> None:
    await asyncio.wait([opening])
    if opening.cancelled() or opening.exception() is not None:
        return
    try:
        await opening.result().close()
    except Exception as error:
        # A connection that is lost cannot be given back; the pool has forgotten it, and
        # its user has been told by then.
        if database_errors.translated(error) is None:
            raise
        log.info("connection_lost_at_its_end", reason=type(error).__name__)


@asynccontextmanager
async def _translated(*, writing: bool = True) -> AsyncIterator[None]:
    """Raise what a driver raised as an error that says whether to try again
    (`database_errors`)."""
    try:
        yield
    except Exception as error:
        known = database_errors.translated(error, writing=writing)
        if known is None:
            raise
        raise known from error
