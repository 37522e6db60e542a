"""Revisions that say `additive = True` keep their word: what an earlier release reads
and writes is there as it was, and nothing new is asked of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlalchemy.engine import Connection

from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.platform.roles import NAMES
from tests.fixtures.releases import upgraded

PACKAGES = [
    f"proofwalk.{name}" for name in NAMES if migrations._versions(f"proofwalk.{name}").is_dir()
]


def _additive(package: str) -> list[tuple[str, str, str]]:
    scripts = ScriptDirectory.from_config(migrations._config(package))
    return [
        (package, str(one.down_revision), one.revision)
        for one in scripts.walk_revisions()
        if getattr(one.module, "additive", False)
    ]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Of a table: its columns, and what it asks of rows."""

    columns: Mapping[str, Mapping[str, Any]]
    rules: frozenset[str]


def _shapes(connection: Connection) -> Mapping[str, Shape]:
    found = inspect(connection)
    return {
        name: Shape(
            columns={
                one["name"]: {**one, "type": str(one["type"]), "comment": None}
                for one in found.get_columns(name)
            },
            rules=frozenset(
                [
                    *(
                        f"unique {one['column_names']}"
                        for one in found.get_unique_constraints(name)
                    ),
                    *(
                        f"unique {one['column_names']}"
                        for one in found.get_indexes(name)
                        if one["unique"]
                    ),
                    *(f"check {one['sqltext']}" for one in found.get_check_constraints(name)),
                    *(
                        f"foreign {one['constrained_columns']}"
                        for one in found.get_foreign_keys(name)
                    ),
                    f"primary {found.get_pk_constraint(name)['constrained_columns']}",
                ]
            ),
        )
        for name in found.get_table_names()
    }


def _fills_itself(column: Mapping[str, Any]) -> bool:
    return bool(column["nullable"] or column.get("default") or column.get("computed"))


def broken_words(before: Mapping[str, Shape], after: Mapping[str, Shape]) -> list[str]:
    """In what the tables after a revision are not those before it with something
    added."""
    found = []
    for name, old in before.items():
        if name.endswith("_alembic_version"):
            continue
        new = after.get(name)
        if new is None:
            found.append(f"{name} is gone")
            continue
        found += [f"{name} asks for {rule}" for rule in new.rules - old.rules]
        found += [
            f"{name}.{column} changed"
            for column, about in old.columns.items()
            if new.columns.get(column) != about
        ]
        found += [
            f"{name}.{column} has to be given"
            for column in new.columns.keys() - old.columns.keys()
            if not _fills_itself(new.columns[column])
        ]
    return found


@pytest.mark.parametrize(
    ("package", "before", "revision"), [one for package in PACKAGES for one in _additive(package)]
)
async def test_a_revision_that_says_so_only_adds(
    database: Database, package: str, before: str, revision: str
) -> None:
    shapes = []
    for one in (before, revision):
        await upgraded(database, package, one)
        async with database.read() as transaction:
            shapes.append(await transaction.run_sync(_shapes))
    assert broken_words(*shapes) == []


@pytest.mark.parametrize("package", PACKAGES)
async def test_the_newest_tables_say_how_far_back_they_bear(package: str) -> None:
    assert migrations.oldest_release(package).isdigit()
