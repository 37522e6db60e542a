"""What may happen to findings, one function and one transaction each.

Findings come in from finished verifications (`take_in`): idempotent by verification and
fingerprint, so that an inspection and a person may both record one. People decide on
them (`decide`). What opens, reopens or fixes a finding is announced in the same
transaction, so that a webhook tells what is stored and nothing else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection import finding_life as life
from proofwalk.inspection import finding_repository as repository
from proofwalk.inspection.finding_domain import (
    Sighting,
    Step,
    StoredFinding,
    WalkReport,
    taking_in,
    without,
)
from proofwalk.inspection.finding_fingerprint import document_key
from proofwalk.inspection.finding_life import Decision, Event, FindingState
from proofwalk.inspection.finding_precision import (
    Precision,
    WeeklyPrecision,
    monday,
    precisions,
    weekly,
)
from proofwalk.inspection.finding_repository import Filter, Order, Position
from proofwalk.inspection.webhook_life import EventType, Facts
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import IdSource

MAX_SIGHTINGS = 100
Announce = Callable[[Transaction, str, EventType, Facts], Awaitable[None]]
"""Tells a principal's webhooks of an event, within the transaction that makes it."""
_ANNOUNCED = {
    FindingState.OPEN: EventType.FINDING_OPENED,
    FindingState.REOPENED: EventType.FINDING_REOPENED,
    FindingState.FIXED: EventType.FINDING_FIXED,
}


@dataclass(frozen=True, kw_only=True)
class History:
    """A finding with what happened to it."""

    finding: StoredFinding
    events: Sequence[Event]
    sightings: Sequence[Sighting]


@dataclass(frozen=True, kw_only=True)
class Reviewed:
    """What came of a decision on one of several findings: the finding, or why not."""

    finding_id: str
    finding: StoredFinding | None = None
    refusal: ProofwalkError | None = None


class Findings:
    """The use cases over one database."""

    def __init__(self, *, db: Database, clock: Clock, ids: IdSource, announce: Announce) -> None:
        self._db = db
        self._clock = clock
        self._ids = ids
        self._announce = announce

    async def record(self, report: WalkReport) -> Sequence[StoredFinding]:
        """Take in a report. Return what it saw, then what it shows to be gone."""
        return await self._db.run(lambda tx: self.take_in(tx, report))

    async def take_in(self, tx: Transaction, report: WalkReport) -> Sequence[StoredFinding]:
        """As `record`, within a transaction of somebody else's."""
        at = self._clock.now()
        witnessed = report.by_fingerprint()
        seen = []
        for fingerprint, one in witnessed.items():
            known = await repository.with_fingerprint(tx, report.principal, fingerprint)
            if known is not None and await repository.has_sighting(
                tx, known.finding_id, report.walk.verification_id
            ):
                seen.append(known)
                continue
            step = taking_in(
                known,
                one,
                report,
                fingerprint=fingerprint,
                fresh_id=self._ids.new("fnd"),
                at=at,
            )
            seen.append(await self._stored(tx, step, was=known))
        gone = []
        for known in await _others(tx, report) if report.proves else ():
            if known.fingerprint in witnessed:
                continue
            step = without(known, report, at=at)
            if step.event is not None:
                gone.append(await self._stored(tx, step, was=known))
        return [*seen, *gone]

    async def decide(
        self, finding_id: str, decision: Decision, *, version: int, caller: Caller
    ) -> StoredFinding:
        """Apply a person's decision. Raises `finding.not_found`,
        `finding.stale_version`, `finding.bad_transition`."""

        async def work(tx: Transaction) -> StoredFinding:
            known = await repository.get(tx, finding_id, caller=caller)
            moved, event = life.decided(known.life, decision, version=version, at=self._clock.now())
            step = Step(finding=replace(known, life=moved), event=event)
            return await self._stored(tx, step, was=known)

        return await self._db.run(work)

    async def decide_all(
        self, versions: Sequence[tuple[str, int]], decision: Decision, *, caller: Caller
    ) -> Sequence[Reviewed]:
        """Apply one decision to several findings, each in a transaction of its own."""
        reviewed = []
        for finding_id, version in versions:
            try:
                stored = await self.decide(finding_id, decision, version=version, caller=caller)
                reviewed.append(Reviewed(finding_id=finding_id, finding=stored))
            except ProofwalkError as error:
                reviewed.append(Reviewed(finding_id=finding_id, refusal=error))
        return reviewed

    async def read(self, finding_id: str, *, caller: Caller) -> History:
        """Raises `finding.not_found`."""
        async with self._db.read() as tx:
            stored = await repository.get(tx, finding_id, caller=caller)
            return History(
                finding=stored,
                events=await repository.events_of(tx, finding_id),
                sightings=await repository.sightings_of(tx, finding_id, limit=MAX_SIGHTINGS),
            )

    async def page(
        self,
        asked: Filter,
        *,
        caller: Caller,
        limit: int,
        order: Order = Order.NEWEST,
        after: Position | None = None,
    ) -> Sequence[StoredFinding]:
        """Findings that fit, in order, from just behind `after` on."""
        async with self._db.read() as tx:
            return await repository.page(
                tx, asked, caller=caller, limit=limit, order=order, after=after
            )

    async def precision(self, *, caller: Caller) -> Sequence[Precision]:
        """How often reviewers accept the findings that the caller sees."""
        async with self._db.read() as tx:
            return precisions(await repository.tallies(tx, caller=caller))

    async def weekly_precision(self, *, caller: Caller, weeks: int) -> Sequence[WeeklyPrecision]:
        """How often reviewers accept what was found in each of the last weeks, the
        present one included."""
        now = self._clock.now()
        first = monday(now.date()) - timedelta(weeks=weeks - 1)
        since = datetime.combine(first, time(), now.tzinfo)
        async with self._db.read() as tx:
            return weekly(await repository.daily_tallies(tx, caller=caller, since=since))

    async def _stored(
        self, tx: Transaction, step: Step, *, was: StoredFinding | None
    ) -> StoredFinding:
        stored = step.finding
        if was is None:
            await repository.add(tx, stored)
        else:
            await repository.save(tx, stored, was=was)
        if step.sighting is not None:
            await repository.add_sighting(tx, step.sighting)
        if step.event is not None:
            await repository.add_event(tx, stored.finding_id, step.event)
            before = None if was is None else was.life.state
            kind = _ANNOUNCED.get(stored.life.state)
            if kind is not None and stored.life.state is not before:
                facts = _facts(stored, step.event)
                await self._announce(tx, stored.principal, kind, facts)
        return stored


async def _others(tx: Transaction, report: WalkReport) -> Sequence[StoredFinding]:
    return await repository.of_procedure(
        tx,
        report.principal,
        target=report.target,
        document_key=document_key(report.document),
        procedure_id=report.procedure_id,
    )


def _facts(stored: StoredFinding, event: Event) -> Facts:
    """What a webhook says of a finding."""
    finding = stored.finding
    return {
        "finding_id": stored.finding_id,
        "fingerprint": stored.fingerprint,
        "state": stored.life.state.value,
        "version": stored.life.version,
        "kind": finding.kind.value,
        "certainty": stored.certainty.value,
        "target": stored.target,
        "document": stored.document,
        "procedure_id": stored.procedure_id,
        "product": stored.product,
        "line": finding.line,
        "sentence": finding.sentence,
        "message": finding.message,
        "asked": finding.asked,
        "offered": finding.offered,
        "actor": event.actor,
        "verification_id": event.verification_id,
    }
