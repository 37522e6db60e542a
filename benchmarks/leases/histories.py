"""The hundred thousand steps of the lease model (`tests/account_pool/lease_model`),
part by part on each kind of database."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from benchmarks.leases.counting import Part
from tests.account_pool.lease_histories import Told, check_part
from tests.fixtures.databases import administrate
from tests.fixtures.servers import postgres_files

MEMORY = Path("/dev/shm")
Fresh = Callable[[], str]
"""The URL of a database that is empty."""


@contextmanager
def _sqlite(folder: Path | None) -> Iterator[Fresh]:
    numbers = itertools.count()
    with tempfile.TemporaryDirectory(prefix="pw-leases-", dir=folder) as name:
        yield lambda: f"sqlite:///{name}/{next(numbers)}.sqlite3"


@contextmanager
def memory() -> Iterator[Fresh]:
    """SQLite files in memory (tmpfs): nothing waits for a disk."""
    with _sqlite(MEMORY) as fresh:
        yield fresh


@contextmanager
def sqlite() -> Iterator[Fresh]:
    """SQLite files on the disk."""
    with _sqlite(None) as fresh:
        yield fresh


@contextmanager
def postgres() -> Iterator[Fresh]:
    """Databases of a PostgreSQL that is started for it, as the tests start theirs."""
    numbers = itertools.count()
    with postgres_files() as files, files.running() as server:

        async def make(name: str) -> None:
            admin = await administrate(str(server.folder))
            try:
                await admin.execute(f"CREATE DATABASE {name} TEMPLATE template0")
            finally:
                await admin.close()

        def fresh() -> str:
            name = f"leases_{next(numbers)}"
            asyncio.run(make(name))
            return server.url(name)

        yield fresh


DATABASES: dict[str, Callable[[], AbstractContextManager[Fresh]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "postgres": postgres,
}


def walk(database: str, number: int, url: str) -> Part:
    """One part. A history that breaks a promise ends it; its message is kept."""
    told, began, failure = Told(), time.monotonic(), ""
    try:
        check_part(url, number, told=told)
    except AssertionError as error:
        failure = str(error)[:2000] or "a promise was broken"
    return Part(
        database=database,
        number=number,
        steps=told.steps,
        counts=dict(told.counts),
        seconds=round(time.monotonic() - began, 1),
        failure=failure,
    )
