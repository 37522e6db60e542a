"""How much of a collection is walked, as a tree of folders. Pure.

The role counts each folder by itself; here a folder's numbers are its own and those of
everything below. Outcomes fall into the groups of `charts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import OUTCOMES, moment_from_pb
from proofwalk.gateway.web.charts import GROUP_OF
from proofwalk.kernel.outcomes import OutcomeKind

TOLD = ("verified", "defect", "untold")
"""Groups of last walks, as columns; a cancelled walk could not tell either."""
WIDTH = 160
"""Of a folder's bar."""
DEEPEST = 8
"""Levels that are set in from one another; what lies deeper stands with these."""


@dataclass(frozen=True, kw_only=True)
class BarPart:
    """A group's part of a bar."""

    group: str
    left: float
    width: float


@dataclass(kw_only=True)
class FolderRow:
    """A folder with everything below."""

    path: str
    depth: int
    procedures: int = 0
    groups: Counter[str] = field(default_factory=Counter)
    unreached: int = 0
    unreadable: int = 0

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def walked(self) -> int:
        return self.groups.total()

    def percent(self, count: int) -> int:
        """A count as a share of the folder's procedures."""
        return round(100 * count / self.procedures) if self.procedures else 0

    @property
    def bar(self) -> Sequence[BarPart]:
        parts: list[BarPart] = []
        left = 0.0
        for group in TOLD:
            width = WIDTH * self.groups[group] / (self.procedures or 1)
            if width:
                parts.append(BarPart(group=group, left=round(left, 2), width=round(width, 2)))
            left += width
        return parts


@dataclass(frozen=True, kw_only=True)
class DueRow:
    """A procedure that an inspection would look at now."""

    procedure: pb.DueProcedure
    outcome: str
    """A word of `kernel.outcomes.OutcomeKind`; empty where it was never walked."""


@dataclass(frozen=True, kw_only=True)
class CoverageView:
    """A collection's coverage, and what is due in it."""

    listed_at: datetime | None
    """When the source was looked at last; None where it never was."""
    tree: Sequence[FolderRow]
    """The whole first, then folders in order."""
    due: Sequence[DueRow]
    due_counts: Mapping[str, int]
    """By reason."""
    due_total: int


def coverage_of(reply: pb.GetCoverageResponse, *, zone: ZoneInfo) -> CoverageView:
    """Coverage as the page tells it."""
    is_listed = reply.HasField("listed_at")
    return CoverageView(
        listed_at=moment_from_pb(reply.listed_at).astimezone(zone) if is_listed else None,
        tree=_tree(reply.folders),
        due=[DueRow(procedure=one, outcome=_word(one.outcome)) for one in reply.due],
        due_counts=dict(reply.due_counts),
        due_total=sum(reply.due_counts.values()),
    )


def _word(outcome: common.Outcome) -> str:
    known = OUTCOMES.from_pb(outcome)
    return known.value if known else ""


def _tree(folders: Iterable[pb.FolderCoverage]) -> Sequence[FolderRow]:
    rows: dict[str, FolderRow] = {}
    for one in folders:
        groups = _groups(one.outcomes)
        for path in _lineage(one.folder):
            depth = min(path.count("/") + 1 if path else 0, DEEPEST)
            row = rows.setdefault(path, FolderRow(path=path, depth=depth))
            row.procedures += one.procedures
            row.groups += groups
            row.unreached += one.unreached
            row.unreadable += one.unreadable
    return [rows[path] for path in sorted(rows, key=lambda path: path.split("/"))]


def _lineage(folder: str) -> Sequence[str]:
    """The top, the folders on the way, and the folder itself."""
    names = folder.split("/") if folder else []
    return ["/".join(names[:count]) for count in range(len(names) + 1)]


def _groups(outcomes: Mapping[str, int]) -> Counter[str]:
    groups: Counter[str] = Counter()
    for word, count in outcomes.items():
        group = GROUP_OF[OutcomeKind(word)]
        groups[group if group in TOLD else "untold"] += count
    return groups
