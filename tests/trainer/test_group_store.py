"""The files of fetched episodes: kept whole, kept once, and taken from an earlier
version."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.clock import ManualClock
from proofwalk.trainer import group_store, sqlite_files
from proofwalk.trainer.group_store import Kept, RolloutStore
from proofwalk.trainer.group_trajectories import Attempt

_EARLIER = """
CREATE TABLE episodes (
    verification_id TEXT PRIMARY KEY, group_id TEXT NOT NULL, number INTEGER NOT NULL, member BLOB NOT NULL,
    trouble TEXT NOT NULL, why TEXT NOT NULL, kept_at TEXT NOT NULL, UNIQUE (group_id, number));
CREATE TABLE attempts (
    verification_id TEXT NOT NULL REFERENCES episodes, position INTEGER NOT NULL, version TEXT NOT NULL,
    prompt BLOB NOT NULL, completion BLOB NOT NULL, logprobs BLOB NOT NULL, PRIMARY KEY (verification_id, position));
"""
"""What files had before an attempt's probabilities under the grammar were kept."""


def kept(name: str = "v", number: int = 0, *, why: str = "") -> Kept:
    attempt = Attempt(
        prompt=(1, 2),
        completion=(3,),
        logprobs=(-0.5,),
        constrained=(-0.25,),
        version="w1",
        usable=number != 1,
    )
    return Kept(
        member=pb.GroupMember(verification_id=name, number=number), attempts=(attempt,), why=why
    )


def store(folder: Path) -> RolloutStore:
    return RolloutStore(folder, clock=ManualClock())


def test_what_is_kept_is_read_as_it_was_and_kept_once(tmp_path: Path) -> None:
    files = store(tmp_path)
    assert files.read("0", "g") == {}
    for number in (1, 0):
        files.keep("0", "g", kept(f"v{number}", number))
    files.keep("0", "g", kept("v1", 1, why="once more"))
    files.keep("0", "g", kept("other", 1, why="the same place"))
    assert store(tmp_path).read("0", "g") == {0: kept("v0", 0), 1: kept("v1", 1)}
    assert [member.number for member in files.members("0", "g")] == [0, 1]
    assert files.read("0", "another") == {}
    assert stat.S_IMODE((tmp_path / "0.sqlite3").stat().st_mode) == 0o600


def test_a_file_of_an_earlier_version_gets_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "0.sqlite3"
    packed = group_store._packed
    with closing(sqlite3.connect(path)) as file:
        file.executescript(_EARLIER)
        member = pb.GroupMember(verification_id="v").SerializeToString()
        file.execute("INSERT INTO episodes VALUES ('v', 'g', 0, ?, '', '', 'then')", (member,))
        row = (packed((1, 2), "<i4"), packed((3,), "<i4"), packed((-0.5,), "<f8"))
        file.execute("INSERT INTO attempts VALUES ('v', 0, 'w1', ?, ?, ?)", row)
        file.commit()
    files = store(tmp_path)
    files.keep("0", "g", kept("v1", 1))
    found = files.read("0", "g")
    assert found[0].attempts[0].logprobs == (-0.5,)
    assert found[0].attempts[0].constrained == ()
    assert found[0].attempts[0].usable
    assert found[1] == kept("v1", 1)


def test_a_file_that_is_locked_is_not_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = store(tmp_path)
    files.keep("0", "g", kept())
    monkeypatch.setattr(sqlite_files, "_BUSY_S", 0.05)
    with closing(sqlite3.connect(tmp_path / "0.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="locked"):
            files.keep("0", "g", kept("v1", 1))
    assert [path.name for path in tmp_path.iterdir()] == ["0.sqlite3"]
    assert files.read("0", "g") == {0: kept()}
