"""Which groups follow one another where rollouts stream, and which of them an update
learns from (ComputerRL §2.3: the trainer takes what is there, in batches of flexible
size, and nothing waits for all the rest).

Groups have numbers. At most (η + 1)·B of them are begun and not learned from, with η
updates of staleness allowed and B groups an update at least: the bound that keeps the
data near the policy. An update learns from every group that has ended, once there are B
of them; and it waits for those that would be too old for the update after it. So no
group is lost for being slow, tasks are learned from as often as they were drawn, and
the rest of the environment's places stay filled.

What was begun, and what each update took, is written down before it happens: a run that
is resumed repeats its updates with the groups that they had.

    <run>/rollouts/order.sqlite3

The functions are pure; `GroupOrder` blocks. Next: `group_stream`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Column, Integer, MetaData, String, Table, insert, select, update
from sqlalchemy.exc import DatabaseError, OperationalError

from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.trainer.sqlite_files import opened

_file = MetaData()
_groups = Table(
    "groups",
    _file,
    Column("number", Integer, primary_key=True),
    Column("task", String, nullable=False),
    Column("at", Integer, nullable=False),
    Column("step", Integer),
)


@dataclass(frozen=True, kw_only=True)
class BegunGroup:
    """A group that was begun."""

    number: int
    task: str
    at: int
    """Updates that were done then."""
    step: int | None = None
    """The update that took it."""


def most_under_way(*, per_step: int, max_staleness: int, updates_left: int) -> int:
    """Groups that may be begun and not learned from; none that no update is left
    for."""
    return min(max_staleness + 1, updates_left) * per_step


def rarest(begun: Collection[str], free: Sequence[str], *, seed: int) -> str:
    """The one of the free tasks that was begun least often; among equals the order of a
    round is one of the seed."""
    times = Counter(begun)

    def place(task: str) -> tuple[int, bytes]:
        turn = f"{seed}/tasks/{times[task]}/{task}"
        return times[task], hashlib.sha256(turn.encode()).digest()

    return min(free, key=place)


def batch_of(
    waiting: Sequence[BegunGroup],
    ended: Collection[int],
    *,
    step: int,
    per_step: int,
    max_staleness: int,
) -> tuple[int, ...] | None:
    """The numbers of the groups that update `step` (from 0) learns from, of those that
    none has learned from; None while it has to wait."""
    there = [group.number for group in waiting if group.number in ended]
    due = [group.number for group in waiting if step - group.at >= max_staleness]
    if len(there) < per_step or not set(due) <= set(there):
        return None
    return tuple(sorted(there))


class GroupOrder:
    """The file of one run. One process writes."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "order.sqlite3"

    def read(self) -> list[BegunGroup]:
        """By number. Raises `trainer.order_damaged`."""
        if not self._path.exists():
            return []
        try:
            with opened(self._path, _file) as file:
                rows = file.execute(select(_groups).order_by(_groups.c.number)).all()
        except DatabaseError as error:
            # It is locked, or the disk is full: not the file's fault.
            if isinstance(error, OperationalError):
                raise
            raise self._unknown(f"cannot be read ({error})") from None
        return [
            BegunGroup(number=row.number, task=row.task, at=row.at, step=row.step) for row in rows
        ]

    def missing(self) -> ProofwalkError:
        """The error of a run that has done updates and has no file: its checkpoints are
        those of another folder."""
        return self._unknown("is not there")

    def _unknown(self, why: str) -> ProofwalkError:
        return conflict(
            "trainer.order_damaged",
            f"{self._path} {why}, and without it nobody knows which episodes the run's updates"
            " learned from",
            hint="begin another run with this one's last checkpoint",
        )

    def begin(self, group: BegunGroup) -> None:
        """Write down a group that is about to be begun."""
        row = {"number": group.number, "task": group.task, "at": group.at}
        with opened(self._path, _file) as file:
            file.execute(insert(_groups), row)

    def take(self, step: int, numbers: Sequence[int]) -> None:
        """Write down what an update is about to learn from."""
        with opened(self._path, _file) as file:
            file.execute(update(_groups).where(_groups.c.number.in_(numbers)).values(step=step))
