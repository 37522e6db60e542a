"""Every error of a driver becomes one that says whether to try again; the program's own
mistakes stay what they are."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
import ssl
import threading
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import exc, text
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_dbapi

from proofwalk.chassis.database import Database
from proofwalk.chassis.database_errors import translated
from proofwalk.kernel.errors import ProofwalkError, Status

AWAY, BUSY, RACE = "database.unavailable", "database.busy", "database.conflict"
DRIVER: Any = AsyncAdapt_asyncpg_dbapi(asyncpg)  # type: ignore[no-untyped-call]


def wrapped(error: Exception, *, invalidated: bool = False) -> exc.DBAPIError:
    """As SQLAlchemy hands on what asyncpg raised: in the driver's adapter, and that in
    its own."""
    for one in type(error).__mro__:
        if one in DRIVER._asyncpg_error_translate:
            adapted = DRIVER._asyncpg_error_translate[one](str(error), error)
            adapted.__cause__ = error
            made: exc.DBAPIError = exc.DBAPIError.instance(
                "SELECT 1", {}, adapted, DRIVER.Error, connection_invalidated=invalidated
            )
            return made
    raise AssertionError(f"asyncpg's {type(error).__name__} is not adapted")


def lite(code: int, name: str = "") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(name)
    error.sqlite_errorcode, error.sqlite_errorname = code, name
    return error


POSTGRES = [
    # 57P03: the database system is starting up, or shutting down
    (asyncpg.CannotConnectNowError, AWAY),
    (asyncpg.AdminShutdownError, AWAY),
    (asyncpg.CrashShutdownError, AWAY),
    (asyncpg.QueryCanceledError, AWAY),
    (asyncpg.TooManyConnectionsError, AWAY),
    (asyncpg.DiskFullError, AWAY),
    (asyncpg.OutOfMemoryError, AWAY),
    (asyncpg.ConnectionDoesNotExistError, AWAY),
    (asyncpg.ConnectionFailureError, AWAY),
    (asyncpg.ReadOnlySQLTransactionError, AWAY),  # a standby that was the primary
    (asyncpg.IdleInTransactionSessionTimeoutError, AWAY),
    (asyncpg.InternalServerError, AWAY),
    (asyncpg.PostgresIOError, AWAY),
    (asyncpg.SerializationError, RACE),
    (asyncpg.DeadlockDetectedError, RACE),
    (asyncpg.LockNotAvailableError, BUSY),
    (asyncpg.InvalidPasswordError, "database.refused"),
    (asyncpg.InvalidAuthorizationSpecificationError, "database.refused"),
    (asyncpg.InvalidCatalogNameError, "database.refused"),
    (asyncpg.CharacterNotInRepertoireError, "database.bad_text"),
]
LASTING = ("database.refused", "database.bad_text")


@pytest.mark.parametrize(
    ("kind", "code"), POSTGRES, ids=lambda value: getattr(value, "__name__", value)
)
def test_what_postgresql_says_is_told_the_same_raw_and_wrapped(
    kind: type[Exception], code: str
) -> None:
    for error in (kind("no"), wrapped(kind("no"))):
        found = translated(error)
        assert found is not None
        assert (found.code, found.retryable) == (code, code not in LASTING)


LITE = [
    (sqlite3.SQLITE_BUSY, BUSY),
    (sqlite3.SQLITE_BUSY_SNAPSHOT, BUSY),
    (sqlite3.SQLITE_LOCKED, BUSY),
    (sqlite3.SQLITE_FULL, AWAY),
    (sqlite3.SQLITE_IOERR_WRITE, AWAY),
    (sqlite3.SQLITE_CANTOPEN, AWAY),
    (sqlite3.SQLITE_READONLY_DBMOVED, AWAY),
    (sqlite3.SQLITE_PROTOCOL, AWAY),
    (sqlite3.SQLITE_NOMEM, AWAY),
    (sqlite3.SQLITE_INTERRUPT, AWAY),
    (sqlite3.SQLITE_SCHEMA, RACE),
    (sqlite3.SQLITE_CORRUPT, "database.corrupt"),
    (sqlite3.SQLITE_NOTADB, "database.corrupt"),
]


@pytest.mark.parametrize(("number", "code"), LITE)
def test_what_sqlite_says_is_told_the_same_raw_and_wrapped(number: int, code: str) -> None:
    raw = lite(number)
    for error in (raw, exc.DBAPIError.instance("SELECT 1", {}, raw, sqlite3.Error)):
        found = translated(error)
        assert found is not None
        assert found.code == code


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.InterfaceError("connection is closed"),
        asyncpg.InternalClientError("got result for unknown protocol state"),
        wrapped(asyncpg.InterfaceError("connection is closed")),
        wrapped(asyncpg.InternalClientError("unexpected")),
        wrapped(asyncpg.UndefinedTableError("no"), invalidated=True),
        ConnectionRefusedError(errno.ECONNREFUSED, "refused"),
        ConnectionResetError(),
        BrokenPipeError(),
        FileNotFoundError(),
        OSError(errno.EMFILE, "too many open files"),
        ssl.SSLError(1, "closed"),
        TimeoutError(),
        asyncio.IncompleteReadError(b"", 4),
        exc.PendingRollbackError("can't reconnect until invalid transaction is rolled back"),
        exc.DisconnectionError(),
        sqlite3.OperationalError("no active connection"),
        sqlite3.ProgrammingError("Cannot operate on a closed database."),
    ],
    ids=lambda error: f"{type(error).__name__}",
)
def test_a_connection_that_is_lost_in_any_way_is_unavailable(error: Exception) -> None:
    found = translated(error)
    assert found is not None
    assert (found.code, found.status, found.retryable) == (AWAY, Status.UNAVAILABLE, True)


def test_a_pool_without_a_free_connection_is_busy_and_a_stale_plan_is_made_again() -> None:
    busy, stale = (
        translated(exc.TimeoutError("QueuePool limit")),
        translated(wrapped(asyncpg.InvalidCachedStatementError("no"))),
    )
    assert busy is not None
    assert stale is not None
    assert (busy.code, stale.code) == (BUSY, RACE)


@pytest.mark.parametrize(
    "error",
    [
        wrapped(asyncpg.UniqueViolationError("twice")),
        wrapped(asyncpg.UndefinedTableError("no")),
        wrapped(asyncpg.PostgresSyntaxError("no")),
        wrapped(asyncpg.NumericValueOutOfRangeError("no")),
        wrapped(asyncpg.DataError("invalid input for query argument")),
        exc.DBAPIError.instance("x", {}, sqlite3.IntegrityError("UNIQUE"), sqlite3.Error),
        lite(sqlite3.SQLITE_ERROR, "no such table"),
        exc.StatementError("a moment needs a time zone", "x", {}, ValueError()),
        ProofwalkError("x.y", "m", status=Status.NOT_FOUND),
        KeyError("a bug"),
        asyncio.CancelledError(),
    ],
    ids=lambda error: f"{type(error).__name__}",
)
def test_the_programs_own_mistakes_stay_what_they_are(error: BaseException) -> None:
    assert translated(error) is None


def test_a_write_in_a_read_is_a_mistake_and_no_standby() -> None:
    assert translated(wrapped(asyncpg.ReadOnlySQLTransactionError("no")), writing=False) is None


@given(state=st.text("0123456789ABCDEFPX", min_size=5, max_size=5))
def test_no_state_is_refused_and_worth_another_try_at_once(state: str) -> None:
    error = asyncpg.PostgresError("no")
    error.sqlstate = state
    found = translated(error)
    if state[:2] in ("08", "53", "57", "58", "XX"):
        assert found is not None
        assert found.retryable
    if state[:2] in ("22", "23", "42") and state != "22021":
        assert found is None


async def test_a_file_that_is_no_database_or_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "no.sqlite3").write_bytes(b"this is no database, and longer than a header " * 40)
    (tmp_path / "folder.sqlite3").mkdir()
    for name, code in [("no", "database.corrupt"), ("folder", AWAY)]:
        database = Database(f"sqlite:///{tmp_path}/{name}.sqlite3")
        with pytest.raises(ProofwalkError) as caught:
            async with database.read() as transaction:
                await transaction.execute(text("SELECT 1"))
        assert caught.value.code == code
        await database.close()
    # The driver's thread of a connection that never came to be ends by itself, and
    # tells the loop so.
    async with asyncio.timeout(20):
        while any("_connection_worker_thread" in thread.name for thread in threading.enumerate()):
            await asyncio.sleep(0.01)
