"""What every benchmark writes: `{name, n, commit, machine, figures}` with medians and
spreads, and what else loaded the machine."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.experiments.bench import surroundings
from proofwalk.suites.counting.statistics import wilson

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"


@dataclass(frozen=True, kw_only=True)
class Load:
    """How busy the machine was at a moment, by the system's own averages over 1, 5 and
    15 minutes."""

    averages: tuple[float, float, float]

    @classmethod
    def now(cls) -> Load:
        return cls(averages=os.getloadavg())

    def __str__(self) -> str:
        return "/".join(f"{average:.1f}" for average in self.averages)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, least, greatest and how many."""
    return {
        "median": round(statistics.median(values), 4),
        "min": round(min(values), 4),
        "max": round(max(values), 4),
        "n": len(values),
    }


def spreads(samples: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The spread of each key, over the samples that have it."""
    keys = dict.fromkeys(key for sample in samples for key in sample)
    return {key: spread([sample[key] for sample in samples if key in sample]) for key in keys}


def share(hits: int, of: int) -> dict[str, float | int | None]:
    """A share with its count and interval; None where there is nothing to share."""
    estimate = wilson(hits, of)
    if estimate is None:
        return {"value": None, "low": None, "high": None, "count": hits}
    return {
        "value": round(estimate.value, 4),
        "low": round(estimate.low, 4),
        "high": round(estimate.high, 4),
        "count": hits,
    }


def judged(
    value: float | None, *, at_most: float | None = None, at_least: float | None = None
) -> dict[str, Any]:
    """A figure beside its target; what could not be measured has not met it."""
    met = (
        value is not None
        and (at_most is None or value <= at_most)
        and (at_least is None or value >= at_least)
    )
    target = f"<= {at_most:g}" if at_most is not None else f">= {at_least:g}"
    return {"value": None if value is None else round(value, 3), "target": target, "met": met}


async def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return await surroundings.machine()


def commit() -> str:
    """The commit that was measured; `-dirty` when tracked code differs from it."""
    return surroundings.commit(ROOT)


async def head(name: str, *, n: int) -> dict[str, Any]:
    """What a result begins with: what was measured, how often, of which code, on
    what."""
    return {"name": name, "n": n, "commit": commit(), "machine": await machine()}


def write(name: str, content: Mapping[str, Any]) -> Path:
    """Store a result."""
    return write_part(name, content, folder=RESULTS)


def write_part(name: str, content: Mapping[str, Any], *, folder: Path) -> Path:
    """Store what is no result of the whole in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path
