"""Runs both ways over the same worlds and writes `inspection.json`, and a plot beside
it.

Equal detection is an equal mean delay: what full inspection needs for the delay that
looking at what is due had is read off its own curve, over intervals from 1 to 42 days.
A drift that nobody found counts to the end of the ten weeks; drift in procedures that
the policy cannot walk is left out, since no schedule finds it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks import record
from benchmarks.inspection.plot import plotted
from benchmarks.inspection.ways import Spent, delays, everything, interpolated, what_is_due
from benchmarks.inspection.world import DAYS, PAGES, PRODUCTS, RATES, Measured, World

INTERVALS = (1, 2, 3, 5, 7, 10, 14, 21, 28, 35, 42)
REFRESHES = (7, 14, 21, 30, 60)
HEADLINE = 14
"""Days after which what is due counts as stale, in the headline."""
Curve = Mapping[str, Mapping[float, float]]


def main() -> int:
    """0 when looking at what is due needed fewer walks than full inspection would, on
    the mean over worlds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    content = asyncio.run(run(options.seeds))
    print(json.dumps(content["figures"], indent=2))
    print(f"written to {record.write('inspection', content)}", file=sys.stderr)
    return 0 if content["figures"]["walks_saved"]["mean"] > 0 else 1


async def run(count: int) -> dict[str, Any]:
    """The result's content."""
    measured = Measured.read(record.RESULTS)
    full: dict[int, list[dict[str, float]]] = {interval: [] for interval in INTERVALS}
    due: dict[str, list[dict[str, float]]] = {}
    for seed in range(count):
        for interval in INTERVALS:
            world = World(seed, measured)
            full[interval].append(_counted(world, everything(world, interval)))
        curve = {
            name: {full[interval][-1]["delay_days"]: full[interval][-1][name] for interval in full}
            for name in ("looks", "by_model")
        }
        for refresh in REFRESHES:
            for maps in (False, True):
                world = World(seed, measured)
                counted = _counted(world, what_is_due(world, refresh, maps=maps))
                due.setdefault(_name(refresh, maps=maps), []).append(_beside(counted, curve))
        print(seed, json.dumps(due[_name(HEADLINE, maps=True)][-1]), file=sys.stderr, flush=True)
    ways = {name: _spread(rows) for name, rows in due.items()}
    headline = ways[_name(HEADLINE, maps=True)]
    every = {interval: _spread(rows) for interval, rows in full.items()}
    (record.RESULTS / "inspection.svg").write_text(plotted(every, ways), encoding="utf-8")
    return {
        **await record.head("inspection", n=count),
        "documents": PRODUCTS * PAGES,
        "weeks": DAYS // 7,
        "assumed": asdict(RATES),
        "measured": {name: one for name, one in asdict(measured).items() if name != "seconds"},
        "every_days": every,
        "due": ways,
        "figures": {
            "weeks": DAYS // 7,
            "refresh_days": HEADLINE,
            "drifts": headline["drifts"],
            "walks_saved": headline["looks_saved"],
            "walks_saved_without_maps": ways[_name(HEADLINE, maps=False)]["looks_saved"],
            "cost_ratio": headline["cost_ratio"],
            "delay_days": headline["delay_days"],
            "detected": headline["detected"],
        },
    }


def _name(refresh: int, *, maps: bool) -> str:
    return f"{refresh}{'_maps' if maps else ''}"


def _counted(world: World, spent: Spent) -> dict[str, float]:
    waited = delays(world)
    found = sum(one.found is not None for one in world.drifts if one.detectable)
    return {
        "looks": spent.walks + spent.replays,
        "replays": spent.replays,
        "by_model": spent.by_model,
        "hours": spent.seconds / 3600,
        "drifts": len(waited),
        "detected": found / len(waited),
        "delay_days": statistics.mean(waited),
    }


def _beside(counted: Mapping[str, float], full: Curve) -> dict[str, float]:
    """With what full inspection needs for the same delay, where its curve says so."""
    looks = interpolated(full["looks"], counted["delay_days"])
    model = interpolated(full["by_model"], counted["delay_days"])
    if looks is None or model is None:
        return dict(counted)
    return {
        **counted,
        "looks_saved": 1 - counted["looks"] / looks,
        "cost_ratio": counted["by_model"] / model,
    }


def _spread(rows: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Mean and range of each figure over the worlds that have it."""
    names = dict.fromkeys(name for row in rows for name in row)
    told = {name: [row[name] for row in rows if name in row] for name in names}
    return {
        name: {
            "mean": round(statistics.mean(values), 4),
            "low": round(min(values), 4),
            "high": round(max(values), 4),
            "n": len(values),
        }
        for name, values in told.items()
    }


if __name__ == "__main__":
    raise SystemExit(main())
