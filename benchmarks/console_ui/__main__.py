"""`make bench-console-ui`: the web console by axe-core, what is painted when, its lists
with very many rows, and what live watchers cost; writes `console-ui.json`.

Pages are looked at in an installation on the made-up history of `platform.seeding`,
with 10,000 verifications and two real walks, and, by axe alone, in an empty one. The
same run takes the documentation's pictures (`--pictures`). With sizes other than the
full ones, or a part alone, figures are printed and no result is written.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import Browser

from benchmarks import record
from benchmarks.console_ui import lists, paint, watchers
from benchmarks.console_ui.accessibility import AXE, Looked, axe_source, broken, look_at_all
from benchmarks.console_ui.crowds import add_verifications
from benchmarks.console_ui.pages import addresses
from benchmarks.console_ui.pictures import Shot, take
from benchmarks.console_ui.visiting import Site, chromium, sign_in, things_of
from proofwalk.chassis.database import Database
from proofwalk.cli.examples import example_files
from proofwalk.cli.order_options import Given
from proofwalk.cli.sample_installation import Sample, sample_installation
from proofwalk.cli.verification import verify
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds, SeededIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.orders.order import Order
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.client import Client
from proofwalk.platform.installation import client_key
from proofwalk.platform.seeding.homes import seed_home
from proofwalk.platform.settings import Settings
from tests.fixtures.servers import postgres_files

PARTS = ("axe", "paint", "lists", "watchers")
_FULL = {"verifications": 10_000, "rows": 100_000, "loads": 15, "requests": 60, "seconds": 20.0}
_CROWDS = (0, 1, 100)
_SEED = 1
RIGHT, WRONG = "01-vpc-create-vpc.md", "07-rds-create-instance.md"
"""Example documents that are walked for real; the second one is wrong in one line."""


@asynccontextmanager
async def _seeded(home: Path, verifications: int) -> AsyncIterator[Site]:
    settings, now = Settings(home=home), datetime.now(UTC)
    seeded = await seed_home(settings, seed=_SEED, now=now)
    assert seeded is not None, "the home is fresh"
    database = Database(settings.database_url_of("rollout"))
    try:
        more = max(0, verifications - seeded.verifications)
        await add_verifications(database, more, ids=SeededIds(_SEED + 1), now=now)
    finally:
        await database.close()
    async with sample_installation(settings, Sample(home=home, seed=_SEED, walks=False)) as here:
        yield Site(url=here.url, key=client_key(here.settings))


async def _walk(site: Site) -> Mapping[str, str]:
    """Walk two documents. Return the id of the verification of each."""
    folder = await asyncio.to_thread(_documents)
    async with Client(site.url, site.key) as client:
        results = await verify(
            client,
            [str(folder / name) for name in (RIGHT, WRONG)],
            Given(order=Order(target="devcloud")),
            ids=RandomIds(SystemClock()),
            progress=_silent,
        )
    walked = {
        name: result.verification["verification_id"]
        for name, result in zip((RIGHT, WRONG), results, strict=True)
        if result.verification is not None
    }
    if len(walked) < len(results):
        raise RuntimeError(f"not walked: {[str(one.error) for one in results if one.error]}")
    return walked


def _documents() -> Path:
    """The examples by a path that readers of the pictures may have, too."""
    return Path(os.path.relpath(example_files() / "docs"))


def _silent(document: str, verification: VerificationBody) -> None:
    """A benchmark says what it does at the end of each part."""


async def _pages(asked: argparse.Namespace, home: Path) -> JsonObject:
    """What is measured in a browser."""
    source = await asyncio.to_thread(axe_source) if "axe" in asked.parts else ""
    figures: dict[str, object] = {}
    looks: list[Looked] = []
    async with chromium() as browser:
        async with _seeded(home / "seeded", asked.verifications) as site:
            walked = await _walk(site)
            if "paint" in asked.parts:
                measured = await paint.paints(browser, site, _painted(walked), loads=asked.loads)
                figures["lcp_ms"] = {name: one.as_row() for name, one in measured.items()}
            if source:
                looks += await look_at_all(browser, site, source)
                things = await things_of(browser, site, await sign_in(browser, site))
        if source:
            looks += await _in_an_empty_one(browser, home / "empty", source)
            figures |= _violations(looks)
            figures["pages"] = len({one.route for one in addresses(things)})
    return figures  # type: ignore[return-value]


async def _in_an_empty_one(browser: Browser, home: Path, source: str) -> Sequence[Looked]:
    sample = Sample(home=home, seed=None, walks=False)
    async with sample_installation(Settings(home=home), sample) as here:
        return await look_at_all(browser, Site(url=here.url, key=client_key(here.settings)), source)


def _painted(walked: Mapping[str, str]) -> Mapping[str, str]:
    return {
        "overview": "/console",
        "list": "/console/verifications",
        "verification": f"/console/verifications/{walked[RIGHT]}",
        "walk": f"/console/verifications/{walked[RIGHT]}/walk",
    }


async def _take_pictures(home: Path) -> None:
    """Of the history alone: a crowd beside it would be all that the lists show."""
    async with chromium() as browser, _seeded(home, 0) as site:
        walk = f"/console/verifications/{(await _walk(site))[WRONG]}/walk"
        shots = [
            Shot(name="overview", path="/console"),
            Shot(name="verifications", path="/console/verifications"),
            Shot(name="verdict", path=walk),
            Shot(name="walk", path=walk, top="#procedure-title"),
        ]
        await take(browser, site, shots)


def _violations(looks: Sequence[Looked]) -> Mapping[str, object]:
    wrong = broken(looks)
    if wrong:
        raise RuntimeError(f"pages that answered with an error: {wrong}")
    found = [(one, violation) for one in looks for violation in one.violations]
    for look, violation in found:
        print(f"{look.path} ({look.locale}, {look.scheme}): {violation}", file=sys.stderr)
    version = json.loads((AXE.parent / "package.json").read_text(encoding="utf-8"))["version"]
    return {
        "axe_violations": len(found),
        "axe": {
            "version": version,
            "looks": len(looks),
            "rules": dict(Counter(violation["rule"] for _, violation in found)),
        },
    }


async def _run(asked: argparse.Namespace, home: Path) -> dict[str, object]:
    figures: dict[str, object] = {}
    if asked.pictures:
        await _take_pictures(home / "pictures")
    if {"axe", "paint"} & set(asked.parts):
        figures |= await _pages(asked, home)
    if "lists" in asked.parts:
        began = time.monotonic()
        with postgres_files() as files, files.running() as server:
            timed = await lists.measure(
                server, home / "lists", rows=asked.rows, requests=asked.requests
            )
        figures[f"list_ms_{asked.rows // 1000}k"] = {
            name: one.as_row() for name, one in timed.items()
        }
        print(f"lists: {time.monotonic() - began:.0f} s", file=sys.stderr)
    if "watchers" in asked.parts:
        costs = await watchers.costs(home / "watched", crowds=_CROWDS, seconds=asked.seconds)
        figures["watchers"] = [one.as_row() for one in costs]
    return figures


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verifications", type=int, default=_FULL["verifications"])
    parser.add_argument("--rows", type=int, default=_FULL["rows"], help="of the lists measured")
    parser.add_argument("--loads", type=int, default=_FULL["loads"], help="of each page")
    parser.add_argument("--requests", type=int, default=_FULL["requests"], help="of each list")
    parser.add_argument(
        "--seconds", type=float, default=_FULL["seconds"], help="of each number of watchers"
    )
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument(
        "--pictures", action="store_true", help="take the documentation's pictures, too"
    )
    asked = parser.parse_args()
    load = record.Load.now()
    home = Path(tempfile.mkdtemp(prefix="pwc-"))
    try:
        figures = await _run(asked, home)
    finally:
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
    print(json.dumps(figures, indent=2))
    is_full = all(getattr(asked, name) == size for name, size in _FULL.items())
    if not is_full or set(asked.parts) != set(PARTS):
        return
    content = {
        **await record.head("console-ui", n=asked.loads),
        "verifications": asked.verifications,
        "load_before": str(load),
        "load_after": str(record.Load.now()),
        "figures": figures,
    }
    print(record.write("console-ui", content))


if __name__ == "__main__":
    asyncio.run(main())
