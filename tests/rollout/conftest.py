"""A migrated rollout database with a world around it, groups in it, and its API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.tracing import Tracing
from tests.fixtures.templates import copy_migrated
from tests.rollout.api import Api, serving
from tests.rollout.groups import Place
from tests.rollout.setting import Setting


@pytest.fixture
async def setting(
    sqlite_db: Database, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Setting:
    """On SQLite: for what does not depend on the engine."""
    await copy_migrated("proofwalk.rollout", sqlite_db, tmp_path_factory)
    return Setting(db=sqlite_db, folder=tmp_path)


@pytest.fixture
async def rows(
    database: Database, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Setting:
    """On SQLite and on PostgreSQL."""
    await copy_migrated("proofwalk.rollout", database, tmp_path_factory)
    return Setting(db=database, folder=tmp_path)


@pytest.fixture
async def api(setting: Setting, home: Path, tracing: Tracing) -> AsyncIterator[Api]:
    async with serving(setting, home, tracing) as api:
        yield api


@pytest.fixture
def place(rows: Setting) -> Place:
    """Groups on SQLite and on PostgreSQL."""
    return Place(rows)


@pytest.fixture
def here(setting: Setting) -> Place:
    """Groups on SQLite: for what does not depend on the engine."""
    return Place(setting)
