"""What the installation's own rows tell, read beside it: from PostgreSQL, or from one
SQLite file per role, and from the embedded cloud's store, whose log is append-only.

Reading goes past every proxy, and past the roles.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg

from benchmarks.chaos.cluster import Cluster

_TIMEOUT_S, _LOOK_S = 5.0, 1.0
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Lease:
    """One grant of an account. Times are the account pool's wall clock, in seconds."""

    account: str
    epoch: int
    holder: str
    granted: float
    ended: float | None


@dataclass(frozen=True, kw_only=True)
class Change:
    """An event of the cloud's log that changed something: when, in which account, and
    by which of its users."""

    account: str
    at: float
    name: str
    user: str


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows of one moment."""

    verifications: Sequence[Row]
    events: Sequence[Row]
    leases: Sequence[Lease]
    changes: Sequence[Change]


class Reader:
    """Reads an installation's rows."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def fetch(self, role: str, query: str) -> Sequence[Row]:
        """The rows of a query. Raises OSError or TimeoutError while PostgreSQL is away,
        and the driver's own error for a table that is not there: a check over a name
        that nobody has would find nothing."""
        if self._cluster.postgres is None:
            path = self._cluster.home / "state" / f"{role}.sqlite3"
            return await asyncio.to_thread(_of_file, path, query)
        url = self._cluster.database_url()
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                connection = await asyncpg.connect(url, timeout=_TIMEOUT_S)
                try:
                    return [dict(row) for row in await connection.fetch(query)]
                finally:
                    connection.terminate()
        except asyncpg.UndefinedTableError:
            raise
        except asyncpg.PostgresError as error:
            raise ConnectionError(f"PostgreSQL is not there: {error}") from error

    async def events(self) -> Sequence[Row]:
        """Which events there are of which verification."""
        return await self.fetch(
            "rollout",
            "select verification_id, sequence, type from rollout_events"
            " order by verification_id, sequence",
        )

    async def all(self) -> Rows:
        """Everything that the checks read."""
        leases = await self.fetch(
            "account_pool",
            "select a.external_id as account, l.epoch, l.holder, l.granted_at, l.ended_at"
            " from account_pool_lease l join account_pool_account a"
            " on a.account_id = l.account_id",
        )
        return Rows(
            verifications=await self.fetch(
                "rollout", "select id, state, outcome from rollout_verifications"
            ),
            events=await self.events(),
            leases=[
                Lease(
                    account=row["account"],
                    epoch=row["epoch"],
                    holder=row["holder"],
                    granted=_seconds(row["granted_at"]),
                    ended=_seconds(row["ended_at"]) if row["ended_at"] else None,
                )
                for row in leases
            ],
            changes=await asyncio.to_thread(self._changes),
        )

    async def settled(self, *, within_s: float) -> Sequence[str]:
        """What is left when nothing more goes away, in words; nothing, of an
        installation that comes to rest in time."""
        end = time.monotonic() + within_s
        while found := await self.left():
            if time.monotonic() > end:
                break
            await asyncio.sleep(_LOOK_S)
        strays = await asyncio.to_thread(self._cluster.processes, "chrom", "terraform")
        return [*found, *(f"process {one.pid} {one.name()}" for one in strays)]

    async def left(self) -> Sequence[str]:
        """What an installation at rest must not have, as its rows tell it now."""
        found = [f"the process {name} has ended" for name in self._cluster.ended()]
        for role, query in _AT_REST.items():
            rows = await self.fetch(role.partition("/")[0], query)
            found += [f"{role} {dict(row)}" for row in rows]
        return found

    def _changes(self) -> Sequence[Change]:
        path = self._cluster.home / "state" / "devcloud" / "devcloud.sqlite"
        query = "select account, at, name, user from events where rw = 'Write' order by seq"
        return [
            Change(account=row["account"], at=row["at"], name=row["name"], user=row["user"])
            for row in _of_file(path, query)
        ]


_AT_REST = {
    "account_pool": "select external_id, state, reason from account_pool_account"
    " where state <> 'free'",
    "rollout/verification": "select id, state from rollout_verifications where state <> 'finished'",
    "rollout/episode": "select id, phase from rollout_episodes where phase <> 'done'",
    "rollout/intent": "select episode_id, key, state from rollout_intents where state <> 'undone'",
    "resource_provisioner": "select id, state, error_message from"
    " resource_provisioner_provisionings where state not in ('destroyed', 'failed')",
    "sandbox_scheduler": "select id, state, reason from sandbox_scheduler_sandboxes"
    " where state <> 'ended'",
}
"""By role and thing: rows that are there only while something is under way."""


def _of_file(path: Path, query: str) -> Sequence[Row]:
    with contextlib.closing(
        sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=_TIMEOUT_S)
    ) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query)]


def _seconds(moment: datetime | str) -> float:
    """Of the epoch; SQLite keeps UTC as text without saying so."""
    read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
