"""The parts of the suite that figures are told of.

*Held out* is every third task, by its id's digest, but for those that were looked at
while code was written.

*Unsaid* are the tasks whose person's rule asks for more than the document has: a unit
of the family's chain is implicit. The person's world lacks on purpose what the document
presupposes, so that an agent has to bring it about first. A record that is written from
the document makes it, and a rule that is written from a walk on that record has nothing
to ask for there: the two do not speak of the same world.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Protocol, TypeVar

from benchmarks import record
from proofwalk.suites.model import Task
from proofwalk.suites.writing.library_files import read_library

_HELD_OUT = 3
_LOOKED_AT = frozenset(
    {
        "cms-probe-and-notify",
        "ecs-create-instance-1",
        "oss-cors-rule",
        "ram-cleanup-policy",
        "ram-delete-member",
        "ram-policy-rollover",
        "rds-choose-specifications",
        "redis-maintenance-window",
        "slb-rename-stopped",
        "vpc-create-suitable-eip",
    }
)
"""Tasks of the third whose drafts or walks were seen, and which are scored with the
others."""


class _Row(Protocol):
    @property
    def held_out(self) -> bool: ...

    @property
    def unsaid(self) -> bool: ...


RowT = TypeVar("RowT", bound=_Row)


def is_held_out(task: Task) -> bool:
    """Whether the task is of the third that is scored only."""
    third = int(hashlib.sha256(task.id.encode()).hexdigest(), 16) % _HELD_OUT == 0
    return third and task.id not in _LOOKED_AT


def is_unsaid(task: Task) -> bool:
    """Whether the person's rule asks for what the document does not say."""
    return task.family in _unsaid_families()


@cache
def _unsaid_families() -> frozenset[str]:
    library = read_library(record.ROOT / "suites")
    return frozenset(
        family.id for family in library.families if any(link.implicit for link in family.chain)
    )


def parts(rows: Sequence[RowT]) -> Mapping[str, Sequence[RowT]]:
    """All, the third that was not looked at, those that say all, and those that do
    not."""
    return {
        "all": rows,
        "held_out": [row for row in rows if row.held_out],
        "said": [row for row in rows if not row.unsaid],
        "held_out_said": [row for row in rows if row.held_out and not row.unsaid],
        "unsaid": [row for row in rows if row.unsaid],
    }
