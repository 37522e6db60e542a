"""`make bench-faults`: what becomes of calls when the network between two processes
misbehaves?

Every edge of the platform (role to role over gRPC, client to gateway, roles to Redis,
PostgreSQL, the cloud, a model, the console and the browser) is put behind a proxy
(`proxy`), which delays, holds, half-closes, slows to a byte a second, resets, cuts and
refuses (`conditions`), while the caller's own client calls. A cell is one edge under
one condition (`cells`); figures (`counting`):

    past_deadline   calls that were not over a second after their deadline, and for how
                    long the bench itself stood still
    untyped         what callers were told that is no error of ours
    amplification   tries that reached upstream for one call
    recovery_s      from the end of a condition to the first call that is answered
    left            tasks, connections and sessions that nobody owns any more

A cell whose control, the same call undisturbed, is not answered is not measured. Cells
are journalled for the commit that they measured; the same command goes on where it was
stopped. It writes `benchmarks/results/faults.json` when every cell is there, and what
there is to `build/faults/results` until then. It ends with 0 if no call was late, none
untyped, and every cell recovered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from benchmarks import record
from benchmarks.faults.browser_edges import browser_edges
from benchmarks.faults.cells import CALLS, CONDITIONS, measure, remember_tasks
from benchmarks.faults.cloud_edges import cloud_edges
from benchmarks.faults.counting import ALLOWED_S, Cell, figures_of, keep, read, row_of
from benchmarks.faults.edges import Edge
from benchmarks.faults.gateway_edges import gateway_edges
from benchmarks.faults.place import running
from benchmarks.faults.role_edges import role_edges
from benchmarks.faults.store_edges import postgres_edges, redis_edges
from benchmarks.record import Load
from proofwalk.kernel.clock import SystemClock

WORK = record.ROOT / "build" / "faults"


@asynccontextmanager
async def every_edge() -> AsyncIterator[list[Edge]]:
    """All edges, while what is behind them runs."""
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(running())
        outside = await stack.enter_async_context(cloud_edges(place))
        databases = await stack.enter_async_context(postgres_edges())
        browsing = await stack.enter_async_context(browser_edges(place))
        yield [
            *role_edges(place),
            *gateway_edges(place),
            *redis_edges(place),
            *databases,
            *outside,
            *browsing,
        ]


async def measure_all(journal: Path, options: argparse.Namespace) -> tuple[list[Cell], int]:
    """The cells that are not there yet, `options.parallel` edges at a time. Returns all
    cells and how many there are in the whole."""
    remember_tasks()
    known = {(cell.edge, cell.condition) for cell in read(journal) if cell.is_measured}
    async with every_edge() as edges:
        chosen = [one for one in edges if options.only in one.name]
        waiting = iter(chosen)

        async def one_after_the_other() -> None:
            for edge in waiting:
                for seed, condition in enumerate(CONDITIONS):
                    if condition not in options.conditions or (edge.name, condition) in known:
                        continue
                    cell = await measure(edge, condition, seed=seed)
                    keep(journal, cell)
                    print(_line(cell), file=sys.stderr, flush=True)

        async with asyncio.TaskGroup() as lanes:
            for _ in range(options.parallel):
                lanes.create_task(one_after_the_other())
    return read(journal), len(edges) * len(CONDITIONS)


def _line(cell: Cell) -> str:
    if not cell.is_measured:
        return f"{cell.edge} | {cell.condition}: no control ({cell.control.code})"
    ends = ", ".join(
        f"{one.code or 'answered'} {one.seconds:.1f} s{'' if one.ended else ' NOT OVER'}"
        for one in cell.calls
    )
    recovered = "never" if cell.recovered_s is None else f"{cell.recovered_s:.1f} s"
    late = f" LATE by {cell.past_s:.1f} s" if cell.late() else ""
    left = f" left {list(cell.left)}" if cell.left else ""
    return (
        f"{cell.edge} | {cell.condition}: {ends}; x{cell.amplification:.1f};"
        f" back in {recovered}{late}{left}"
    )


def main(arguments: Sequence[str]) -> int:
    """0 when nothing was late, untyped or lost, 1 otherwise."""
    options = _options(arguments)
    head = asyncio.run(record.head("faults", n=0))
    journal = WORK / f"{head['commit']}.jsonl"
    before = Load.now()
    cells, of = asyncio.run(measure_all(journal, options))
    figures = figures_of(cells)
    content = {
        **head,
        "n": figures["cells"],
        "planned": {"cells": of, "calls_each": CALLS, "allowed_s": ALLOWED_S},
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
        "cells": [row_of(cell) for cell in cells],
    }
    folder = record.RESULTS if len(cells) == of else WORK / "results"
    print(json.dumps(figures, indent=1))
    print(f"written to {record.write_part('faults', content, folder=folder)}")
    broken = figures["past_deadline"] or figures["untyped"] or figures["not_recovered"]
    return 1 if broken else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="", metavar="EDGE", help="edges whose name has this")
    parser.add_argument("--conditions", nargs="+", choices=CONDITIONS, default=CONDITIONS)
    parser.add_argument("--parallel", type=int, default=4, help="edges at a time")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
