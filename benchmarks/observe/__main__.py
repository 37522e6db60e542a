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
    "ours": (sys.executable, "ours.py", ("viewport", "page", "unchanged")),
    "raw": (sys.executable, "raw.py", ("snapshot", "floor")),
    "browsergym": (str(PEERS), "peer_browsergym.py", ("look",)),
    "browser_use": (str(PEERS), "peer_browser_use.py", ("look",)),
}
WARM_UP = 2
DEADLINE_S = 180.0


class Worker:
    """A process that looks at a page in one way."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    @asynccontextmanager
    async def started(cls, python: str, file: str, *arguments: str) -> AsyncIterator[Worker]:
        script = record.ROOT / "benchmarks" / "observe" / file
        environment = {**os.environ, "PYTHONPATH": str(record.ROOT)}
        process = await asyncio.create_subprocess_exec(
            python,
            str(script),
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=64 * 1024 * 1024,
            env=environment,
            cwd=record.ROOT,
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


async def page_figures(size: int, port: int, workers: dict[str, Worker], n: int) -> dict[str, Any]:
    """One page, looked at by all in turn, the order turning by one from round to
    round."""
    url = f"http://127.0.0.1:{port}/{size}"
    for worker in workers.values():
        await worker.ask(open=url)
    looks = [(name, kind) for name in workers for kind in WORKERS[name][2]]
    wall: dict[tuple[str, str], list[float]] = {look: [] for look in looks}
    cpu: dict[tuple[str, str], list[float]] = {look: [] for look in looks}
    for number in range(n + WARM_UP):
        turn = number % len(workers)
        names = [*workers][turn:] + [*workers][:turn]
        for name in names:
            for kind in WORKERS[name][2]:
                taken = await workers[name].ask(look=kind)
                if number >= WARM_UP:
                    wall[name, kind].append(taken["ms"])
                    cpu[name, kind].append(taken["cpu_ms"])

    def ms(name: str, kind: str = "look") -> float:
        return round(statistics.median(wall[name, kind]), 1)

    def cpu_ms(name: str, kind: str = "look") -> float:
        return round(statistics.median(cpu[name, kind]), 1)

    ours = await workers["ours"].ask(list=True)
    planted = pages.build(size, "http://localhost/frame")[1]
    plain = set((await workers["raw"].ask(list=True))["visible"])
    visible = plain | {p.name for p in planted if p.kind in pages.POCKETS}
    decoys = {p.name for p in planted if p.decoy}
    named = " ".join(ours["names"])
    listed = set(re.findall(r"[A-Z][a-z]+ \d{4}", named))
    figures: dict[str, Any] = {
        "visible": len(visible),
        "ours_ms": ms("ours", "viewport"),
        "ours_cpu_ms": cpu_ms("ours", "viewport"),
        "ours_page_ms": ms("ours", "page"),
        "ours_page_cpu_ms": cpu_ms("ours", "page"),
        "ours_unchanged_ms": ms("ours", "unchanged"),
        "ours_unchanged_cpu_ms": cpu_ms("ours", "unchanged"),
        "raw_ms": ms("raw", "snapshot"),
        "raw_cpu_ms": cpu_ms("raw", "snapshot"),
        "floor_ms": ms("raw", "floor"),
        "floor_cpu_ms": cpu_ms("raw", "floor"),
        "recall": round(len(listed & visible) / len(visible), 4),
        "missed": sorted(visible - listed)[:10],
        "spurious": len(listed & decoys),
        "listed_per_visible": round(len(ours["names"]) / len(visible), 4),
        "text_hidden": round(ours["text_hidden"], 4),
        "chars": ours["chars"],
    }
    for peer in ("browsergym", "browser_use"):
        if peer not in workers:
            continue
        told = await workers[peer].ask(list=True)
        theirs = set(re.findall(r"[A-Z][a-z]+ \d{4}", told["text"]))
        figures |= {
            f"{peer}_ms": ms(peer),
            f"{peer}_cpu_ms": cpu_ms(peer),
            f"{peer}_recall": round(len(theirs & visible) / len(visible), 4),
            f"{peer}_spurious": len(theirs & decoys),
            f"{peer}_listed": told["listed"],
            f"{peer}_chars": told["chars"],
            f"times_faster_than_{peer}": round(
                statistics.median(wall[peer, "look"]) / statistics.median(wall["ours", "viewport"]),
                2,
            ),
        }
    figures |= {
        "cpu_ratio_to_raw": round(figures["ours_cpu_ms"] / figures["raw_cpu_ms"], 3),
        "page_cpu_ratio_to_raw": round(figures["ours_page_cpu_ms"] / figures["raw_cpu_ms"], 3),
        "unchanged_cpu_ratio_to_floor": round(
            figures["ours_unchanged_cpu_ms"] / figures["floor_cpu_ms"], 3
        ),
    }
    return figures


def _browser() -> Path:
    """The headless shell where there is one: the browser that all of them can drive at
    its cheapest."""
    shell = Path("/usr/lib/chromium/chromium-headless-shell")
    return shell if shell.exists() else find_chromium(None)


async def run(n: int, sizes: tuple[int, ...], *, peers: bool) -> dict[str, Any]:
    executable = str(_browser())
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
