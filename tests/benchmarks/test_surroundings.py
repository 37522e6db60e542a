"""Which commit a result is of, and when it is of none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from proofwalk.experiments.bench import surroundings

_AS = ("-c", "user.name=a", "-c", "user.email=a@example.com")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("libs/code.py", "suites/field/looks.json", "docs/page.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("1\n", encoding="utf-8")
    for arguments in (("init", "-q"), ("add", "-A"), (*_AS, "commit", "-q", "-m", "All")):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, timeout=30)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "dirty"),
    [("libs/code.py", True), ("suites/field/looks.json", False), ("docs/page.md", False)],
)
def test_what_was_measured_is_the_commit_but_for_counted_looks(
    repository: Path, changed: str, dirty: bool
) -> None:
    assert len(surroundings.commit(repository)) == 40
    (repository / changed).write_text("2\n", encoding="utf-8")
    assert surroundings.commit(repository).endswith("-dirty") is dirty


def test_outside_of_a_repository_the_commit_is_unknown(tmp_path: Path) -> None:
    assert surroundings.commit(tmp_path) == "unknown"
