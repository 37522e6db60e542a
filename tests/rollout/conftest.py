"""A migrated rollout database with a world around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from tests.fixtures.templates import copy_migrated
from tests.rollout.setting import Setting


@pytest.fixture
async def setting(
    sqlite_db: Database, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Setting:
    """On SQLite: for what does not depend on the engine."""
    await copy_migrated("proofwalk.rollout", sqlite_db, tmp_path_factory)
    return Setting(db=sqlite_db, folder=tmp_path)


@pytest.fixture
async def rows(database: Database, tmp_path: Path) -> Setting:
    """On SQLite and on PostgreSQL."""
    await migrate(database, "proofwalk.rollout")
    return Setting(db=database, folder=tmp_path)
