"""What a driver raises, as an error that says whether to try again. Pure.

Errors come from six places: SQLAlchemy's wrappers around a driver's (with the SQLSTATE
of PostgreSQL or the result code of SQLite), SQLAlchemy's own (no connection of the pool
is free, a transaction whose connection is gone), the drivers' while they connect, and
the operating system's. `translated` sorts them by what the caller can do:

    database.conflict     another transaction came first: run it again at once (ABORTED, retryable)
    database.busy         no turn, no lock, no connection in time (UNAVAILABLE, retryable)
    database.unavailable  the server is away, starting, stopping, full or failing over (UNAVAILABLE, retryable)
    database.refused      it does not let this user in, or has no such database (FAILED_PRECONDITION)
    database.corrupt      the file is damaged, or no database (FAILED_PRECONDITION)
    database.bad_text     a text with NUL, which is not stored (INVALID_ARGUMENT)

What is left is the program's own: a constraint that was violated, a statement that is
wrong. It stays as it is, and None says so. SQLSTATE: PostgreSQL's manual, appendix A.
Result codes: sqlite.org/rescode.html.
"""

from __future__ import annotations

import asyncio
import sqlite3

import asyncpg
from sqlalchemy.exc import DBAPIError, DisconnectionError, InterfaceError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from proofwalk.kernel.errors import ProofwalkError, Status, conflict, invalid, unavailable

_CONFLICTS = frozenset({"40001", "40P01"})  # serialization_failure, deadlock_detected
_BUSY = frozenset({"55P03"})  # lock_not_available
_REFUSED = ("28", "3D")  # invalid_authorization_specification, invalid_catalog_name
_AWAY = ("08", "53", "57", "58", "F0", "XX", "40003", "25P03", "25P04")
"""connection_exception, insufficient_resources, operator_intervention, system_error,
config_file_error, internal_error; statement_completion_unknown,
idle_in_transaction_session_timeout, transaction_timeout."""
_PROTOCOL = "08P01"  # protocol_violation
_STANDBY = "25006"  # read_only_sql_transaction
_BAD_TEXT = "22021"  # character_not_in_repertoire
_LITE_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_LITE_AWAY = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_ABORT,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_AUTH,
    }
)
_LITE_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def translated(error: BaseException, *, writing: bool = True) -> ProofwalkError | None:
    """The error to raise instead, or None for one that stays as it is. `writing`:
    whether the transaction may write; where it may not, being refused to is the
    program's mistake, and not a server that has become a standby."""
    if isinstance(error, ProofwalkError):
        return None
    if isinstance(error, PoolTimeout):
        return busy("no connection of the pool became free in time")
    if isinstance(error, (PendingRollbackError, DisconnectionError)):
        return _away(error)
    if isinstance(error, DBAPIError):
        return _wrapped(error, writing)
    if isinstance(error, asyncpg.PostgresError):
        return _by_state(getattr(error, "sqlstate", None) or "", error, writing)
    if isinstance(error, sqlite3.Error):
        return _by_code(error)
    if isinstance(
        error,
        (
            asyncpg.InterfaceError,
            asyncpg.InternalClientError,
            OSError,
            TimeoutError,
            asyncio.IncompleteReadError,
        ),
    ):
        return _away(error)
    return None


def busy(reason: str) -> ProofwalkError:
    """Somebody else has what is needed, and did not let go of it in time."""
    return unavailable("database.busy", reason, hint="look for a transaction that awaits")


def _wrapped(error: DBAPIError, writing: bool) -> ProofwalkError | None:
    origin: BaseException | None = error.orig
    if type(origin).__name__ == "InvalidCachedStatementError":
        # Another process has changed the tables; the caches are empty now.
        return _conflict()
    if isinstance(origin, sqlite3.Error):
        return _by_code(origin) or (_away(error) if error.connection_invalidated else None)
    found = _by_state(getattr(origin, "sqlstate", None) or "", error, writing)
    if found is not None:
        return found
    wrong_value = isinstance(getattr(origin, "__cause__", None), asyncpg.DataError)
    lost = error.connection_invalidated or (isinstance(error, InterfaceError) and not wrong_value)
    internal = type(origin).__name__ in ("InternalClientError", "InternalServerError")
    return _away(error) if lost or internal else None


def _by_state(state: str, error: BaseException, writing: bool) -> ProofwalkError | None:
    if state in _CONFLICTS:
        return _conflict()
    if state in _BUSY:
        return busy("another transaction holds the lock")
    if state == _BAD_TEXT:
        what = "a text holds NUL, or what is no UTF-8, and no text that is stored does"
        return invalid("database.bad_text", what, hint="leave the character out")
    if state.startswith(_REFUSED):
        what = f"the database refused the connection: {type(error).__name__}"
        return conflict("database.refused", what, hint="check PROOFWALK_DATABASE_URL")
    if state == _PROTOCOL and "startup parameter" in str(error):
        return conflict(
            "database.pooled",
            "a pooler of connections answers there, which refuses the session's settings",
            hint="add pgbouncer=true to the query of PROOFWALK_DATABASE_URL",
        )
    if state.startswith(_AWAY) or (state == _STANDBY and writing):
        return _away(error, state)
    return None


def _by_code(error: sqlite3.Error) -> ProofwalkError | None:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _LITE_BUSY:
        return busy("another process holds the database's file")
    if code == sqlite3.SQLITE_SCHEMA:
        return _conflict()
    if code in _LITE_AWAY:
        return _away(error, getattr(error, "sqlite_errorname", ""))
    if code in _LITE_CORRUPT:
        return conflict(
            "database.corrupt",
            f"the database's file cannot be read: {error}",
            hint="restore a backup of it",
        )
    # Without a code: raised by the driver itself, about a connection that was closed
    # under its user.
    lost = not code and any(
        word in str(error).lower() for word in ("closed", "no active connection")
    )
    return _away(error) if lost else None


def _conflict() -> ProofwalkError:
    return ProofwalkError(
        "database.conflict",
        "another transaction changed the same rows",
        status=Status.ABORTED,
        retryable=True,
    )


def _away(error: BaseException, why: str = "") -> ProofwalkError:
    what = f"{type(error).__name__} {why}".strip()
    return unavailable(
        "database.unavailable", f"the database cannot be reached, or closed the connection: {what}"
    )
