"""The state folder: one SQLite file in WAL mode, written through before a reply leaves.

The world is in memory; this file is what a restart reads. `synchronous=NORMAL` in WAL
mode survives the death of the process at any instant (a power cut may lose the last
moments, which an emulated cloud can bear). Writes are a few hundred microseconds, so
they are made in the event loop: an operation, its event and its answer are one step
that nothing can come between.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from proofwalk.chassis.private_files import private_database
from proofwalk.devcloud.engine.state.bill import Line
from proofwalk.devcloud.engine.state.world import Changes, Resource

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS accounts (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS scenarios (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (token_hash TEXT PRIMARY KEY, account TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS resources (
  account TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (account, kind, id));
CREATE TABLE IF NOT EXISTS replies (
  account TEXT NOT NULL, op TEXT NOT NULL, token TEXT NOT NULL, params TEXT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (account, op, token)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, at INTEGER NOT NULL, visible REAL NOT NULL,
  event_id TEXT NOT NULL, name TEXT NOT NULL, service TEXT NOT NULL, user TEXT NOT NULL, rw TEXT NOT NULL,
  access_key TEXT NOT NULL, resource_type TEXT NOT NULL, resource_name TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_by_time ON events (account, at, seq);
CREATE TABLE IF NOT EXISTS bill (
  number INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, item TEXT NOT NULL,
  kind TEXT NOT NULL, id TEXT NOT NULL, region TEXT NOT NULL, product_code TEXT NOT NULL,
  since REAL NOT NULL, until REAL, rate REAL NOT NULL, amount REAL NOT NULL, paid REAL NOT NULL);
CREATE INDEX IF NOT EXISTS bill_by_account ON bill (account, since);
CREATE UNIQUE INDEX IF NOT EXISTS running_meters ON bill (account, kind, id) WHERE until IS NULL;
"""

_RESOURCES = "CREATE TABLE IF NOT EXISTS resources"
_RESOURCE_FIELDS = (
    "account",
    "kind",
    "id",
    "region",
    "status",
    "created",
    "fields",
    "tags",
    "due",
    "given",
)
_LINE_FIELDS = tuple(field.name for field in fields(Line))


class Store:
    """Durable rows. Every method but `transaction` must run inside one if it writes."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        private_database(path)
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._adopt_untyped()
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Fold the journal in and let go of the file."""
        self._db.close()

    def _adopt_untyped(self) -> None:
        """A file in which resources were known by account and id alone is brought into
        the present form."""
        columns = {row[1] for row in self._db.execute("PRAGMA table_info(resources)")}
        if not columns or "kind" in columns:
            return
        rows = [
            Resource(**json.loads(row[0])) for row in self._db.execute("SELECT body FROM resources")
        ]
        with self.transaction():
            self._db.execute("DROP TABLE resources")
            self._db.execute(
                _SCHEMA[_SCHEMA.index(_RESOURCES) : _SCHEMA.index(";", _SCHEMA.index(_RESOURCES))]
            )
            self.apply(Changes(written=sorted(rows, key=lambda r: (r.created, r.id)), erased=[]))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, durable when left. One inside another is a part of it."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def get_meta(self, key: str) -> Any:
        """A remembered setting, or None."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    def set_meta(self, key: str, value: Any) -> None:
        """Remember a setting."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def accounts(self) -> list[Any]:
        """Bodies of all accounts in order of creation."""
        return [
            json.loads(row[0])
            for row in self._db.execute("SELECT body FROM accounts ORDER BY rowid")
        ]

    def put_account(self, account_id: str, body: Any) -> None:
        """Write an account."""
        self._db.execute(
            "INSERT INTO accounts VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body ="
            " excluded.body",
            (account_id, json.dumps(body)),
        )

    def scenarios(self) -> list[Any]:
        """Bodies of all scenarios in order of creation."""
        return [
            json.loads(row[0])
            for row in self._db.execute("SELECT body FROM scenarios ORDER BY rowid")
        ]

    def put_scenario(self, scenario_id: str, body: Any) -> None:
        """Write a scenario."""
        self._db.execute("INSERT INTO scenarios VALUES (?, ?)", (scenario_id, json.dumps(body)))

    def drop_scenario(self, scenario_id: str) -> None:
        """Forget a scenario."""
        self._db.execute("DELETE FROM scenarios WHERE id = ?", (scenario_id,))

    def sessions(self) -> list[tuple[str, Any]]:
        """(token hash, body) of all sessions."""
        rows = self._db.execute("SELECT token_hash, body FROM sessions").fetchall()
        return [(row[0], json.loads(row[1])) for row in rows]

    def put_session(self, token_hash: str, account: str, body: Any) -> None:
        """Write a session."""
        self._db.execute(
            "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)",
            (token_hash, account, json.dumps(body)),
        )

    def drop_sessions(self, token_hashes: Iterable[str]) -> None:
        """Forget sessions."""
        self._db.executemany(
            "DELETE FROM sessions WHERE token_hash = ?", [(h,) for h in token_hashes]
        )

    def resources(self) -> list[Resource]:
        """Everything that exists, oldest first."""
        return [
            Resource(**json.loads(row[0]))
            for row in self._db.execute("SELECT body FROM resources ORDER BY rowid")
        ]

    def apply(self, changes: Changes) -> None:
        """Write what a unit of work changed."""
        self._db.executemany(
            "INSERT INTO resources VALUES (?, ?, ?, ?) ON CONFLICT (account, kind, id) DO UPDATE"
            " SET body = excluded.body",
            [
                (*r.key, json.dumps({name: getattr(r, name) for name in _RESOURCE_FIELDS}))
                for r in changes.written
            ],
        )
        self._db.executemany(
            "DELETE FROM resources WHERE account = ? AND kind = ? AND id = ?", changes.erased
        )

    def reply(self, account: str, op: str, token: str) -> tuple[str, Any] | None:
        """(parameters, answer) that this client token was given before."""
        row = self._db.execute(
            "SELECT params, body FROM replies WHERE account = ? AND op = ? AND token = ?",
            (account, op, token),
        ).fetchone()
        return (row[0], json.loads(row[1])) if row else None

    def put_reply(self, account: str, op: str, token: str, params: str, body: Any) -> None:
        """Remember the answer to a client token."""
        self._db.execute(
            "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?)",
            (account, op, token, params, json.dumps(body)),
        )

    def put_event(self, row: Sequence[Any]) -> None:
        """Append an audit event; columns in table order after `seq`."""
        self._db.execute(
            "INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
        )

    def events(
        self, where: str, arguments: Sequence[Any], order: str, limit: int
    ) -> list[tuple[int, int, str]]:
        """(seq, at, body) of events; `where` and `order` are fixed texts of `audit`,
        values come as arguments."""
        query = f"SELECT seq, at, body FROM events WHERE {where} ORDER BY {order} LIMIT ?"  # noqa: S608  # fixed texts, see above
        return self._db.execute(query, (*arguments, limit)).fetchall()

    def add_line(self, line: Line) -> None:
        """Append a line to the bill; its number is given to it."""
        self._db.execute(
            "INSERT INTO bill VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", astuple(line)[1:]
        )

    def pay_line(self, number: int, *, paid: float, until: float | None) -> None:
        """Note what the balance has paid of a running meter, and its end if it has
        one."""
        self._db.execute(
            "UPDATE bill SET paid = ?, until = ? WHERE number = ?", (paid, until, number)
        )

    def meter(self, account: str, kind: str, resource_id: str) -> Line | None:
        """The running meter of a resource."""
        where = "account = ? AND kind = ? AND id = ? AND until IS NULL"
        return next(iter(self._lines(where, (account, kind, resource_id))), None)

    def meters(self) -> list[Line]:
        """All running meters."""
        return self._lines("until IS NULL", ())

    def lines(self, account: str, since: float, until: float) -> list[Line]:
        """Lines of the account's bill that a period has a part in, oldest first."""
        where = "account = ? AND since < ? AND (until IS NULL OR until >= ?)"
        return self._lines(where, (account, until, since))

    def _lines(self, where: str, arguments: Sequence[Any]) -> list[Line]:
        names = ", ".join(_LINE_FIELDS)
        query = f"SELECT {names} FROM bill WHERE {where} ORDER BY number"  # noqa: S608  # fixed texts
        return [
            Line(**dict(zip(_LINE_FIELDS, row, strict=True)))
            for row in self._db.execute(query, tuple(arguments))
        ]
