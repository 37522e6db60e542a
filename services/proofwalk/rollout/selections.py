"""Which verifications are meant, and how many there are: the SQL of lists and counts.

`chosen` is the condition of a `Selection` for a caller, whose first part is what the
caller sees (`visible_to`). `summarise` counts in SQL, so that a page that
shows counts reads no row of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, ColumnElement, and_, case, func, select, true

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.rollout.tables import verifications

MOST_DOCUMENTS = 20
_DEFECTS = (OutcomeKind.DOC_DEFECT, OutcomeKind.SUSPECTED)


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Verifications of one group, or of none; each further member that is set narrows
    it, but for `with_members`, which takes in those of all groups where none is
    named."""

    group_id: str = ""
    with_members: bool = False
    principal: str = ""
    state: JobState | None = None
    outcome: OutcomeKind | None = None
    target: str = ""


EVERY = Selection()
"""Those that are in no group."""


@dataclass(frozen=True, kw_only=True)
class VerdictCount:
    """Verdicts of one outcome on one day, `YYYY-MM-DD` by UTC."""

    day: str
    outcome: OutcomeKind
    count: int


@dataclass(frozen=True, kw_only=True)
class DocumentDrift:
    """How often a document was found wrong, or perhaps wrong."""

    document: str
    verdicts: int
    defects: int
    last_finished_at: datetime


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Counts of what a caller sees."""

    unfinished: Mapping[JobState, int]
    verdicts: Sequence[VerdictCount]
    documents: Sequence[DocumentDrift]


def visible_to(caller: Caller, owner: Column[str]) -> ColumnElement[bool]:
    """The SQL of `Caller.sees`, over the column that names the owner."""
    return true() if caller.is_operator else and_(owner != "", owner == caller.principal)


def chosen(selection: Selection, caller: Caller) -> ColumnElement[bool]:
    """The condition of what a caller sees of a selection."""
    parts: list[ColumnElement[bool]] = [visible_to(caller, verifications.c.principal)]
    if selection.group_id or not selection.with_members:
        parts.append(verifications.c.group_id == selection.group_id)
    if selection.principal:
        parts.append(verifications.c.principal == selection.principal)
    if selection.state is not None:
        parts.append(verifications.c.state == selection.state.value)
    if selection.outcome is not None:
        parts.append(verifications.c.outcome == selection.outcome.value)
    if selection.target:
        parts.append(verifications.c.target == selection.target)
    return and_(*parts)


async def summarise(db: Database, *, caller: Caller, since: datetime) -> Summary:
    """What is not finished, and the verdicts since a moment."""
    async with db.read() as tx:
        return Summary(
            unfinished=await _unfinished(tx, caller),
            verdicts=await _verdicts(tx, caller, since),
            documents=await _documents(tx, caller, since),
        )


async def _unfinished(tx: Transaction, caller: Caller) -> Mapping[JobState, int]:
    state = verifications.c.state
    query = (
        select(state, func.count())
        .where(chosen(EVERY, caller), state != JobState.FINISHED.value)
        .group_by(state)
    )
    return {JobState(name): count for name, count in await tx.execute(query)}


async def _verdicts(tx: Transaction, caller: Caller, since: datetime) -> Sequence[VerdictCount]:
    finished = verifications.c.finished_at
    # A date of PostgreSQL is by the session's time zone unless one is named.
    by_utc = finished if tx.dialect.name == "sqlite" else func.timezone("UTC", finished)
    day = func.date(by_utc).label("day")
    outcome = verifications.c.outcome.label("outcome")
    query = (
        select(day, outcome, func.count())
        .where(chosen(EVERY, caller), finished >= since)
        .group_by(day, outcome)
        .order_by(day, outcome)
    )
    return [
        VerdictCount(day=str(one), outcome=OutcomeKind(word), count=count)
        for one, word, count in await tx.execute(query)
    ]


async def _documents(tx: Transaction, caller: Caller, since: datetime) -> Sequence[DocumentDrift]:
    document, finished = verifications.c.document_name, verifications.c.finished_at
    is_defect = case((verifications.c.outcome.in_([one.value for one in _DEFECTS]), 1), else_=0)
    defects, last = func.sum(is_defect), func.max(finished)
    query = (
        select(document, func.count(), defects, last)
        .where(chosen(EVERY, caller), finished >= since)
        .group_by(document)
        .order_by(defects.desc(), last.desc(), document)
        .limit(MOST_DOCUMENTS)
    )
    return [
        DocumentDrift(document=name, verdicts=count, defects=int(wrong), last_finished_at=at)
        for name, count, wrong, at in await tx.execute(query)
    ]
