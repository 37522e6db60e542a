"""An installation whose roles are replaced one by one, as the chart replaces pods: the
tables first, then each role, the rest of the releases' roles beside it.

After each role the installation has to carry jobs through that began after the
replacement: only then two releases have worked side by side. What must hold of the
whole is what must hold of a round of the chaos driver (`benchmarks.chaos.checks`).
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chaos.cluster import Cluster
from benchmarks.chaos.members import ROLES
from benchmarks.chaos.rows import Reader
from benchmarks.chaos.starting import started
from benchmarks.upgrade.releases import Release
from benchmarks.upgrade.traffic import Traffic

JOBS_A_STEP = 2
_HOOK = Path("deploy/helm/proofwalk/files/migrations.py")
_LATER = "tables_of_a_later_release"


@dataclass(frozen=True, kw_only=True)
class Step:
    """A role that was replaced. `away_s`: from SIGTERM until it listened again;
    `carried`: jobs that began and ended while the releases stood so."""

    to: str
    role: str
    away_s: float
    carried: int


@dataclass(frozen=True, kw_only=True)
class Move:
    """An installation's way to a release. `tables`: the revision of each role's tables
    afterwards; `ran_on_later`: roles that said that they run on tables of a later
    release."""

    to: str
    steps: Sequence[Step]
    tables: Mapping[str, str]
    ran_on_later: Sequence[str]


async def move(
    cluster: Cluster, release: Release, traffic: Traffic, *, roles: Sequence[str] = ROLES
) -> Move:
    """Bring the installation to a release. Raises AssertionError with the logs where a
    role does not start, or the tables cannot be migrated."""
    said = {role: _later_said(cluster, role) for role in roles}
    await asyncio.to_thread(_migrate, cluster, release)
    steps = []
    for role in roles:
        began = time.monotonic()
        await asyncio.to_thread(cluster.replace, role, release.folder)
        await started(cluster, role)
        away_s = round(time.monotonic() - began, 2)
        carried = await traffic.pass_through(JOBS_A_STEP)
        steps.append(Step(to=release.name, role=role, away_s=away_s, carried=len(carried)))
        print(f"{role} is {release.name}: away for {away_s} s", file=sys.stderr, flush=True)
    return Move(
        to=release.name,
        steps=steps,
        tables=await _revisions(cluster),
        ran_on_later=[role for role in roles if _later_said(cluster, role) > said[role]],
    )


def _migrate(cluster: Cluster, release: Release) -> None:
    """What the chart's hook does before pods are replaced."""
    done = subprocess.run(
        [sys.executable, str(release.folder / _HOOK), *_with_tables(release)],
        cwd=release.folder,
        env=dict(cluster.environment("rollout", tree=release.folder)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"the tables are not {release.name}'s: {done.stderr[-3000:]}"


def _with_tables(release: Release) -> Sequence[str]:
    services = release.folder / "services" / "proofwalk"
    return [role for role in ROLES if (services / role / "migrations" / "versions").is_dir()]


async def _revisions(cluster: Cluster) -> Mapping[str, str]:
    reader = Reader(cluster)
    found = {}
    for role in ROLES:
        table = f"{role}_alembic_version"
        if await reader.fetch(role, f"select to_regclass('{table}') as it") != [{"it": None}]:
            (row,) = await reader.fetch(role, f"select version_num from {table}")
            found[role] = str(row["version_num"])
    return found


def _later_said(cluster: Cluster, role: str) -> int:
    log = cluster.home / "logs" / f"{role}.log"
    return log.read_text(encoding="utf-8", errors="replace").count(_LATER) if log.exists() else 0
