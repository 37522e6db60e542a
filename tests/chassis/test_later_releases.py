"""Tables that a later release migrated: an earlier one runs on them where the later one
only added, and stays away where it did not."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.kernel.errors import ProofwalkError
from tests.chassis import example_pool

PACKAGE = "tests.chassis.example_pool"
ADDED = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{number:04d}", "{before:04d}"
branch_labels = depends_on = None
{word}


def upgrade() -> None:
    op.create_table("example_pool_{number}", sa.Column("id", sa.Integer(), primary_key=True))
"""


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, list[str]], str]:
    """Makes a release of the example role with further revisions, by what their modules
    say; gives its package."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def make(name: str, words: list[str]) -> str:
        # A package of this test alone: what another one imported is still there.
        top = f"{tmp_path.name}_{name}"
        folder = tmp_path / top / "example_pool"
        shutil.copytree(Path(str(example_pool.__file__)).parent, folder)
        (folder / "__init__.py").write_text("", encoding="utf-8")
        for number, word in enumerate(words, start=2):
            revision = ADDED.format(number=number, before=number - 1, word=word)
            path = folder / "migrations" / "versions" / f"{number:04d}_more.py"
            path.write_text(revision, encoding="utf-8")
        return f"{top}.example_pool"

    return make


async def _revision(database: Database) -> str:
    async with database.read() as transaction:
        query = text("SELECT version_num FROM example_pool_alembic_version")
        return str((await transaction.execute(query)).scalar_one())


async def test_a_release_runs_again_on_tables_that_a_later_one_only_added_to(
    database: Database, releases: Callable[[str, list[str]], str]
) -> None:
    later = releases("later", ["additive = True", "additive = True"])
    await migrations.migrate(database, PACKAGE)
    await migrations.migrate(database, later)
    await migrations.migrate(database, PACKAGE)
    assert await _revision(database) == "0003"
    # The note is the later release's; the earlier one has not written its own over it.
    await migrations.migrate(database, releases("between", ["additive = True"]))
    await migrations.migrate(database, later)
    assert await _revision(database) == "0003"


@pytest.mark.parametrize("word", ["", "additive = False"])
async def test_a_release_stays_away_from_tables_that_a_later_one_changed(
    database: Database, releases: Callable[[str, list[str]], str], word: str
) -> None:
    words = [word, "additive = True"]
    await migrations.migrate(database, releases("later", words))
    with pytest.raises(ProofwalkError) as refused:
        await migrations.migrate(database, PACKAGE)
    assert refused.value.code == "database.newer"
    assert "revision 0003" in refused.value.message
    # One between them has the change, and lacks the addition alone.
    await migrations.migrate(database, releases("between", words[:1]))
    assert await _revision(database) == "0003"


async def test_a_later_release_that_noted_nothing_shuts_out_the_earlier(
    database: Database, releases: Callable[[str, list[str]], str]
) -> None:
    await migrations.migrate(database, releases("later", ["additive = True"]))
    async with database.transaction() as transaction:
        await transaction.execute(text("DROP TABLE example_pool_tables"))
    with pytest.raises(ProofwalkError) as refused:
        await migrations.migrate(database, PACKAGE)
    assert refused.value.code == "database.newer"
