"""What a run has fetched of its episodes, kept in its folder: a crash of the trainer
loses no trajectory that was there, and fetches none twice.

    <run>/rollouts/00000012.sqlite3     the episodes of step 12's groups
    <run>/rollouts/v00000010.sqlite3    those of the validation at step 10

An episode is one row of `episodes` (how it ended, as the rollout role told it) and one
of `attempts` for each answer (token ids as little-endian int32, log-probabilities as
float64, all under zlib; addresses of its pictures, which lie in `rollouts/pictures/`),
written in one transaction under the verification's id. What
it counts for is decided when it is read. A file that an earlier version began lacks a
column, and gets it. One that cannot be read is put aside and begun anew: the rollout
role still has what was in it. Blocks; no torch.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import structlog
from alembic.migration import MigrationContext
from alembic.operations import Operations
from google.protobuf.message import DecodeError
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DatabaseError, OperationalError

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.trainer.group_trajectories import Attempt, Trouble
from proofwalk.trainer.kept_members import member_of
from proofwalk.trainer.sqlite_files import opened

T = TypeVar("T")
_files = MetaData()
_episodes = Table(
    "episodes",
    _files,
    Column("verification_id", String, primary_key=True),
    Column("group_id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("member", LargeBinary, nullable=False),
    Column("trouble", String, nullable=False),
    Column("why", String, nullable=False),
    Column("kept_at", String, nullable=False),
    UniqueConstraint("group_id", "number"),
)
_attempts = Table(
    "attempts",
    _files,
    Column("verification_id", ForeignKey(_episodes.c.verification_id), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("version", String, nullable=False),
    Column("prompt", LargeBinary, nullable=False),
    Column("completion", LargeBinary, nullable=False),
    Column("logprobs", LargeBinary, nullable=False),
    Column("constrained", LargeBinary, nullable=False, server_default=text("x''")),
    Column("usable", Boolean, nullable=False, server_default=text("1")),
    Column("images", String, nullable=False, server_default=text("''")),
)
_LATER = (_attempts.c.constrained, _attempts.c.usable, _attempts.c.images)
"""What files of earlier versions may lack."""
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One finished episode."""

    member: pb.GroupMember
    attempts: tuple[Attempt, ...] = ()
    """Empty when the outcome says nothing about the policy, and when there is
    trouble."""
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

        def work(file: Connection) -> dict[int, Kept]:
            found: dict[int, Kept] = {}
            those = (
                select(_episodes)
                .where(_episodes.c.group_id == group_id)
                .order_by(_episodes.c.number)
            )
            for row in file.execute(those).all():
                of_it = _attempts.c.verification_id == row.verification_id
                attempts = file.execute(
                    select(_attempts).where(of_it).order_by(_attempts.c.position)
                )
                found[row.number] = Kept(
                    member=member_of(row.member),
                    attempts=tuple(
                        Attempt(
                            prompt=_unpacked(one.prompt, "<i4"),
                            completion=_unpacked(one.completion, "<i4"),
                            logprobs=_unpacked(one.logprobs, "<f8"),
                            constrained=_unpacked(one.constrained, "<f8"),
                            version=one.version,
                            usable=one.usable,
                            images=tuple(one.images.split()),
                        )
                        for one in attempts
                    ),
                    trouble=Trouble(row.trouble) if row.trouble else None,
                    why=row.why,
                )
            return found

        if not self._path(part).exists():
            return {}
        return self._with(part, work)

    def groups(self, part: str) -> list[str]:
        """The groups of which something is kept, by id."""
        those = select(_episodes.c.group_id).distinct().order_by(_episodes.c.group_id)

        def work(file: Connection) -> list[str]:
            return list(file.scalars(those))

        return self._with(part, work) if self._path(part).exists() else []

    def members(self, part: str, group_id: str) -> list[pb.GroupMember]:
        """How the kept episodes of a group ended, without what is learned from them."""

        def work(file: Connection) -> list[pb.GroupMember]:
            those = (
                select(_episodes.c.member)
                .where(_episodes.c.group_id == group_id)
                .order_by(_episodes.c.number)
            )
            return [member_of(member) for member in file.scalars(those)]

        return self._with(part, work) if self._path(part).exists() else []

    def keep(self, part: str, group_id: str, kept: Kept) -> None:
        """Keep an episode; one that is kept already stays as it is."""
        member = kept.member
        episode = {
            "verification_id": member.verification_id,
            "group_id": group_id,
            "number": member.number,
            "member": member.SerializeToString(),
            "trouble": kept.trouble or "",
            "why": kept.why,
            "kept_at": isoformat(self._clock.now()),
        }
        attempts = [
            {
                "verification_id": member.verification_id,
                "position": position,
                "version": one.version,
                "prompt": _packed(one.prompt, "<i4"),
                "completion": _packed(one.completion, "<i4"),
                "logprobs": _packed(one.logprobs, "<f8"),
                "constrained": _packed(one.constrained, "<f8"),
                "usable": one.usable,
                "images": " ".join(one.images),
            }
            for position, one in enumerate(kept.attempts)
        ]

        def work(file: Connection) -> None:
            put = insert(_episodes).values(episode).on_conflict_do_nothing()
            if file.execute(put).rowcount and attempts:
                file.execute(insert(_attempts), attempts)

        self._with(part, work)

    def _path(self, part: str) -> Path:
        return self._folder / f"{part}.sqlite3"

    def _with(self, part: str, work: Callable[[Connection], T]) -> T:
        with self._turn:
            return self._worked(self._path(part), work)

    def _worked(self, path: Path, work: Callable[[Connection], T]) -> T:
        try:
            with _opened(path) as file:
                return work(file)
        except (DatabaseError, DecodeError, ValueError, zlib.error) as error:
            # it is locked, or the disk is full: not the file's fault
            if isinstance(error, OperationalError):
                raise
            aside = path.with_name(f"{path.name}.damaged-{self._clock.now():%Y%m%dT%H%M%S}")
            log.warning("rollouts_file_damaged", path=str(path), aside=str(aside), error=str(error))
            path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
            path.rename(aside)
        with _opened(path) as file:
            return work(file)


@contextmanager
def _opened(path: Path) -> Iterator[Connection]:
    """A transaction on the file, which has its tables and their columns then."""
    with opened(path, _files) as file:
        there = {column["name"] for column in inspect(file).get_columns(_attempts.name)}
        for column in _LATER:
            if column.name not in there:
                added = Column(
                    column.name, column.type, nullable=False, server_default=column.server_default
                )
                Operations(MigrationContext.configure(file)).add_column(_attempts.name, added)
        yield file


def _packed(values: Sequence[int] | Sequence[float], kind: str) -> bytes:
    import numpy as np  # comes with the extra `train`; the role starts without it

    return zlib.compress(np.asarray(values, dtype=kind).tobytes(), 1)


def _unpacked(data: bytes, kind: str) -> tuple[int, ...]:
    import numpy as np

    return tuple(np.frombuffer(zlib.decompress(data), dtype=kind).tolist()) if data else ()
