"""The engines behind `database.Database`: what SQLite and PostgreSQL are told when a
connection is made, before it is given out, and when a transaction begins.

A URL with `pgbouncer=true` reaches PostgreSQL through a pooler that gives each
transaction any of its connections, so that nothing may outlive one: statements are
prepared without a name and kept nowhere, and the bound on waiting for locks is set by
each transaction anew, which costs it a round trip.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import asyncpg
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, ExceptionContext, make_url
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util import await_only

from proofwalk.chassis.private_files import private_database
from proofwalk.kernel.errors import invalid

BUSY_TIMEOUT_S = 15.0
"""How long a writer waits for its turn before `database.busy`; far longer than any
transaction may last."""
STATEMENT_S = 20.0
"""How long a statement may take: longer than one waits for a lock."""
READ = "proofwalk_read"
"""The option of an execution on SQLite that makes its transaction one that reads."""
_PING_S = 3.0
_CONNECT_S = 5.0
_WAL_PAUSE_S = 0.05
_LOCK_TIMEOUT = f"{int(BUSY_TIMEOUT_S * 1000)}"
_POOLED = "pgbouncer"
"""The option of a URL whose server is a pooler by transactions."""
_NOTHING_KEPT = {
    "statement_cache_size": 0,
    "prepared_statement_cache_size": 0,
    "prepared_statement_name_func": str,
}
"""The driver and SQLAlchemy prepare every statement anew, under the empty name, which
the next one takes over: a name of its own would stay in the pooler's connection."""


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


def async_url(given: str) -> URL:
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
    if url.query.get(_POOLED, "false") not in ("true", "false"):
        raise invalid("database.bad_url", f"{_POOLED} is true or false")
    if backend == "sqlite" and url.database in (None, "", ":memory:"):
        raise invalid(
            "database.bad_url",
            "SQLite needs a file: each connection to :memory: is a database of its own",
        )
    return url.set(drivername=drivers[backend])


def sqlite_engine(url: URL, echo: bool) -> AsyncEngine:
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
            "BEGIN" if connection.get_execution_options().get(READ) else "BEGIN IMMEDIATE"
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


def postgres_engine(url: URL, pool_size: int, echo: bool) -> AsyncEngine:
    # `sslmode` and its like are libpq's; the driver reads them in a URL of its own, and
    # SQLAlchemy would give each to it as an argument that it does not have.
    tls = {name: value for name, value in url.query.items() if name.startswith("ssl")}
    pooled = url.query.get(_POOLED) == "true"
    engine = create_async_engine(
        url.difference_update_query([*tls, _POOLED]),
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
                **({} if pooled else {"lock_timeout": _LOCK_TIMEOUT}),
            },
            **(_NOTHING_KEPT if pooled else {}),
        },
    )
    if pooled:

        @event.listens_for(engine.sync_engine, "begin")
        def _bound_locks(connection: Connection) -> None:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_LOCK_TIMEOUT}")

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
