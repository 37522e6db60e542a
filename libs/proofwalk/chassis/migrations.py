"""Alembic without an env.py per role: revisions in `<role
package>/migrations/versions`, one environment here.

`await migrate(database, "proofwalk.account_pool")` brings the role's tables to the
newest revision in one transaction, under a lock, so that several processes of a role
may start at once. A role's tables begin with `<role>_`, and its revision is kept in
`<role>_alembic_version`, so roles share a PostgreSQL database without knowing each
other.

A revision whose module says `additive = True` adds what an earlier release can ignore:
tables, indices, columns that fill themselves. How far back this holds is noted in
`<role>_tables`, and by it a release finds out whether it may run on the tables of a
later one. So a release can be rolled back. A revision that does not say so shuts
earlier releases out: `database.newer`.

`difference` says in what the tables declared in `repository.METADATA` differ from the
migrated ones; a test keeps it empty. A new revision is written by

    python -m proofwalk.chassis.migrations proofwalk.account_pool "add the quarantine reason"

which compares the declared tables with a freshly migrated SQLite file.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import importlib
import tempfile
from pathlib import Path
from typing import Any, Literal

import structlog
from alembic.autogenerate import RevisionContext, compare_metadata
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, MetaData, String, Table, inspect, select
from sqlalchemy.engine import Connection

from proofwalk.chassis.database import Database, Json, UtcDateTime
from proofwalk.kernel.errors import conflict

_log = structlog.get_logger()
_TEMPLATES = Path(__file__).parent / "migration_templates"


def _role(package: str) -> str:
    return package.rpartition(".")[2]


def _versions(package: str) -> Path:
    module = importlib.import_module(package)
    return Path(str(module.__file__)).parent / "migrations" / "versions"


@functools.cache
def _scripts(package: str) -> ScriptDirectory:
    """The revisions of a role. Alembic reads their files once for each of these."""
    return ScriptDirectory.from_config(_config(package))


def _config(package: str) -> Config:
    config = Config()
    # ConfigParser takes % for interpolation.
    config.set_main_option("script_location", str(_TEMPLATES).replace("%", "%%"))
    config.set_main_option("version_locations", str(_versions(package)).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    return config


def _environment(
    connection: Connection, package: str, metadata: MetaData | None, function: Any
) -> None:
    scripts = _scripts(package)
    role = _role(package)

    def belongs(
        _object: Any, name: str | None, kind: str, _reflected: bool, _compared: Any
    ) -> bool:
        own = (name or "").startswith(f"{role}_") and name != _note_of(package).name
        return kind != "table" or own

    with EnvironmentContext(
        _config(package), scripts, fn=function(scripts), destination_rev="head"
    ) as environment:
        environment.configure(
            connection=connection,
            target_metadata=metadata,
            version_table=_version_table(package),
            include_object=belongs,
            compare_type=True,
            compare_server_default=False,
            render_as_batch=True,
            render_item=_rendered,
        )
        with environment.begin_transaction():
            environment.run_migrations()


def _rendered(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Our column types as a revision names them; False leaves everything else to
    Alembic."""
    return (
        f"database.{type(item).__name__}()"
        if kind == "type" and isinstance(item, (UtcDateTime, Json))
        else False
    )


async def migrate(database: Database, package: str) -> None:
    """Bring a role's tables to the newest revision. Tables of a later release stay as
    they are if this one may run on them; raises `database.newer` if it may not."""

    def upgrade(scripts: ScriptDirectory) -> Any:
        return lambda revision, _context: scripts._upgrade_revs("head", revision)

    async with database.changing_tables() as transaction:
        if later := await transaction.run_sync(_later_revision, package):
            if not await transaction.run_sync(_bears_this_release, package):
                raise conflict(
                    "database.newer",
                    f"the tables of {_role(package)} are of revision {later}, which this release"
                    " does not know and may not run on",
                    hint="run the newer release, or restore a backup",
                )
            _log.warning("tables_of_a_later_release", role=_role(package), revision=later)
            return
        await transaction.run_sync(_environment, package, None, upgrade)
        await transaction.run_sync(_note_oldest, package)


def oldest_release(package: str) -> str:
    """The revision of the oldest release that may run on tables of the newest one."""
    for revision in _scripts(package).walk_revisions():
        if not getattr(revision.module, "additive", False):
            return revision.revision
    raise RuntimeError(f"no revision of {package} makes the first tables")


def _later_revision(connection: Connection, package: str) -> str:
    """The tables' revision, if it is one that this release does not know."""
    context = MigrationContext.configure(
        connection, opts={"version_table": _version_table(package)}
    )
    known = _known_revisions(package)
    return next((head for head in context.get_current_heads() if head not in known), "")


def _bears_this_release(connection: Connection, package: str) -> bool:
    """Whether the later release noted that this one may run on its tables."""
    note = _note_of(package)
    if not inspect(connection).has_table(note.name):
        return False
    return connection.execute(select(note.c.oldest_release)).scalar() in _known_revisions(package)


def _note_oldest(connection: Connection, package: str) -> None:
    note = _note_of(package)
    note.create(connection, checkfirst=True)
    connection.execute(note.delete())
    connection.execute(note.insert().values(oldest_release=oldest_release(package)))


def _known_revisions(package: str) -> frozenset[str]:
    return frozenset(one.revision for one in _scripts(package).walk_revisions())


def _version_table(package: str) -> str:
    return f"{_role(package)}_alembic_version"


def _note_of(package: str) -> Table:
    column = Column("oldest_release", String(32), nullable=False)
    return Table(f"{_role(package)}_tables", MetaData(), column)


async def difference(database: Database, package: str, metadata: MetaData) -> list[str]:
    """In what the migrated tables differ from the declared ones, one line each; empty
    when they agree."""
    differences: list[str] = []

    def compare(scripts: ScriptDirectory) -> Any:
        def function(_revision: Any, context: Any) -> list[Any]:
            differences.extend(str(item) for item in compare_metadata(context, metadata))
            return []

        return function

    async with database.read() as transaction:
        await transaction.run_sync(_environment, package, metadata, compare)
    return differences


async def write_revision(package: str, message: str) -> Path:
    """Write the revision that turns the migrated tables into the declared ones; returns
    its file."""
    metadata = importlib.import_module(f"{package}.repository").METADATA
    versions = _versions(package)
    versions.mkdir(parents=True, exist_ok=True)
    for folder in (versions, versions.parent):
        (folder / "__init__.py").touch()
    config = _config(package)
    # A number, so that the folder reads in order.
    number = f"{len(list(versions.glob('[0-9]*.py'))) + 1:04d}"
    arguments = {
        "message": message, "autogenerate": True, "sql": False, "head": "head", "splice": False, "branch_label": None,
        "version_path": str(versions), "rev_id": number, "depends_on": None,
    }  # fmt: skip
    context = RevisionContext(config, ScriptDirectory.from_config(config), arguments)

    def generate(_scripts: ScriptDirectory) -> Any:
        def function(revision: Any, migration: Any) -> list[Any]:
            context.run_autogenerate(revision, migration)
            return []

        return function

    with tempfile.TemporaryDirectory() as scratch:
        database = Database(f"sqlite:///{scratch}/new.sqlite3")
        try:
            await migrate(database, package)
            async with database.read() as transaction:
                await transaction.run_sync(_environment, package, metadata, generate)
        finally:
            await database.close()
    script = next(iter(context.generate_scripts()))
    if not script:
        raise conflict("database.no_revision", "no revision was written")
    return await asyncio.to_thread(_without_remarks, Path(script.path))


def _without_remarks(path: Path) -> Path:
    """Take out Alembic's "please adjust" comments."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "### " not in line), encoding="utf-8")
    return path


def main() -> None:
    """See the module docstring."""
    parser = argparse.ArgumentParser(
        prog="python -m proofwalk.chassis.migrations", description="Write a role's next revision."
    )
    parser.add_argument("package", help="proofwalk.<role>; its repository.py declares METADATA")
    parser.add_argument("message", help="what the revision does")
    arguments = parser.parse_args()
    print(asyncio.run(write_revision(arguments.package, arguments.message)))


if __name__ == "__main__":
    main()
