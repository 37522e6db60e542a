"""Rows of the inspection role for `tenancy`: for each owner a finding, and a paused
collection with an inspection that has ended."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection import finding_repository, usecases
from proofwalk.inspection.finding_domain import (
    Certainty,
    WalkReport,
    Witnessed,
    taking_in,
)
from proofwalk.inspection.finding_life import Walk
from proofwalk.inspection.usecases import Start
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.orders.collection import CollectionSpec, Source, SourceKind
from proofwalk.orders.order import Order

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


class Inspected:
    """The role's rows. Ids end as those of the owner's verifications do."""

    def __init__(self, db: Database, folder: Path) -> None:
        self.db = db
        self._spec = CollectionSpec(
            name="docs",
            source=Source(kind=SourceKind.FOLDER, address=str(folder)),
            order=Order(target="devcloud"),
        )

    async def rows(self, owner: str, *, verification_id: str) -> None:
        """Make an owner's rows; the verification is said to have seen the finding."""
        tail = verification_id.removeprefix("ver")
        await self.db.run(lambda tx: _finding(tx, owner, verification_id, f"fnd{tail}"))
        caller, clock = Caller(principal=owner), SystemClock()
        collection_id, inspection_id = f"col{tail}", f"insp{tail}"
        await usecases.create_collection(
            self.db, collection_id, self._spec, caller=caller, clock=clock
        )
        asked = Start(inspection_id=inspection_id, collection_id=collection_id)
        await usecases.start_inspection(self.db, asked, caller=ITSELF, clock=clock)
        await usecases.request_cancel(self.db, inspection_id, caller=ITSELF, clock=clock)
        paused = self._spec.model_copy(update={"paused": True})
        await usecases.update_collection(self.db, collection_id, paused, caller=ITSELF, clock=clock)

    async def standing(self, owner: str) -> tuple[object, ...]:
        """Where an owner's finding, collection and inspections are."""
        tail = f"_{owner or 'nobody'}_done"
        async with self.db.read() as tx:
            finding = await finding_repository.get(tx, f"fnd{tail}", caller=ITSELF)
        collection = await usecases.read_collection(self.db, f"col{tail}", caller=ITSELF)
        runs = await usecases.read_inspections(
            self.db, caller=ITSELF, collection_id=f"col{tail}", limit=9, before=None
        )
        return finding.life, collection.spec, [one.inspection.state for one in runs]


async def _finding(tx: Transaction, owner: str, verification_id: str, finding_id: str) -> None:
    wrong = Finding(
        file="stop.md",
        line=4,
        sentence="Click Stop.",
        kind=FindingKind.RENAMED,
        message="“Stop” is called “Halt”",
        asked="Stop",
    )
    witnessed = Witnessed(finding=wrong, certainty=Certainty.PROVEN)
    report = WalkReport(
        walk=Walk(verification_id=verification_id, at=_MOMENT),
        principal=owner,
        target="devcloud",
        document="stop.md",
        procedure_id="",
        policy="literal",
        product="docs",
        witnessed=(witnessed,),
        proves=False,
    )
    (fingerprint,) = report.by_fingerprint()
    step = taking_in(
        None, witnessed, report, fingerprint=fingerprint, fresh_id=finding_id, at=_MOMENT
    )
    assert step.event is not None, "a finding begins with an event"
    assert step.sighting is not None, "and with a sighting"
    await finding_repository.add(tx, step.finding)
    await finding_repository.add_event(tx, finding_id, step.event)
    await finding_repository.add_sighting(tx, step.sighting)
