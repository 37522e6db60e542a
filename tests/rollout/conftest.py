"""A migrated rollout database with a world around it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from tests.rollout.setting import Setting


@pytest.fixture
async def setting(sqlite_db: Database, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """On SQLite: for what does not depend on the engine. Migrated once in a session, since that is slower than most tests."""
    template = tmp_path_factory.getbasetemp() / "rollout-template.sqlite3"
    if not template.exists():
        draft = Database(f"sqlite:///{template}.draft")
        await migrate(draft, "proofwalk.rollout")
        await draft.close()
        Path(f"{template}.draft").rename(template)
    shutil.copy(template, str(sqlite_db.url.database))
    return Setting(db=sqlite_db, folder=tmp_path)


@pytest.fixture
async def rows(database: Database, tmp_path: Path) -> Setting:
    """On SQLite and on PostgreSQL."""
    await migrate(database, "proofwalk.rollout")
    return Setting(db=database, folder=tmp_path)
