"""Files of a run that are SQLite databases: opened for one transaction, private to
their owner, with their tables. Blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, MetaData, NullPool, create_engine, event
from sqlalchemy.engine import URL

from proofwalk.chassis.private_files import private_database

_BUSY_S = 15.0


@contextmanager
def opened(path: Path, tables: MetaData) -> Iterator[Connection]:
    """A transaction on the file, which has these tables then. A writer waits for
    another one `_BUSY_S` at most."""
    path.parent.mkdir(parents=True, exist_ok=True)
    private_database(path)
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=NullPool,
        # The driver begins nothing of its own accord: a writer takes the file's lock at
        # once.
        connect_args={"timeout": _BUSY_S, "isolation_level": None},
    )
    event.listen(engine, "begin", lambda file: file.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as file:
        tables.create_all(file)
        yield file
