"""The journal of reveals: who was shown which credential, in a chain that shows every
later change.

Each entry's hash covers its own words and the hash before it; an entry that is changed,
removed or put in between breaks the chain at that place. Cutting off the end is shown
by comparing the head with one that was noted elsewhere (`python -m
proofwalk.account_pool.journal DATABASE_URL [HEAD]` prints and checks it).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from proofwalk.kernel.clock import isoformat

GENESIS = "0" * 64


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One reveal or rotation."""

    number: int
    at: datetime
    action: str
    """`reveal:console_login`, `reveal:access_key`, `rotate`."""
    account_id: str
    lease_id: str
    epoch: int
    holder: str
    previous: str
    hash: str


def following(
    last: Entry | None,
    *,
    at: datetime,
    action: str,
    account_id: str,
    lease_id: str,
    epoch: int,
    holder: str,
) -> Entry:
    """The next entry of the chain."""
    number, previous = (last.number + 1, last.hash) if last else (1, GENESIS)
    words = (number, at, action, account_id, lease_id, epoch, holder, previous)
    return Entry(
        number=number,
        at=at,
        action=action,
        account_id=account_id,
        lease_id=lease_id,
        epoch=epoch,
        holder=holder,
        previous=previous,
        hash=_hash(*words),
    )


def _hash(
    number: int,
    at: datetime,
    action: str,
    account_id: str,
    lease_id: str,
    epoch: int,
    holder: str,
    previous: str,
) -> str:
    words = [number, isoformat(at), action, account_id, lease_id, epoch, holder, previous]
    return hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()


def broken_at(entries: Sequence[Entry]) -> int | None:
    """The number of the first entry that does not fit into the chain; None if all do.
    `entries` begin at 1."""
    previous = GENESIS
    for place, entry in enumerate(entries, start=1):
        expected = _hash(
            place,
            entry.at,
            entry.action,
            entry.account_id,
            entry.lease_id,
            entry.epoch,
            entry.holder,
            previous,
        )
        if entry.number != place or entry.previous != previous or entry.hash != expected:
            return place
        previous = entry.hash
    return None


async def _check(url: str, head: str) -> int:
    from proofwalk.account_pool import repository
    from proofwalk.chassis.database import Database

    database = Database(url)
    try:
        async with database.read() as transaction:
            entries = await repository.journal(transaction)
    finally:
        await database.close()
    broken = broken_at(entries)
    if broken is not None:
        print(f"the journal is broken at entry {broken}", file=sys.stderr)
        return 1
    if head and all(entry.hash != head for entry in entries):
        print(
            "the journal is whole, but lacks the given head: its end was cut off", file=sys.stderr
        )
        return 1
    print(f"{len(entries)} entries, whole; head {entries[-1].hash if entries else GENESIS}")
    return 0


def main() -> int:
    """See the module docstring."""
    parser = argparse.ArgumentParser(
        prog="python -m proofwalk.account_pool.journal", description="Check the journal of reveals."
    )
    parser.add_argument("database_url", help="postgresql://… or sqlite:///…")
    parser.add_argument(
        "head", nargs="?", default="", help="hash of an entry that must be in the journal"
    )
    arguments = parser.parse_args()
    return asyncio.run(_check(arguments.database_url, arguments.head))


if __name__ == "__main__":
    sys.exit(main())
