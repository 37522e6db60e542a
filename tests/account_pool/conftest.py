"""A pool over the memory cloud, with a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from prometheus_client import CollectorRegistry

from proofwalk.account_pool.gauges import PoolMetrics
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.vault import Vault
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database
from proofwalk.chassis.logs import Redaction
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import Clock, ManualClock
from proofwalk.kernel.ids import SeededIds
from tests.fixtures.templates import copy_migrated

TARGET = """
id: memory
title: A cloud in memory
adapter: memory
console: {url: "http://127.0.0.1:1"}
"""
KEY = Fernet.generate_key()
QUICK = AccountPoolSettings(proof_poll_s=0.01, proof_deadline_s=2, sweep_deadline_s=5)


def catalog(folder: Path) -> TargetCatalog:
    (folder / "memory.yaml").write_text(TARGET)
    return TargetCatalog(folder, {})


@asynccontextmanager
async def opened(
    database: Database,
    cloud: MemoryCloud,
    folder: Path,
    clock: Clock,
    settings: AccountPoolSettings = QUICK,
    seed: int = 0,
) -> AsyncIterator[Pool]:
    """A pool on a migrated database; a second one on the same database is what a
    restart or another process makes."""
    async with AsyncExitStack() as stack:
        clouds = await stack.enter_async_context(
            Clouds(catalog(folder), clock=clock, adapters={"memory": cloud.adapter})
        )
        yield Pool(
            database=database,
            clouds=clouds,
            vault=Vault(KEY),
            settings=settings,
            clock=clock,
            ids=SeededIds(seed),
            metrics=PoolMetrics(CollectorRegistry()),
            redaction=Redaction(),
        )


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def cloud(clock: ManualClock) -> MemoryCloud:
    return MemoryCloud(clock=clock, accounts=2)


@pytest.fixture
async def migrated(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Database:
    await copy_migrated("proofwalk.account_pool", database, tmp_path_factory)
    return database


@pytest.fixture
async def migrated_sqlite(
    sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory
) -> Database:
    await copy_migrated("proofwalk.account_pool", sqlite_db, tmp_path_factory)
    return sqlite_db


@pytest.fixture
async def pool(
    migrated_sqlite: Database, cloud: MemoryCloud, tmp_path: Path, clock: ManualClock
) -> AsyncIterator[Pool]:
    """A pool on SQLite that has read its accounts."""
    async with opened(migrated_sqlite, cloud, tmp_path, clock) as pool:
        await pool.sync("memory")
        yield pool


@pytest.fixture
def worker(pool: Pool) -> Worker:
    return Worker(pool)
