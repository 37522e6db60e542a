"""Records of a database: the rows of a query that only reads.

SQLite is opened read-only by Python's own driver, in a thread; PostgreSQL in a
read-only transaction. Each time anew: a console's database is asked seldom, and no
connection is kept from it. Rows are bounded, a query has a deadline, and the address,
which has a password, stands in no error.
"""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from proofwalk.cloud.logs.options import SqlSource
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import ProofwalkError, unavailable

MAX_ROWS = 100_000
QUERY_DEADLINE_S = 30.0
_STEPS = 10_000
"""Steps of SQLite between two looks at the clock."""
Rows = list[Mapping[str, object]]


class SqliteRecords:
    """A query of a SQLite file."""

    def __init__(self, path: Path, query: str) -> None:
        self._path = path
        self._query = query

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return the rows of a window. Raises `cloud.unavailable`."""
        try:
            rows = await asyncio.to_thread(self._read, _values(account, start, end, _sqlite_text))
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise _no_answer(error) from None
        return _bounded(rows)

    def _read(self, values: Mapping[str, object]) -> Rows:
        until = time.monotonic() + QUERY_DEADLINE_S
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=QUERY_DEADLINE_S)) as base:
            base.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
            base.row_factory = sqlite3.Row
            rows = base.execute(self._query, dict(values)).fetchmany(MAX_ROWS + 1)
            return [dict(row) for row in rows]


class PostgresRecords:
    """A query of a PostgreSQL database."""

    def __init__(self, engine: AsyncEngine, query: str) -> None:
        self._engine = engine
        self._query = text(query)
        self._asked = frozenset(self._query.compile().params)

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return the rows of a window. Raises `cloud.unavailable`."""
        values = _values(account, start, end, lambda moment: moment)
        given = {name: value for name, value in values.items() if name in self._asked}
        try:
            async with asyncio.timeout(QUERY_DEADLINE_S), self._engine.connect() as connection:
                reading = await connection.execution_options(postgresql_readonly=True)
                found = (await reading.execute(self._query, given)).mappings()
                rows: Rows = [dict(row) for row in found.fetchmany(MAX_ROWS + 1)]
        except (SQLAlchemyError, OSError) as error:
            raise _no_answer(error) from None
        return _bounded(rows)


@asynccontextmanager
async def opened_query(
    source: SqlSource, folder: Path
) -> AsyncIterator[SqliteRecords | PostgresRecords]:
    """Have what asks the database; a file's path is relative to `folder`."""
    url = make_url(source.url.get_secret_value())
    if url.get_backend_name() == "sqlite":
        yield SqliteRecords(folder / (url.database or ""), source.query)
        return
    driven = url.set(drivername="postgresql+asyncpg")
    engine = create_async_engine(driven, poolclass=NullPool, hide_parameters=True)
    try:
        yield PostgresRecords(engine, source.query)
    finally:
        await engine.dispose()


def _values(
    account: str, start: datetime, end: datetime, moment: Callable[[datetime], object]
) -> Mapping[str, object]:
    """What the query may ask for. `moment` makes of a moment what the database has."""
    return {
        "account": account,
        "start": moment(start),
        "end": moment(end),
        "start_text": isoformat(start),
        "end_text": isoformat(end),
        "start_epoch": math.floor(start.timestamp()),
        "end_epoch": math.floor(end.timestamp()) + 1,
    }


def _sqlite_text(moment: datetime) -> str:
    """SQLite has no moments; this is the text that its own functions write."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def _bounded(rows: Rows) -> Sequence[object]:
    if len(rows) > MAX_ROWS:
        raise unavailable(
            "cloud.unavailable",
            f"the audit log's query has more than {MAX_ROWS} rows for one window",
            hint="let it ask for the window: WHERE written BETWEEN :start AND :end",
        )
    return [{str(name): _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: object) -> object:
    """Return a column's value as JSON has it; text of an object stays text, which a
    mapping reads as one."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case datetime() | date():
            return value.isoformat()
        case Decimal():
            return float(value) if value % 1 else int(value)
        case bytes() | bytearray() | memoryview():
            return bytes(value).decode("utf-8", errors="replace")
        case Mapping() | list() | tuple():
            return json.loads(json.dumps(value, default=str))
        case _:
            return str(value)


def _no_answer(error: Exception) -> ProofwalkError:
    """What the database said, in one line; an address stands in none of its words."""
    own = getattr(error, "orig", None) or error
    said = next(iter(str(own).splitlines()), "")[:200]
    if isinstance(error, TimeoutError):
        said = f"nothing came within {QUERY_DEADLINE_S:.0f} s"
    return unavailable(
        "cloud.unavailable",
        f"the audit log's database does not answer the query: {type(own).__name__}: {said}",
        hint="check options.audit.sql: the address, the query, what the user may read",
    )
