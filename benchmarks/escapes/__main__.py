"""`make bench-escapes`: does anything that a page tries get past the wall of a sandbox?

Every probe of `tests/security/escape_probes` is tried twice: in a Chromium without a
wall, whose foreign hosts have to hear it, and in one as the scheduler starts it on this
machine (`SandboxedBrowser`, its flags and its egress proxy; no session guards it, and
the page may do what it likes). Both are the headless shell, as an installation takes
it, or with `--whole` a whole browser. What the foreign hosts hear decides
(`listening`). A probe whose control is silent proves nothing and is listed apart. All
of it runs in a network namespace of its own (`namespace`), where the metadata and
private addresses are there to be reached.

`refused` counts probes during which the wall refused something; the others are held
back by flags, which leave nothing to be refused. The backends of containers and pods
are not tried here. It writes `benchmarks/results/escapes.json`, and ends with 0 when
nothing escaped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from benchmarks import record
from benchmarks.escapes.counting import Outcome, figures_of
from benchmarks.escapes.listening import listening
from benchmarks.escapes.namespace import enter, furnish
from benchmarks.escapes.trying import attempt, local, without_wall
from benchmarks.record import Load
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.kernel.clock import SystemClock
from tests.console.conftest import serve_site
from tests.security.escape_probes import PORTS, Probe, all_probes

WORK = record.ROOT / "build" / "escapes"
PORT = 47614
_MORE_PORTS = (443, 8080)
BACKENDS = ("local",)


async def run(probes: list[tuple[str, Probe]], folder: Path, *, binary: Path) -> list[Outcome]:
    """Every probe without the wall and with it, one after the other."""
    outcomes: list[Outcome] = []
    async with AsyncExitStack() as stack:
        site = stack.enter_context(contextmanager(serve_site)())
        hosts = await stack.enter_async_context(listening(PORT, [*PORTS.values(), *_MORE_PORTS]))
        playwright = await stack.enter_async_context(async_playwright())
        plain = await stack.enter_async_context(without_wall(playwright, binary))
        walled = await stack.enter_async_context(
            local(playwright, binary, folder=folder, hosts=[site.host])
        )
        for name, probe in probes:
            control = await attempt(probe, name, browser=plain, site=site, hosts=hosts)
            before = walled.refused()
            tried = await attempt(
                probe,
                name,
                browser=walled.browser,
                site=site,
                hosts=hosts,
                seconds=control.seconds + 1,
            )
            outcome = Outcome(
                name=probe.name,
                kind=probe.kind,
                control=control.heard,
                walled=tried.heard,
                refused=walled.refused() - before,
                opened=tried.opened,
            )
            outcomes.append(outcome)
            said = "ESCAPED" if outcome.escaped else "held" if outcome.counts else "no control"
            print(f"{name} {said} {probe.name} {control.heard[:1]} {tried}", file=sys.stderr)
    return outcomes


def main() -> int:
    """0 when nothing escaped, 1 otherwise, 3 where no namespace can be made."""
    options = _options()
    enter("benchmarks.escapes")
    furnish()
    numbered = [(f"probe{at:03}", one) for at, one in enumerate(all_probes(), start=1)]
    chosen = [(name, one) for name, one in numbered if not options.only or name in options.only]
    shutil.rmtree(WORK / "sandboxes", ignore_errors=True)
    before = Load.now()
    binary = find_chromium(None, window=options.whole)
    outcomes = asyncio.run(run(chosen, WORK / "sandboxes", binary=binary))
    figures = {"browser": binary.name, **figures_of(outcomes, backend=options.backend)}
    content: dict[str, Any] = {
        **asyncio.run(record.head("escapes", n=figures["probes"])),
        "taken_at": SystemClock().now().isoformat(timespec="seconds"),
        "load": {"before": str(before), "after": str(Load.now())},
        "figures": figures,
    }
    folder = WORK / "results" if options.only else record.RESULTS
    print(json.dumps(figures, indent=1))
    print(f"written to {record.write_part('escapes', content, folder=folder)}")
    return 1 if figures["escaped"] else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--backend", choices=BACKENDS, default=BACKENDS[0])
    parser.add_argument(
        "--whole", action="store_true", help="a whole browser, not the headless shell"
    )
    parser.add_argument("--only", nargs="+", default=[], help="names of probes: probe001")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
