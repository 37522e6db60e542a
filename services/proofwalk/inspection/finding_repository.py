"""SQL over findings, their events and their sightings. Each function takes a
transaction that its caller ends; none of them decides anything.

`save` is the one way to change a finding: a compare-and-swap on the version and the
number of sightings that the caller read. Losing it raises `database.conflict`, which
has the transaction run again from its start. Reads on somebody's behalf take the
caller, and find what it may see.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    and_,
    case,
    func,
    insert,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from proofwalk.chassis.database import Transaction
from proofwalk.inspection.finding_domain import Certainty, Sighting, StoredFinding, no_finding
from proofwalk.inspection.finding_life import Act, Event, FindingState, Life, Review
from proofwalk.inspection.finding_precision import DailyTally, Tally
from proofwalk.inspection.finding_tables import finding_events, finding_sightings, findings
from proofwalk.inspection.repository import visible_to
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import Finding, FindingKind


class Order(StrEnum):
    """How a list of findings is sorted."""

    NEWEST = "newest"
    IMPORTANCE = "importance"
    """The surer first, then what more verifications saw, then the newer."""


@dataclass(frozen=True, kw_only=True)
class Position:
    """Where a page ends: all that a list is sorted by, of its last row."""

    certainty: Certainty
    sightings: int
    created_at: datetime
    finding_id: str


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which findings are asked for; what is empty lets all through."""

    states: Collection[FindingState] = ()
    kinds: Collection[FindingKind] = ()
    product: str = ""
    path: str = ""
    """How the document's path or URL begins, without a scheme."""
    target: str = ""
    assignee: str = ""
    policy: str = ""
    text: str = ""
    """A part of what the finding says, or of its document's name; case does not
    count."""


async def add(tx: Transaction, stored: StoredFinding) -> None:
    """A new finding. Raises `database.conflict` if its fingerprint came in between."""
    # A violated constraint would be the program's mistake; another process that has
    # found the same is none. The two engines have no common word for that.
    same = [findings.c.principal, findings.c.fingerprint]
    insertion = (
        postgresql.insert(findings)
        .values(_columns(stored))
        .on_conflict_do_nothing(index_elements=same)
        if tx.dialect.name == "postgresql"
        else sqlite.insert(findings)
        .values(_columns(stored))
        .on_conflict_do_nothing(index_elements=same)
    )
    if (await tx.execute(insertion)).rowcount != 1:
        raise _lost_race()


async def save(tx: Transaction, stored: StoredFinding, *, was: StoredFinding) -> None:
    """Replace `was` by `stored`, if it is still what it was. Raises
    `database.conflict`."""
    same = (
        (findings.c.id == was.finding_id)
        & (findings.c.version == was.life.version)
        & (findings.c.sightings == was.life.sightings)
    )
    changed = await tx.execute(update(findings).where(same).values(_columns(stored)))
    if changed.rowcount != 1:
        raise _lost_race()


async def get(tx: Transaction, finding_id: str, *, caller: Caller) -> StoredFinding:
    """Raises `finding.not_found`."""
    found = await _all(
        tx, and_(findings.c.id == finding_id, visible_to(caller, findings.c.principal))
    )
    if not found:
        raise no_finding(finding_id)
    return found[0]


async def with_fingerprint(
    tx: Transaction, principal: str, fingerprint: str
) -> StoredFinding | None:
    """The principal's finding that has this fingerprint."""
    found = await _all(
        tx, and_(findings.c.principal == principal, findings.c.fingerprint == fingerprint)
    )
    return found[0] if found else None


async def of_procedure(
    tx: Transaction, principal: str, *, target: str, document_key: str, procedure_id: str
) -> Sequence[StoredFinding]:
    """All findings of a procedure."""
    return await _all(
        tx,
        and_(
            findings.c.principal == principal,
            findings.c.target == target,
            findings.c.document_key == document_key,
            findings.c.procedure_id == procedure_id,
        ),
    )


async def unproven_fixes(
    tx: Transaction, principal: str, *, target: str
) -> frozenset[tuple[str, str]]:
    """Document keys and procedures of which a person says that a finding is fixed, and
    no walk has shown it yet."""
    query = select(findings.c.document_key, findings.c.procedure_id).where(
        findings.c.principal == principal,
        findings.c.target == target,
        findings.c.state == FindingState.FIXED.value,
        findings.c.proof == "",
    )
    return frozenset((key, procedure) for key, procedure in await tx.execute(query))


async def page(
    tx: Transaction,
    asked: Filter,
    *,
    caller: Caller,
    limit: int,
    order: Order = Order.NEWEST,
    after: Position | None = None,
) -> Sequence[StoredFinding]:
    """Findings that fit, in order, from just behind `after` on."""
    newest: list[ColumnElement[Any]] = [findings.c.created_at, findings.c.id]
    keys = newest if order is Order.NEWEST else [_RANK, findings.c.sightings, *newest]
    conditions = [visible_to(caller, findings.c.principal), *_filters(asked)]
    if after is not None:
        place = [after.certainty.rank, after.sightings, after.created_at, after.finding_id]
        conditions.append(tuple_(*keys) < tuple(place[-len(keys) :]))
    query = select(findings).where(*conditions).order_by(*(key.desc() for key in keys)).limit(limit)
    return [_finding(row) for row in (await tx.execute(query)).mappings()]


async def tallies(tx: Transaction, *, caller: Caller) -> Sequence[Tally]:
    """How many findings of each class have which review."""
    kinds = (
        findings.c.kind,
        findings.c.policy,
        findings.c.target,
        findings.c.product,
        findings.c.review,
    )
    query = (
        select(*kinds, func.count().label("count"))
        .where(visible_to(caller, findings.c.principal))
        .group_by(*kinds)
    )
    return [
        Tally(**{**row, "review": Review(row["review"])})
        for row in (await tx.execute(query)).mappings()
    ]


async def daily_tallies(
    tx: Transaction, *, caller: Caller, since: datetime
) -> Sequence[DailyTally]:
    """How many findings that were first seen since a moment have which review, by day
    and product."""
    created = findings.c.created_at
    # A date of PostgreSQL is by the session's time zone unless one is named.
    by_utc = created if tx.dialect.name == "sqlite" else func.timezone("UTC", created)
    parts = (func.date(by_utc).label("day"), findings.c.product, findings.c.review)
    query = (
        select(*parts, func.count())
        .where(visible_to(caller, findings.c.principal), created >= since)
        .group_by(*parts)
    )
    return [
        DailyTally(
            day=date.fromisoformat(str(day)), product=product, review=Review(review), count=count
        )
        for day, product, review, count in await tx.execute(query)
    ]


async def add_event(tx: Transaction, finding_id: str, event: Event) -> None:
    """Append to a finding's history."""
    await tx.execute(
        insert(finding_events).values(
            **{**asdict(event), "act": event.act.value, "state": event.state.value},
            finding_id=finding_id,
        )
    )


async def events_of(tx: Transaction, finding_id: str) -> Sequence[Event]:
    """A finding's history, oldest first."""
    query = (
        select(finding_events)
        .where(finding_events.c.finding_id == finding_id)
        .order_by(finding_events.c.number)
    )
    return [
        Event(
            number=row["number"],
            act=Act(row["act"]),
            state=FindingState(row["state"]),
            at=row["at"],
            actor=row["actor"],
            words=row["words"],
            verification_id=row["verification_id"],
        )
        for row in (await tx.execute(query)).mappings()
    ]


async def add_sighting(tx: Transaction, sighting: Sighting) -> None:
    """A verification that saw a finding."""
    await tx.execute(
        insert(finding_sightings).values(
            **{**asdict(sighting), "certainty": sighting.certainty.value}
        )
    )


async def has_sighting(tx: Transaction, finding_id: str, verification_id: str) -> bool:
    """Whether this verification was taken in as a sighting before."""
    query = select(finding_sightings.c.finding_id).where(
        finding_sightings.c.finding_id == finding_id,
        finding_sightings.c.verification_id == verification_id,
    )
    return (await tx.execute(query)).first() is not None


async def sightings_of(tx: Transaction, finding_id: str, *, limit: int) -> Sequence[Sighting]:
    """Sightings of a finding, newest first."""
    query = (
        select(finding_sightings)
        .where(finding_sightings.c.finding_id == finding_id)
        .order_by(finding_sightings.c.at.desc(), finding_sightings.c.verification_id.desc())
        .limit(limit)
    )
    return [
        Sighting(**{**row, "certainty": Certainty(row["certainty"])})
        for row in (await tx.execute(query)).mappings()
    ]


def _lost_race() -> ProofwalkError:
    return ProofwalkError(
        "database.conflict",
        "another transaction changed the finding",
        status=Status.ABORTED,
        retryable=True,
    )


_RANK: ColumnElement[int] = case(
    {certainty.value: certainty.rank for certainty in Certainty}, value=findings.c.certainty
)
_SAID = ("sentence", "message", "asked", "offered")
"""What of a finding's wording is searched for a text."""


def _filters(asked: Filter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if asked.states:
        conditions.append(findings.c.state.in_([state.value for state in asked.states]))
    if asked.kinds:
        conditions.append(findings.c.kind.in_([kind.value for kind in asked.kinds]))
    for column, text in (
        (findings.c.product, asked.product),
        (findings.c.target, asked.target),
        (findings.c.assignee, asked.assignee),
        (findings.c.policy, asked.policy),
    ):
        if text:
            conditions.append(column == text)
    if asked.path:
        conditions.append(findings.c.document_key.startswith(asked.path, autoescape=True))
    if asked.text:
        texts = [findings.c.document, *(findings.c.wording[name].as_string() for name in _SAID)]
        conditions.append(or_(*(text.icontains(asked.text, autoescape=True) for text in texts)))
    return conditions


async def _all(tx: Transaction, where: ColumnElement[bool]) -> Sequence[StoredFinding]:
    query = select(findings).where(where).order_by(findings.c.created_at, findings.c.id)
    return [_finding(row) for row in (await tx.execute(query)).mappings()]


def _finding(row: RowMapping) -> StoredFinding:
    wording = row["wording"]
    return StoredFinding(
        finding_id=row["id"],
        principal=row["principal"],
        fingerprint=row["fingerprint"],
        target=row["target"],
        document=row["document"],
        procedure_id=row["procedure_id"],
        product=row["product"],
        policy=row["policy"],
        finding=Finding(
            **{
                **wording,
                "kind": FindingKind(row["kind"]),
                "candidates": tuple(wording["candidates"]),
                "way": tuple(wording["way"]),
            }
        ),
        certainty=Certainty(row["certainty"]),
        life=Life(
            state=FindingState(row["state"]),
            review=Review(row["review"]),
            assignee=row["assignee"],
            version=row["version"],
            sightings=row["sightings"],
            as_of=row["as_of"],
            proof=row["proof"],
        ),
        created_at=row["created_at"],
        seen_at=row["seen_at"],
    )


def _columns(stored: StoredFinding) -> dict[str, Any]:
    wording = {
        name: list(words) if isinstance(words, tuple) else words
        for name, words in asdict(stored.finding).items()
        if name != "kind"
    }
    life = stored.life
    return {
        "id": stored.finding_id,
        "principal": stored.principal,
        "fingerprint": stored.fingerprint,
        "target": stored.target,
        "document": stored.document,
        "document_key": stored.document_key,
        "procedure_id": stored.procedure_id,
        "product": stored.product,
        "policy": stored.policy,
        "kind": stored.finding.kind.value,
        "certainty": stored.certainty.value,
        "wording": wording,
        "state": life.state.value,
        "review": life.review.value,
        "assignee": life.assignee,
        "version": life.version,
        "sightings": life.sightings,
        "as_of": life.as_of,
        "proof": life.proof,
        "created_at": stored.created_at,
        "seen_at": stored.seen_at,
    }
