"""The bench of upgrades: which trees it runs, and what it counts."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

from benchmarks.chaos.checks import Record
from benchmarks.chaos.history import Entry, Said
from benchmarks.chaos.jobs import Job
from benchmarks.chaos.rows import Rows
from benchmarks.upgrade.__main__ import figures_of
from benchmarks.upgrade.releases import Release, commit_before, made_up_after
from benchmarks.upgrade.rolling import Move, Step


def test_the_release_after_adds_one_revision_to_each_role(tmp_path: Path) -> None:
    tree = tmp_path / "this"
    for role, numbers in {"rollout": ("0001", "0013"), "gateway": ("0003",)}.items():
        versions = tree / "services" / "proofwalk" / role / "migrations" / "versions"
        versions.mkdir(parents=True)
        for name in ("__init__.py", *(f"{number}_x.py" for number in numbers)):
            (versions / name).write_text("", encoding="utf-8")
    after = made_up_after(Release(name="this", commit="c", folder=tree), tmp_path)
    planted = sorted(path.name for path in after.folder.rglob("*_add_a_column.py"))
    assert planted == ["0004_add_a_column.py", "0014_add_a_column.py"]
    [path] = after.folder.rglob("0014_add_a_column.py")
    spec = importlib.util.spec_from_file_location("planted", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (module.revision, module.down_revision, module.additive) == ("0014", "0013", True)
    assert module._KEPT_BY_MIGRATIONS == ("rollout_alembic_version", "rollout_tables")
    assert not list(tree.rglob("*_add_a_column.py"))


def test_the_release_before_is_that_before_the_last_revision_of_any_role(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        own = ("-c", "user.name=n", "-c", "user.email=e@example.com")
        done = subprocess.run(
            ["git", "-C", str(tmp_path), *own, *arguments],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(path: str) -> str:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path, encoding="utf-8")
        git("add", "-A")
        git("commit", "-qm", path)
        return git("rev-parse", "HEAD")

    git("init", "-q")
    folder = "services/proofwalk/{}/migrations/versions"
    commit(f"{folder.format('gateway')}/0001_a.py")
    before = commit("services/proofwalk/gateway/other.py")
    commit(f"{folder.format('rollout')}/0001_a.py")
    commit("services/proofwalk/rollout/other.py")
    assert commit_before(tmp_path) == before


def test_figures_count_calls_that_could_not_be_repeated() -> None:
    def entry(said: Said, **about: object) -> Entry:
        return Entry(at=1.0, who="job-0", said=said, act="get", about=about)  # type: ignore[arg-type]

    step = Step(to="this", role="gateway", away_s=3.0, carried=2)
    longer = Step(to="this", role="rollout", away_s=9.0, carried=2)
    moves = [
        Move(to="this", steps=[step, longer], tables={}, ran_on_later=[]),
        Move(to="this", steps=[step], tables={}, ran_on_later=["rollout", "gateway"]),
    ]
    rows = Rows(
        verifications=[
            {"id": "a", "state": "finished", "outcome": "verified"},
            {"id": "b", "state": "finished", "outcome": "env_failure"},
        ],
        events=[],
        leases=[],
        changes=[],
    )
    jobs = [Job(number=n, tenant="ant", document="01-vpc-create-vpc.md", after_s=0) for n in (0, 1)]
    entries = [
        entry(Said.FAILED, code="rpc.unavailable", retryable=True),
        entry(Said.FAILED, code="database.newer", retryable=False),
        entry(Said.OK, state="running", outcome=""),
    ]
    figures = figures_of(moves, Record(jobs=jobs, entries=entries, rows=rows))
    assert (figures["steps"], figures["moves"], figures["jobs"]) == (3, 2, 2)
    assert (figures["verified"], figures["told"]) == (1, 1)
    assert figures["untold"] == {"env_failure": 1}
    assert figures["failed_calls"] == {"rpc.unavailable": 1, "database.newer": 1}
    assert figures["not_retryable"] == 1
    assert (figures["away_median_s"], figures["away_longest_s"]) == (3.0, 9.0)
    assert figures["ran_on_later_tables"] == 2
    # Nothing was seen of what was verified, which is a violation and no pass.
    assert figures["violations"] > 0
