"""What a run has fetched of its episodes, kept in its folder: a crash of the trainer loses no trajectory that was there, and fetches none twice.

    <run>/rollouts/00000012.sqlite3     the episodes of step 12's groups
    <run>/rollouts/v00000010.sqlite3    those of the validation at step 10

An episode is one row of `episodes` (how it ended, as the rollout role told it) and one of `attempts` for each answer (token ids as
little-endian int32, log-probabilities as float64, all under zlib), written in one transaction under the verification's id. What it counts for
is decided when it is read. A file that an earlier version began lacks a column, and gets it. One that cannot be read is put aside and begun
anew: the rollout role still has what was in it. Blocks; no torch.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import structlog
from google.protobuf.message import DecodeError

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.private_files import private_database
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.trainer.group_trajectories import Attempt, Trouble
from proofwalk.trainer.kept_members import member_of

T = TypeVar("T")
_BUSY_S = 15.0
_TABLES = """
CREATE TABLE IF NOT EXISTS episodes (
    verification_id TEXT PRIMARY KEY, group_id TEXT NOT NULL, number INTEGER NOT NULL, member BLOB NOT NULL, trouble TEXT NOT NULL,
    why TEXT NOT NULL, kept_at TEXT NOT NULL, UNIQUE (group_id, number));
CREATE TABLE IF NOT EXISTS attempts (
    verification_id TEXT NOT NULL REFERENCES episodes, position INTEGER NOT NULL, version TEXT NOT NULL, prompt BLOB NOT NULL,
    completion BLOB NOT NULL, logprobs BLOB NOT NULL, constrained BLOB NOT NULL, PRIMARY KEY (verification_id, position));
"""
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One finished episode."""

    member: pb.GroupMember
    attempts: tuple[Attempt, ...] = ()
    """Empty when the outcome says nothing about the policy, and when there is trouble."""
    trouble: Trouble | None = None
    """Why it is not learned from, although its outcome counts."""
    why: str = ""


class RolloutStore:
    """The files of one run. One process writes."""

    def __init__(self, folder: Path, *, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._turn = threading.Lock()
        """Groups are fetched at the same time, each in threads."""

    def read(self, part: str, group_id: str) -> dict[int, Kept]:
        """The episodes of a group that are kept, by their number in it."""

        def work(file: sqlite3.Connection) -> dict[int, Kept]:
            found: dict[int, Kept] = {}
            query = "SELECT verification_id, number, member, trouble, why FROM episodes WHERE group_id = ? ORDER BY number"
            for verification_id, number, member, trouble, why in file.execute(query, (group_id,)).fetchall():
                rows = file.execute(
                    "SELECT prompt, completion, logprobs, constrained, version FROM attempts WHERE verification_id = ? ORDER BY position",
                    (verification_id,),
                )
                found[int(number)] = Kept(
                    member=member_of(member),
                    attempts=tuple(_attempt(*row) for row in rows),
                    trouble=Trouble(trouble) if trouble else None,
                    why=why,
                )
            return found

        if not self._path(part).exists():
            return {}
        return self._with(part, work)

    def members(self, part: str, group_id: str) -> list[pb.GroupMember]:
        """How the kept episodes of a group ended, without what is learned from them."""

        def work(file: sqlite3.Connection) -> list[pb.GroupMember]:
            rows = file.execute("SELECT member FROM episodes WHERE group_id = ? ORDER BY number", (group_id,))
            return [member_of(member) for (member,) in rows]

        return self._with(part, work) if self._path(part).exists() else []

    def keep(self, part: str, group_id: str, kept: Kept) -> None:
        """Keep an episode; one that is kept already stays as it is."""
        member = kept.member
        name = member.verification_id
        told = (name, group_id, member.number, member.SerializeToString(), kept.trouble or "", kept.why)
        rows = [
            (
                name,
                position,
                one.version,
                _packed(one.prompt, "<i4"),
                _packed(one.completion, "<i4"),
                _packed(one.logprobs, "<f8"),
                _packed(one.constrained, "<f8"),
            )
            for position, one in enumerate(kept.attempts)
        ]

        def work(file: sqlite3.Connection) -> None:
            put = "INSERT INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            if file.execute(put, (*told, isoformat(self._clock.now()))).rowcount:
                file.executemany("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

        self._with(part, work)

    def _path(self, part: str) -> Path:
        return self._folder / f"{part}.sqlite3"

    def _with(self, part: str, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._turn:
            return self._worked(self._path(part), work)

    def _worked(self, path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with _opened(path) as file:
                return work(file)
        except (sqlite3.DatabaseError, DecodeError, ValueError, zlib.error) as error:
            if isinstance(error, sqlite3.OperationalError):  # it is locked, or the disk is full: not the file's fault
                raise
            aside = path.with_name(f"{path.name}.damaged-{self._clock.now():%Y%m%dT%H%M%S}")
            log.warning("rollouts_file_damaged", path=str(path), aside=str(aside), error=str(error))
            path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
            path.rename(aside)
        with _opened(path) as file:
            return work(file)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    path.parent.mkdir(parents=True, exist_ok=True)
    private_database(path)
    with closing(sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)) as file:
        file.executescript(_TABLES)
        if "constrained" not in {name for _, name, *_ in file.execute("PRAGMA table_info(attempts)")}:
            file.execute("ALTER TABLE attempts ADD COLUMN constrained BLOB NOT NULL DEFAULT x''")
        file.execute("BEGIN IMMEDIATE")
        try:
            yield file
        except BaseException:
            file.execute("ROLLBACK")
            raise
        file.execute("COMMIT")


def _packed(values: Sequence[int] | Sequence[float], kind: str) -> bytes:
    return zlib.compress(np.asarray(values, dtype=kind).tobytes(), 1)


def _attempt(prompt: bytes, completion: bytes, logprobs: bytes, constrained: bytes, version: str) -> Attempt:
    def unpacked(data: bytes, kind: str) -> tuple[int, ...]:
        return tuple(np.frombuffer(zlib.decompress(data), dtype=kind).tolist()) if data else ()

    return Attempt(
        prompt=unpacked(prompt, "<i4"),
        completion=unpacked(completion, "<i4"),
        logprobs=unpacked(logprobs, "<f8"),
        constrained=unpacked(constrained, "<f8"),
        version=version,
    )
