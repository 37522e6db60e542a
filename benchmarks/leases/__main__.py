"""`make bench-leases`: is an account ever held by two?

Two things are counted. The stateful model of the account pool
(`tests/account_pool/lease_model`, the one of `make test-leases`) takes 100,000 steps on
each database, in 20 parts: clients ask, renew, use, hand back, twice, late, while the
cloud is away and processes die. `two_holders` counts moments at which two leases of an
account both passed, `stale_writes` calls of holders whose lease was over that the pool
let through. And 64 clients race for 16 accounts through two pools on PostgreSQL
(`acquires`).

Every part is journalled for the commit that it measured; the same command goes on
where it was stopped, and `--minutes` bounds a call. It writes
`benchmarks/results/leases.json` when all parts are there, and what there is to
`build/leases/results` until then. It ends with 0 if nothing broke.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import structlog

from benchmarks import record
from benchmarks.leases.acquires import ACCOUNTS, CLIENTS, race
from benchmarks.leases.counting import figures_of, keep, read
from benchmarks.leases.histories import DATABASES, postgres, walk
from benchmarks.record import Load
from proofwalk.kernel.clock import SystemClock
from tests.account_pool.lease_histories import PARTS

WORK = record.ROOT / "build" / "leases"
ACQUIRES, BATCHES = 10_000, 20


def walk_all(journal: Path, names: list[str], *, parts: int, until: float) -> None:
    """The parts that are not there yet, as far as the time goes."""
    for name in names:
        known = {part.number for part in read(journal)[0] if part.database == name}
        left = [number for number in range(parts) if number not in known]
        if not left or time.monotonic() > until:
            continue
        with DATABASES[name]() as fresh:
            for number in left:
                if time.monotonic() > until:
                    return
                part = walk(name, number, fresh())
                keep(journal, part)
                print(f"{name} {number}: {part}", file=sys.stderr, flush=True)


def race_all(journal: Path, *, batches: int, until: float) -> None:
    """The batches of acquires that are not there yet, as far as the time goes."""
    known = {batch.number for batch in read(journal)[1]}
    left = [number for number in range(batches) if number not in known]
    if not left or time.monotonic() > until:
        return
    with postgres() as fresh, tempfile.TemporaryDirectory(prefix="pw-race-") as name:
        for number in left:
            if time.monotonic() > until:
                return
            batch = asyncio.run(
                race(fresh(), number, acquires=ACQUIRES // BATCHES, folder=Path(name))
            )
            keep(journal, batch)
            said = f"{batch.acquires} in {batch.seconds} s, {batch.double_grants} double"
            print(f"acquires {number}: {said}", file=sys.stderr, flush=True)


def main() -> int:
    """0 when nothing broke, 1 otherwise."""
    options = _options()
    # The pool logs each release; the figures are what is looked at here.
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    head = asyncio.run(record.head("leases", n=0))
    journal = WORK / f"{head['commit']}.jsonl"
    before = Load.now()
    until = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    walk_all(journal, options.databases, parts=options.parts, until=until)
    race_all(journal, batches=options.batches, until=until)
    parts, batches = read(journal)
    if not parts:
        return 0
    figures = figures_of(parts, batches)
    whole = len(parts) == PARTS * len(DATABASES) and len(batches) == BATCHES
    content = {
        **head,
        "n": figures["steps"],
        "planned": {"parts": PARTS, "databases": [*DATABASES], "acquires": ACQUIRES},
        "race": {"clients": CLIENTS, "accounts": ACCOUNTS},
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
    }
    folder = record.RESULTS if whole else WORK / "results"
    print(json.dumps(figures, indent=1))
    print(f"written to {record.write_part('leases', content, folder=folder)}")
    double = figures.get("acquires", {}).get("double_grants", 0)
    broken = figures["two_holders"] or figures["stale_writes"] or figures["failures"] or double
    return 1 if broken else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--databases", nargs="+", choices=[*DATABASES], default=[*DATABASES])
    parser.add_argument("--parts", type=int, default=PARTS, help="the first so many of each")
    parser.add_argument("--batches", type=int, default=BATCHES, help="of the acquires")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="stop after so long; the command goes on later"
    )
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
