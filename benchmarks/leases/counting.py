"""Parts as they are kept, and what they come to. Pure, but for the journal's file."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the model's steps on one database."""

    database: str
    number: int
    steps: int
    counts: Mapping[str, int]
    """`LeaseModel.counts`."""
    seconds: float
    failure: str = ""
    """What the history said that broke a promise."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Some of the acquires of many clients."""

    number: int
    acquires: int
    double_grants: int
    conflicts: int = 0
    """Calls that the database could not put in order with others, and that were
    repeated."""
    waits: Sequence[float]
    """Seconds from asking to having, each."""
    by_client: Mapping[str, int] = field(default_factory=dict)
    seconds: float


def read(path: Path) -> tuple[list[Part], list[Batch]]:
    """What a journal holds; a line that a kill cut off is left out."""
    if not path.is_file():
        return [], []
    parts: list[Part] = []
    batches: list[Batch] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            kept = json.loads(line)
        except ValueError:
            continue
        if "part" in kept:
            parts.append(Part(**kept["part"]))
        else:
            batches.append(Batch(**kept["batch"]))
    return parts, batches


def keep(path: Path, row: Part | Batch) -> None:
    """Add a row to a journal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = "part" if isinstance(row, Part) else "batch"
    whole = not path.is_file() or path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("" if whole else "\n") + json.dumps({kind: asdict(row)}) + "\n")


def figures_of(parts: Sequence[Part], batches: Sequence[Batch]) -> dict[str, Any]:
    """The model's steps, what broke in them and what was refused; and the acquires."""
    counts = _together(parts)
    return {
        "steps": sum(part.steps for part in parts),
        "databases": {
            name: _database([part for part in parts if part.database == name])
            for name in dict.fromkeys(part.database for part in parts)
        },
        "two_holders": counts["two_holders"],
        "stale_writes": counts["stale_accepted"],
        "stale_refused": counts["stale_refused"],
        "grants": counts["grants"],
        "waits": counts["waits"],
        "failures": [part.failure for part in parts if part.failure],
        **({"acquires": acquires_of(batches)} if batches else {}),
    }


def acquires_of(batches: Sequence[Batch]) -> dict[str, Any]:
    """How often two had an account, how long who asked waited, and how many were
    served a second. `fairness` is the longest wait over the median."""
    waits = sorted(wait for batch in batches for wait in batch.waits)
    clients = Counter[str]()
    for batch in batches:
        clients.update(batch.by_client)
    total, seconds = sum(one.acquires for one in batches), sum(one.seconds for one in batches)
    median = statistics.median(waits)
    return {
        "n": total,
        "double_grants": sum(one.double_grants for one in batches),
        "conflicts": sum(one.conflicts for one in batches),
        "per_second": round(total / seconds, 1),
        "wait_s": {
            "median": round(median, 4),
            "p95": round(waits[int(0.95 * (len(waits) - 1))], 4),
            "max": round(waits[-1], 4),
        },
        "fairness": round(waits[-1] / median, 2) if median else None,
        "of_a_client": {"least": min(clients.values()), "most": max(clients.values())},
    }


def _together(parts: Sequence[Part]) -> Counter[str]:
    counts = Counter[str]()
    for part in parts:
        counts.update(part.counts)
    return counts


def _database(parts: Sequence[Part]) -> dict[str, Any]:
    counts = _together(parts)
    return {
        "parts": len(parts),
        "steps": sum(part.steps for part in parts),
        "two_holders": counts["two_holders"],
        "stale_writes": counts["stale_accepted"],
        "stale_refused": counts["stale_refused"],
        "waits": counts["waits"],
        "seconds": round(sum(part.seconds for part in parts), 1),
    }
