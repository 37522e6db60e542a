"""The source trees that roles are run from: the release before this one, this one, and
one after it that is made up.

The release *before* is the tree as it was before a revision of any role's tables was
last added, from this repository's own history. The one *after* is this tree with a
revision more for each role, which adds a column to every table of it and a table, and
says that it is additive: no release of the future is at hand, and this is what one may
do to the tables under an earlier release's feet.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.record import ROOT

_VERSIONS = "services/proofwalk/*/migrations/versions"
_PLANTED = '''"""add a column to every table, and a table"""

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"
branch_labels = None
depends_on = None
additive = True

_OWN = "{role}_"
_KEPT_BY_MIGRATIONS = ("{role}_alembic_version", "{role}_tables")


def upgrade() -> None:
    for name in sa.inspect(op.get_bind()).get_table_names():
        if name.startswith(_OWN) and name not in _KEPT_BY_MIGRATIONS:
            op.add_column(name, sa.Column("planted", sa.Text(), server_default="planted"))
    op.create_table("{role}_planted", sa.Column("id", sa.Integer(), primary_key=True))
'''


@dataclass(frozen=True, kw_only=True)
class Release:
    """A source tree under a name."""

    name: str
    commit: str
    folder: Path


def commit_before(root: Path = ROOT) -> str:
    """The commit before the one that last added a revision, in the repository there."""
    added = _git(
        "log", "-1", "--diff-filter=A", "--format=%H", "--", f"{_VERSIONS}/*.py", root=root
    )
    return _git("rev-parse", f"{added}~1", root=root)


def checked_out(name: str, revision: str, into: Path) -> Release:
    """The tree of a revision, made anew under `into`."""
    folder = into / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    commit = _git("rev-parse", revision)
    archive = into / f"{name}.tar"
    _git("archive", "--output", str(archive), commit)
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    archive.unlink()
    return Release(name=name, commit=commit, folder=folder)


def made_up_after(release: Release, into: Path) -> Release:
    """That release with a revision more for each role that has tables."""
    folder = into / "after"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(release.folder, folder)
    for versions in folder.glob(_VERSIONS):
        numbers = [one[0] for path in versions.iterdir() if (one := re.match(r"\d{4}", path.name))]
        newest = max(numbers)
        number = f"{int(newest) + 1:04d}"
        text = _PLANTED.format(revision=number, before=newest, role=versions.parent.parent.name)
        (versions / f"{number}_add_a_column.py").write_text(text, encoding="utf-8")
    return Release(name="after", commit=release.commit, folder=folder)


def _git(*arguments: str, root: Path = ROOT) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
