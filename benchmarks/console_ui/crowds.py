"""Very many made-up verifications and findings, for measurements of lists: rounds of
`platform.seeding`'s history, each of another seed and some hours earlier than the one
before, as rows alone."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection import finding_repository
from proofwalk.inspection.finding_domain import taking_in
from proofwalk.inspection.finding_life import Act, Decision, decided
from proofwalk.kernel.ids import IdSource
from proofwalk.platform.seeding.findings import report_of
from proofwalk.platform.seeding.history import Ending, PlannedWalk, planned
from proofwalk.platform.seeding.verifications import insert_all
from proofwalk.platform.seeding.walks import WalkRows, rows_of

_ROUND = timedelta(hours=7)
_BATCH = 500
_NO_TEXT = "0" * 64
"""Address of a document's text: none is stored."""


def crowd(
    count: int, *, ids: IdSource, now: datetime, endings: Collection[Ending] = tuple(Ending)
) -> Iterator[WalkRows]:
    """So many walks that come out so."""
    walks = (
        moment
        for number in itertools.count()
        for moment in planned(seed=1000 + number, now=now - _ROUND * number)
        if isinstance(moment, PlannedWalk) and moment.ending in endings
    )
    for walk in itertools.islice(walks, count):
        yield rows_of(walk, ids, document_digest=_NO_TEXT)


async def add_verifications(db: Database, count: int, *, ids: IdSource, now: datetime) -> None:
    """Store so many verifications."""
    await insert_all(db, crowd(count, ids=ids, now=now))


async def add_findings(db: Database, count: int, *, ids: IdSource, now: datetime) -> None:
    """Store so many findings, each seen by one walk; a person has marked every third
    fixed."""
    walks = crowd(count, ids=ids, now=now, endings=(Ending.DEFECT, Ending.SUSPECTED))
    first = 0
    while batch := list(itertools.islice(walks, _BATCH)):
        await _add(db, batch, first=first, ids=ids)
        first += len(batch)


async def _add(db: Database, walks: Sequence[WalkRows], *, first: int, ids: IdSource) -> None:
    async def work(tx: Transaction) -> None:
        for number, walk in enumerate(walks, first):
            row = walk.verification
            assert row.finished_at is not None, "only finished walks are in a crowd"
            report = report_of(row, product=row.document_name.split("/")[0])
            step = taking_in(
                None,
                report.witnessed[0],
                report,
                # The history has few faults, and these are to be as many findings.
                fingerprint=f"{number:040x}",
                fresh_id=ids.new("fnd"),
                at=row.finished_at,
            )
            stored, events = step.finding, [step.event]
            if number % 3 == 0:
                word = Decision(act=Act.FIX, actor="maria")
                fixed, event = decided(stored.life, word, version=1, at=row.finished_at)
                stored, events = replace(stored, life=fixed), [*events, event]
            await finding_repository.add(tx, stored)
            if step.sighting is not None:
                await finding_repository.add_sighting(tx, step.sighting)
            for event in filter(None, events):
                await finding_repository.add_event(tx, stored.finding_id, event)

    await db.run(work)
