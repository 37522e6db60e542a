"""`python -m benchmarks.desktop`: how fast a desktop is there, and whether what is
typed arrives.

    restore_s        from nothing to a usable screen: a machine of its own disk, its state read, its seat taken, and a look answered
    look_s           a look: what the programs tell, and the screen
    key_s            a key, from our call to the next one
    ascii_exact      every printable character of ASCII, typed into an editor, saved there and read from the guest's disk: the same text
    cjk_exact        200 Chinese characters likewise

The peer of a restore is the machine's own boot to the same screen, in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.record import Load
from proofwalk.console import actions as a
from proofwalk.desktop.image import Image
from proofwalk.desktop.machine import Machine
from proofwalk.desktop.session import DesktopSession
from proofwalk.kernel.clock import SystemClock
from tests.desktop.typing_through import CJK, read_back

_BOOT_S = 600.0
_RESTORE_S = 5.0


async def _there(image: Image, folder: Path, *, boots: bool) -> float:
    """Seconds until a desktop answers a look."""
    began = time.perf_counter()
    machine = await Machine.start(image, folder=folder, boots=boots)
    try:
        seat = await machine.seat(within_s=_BOOT_S)
        await DesktopSession(seat, clock=SystemClock()).observe()
        seconds = time.perf_counter() - began
        await seat.leave()
    finally:
        await machine.end()
    return seconds


async def _measure(image: Image, runs: int, work: Path) -> dict[str, Any]:
    restored = [
        await _there(image, work / f"restored-{number}", boots=False) for number in range(runs)
    ]
    booted = await _there(image, work / "booted", boots=True)
    machine = await Machine.start(image, folder=work / "typed")
    try:
        seat = await machine.seat()
        session = DesktopSession(seat, clock=SystemClock())
        looks = []
        for _ in range(runs):
            began = time.perf_counter()
            await session.observe()
            looks.append(time.perf_counter() - began)
        printable = "".join(chr(code) for code in range(32, 127))
        began = time.perf_counter()
        await session.perform(a.TypeFocused(text=printable))
        key = (time.perf_counter() - began) / len(printable)
        exact = {
            name: await read_back(session, text) == text
            for name, text in (("ascii", printable), ("cjk", CJK))
        }
        await seat.leave()
    finally:
        await machine.end()
    median = record.spread(restored)["median"]
    return {
        "restore_s": median,
        "restored": {**record.spread(restored), **record.judged(median, at_most=_RESTORE_S)},
        "boot_s": round(booted, 1),
        "boot_over_restore": round(booted / median, 1),
        "look_s": record.spread(looks),
        "key_s": round(key, 4),
        "ascii_exact": exact["ascii"],
        "cjk_exact": exact["cjk"],
    }


async def main() -> None:
    """Measure, and write desktop.json."""
    parser = argparse.ArgumentParser(description="Measure a desktop.")
    parser.add_argument("--image", type=Path, default=Path("build/desktop"))
    parser.add_argument("--runs", type=int, default=11)
    given = parser.parse_args()
    image, before = Image.read(given.image), Load.now()
    with tempfile.TemporaryDirectory(prefix="proofwalk-desktop-") as name:
        figures = await _measure(image, given.runs, Path(name))
    content = {
        **await record.head("desktop", n=given.runs),
        "load": str(before),
        "image": {
            "version": image.version,
            "accelerator": image.accelerator,
            "memory_mb": image.memory_mb,
            "screen": image.screen,
        },
        "figures": figures,
    }
    print(f"written to {record.write('desktop', content)}", file=sys.stderr)


if __name__ == "__main__":
    asyncio.run(main())
