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
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import asyncpg
import structlog
from sqlalchemy import JSON, DateTime, Dialect, MetaData, TypeDecorator, event, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import URL, Connection, ExceptionContext, make_url
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.util import await_only

from proofwalk.chassis import database_errors
from proofwalk.chassis.private_files import private_database
from proofwalk.kernel.errors import ProofwalkError, invalid

T = TypeVar("T")
Transaction = AsyncConnection
"""What `repository.py` functions take: a connection inside a transaction that somebody
else ends."""

BUSY_TIMEOUT_S = 15.0
"""How long a writer waits for its turn before `database.busy`; far longer than any
transaction may last."""
STATEMENT_S = 20.0
"""How long a statement may take: longer than one waits for a lock."""
OPEN_S = 10.0
"""How long a connection that works may be looked for: one of the pool is asked whether
it lives, and another one made where it does not answer."""
_PING_S = 3.0
_CONNECT_S = 5.0
_WAL_PAUSE_S = 0.05
_RETRIES = 12
_READ = "proofwalk_read"
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
        self.url = _async_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writer = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self.engine = (
            _sqlite_engine(self.url, echo)
            if self.is_sqlite
            else _postgres_engine(self.url, pool_size, echo)
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
                {_READ: True}
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


class _SqliteConnection(sqlite3.Connection):
    """Rolls back before it closes: a closed connection keeps its locks for as long as a
    statement of it is referenced (sqlite3_close_v2)."""

    def close(self) -> None:
        # A second time does nothing, as in the class below; `in_transaction` refuses
        # then.
        with suppress(sqlite3.ProgrammingError):
            if self.in_transaction:
                self.rollback()
        super().close()


def _async_url(given: str) -> URL:
    url = make_url(given)
    drivers = {
        "sqlite": "sqlite+aiosqlite",
        "postgresql": "postgresql+asyncpg",
        "postgres": "postgresql+asyncpg",
    }
    backend = url.get_backend_name() if url.drivername not in drivers else url.drivername
    if backend not in drivers:
        raise invalid(
            "database.bad_url",
            f"databases of the kind {backend!r} are not supported",
            hint="use postgresql:// or sqlite:///",
        )
    if backend == "sqlite" and url.database in (None, "", ":memory:"):
        raise invalid(
            "database.bad_url",
            "SQLite needs a file: each connection to :memory: is a database of its own",
        )
    return url.set(drivername=drivers[backend])


def _sqlite_engine(url: URL, echo: bool) -> AsyncEngine:
    path = Path(str(url.database))
    path.parent.mkdir(parents=True, exist_ok=True)
    private_database(path)
    engine = create_async_engine(
        url, echo=echo, connect_args={"timeout": BUSY_TIMEOUT_S, "factory": _SqliteConnection}
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        # The driver's own BEGIN comes late and deferred; ours is explicit, so that a
        # writer is one from its first statement.
        connection.isolation_level = None
        cursor = connection.cursor()
        _use_wal(cursor)
        for pragma in (
            "synchronous=NORMAL",
            "foreign_keys=ON",
            f"busy_timeout={int(BUSY_TIMEOUT_S * 1000)}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(
            "BEGIN" if connection.get_execution_options().get(_READ) else "BEGIN IMMEDIATE"
        )

    return engine


def _use_wal(cursor: Any) -> None:
    """Switch to the write-ahead log. Of several who open a fresh file at once only one
    can, and SQLite refuses the others without waiting."""
    for _ in range(int(BUSY_TIMEOUT_S / _WAL_PAUSE_S)):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            await_only(asyncio.sleep(_WAL_PAUSE_S))
        else:
            return
    cursor.execute("PRAGMA journal_mode=WAL")


def _postgres_engine(url: URL, pool_size: int, echo: bool) -> AsyncEngine:
    # `sslmode` and its like are libpq's; the driver reads them in a URL of its own, and
    # SQLAlchemy would give each to it as an argument that it does not have.
    tls = {name: value for name, value in url.query.items() if name.startswith("ssl")}
    engine = create_async_engine(
        url.difference_update_query(tls),
        echo=echo,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=BUSY_TIMEOUT_S,
        isolation_level="SERIALIZABLE",
        connect_args={
            "timeout": _CONNECT_S,
            "command_timeout": STATEMENT_S,
            **({"dsn": f"postgresql://?{urlencode(tls, doseq=True)}"} if tls else {}),
            "server_settings": {
                "application_name": "proofwalk",
                "lock_timeout": f"{int(BUSY_TIMEOUT_S * 1000)}",
            },
        },
    )

    @event.listens_for(engine.sync_engine, "checkout")
    def _ask_whether_it_lives(connection: Any, _record: Any, _proxy: Any) -> None:
        # SQLAlchemy's own ping may take as long as a statement.
        try:
            await_only(connection.driver_connection.execute("select 1", timeout=_PING_S))
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise DisconnectionError from error

    @event.listens_for(engine.sync_engine, "handle_error")
    def _give_up(context: ExceptionContext) -> None:
        # What does not answer a statement does not answer a rollback, which would be
        # waited for without end: the connection is closed instead.
        if isinstance(context.original_exception, TimeoutError):
            context.is_disconnect = True
            context.invalidate_pool_on_disconnect = False

    return engine


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
