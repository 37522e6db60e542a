"""`make bench-revisions BENCHFLAGS='--before REV'`: looks, clicks, typed texts and
whole steps of two revisions of this repository in turn, and writes `revisions.json`.

A worktree of the older revision is checked out below the build folder and removed in
the end. Workers of both run beside each other, each with a browser of its own, on the
same interpreter and packages, and are asked one after the other; who begins changes
from round to round. A round gives one ratio, after over before, so that a machine whose
speed drifts moves both sides of it. Both serve the pages of the present revision.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.observe import pages
from benchmarks.observe.__main__ import WARM_UP, Worker
from benchmarks.step import pages as acting_pages
from proofwalk.console.browser.chromium import find_chromium

LOOKS = ("viewport", "page", "unchanged")
UNITS = ("ms", "cpu_ms")
ROUNDS = 24
BATCHES = 8
"""Rounds of clicks, texts and steps, each of a dozen."""
OF_A_BATCH = 12
Sides = Mapping[str, Worker]
"""A worker `before` and one `after`."""


class Ratios:
    """Milliseconds of both sides by what was done, round for round."""

    def __init__(self) -> None:
        self._rounds: dict[str, list[tuple[float, float]]] = {}

    def add(self, what: str, before: float, after: float) -> None:
        """Add one round."""
        self._rounds.setdefault(what, []).append((before, after))

    def figures(self) -> dict[str, Any]:
        """Return the median of each side and of the ratios, with their quartiles."""
        return {what: _compared(rounds) for what, rounds in self._rounds.items()}


def _compared(rounds: Sequence[tuple[float, float]]) -> dict[str, Any]:
    ratios = [after / before for before, after in rounds]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return {
        "before": round(statistics.median(before for before, _ in rounds), 2),
        "after": round(statistics.median(after for _, after in rounds), 2),
        "ratio": round(middle, 3),
        "quartiles": [round(low, 3), round(high, 3)],
        "n": len(rounds),
    }


@asynccontextmanager
async def checked_out(revision: str) -> AsyncIterator[Path]:
    """Have a worktree of the revision."""
    folder = record.ROOT / "build" / "revisions" / revision
    await _git("worktree", "add", "--detach", "--force", str(folder), revision)
    try:
        yield folder
    finally:
        await _git("worktree", "remove", "--force", str(folder))


async def _git(*arguments: str) -> None:
    process = await asyncio.create_subprocess_exec("git", *arguments, cwd=record.ROOT)
    async with asyncio.timeout(120):
        code = await process.wait()
    if code != 0:
        raise SystemExit(f"git {arguments[0]} {arguments[1]} ended with {code}")


@asynccontextmanager
async def sides(roots: Mapping[str, Path], file: str, *arguments: str) -> AsyncIterator[Sides]:
    """Have a worker of each checkout."""
    async with AsyncExitStack() as stack:
        yield {
            side: await stack.enter_async_context(
                Worker.started(sys.executable, file, *arguments, root=root)
            )
            for side, root in roots.items()
        }


def orders(workers: Sides, rounds: int) -> Iterator[list[str]]:
    """Yield who is asked first and second, round for round."""
    for number in range(rounds):
        yield list(workers) if number % 2 == 0 else list(workers)[::-1]


async def looks(roots: Mapping[str, Path], executable: str, ratios: Ratios) -> None:
    """Measure looks at pages of all sizes."""
    async with pages.serve() as port:
        hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        async with sides(roots, "observe/ours.py", executable, *hosts) as workers:
            for size in pages.SIZES:
                for worker in workers.values():
                    await worker.ask(open=f"http://127.0.0.1:{port}/{size}")
                for number, order in enumerate(orders(workers, ROUNDS + WARM_UP)):
                    for kind in LOOKS:
                        took = {side: await workers[side].ask(look=kind) for side in order}
                        if number >= WARM_UP:
                            _add(ratios, f"look_{kind}_{size}", took)


async def hands(roots: Mapping[str, Path], executable: str, ratios: Ratios) -> None:
    """Measure clicks, typed texts and whole steps, a dozen of each a round."""
    async with acting_pages.serve() as port, pages.serve() as console:
        hosts = (f"127.0.0.1:{port}", f"127.0.0.1:{console}", f"localhost:{console}")
        site, dense = f"http://127.0.0.1:{port}/acting", f"http://127.0.0.1:{console}/150"
        async with sides(roots, "step/acting.py", executable, *hosts) as workers:
            for do, url in (("clicks", site), ("texts", site), ("steps", dense)):
                for order in orders(workers, BATCHES):
                    took = {
                        side: await workers[side].ask(do=do, url=url, n=OF_A_BATCH)
                        for side in order
                    }
                    _add(ratios, do, {side: _ours(one) for side, one in took.items()})


def _ours(took: Mapping[str, Any]) -> dict[str, float]:
    """Return the medians of a batch; beside ours it may hold those of others."""
    return {
        unit: statistics.median(took[unit]["ours"] if isinstance(took[unit], dict) else took[unit])
        for unit in UNITS
    }


def _add(ratios: Ratios, what: str, took: Mapping[str, Mapping[str, float]]) -> None:
    for unit in UNITS:
        ratios.add(f"{what}_{unit}", took["before"][unit], took["after"][unit])


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", required=True, help="the revision to compare with")
    asked = parser.parse_args()
    started, load, ratios = datetime.now(UTC), record.Load.now(), Ratios()
    executable = str(find_chromium(None))
    async with checked_out(asked.before) as before:
        roots = {"before": before, "after": record.ROOT}
        await looks(roots, executable, ratios)
        await hands(roots, executable, ratios)
    content = {
        **await record.head("revisions", n=ROUNDS),
        "before": asked.before,
        "started_at": started.isoformat(),
        "load_before": str(load),
        "load_after": str(record.Load.now()),
        "figures": ratios.figures(),
    }
    print(record.write("revisions", content))


if __name__ == "__main__":
    asyncio.run(main())
