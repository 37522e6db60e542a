"""The checker of commit messages sees what CONTRIBUTING.md forbids, and passes where it
cannot look."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checks.commits import problems, unheld


@pytest.mark.parametrize(
    ("subject", "body", "said"),
    [
        ("Gateway: " + "x" * 64, "Why.", "72 at most"),
        ("Gateway: refuse a body without a length.", "Why.", "full stop"),
        ("Gateway: added a limit", "Why.", "imperative"),
        ("Adding a limit", "Why.", "imperative"),
        ("Moves the console", "Why.", "imperative"),
        ("Fixes a leak", "Why.", "imperative"),
        ("Gateway: refuse a body", " \n", "body"),
    ],
)
def test_a_message_that_breaks_a_rule_is_told(subject: str, body: str, said: str) -> None:
    (problem,) = problems(subject, body)
    assert said in problem


@pytest.mark.parametrize(
    "subject",
    ["Move: console by what it does", "Fix a leak", "Tests: the decision is the kernel's"],
)
def test_other_messages_pass(subject: str) -> None:
    assert list(problems(subject, "Why.")) == []


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q")
    _commit(tmp_path, "added things.")
    return tmp_path


def test_commits_up_to_the_base_are_as_they_are(repository: Path) -> None:
    base = _git(repository, "rev-parse", "HEAD")
    assert unheld(repository, base) == []
    _commit(repository, "Add a thing", "Because.")
    assert unheld(repository, base) == []


def test_each_later_commit_is_held(repository: Path) -> None:
    base = _git(repository, "rev-parse", "HEAD")
    _commit(repository, "Added a thing.", "Because.")
    _commit(repository, "Add another")
    found = unheld(repository, base)
    assert found is not None
    assert [
        said for said in ("full stop", "imperative", "body") if any(said in line for line in found)
    ] == [
        "full stop",
        "imperative",
        "body",
    ]
    assert len(found) == 3


def test_merges_are_not_looked_at(repository: Path) -> None:
    base = _git(repository, "rev-parse", "HEAD")
    _git(repository, "checkout", "-q", "-b", "side")
    _commit(repository, "Add a thing", "Because.")
    _git(repository, "checkout", "-q", "-")
    _commit(repository, "Add another", "Because.")
    _git(repository, "merge", "-q", "--no-edit", "side")
    assert unheld(repository, base) == []


def test_a_history_without_the_base_is_told_and_passes(repository: Path) -> None:
    assert unheld(repository, "0" * 40) is None
    assert unheld(repository / ".git" / "hooks", "0" * 40) is None


def _commit(repository: Path, subject: str, body: str = "") -> None:
    _git(
        repository, "commit", "-q", "--allow-empty", "-m", subject, *(["-m", body] if body else [])
    )


def _git(repository: Path, *arguments: str) -> str:
    identity = [
        "-c",
        "user.name=Nobody",
        "-c",
        "user.email=nobody@example.com",
        "-c",
        "commit.gpgsign=false",
    ]
    done = subprocess.run(
        ["git", "-C", str(repository), *identity, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
