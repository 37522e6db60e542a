"""A small run of the bench of upgrades (`benchmarks.upgrade`), as separate processes:
two roles become those of a later release while verifications are under way, and go
back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.chaos.checks import Record, violations
from benchmarks.chaos.cluster import Build, Cluster
from benchmarks.chaos.history import History
from benchmarks.chaos.jobs import TENANTS
from benchmarks.chaos.rows import Reader
from benchmarks.chaos.starting import start_all
from benchmarks.upgrade.releases import checked_out, made_up_after
from benchmarks.upgrade.rolling import move
from benchmarks.upgrade.traffic import Traffic

REPLACED = ("gateway", "rollout")


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.timeout(900)
async def test_roles_of_a_later_release_come_and_go_beneath_verifications(tmp_path: Path) -> None:
    this = checked_out("this", "HEAD", tmp_path)
    after = made_up_after(this, tmp_path)
    history = History(tmp_path / "history.jsonl")
    with Cluster(Build(postgres=True, tenants=TENANTS, tree=this.folder)) as cluster:
        await start_all(cluster)
        traffic = Traffic(cluster.client, history)
        async with asyncio.TaskGroup() as group:
            group.create_task(traffic.flow())
            there = await move(cluster, after, traffic, roles=REPLACED)
            back = await move(cluster, this, traffic, roles=REPLACED)
            traffic.stop()
        reader = Reader(cluster)
        left = await reader.settled(within_s=120)
        rows = await reader.all()
    record = Record(jobs=traffic.jobs, entries=history.entries, rows=rows, left=left)
    assert violations(record) == []
    assert there.ran_on_later == []
    assert back.ran_on_later == list(REPLACED)
    assert back.tables == there.tables
