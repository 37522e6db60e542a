"""From rows of cycles and batches to figures; rows are kept as they come, so that a run
that was stopped goes on with the next batch. Pure but for the journal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.provisioning import bills
from benchmarks.provisioning.bills import Spending
from benchmarks.record import spread


@dataclass(frozen=True, kw_only=True)
class Row:
    """What came of a cycle; seconds."""

    number: int
    record: str
    victim: str
    end: str
    faulty: bool
    killed: int = 0
    """Processes that were killed for it."""
    provisioned: str = ""
    """`ready`, or the code of the error."""
    ended: str = ""
    """`destroyed`, `swept`, `abandoned`, or the code of the error."""
    dirty: Sequence[str] = ()
    """What the account held at the grant that was not its own."""
    lost: Sequence[str] = ()
    """What the run had made and was gone while its lease was live."""
    provision_s: float = 0.0
    destroy_s: float = 0.0
    lease: str = ""
    """Its id."""
    account: str = ""
    """External id of the account that it leased."""
    spending: Spending | None = None
    """What the lease cost; None where the ledger has no such lease."""

    @property
    def calm(self) -> bool:
        return not self.faulty and not self.victim


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Some cycles side by side, the rest after them, and one sweep."""

    first: int
    rows: Sequence[Row]
    before_sweep: Sequence[str] = ()
    """What no account should hold, when all leases were over."""
    swept: int = 0
    leaked: Sequence[str] = ()
    """What of it was there after one sweep."""
    live_swept: Sequence[str] = ()
    """What sweeps during the cycles deleted from accounts that a cycle held."""
    unusable: Sequence[str] = ()
    """Accounts that were not free in the end."""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Speed:
    """Provisioning one network after the other, with nothing else about; seconds."""

    warm: Sequence[float] = field(default=())
    cold: Sequence[float] = field(default=())


def figures_of(batches: Sequence[Batch], speed: Speed, *, parallel: int) -> dict[str, Any]:
    """The figures of all complete batches."""
    rows = [row for batch in batches for row in batch.rows]
    live = [item for batch in batches for item in batch.live_swept]
    live += [item for row in rows for item in row.lost]
    leaked = [item for batch in batches for item in batch.leaked]
    dirty = [row.number for row in rows if row.dirty]
    calm = [row for row in rows if row.calm and row.provisioned == "ready"]
    return {
        "cycles": len(rows),
        "leaked": len(leaked),
        "live_swept": len(live),
        "dirty_leased": len(dirty),
        "bill_error": bills.figures_of([_spent(row) for row in rows]),
        "warm_s": spread(speed.warm) if speed.warm else None,
        "cold_s": spread(speed.cold) if speed.cold else None,
        "parallel": parallel,
        "parallel_provision_s": spread([row.provision_s for row in calm]) if calm else None,
        "left_before_the_sweep": sum(len(batch.before_sweep) for batch in batches),
        "unusable_accounts": sum(len(batch.unusable) for batch in batches),
        "faulty": sum(row.faulty for row in rows),
        "terraform_killed": sum(row.killed > 0 for row in rows if row.victim == "terraform"),
        "role_killed": sum(row.killed > 0 for row in rows if row.victim == "role"),
        "provisioned": dict(Counter(row.provisioned for row in rows).most_common()),
        "ended": dict(Counter(row.ended for row in rows).most_common()),
        "seconds": round(sum(batch.seconds for batch in batches), 1),
        "what_leaked": sorted(leaked)[:20],
        "what_was_live": sorted(live)[:20],
        "dirty_cycles": dirty[:20],
        "wrongly_billed": [
            f"{row.number} {row.record} {row.ended}: {_spent(row)}"
            for row in rows
            if _spent(row).error > bills.BOUND
        ][:20],
    }


def _spent(row: Row) -> Spending:
    return row.spending or Spending(ledger=None, bill=0.0)


def keep(journal: Path, batch: Batch) -> None:
    """Append a complete batch."""
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(batch)) + "\n")


def read(journal: Path) -> list[Batch]:
    """The batches of a journal; a line that was cut off is none."""
    if not journal.is_file():
        return []
    batches = []
    for line in journal.read_text(encoding="utf-8").splitlines():
        try:
            kept = json.loads(line)
        except ValueError:
            continue
        batches.append(Batch(**{**kept, "rows": [_row(row) for row in kept["rows"]]}))
    return batches


def _row(kept: dict[str, Any]) -> Row:
    spent = kept.get("spending")
    return Row(**{**kept, "spending": Spending(**spent) if spent else None})
