"""`make bench-sessions`: sessions a minute, memory, hand-out, orphans, many sessions
that think, the gateway; writes `sessions.json`.

Rates and looks use the headless shell, where there is one; memory is measured in it and
in full Chromium, which is what sandboxes run. A part that fails is told as `failed`
beside the others, and has met no target.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.observe import pages
from benchmarks.record import judged
from benchmarks.sessions import gateway, lifecycles, sandboxes, thinking
from proofwalk.console.browser.chromium import find_chromium

PART_S = 100.0
ALL_S = 285.0
"""What all parts may take together; one for which nothing is left fails."""


async def contexts(
    url: str, hosts: tuple[str, ...], folder: Path, seconds: float
) -> dict[str, Any]:
    told = await lifecycles.rates(str(find_chromium(None)), url, hosts, folder, seconds)
    return {
        **told,
        "raw_a_minute": judged(told["raw"]["a_minute"], at_least=500),
        "ours_a_minute": judged(told["ours"]["a_minute"], at_least=500),
        "ours_cpu_over_raw": round(told["ours"]["cpu_ms_each"] / told["raw"]["cpu_ms_each"], 2),
    }


async def memory(url: str, more: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, binary in {
        "headless_shell": find_chromium(None),
        "chromium": find_chromium(None, window=True),
    }.items():
        told = await lifecycles.memory(str(binary), url, more)
        judgement = judged(told["each_further_mb"], at_most=30)
        figures[name] = {"binary": str(binary), **told, "each_further_mb": judgement}
    return figures


async def run(asked: argparse.Namespace, home: Path) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    ended = time.monotonic() + ALL_S
    async with pages.serve() as port:
        url, hosts = f"http://127.0.0.1:{port}/150", (f"127.0.0.1:{port}", f"localhost:{port}")
        shell = str(find_chromium(None))
        parts: dict[str, Callable[[], Awaitable[dict[str, Any]]]] = {
            "contexts": lambda: contexts(url, hosts, home, asked.seconds),
            "memory": lambda: memory(url, asked.contexts),
            "hand_out": lambda: sandboxes.hand_outs(home / "a", asked.hand_outs),
            "orphans": lambda: sandboxes.orphans(home / "b", 3),
            "thinking": lambda: thinking.measure(
                shell, url, hosts, home, sessions=asked.sessions, looks=asked.looks
            ),
            "gateway": lambda: gateway.measure(home, asked.requests),
        }
        for name, part in parts.items():
            if asked.part not in (None, name):
                continue
            started = time.monotonic()
            try:
                async with asyncio.timeout(min(PART_S, ended - time.monotonic())):
                    figures[name] = await part()
            except (Exception, asyncio.CancelledError) as error:  # the other parts are worth having
                figures[name] = {"failed": f"{type(error).__name__}: {error}"[:500], "met": False}
            print(f"{name}: {time.monotonic() - started:.1f} s", file=sys.stderr, flush=True)
    return figures


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="for each rate")
    parser.add_argument(
        "--contexts", type=int, default=8, help="further contexts whose memory is measured"
    )
    parser.add_argument("--hand-outs", type=int, default=10)
    parser.add_argument("--sessions", type=int, default=32)
    parser.add_argument("--looks", type=int, default=8, help="of each session that thinks")
    parser.add_argument("--requests", type=int, default=2400)
    parser.add_argument(
        "--part",
        choices=("contexts", "memory", "hand_out", "orphans", "thinking", "gateway"),
        help="one part; prints, and writes no result",
    )
    asked = parser.parse_args()
    started, load = datetime.now(UTC), record.Load.now()
    home = Path(tempfile.mkdtemp(prefix="pwb-"))
    try:
        figures = await run(asked, home)
    finally:
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
    print(json.dumps(figures, indent=2))
    if asked.part:
        return
    content = {
        **await record.head("sessions", n=asked.sessions),
        "started_at": started.isoformat(),
        "load_before": str(load),
        "load_after": str(record.Load.now()),
        "browser": str(find_chromium(None)),
        "figures": figures,
    }
    print(record.write("sessions", content))


if __name__ == "__main__":
    asyncio.run(main())
