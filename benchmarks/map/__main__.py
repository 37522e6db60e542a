"""`make bench-map`: explore the embedded console as shipped and after planted changes.

The console is served in this process and explored as by `proofwalk map make`, once as
shipped and once for each revision of about thirty planted changes (`planting`). Told
are how much of what the product files declare is on the map (`coverage`), how many
writes the audit log has besides sign-ins, and how the change report (`map diff`) does:
*recall* is the share of planted changes that have their item, with the right kind,
names and path; *precision* the share of items that a planted change explains.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from pydantic import SecretStr

from benchmarks import record
from benchmarks.map.coverage import coverage
from benchmarks.map.planting import Planted, revision
from proofwalk.cli.map_making import MapOrder, make_map
from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.target import Target, TargetCatalog
from proofwalk.devcloud.main import PRODUCTS, run
from proofwalk.devcloud.products.indexing import load
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.maps.changes import Change, ChangeKind
from proofwalk.maps.differing import difference
from proofwalk.maps.exploration import Bounds, Ending, Exploration

TOKEN = "admin-of-the-benchmark"
SIGN_IN = "ConsoleSignin"
DEADLINE_S = 30.0
BOUNDS = Bounds(pages=400, actions=10_000, seconds=3600.0)


@dataclass(frozen=True, kw_only=True)
class Console:
    """The embedded cloud, while it is served."""

    target: Target
    http: httpx2.AsyncClient

    async def serve(self, name: str, patches: Sequence[Mapping[str, Any]]) -> None:
        """Serve another revision of the console."""
        answer = await self.http.post(
            "/admin/revision", json={"revision": name, "patches": list(patches)}
        )
        answer.raise_for_status()

    async def explore(self, name: str) -> Exploration:
        done = await make_map(
            self.target,
            MapOrder(new_login=True, revision=name, bounds=BOUNDS),
            clock=SystemClock(),
            browser=BrowserChoice(),
        )
        if done.ending is not Ending.COMPLETE:
            raise SystemExit(f"{name} ended early: {done.ending} {done.failure}")
        print(f"{name}: {len(done.console.pages)} pages in {done.seconds:.0f} s", flush=True)
        return done

    async def writes(self, since: datetime) -> dict[str, int]:
        """Return how often each write is in the audit log."""
        clock, counts = SystemClock(), dict[str, int]()
        async with open_cloud(self.target, clock=clock) as cloud:
            [account] = await cloud.accounts.accounts()
            account = await cloud.accounts.rotate(account.external_id)
            assert cloud.audit is not None
            events = await cloud.audit.events(
                account, start=since, end=clock.now() + timedelta(seconds=1)
            )
        for event in events:
            if event.write:
                counts[event.name] = counts.get(event.name, 0) + 1
        return counts


@asynccontextmanager
async def console() -> AsyncIterator[Console]:
    """Serve the cloud with one account."""
    clock = SystemClock()
    settings = DevcloudSettings(port=0, accounts=1, admin_token=SecretStr(TOKEN), audit_lag_s=0)
    with tempfile.TemporaryDirectory(prefix="proofwalk-bench-map-") as folder:
        async with run(
            settings, clock=clock, ids=RandomIds(clock), state_dir=Path(folder)
        ) as cloud:
            environment = {"DEVCLOUD_URL": cloud.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN}
            async with httpx2.AsyncClient(
                base_url=cloud.url,
                headers={"Authorization": f"Bearer {TOKEN}"},
                timeout=DEADLINE_S,
                trust_env=False,
            ) as http:
                target = TargetCatalog(None, environment).get("devcloud")
                yield Console(target=target, http=http)


@dataclass(frozen=True, kw_only=True)
class Report:
    """A change report beside what was planted."""

    planted: Sequence[Planted]
    items: Sequence[Change]

    def of(self, kind: ChangeKind) -> tuple[int, int]:
        """Return how many were told right, of how many."""
        changes = [one for one in self.planted if one.kind is kind]
        return sum(self._is_told(one) for one in changes), len(changes)

    def _is_told(self, change: Planted) -> bool:
        return any(change.is_told_by(item) for item in self.items)

    @property
    def missed(self) -> list[str]:
        return [
            f"{one.product}: {one.kind} {one.role} {one.name} {one.new_name}".rstrip()
            for one in self.planted
            if not self._is_told(one)
        ]

    @property
    def unexplained(self) -> list[str]:
        return [
            str(item)
            for item in self.items
            if not any(change.explains(item) for change in self.planted)
        ]


def judged(reports: Sequence[Report]) -> dict[str, Any]:
    """Return recall by kind, and precision by item."""
    figures: dict[str, Any] = {}
    right = of_all = 0
    for kind in (ChangeKind.MOVED, ChangeKind.RENAMED, ChangeKind.GONE):
        counts = [report.of(kind) for report in reports]
        told, planted = (sum(column) for column in zip(*counts, strict=True))
        figures[f"{kind.value}_right"], figures[f"{kind.value}_planted"] = told, planted
        right, of_all = right + told, of_all + planted
    items = sum(len(report.items) for report in reports)
    unexplained = [line for report in reports for line in report.unexplained]
    return {
        **figures,
        "recall": round(right / of_all, 3),
        "precision": round(1 - len(unexplained) / items, 3) if items else None,
        "items": items,
        "missed": [line for report in reports for line in report.missed],
        "unexplained": unexplained[:40],
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--revisions", type=int, default=2, help="how many are planted")
    asked = parser.parse_args()
    catalogue, load_before = load(PRODUCTS), record.Load.now()
    began = datetime.now(UTC)
    reports: list[Report] = []
    async with console() as served:
        shipped = await served.explore("shipped")
        seconds = [shipped.seconds]
        for seed in range(1, asked.revisions + 1):
            planted = revision(catalogue, seed)
            await served.serve(f"planted-{seed}", [one.patch for one in planted])
            after = await served.explore(f"planted-{seed}")
            seconds.append(after.seconds)
            reports.append(
                Report(planted=planted, items=difference(shipped.console, after.console))
            )
        writes = await served.writes(began)
    figures = {
        **coverage(catalogue, shipped.console),
        "pages_on_map": len(shipped.console.pages),
        "dialogs_on_map": len(shipped.console.surfaces) - len(shipped.console.pages),
        "controls_on_map": shipped.console.count_controls(),
        "minutes": record.spread([round(one / 60, 2) for one in seconds]),
        "actions": shipped.actions,
        "refused": sum(shipped.refused.values()),
        "changes_in_log": sum(n for name, n in writes.items() if name != SIGN_IN),
        "sign_ins_in_log": writes.get(SIGN_IN, 0),
        "change_report": judged(reports) if reports else None,
    }
    content = {
        **await record.head("map", n=1 + asked.revisions),
        "load_before": str(load_before),
        "load_after": str(record.Load.now()),
        "figures": figures,
    }
    print(record.write("map", content))


if __name__ == "__main__":
    asyncio.run(main())
