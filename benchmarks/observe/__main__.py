"""Looks at pages of 150, 400 and 1,200 controls, in turn with every peer, and writes
`observe.json`; see `pages` for what is on them."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.observe import pages
from proofwalk.console.browser.chromium import find_chromium

PEERS = record.ROOT / "build" / "peers" / "bin" / "python"
WORKERS = {
    "ours": (sys.executable, "observe/ours.py", ("viewport", "page", "unchanged")),
    "raw": (sys.executable, "observe/raw.py", ("snapshot", "floor")),
    "browsergym": (str(PEERS), "observe/peer_browsergym.py", ("look",)),
    "browser_use": (str(PEERS), "observe/peer_browser_use.py", ("look",)),
}
WARM_UP = 2
DEADLINE_S = 180.0


class Worker:
    """A process that looks at a page in one way."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    @asynccontextmanager
    async def started(
        cls, python: str, file: str, *arguments: str, root: Path = record.ROOT
    ) -> AsyncIterator[Worker]:
        """Have a worker, `file` below the benchmarks of the checkout `root`, with that
        checkout's packages."""
        script = root / "benchmarks" / file
        paths = (root, root / "libs", root / "services")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        process = await asyncio.create_subprocess_exec(
            python,
            str(script),
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=64 * 1024 * 1024,
            env=environment,
            cwd=root,
        )
        try:
            yield cls(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                async with asyncio.timeout(20):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()

    async def ask(self, **order: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        async with asyncio.timeout(DEADLINE_S):
            while line := await self._process.stdout.readline():
                if line.startswith(b"{"):
                    return dict(json.loads(line))
        raise RuntimeError("the worker ended")


class Times:
    """Wall and processor milliseconds of looks, by worker and kind of look."""

    def __init__(self) -> None:
        self._wall: dict[tuple[str, str], list[float]] = {}
        self._cpu: dict[tuple[str, str], list[float]] = {}

    def add(self, name: str, kind: str, taken: dict[str, Any]) -> None:
        """Add one look."""
        self._wall.setdefault((name, kind), []).append(taken["ms"])
        self._cpu.setdefault((name, kind), []).append(taken["cpu_ms"])

    def ms(self, name: str, kind: str = "look") -> float:
        """Return the median of wall milliseconds."""
        return round(statistics.median(self._wall[name, kind]), 1)

    def cpu_ms(self, name: str, kind: str = "look") -> float:
        """Return the median of processor milliseconds."""
        return round(statistics.median(self._cpu[name, kind]), 1)

    def faster_than(self, peer: str) -> float:
        """Return how many times as long as ours a peer's look takes."""
        return round(
            statistics.median(self._wall[peer, "look"])
            / statistics.median(self._wall["ours", "viewport"]),
            2,
        )


async def page_figures(size: int, port: int, workers: dict[str, Worker], n: int) -> dict[str, Any]:
    """Return the figures of one page, looked at `n` times by each worker."""
    times = await _looks(f"http://127.0.0.1:{port}/{size}", workers, n)
    ours = await workers["ours"].ask(list=True)
    planted = pages.build(size, "http://localhost/frame")[1]
    plain = set((await workers["raw"].ask(list=True))["visible"])
    visible = plain | {p.name for p in planted if p.kind in pages.POCKETS}
    decoys = {p.name for p in planted if p.decoy}
    figures = _our_figures(times, ours, visible, decoys)
    for peer in ("browsergym", "browser_use"):
        if peer in workers:
            listing = await workers[peer].ask(list=True)
            figures |= _peer_figures(peer, times, listing, visible, decoys)
    figures |= {
        "cpu_ratio_to_raw": round(figures["ours_cpu_ms"] / figures["raw_cpu_ms"], 3),
        "page_cpu_ratio_to_raw": round(figures["ours_page_cpu_ms"] / figures["raw_cpu_ms"], 3),
        "unchanged_cpu_ratio_to_floor": round(
            figures["ours_unchanged_cpu_ms"] / figures["floor_cpu_ms"], 3
        ),
    }
    return figures


async def _looks(url: str, workers: dict[str, Worker], n: int) -> Times:
    """Let all workers look at a page in turn, the order turning by one from round to
    round. Return the times without those of the warm-up."""
    for worker in workers.values():
        await worker.ask(open=url)
    times = Times()
    for number in range(n + WARM_UP):
        turn = number % len(workers)
        for name in [*workers][turn:] + [*workers][:turn]:
            for kind in WORKERS[name][2]:
                taken = await workers[name].ask(look=kind)
                if number >= WARM_UP:
                    times.add(name, kind, taken)
    return times


def _names_in(text: str) -> set[str]:
    """Return the names of planted controls that a text has."""
    return set(re.findall(r"[A-Z][a-z]+ \d{4}", text))


def _our_figures(
    times: Times, ours: dict[str, Any], visible: set[str], decoys: set[str]
) -> dict[str, Any]:
    """Return the figures of our looks and of the browser's own. `visible` are the names
    that a person sees, `decoys` those that nobody sees."""
    listed = _names_in(" ".join(ours["names"]))
    return {
        "visible": len(visible),
        "ours_ms": times.ms("ours", "viewport"),
        "ours_cpu_ms": times.cpu_ms("ours", "viewport"),
        "ours_page_ms": times.ms("ours", "page"),
        "ours_page_cpu_ms": times.cpu_ms("ours", "page"),
        "ours_unchanged_ms": times.ms("ours", "unchanged"),
        "ours_unchanged_cpu_ms": times.cpu_ms("ours", "unchanged"),
        "raw_ms": times.ms("raw", "snapshot"),
        "raw_cpu_ms": times.cpu_ms("raw", "snapshot"),
        "floor_ms": times.ms("raw", "floor"),
        "floor_cpu_ms": times.cpu_ms("raw", "floor"),
        "recall": round(len(listed & visible) / len(visible), 4),
        "missed": sorted(visible - listed)[:10],
        "spurious": len(listed & decoys),
        "listed_per_visible": round(len(ours["names"]) / len(visible), 4),
        "text_hidden": round(ours["text_hidden"], 4),
        "chars": ours["chars"],
    }


def _peer_figures(
    peer: str, times: Times, listing: dict[str, Any], visible: set[str], decoys: set[str]
) -> dict[str, Any]:
    listed = _names_in(listing["text"])
    return {
        f"{peer}_ms": times.ms(peer),
        f"{peer}_cpu_ms": times.cpu_ms(peer),
        f"{peer}_recall": round(len(listed & visible) / len(visible), 4),
        f"{peer}_spurious": len(listed & decoys),
        f"{peer}_listed": listing["listed"],
        f"{peer}_chars": listing["chars"],
        f"times_faster_than_{peer}": times.faster_than(peer),
    }


async def run(n: int, sizes: tuple[int, ...], *, peers: bool) -> dict[str, Any]:
    executable = str(find_chromium(None))
    figures: dict[str, Any] = {}
    async with pages.serve() as port, AsyncExitStack() as stack:
        workers = {}
        for name, (python, file, _) in WORKERS.items():
            if python == str(PEERS) and not peers:
                continue
            hosts = (f"127.0.0.1:{port}", f"localhost:{port}") if name == "ours" else ()
            workers[name] = await stack.enter_async_context(
                Worker.started(python, file, executable, *hosts)
            )
        for size in sizes:
            figures[str(size)] = await page_figures(size, port, workers, n)
            print(size, json.dumps(figures[str(size)]), file=sys.stderr)
    return figures


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=12, help="looks of each kind at each page")
    parser.add_argument("--sizes", default=",".join(map(str, pages.SIZES)))
    parser.add_argument(
        "--without-peers", action="store_true", help="ours and the browser alone; writes no result"
    )
    asked = parser.parse_args()
    if not asked.without_peers and not PEERS.exists():
        raise SystemExit(f"{PEERS} is not there: run `make bench-observe`, which makes it")
    started, load = datetime.now(UTC), record.Load.now()
    sizes = tuple(int(size) for size in asked.sizes.split(","))
    figures = await run(asked.n, sizes, peers=not asked.without_peers)
    if asked.without_peers or sizes != pages.SIZES:
        return
    content = {
        **await record.head("observe", n=asked.n),
        "started_at": started.isoformat(),
        "load_before": str(load),
        "load_after": str(record.Load.now()),
        "figures": figures,
    }
    print(record.write("observe", content))


if __name__ == "__main__":
    asyncio.run(main())
