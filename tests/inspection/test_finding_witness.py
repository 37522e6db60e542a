"""Inspections take in what their walks say of findings, and walk again what somebody
has fixed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from proofwalk.chassis.database import Database
from proofwalk.inspection import running, usecases
from proofwalk.inspection.documents import Listing
from proofwalk.inspection.domain import Claim, Due, How, Item, ItemState
from proofwalk.inspection.finding_domain import WalkReport
from proofwalk.inspection.finding_life import Act, FindingState
from proofwalk.inspection.finding_repository import Filter
from proofwalk.inspection.finding_witness import FindingWitness
from proofwalk.inspection.ports import Seen
from proofwalk.inspection.usecases import Start
from proofwalk.inspection.webhook_life import EventType
from proofwalk.kernel.errors import ProofwalkError
from tests.fixtures.templates import copy_migrated
from tests.inspection.findings import Ledger, decision
from tests.inspection.kit import ANN, VERIFIED, collected, listed

LISTING = Listing(
    procedures=tuple(
        replace(one, request=one.request.model_copy(update={"procedure_id": "p"}))
        for one in (listed("stop#p"), listed("other#p"))
    )
)


class Place:
    """A collection with its inspections, and the findings that they see."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.ledger = Ledger(db)
        self.witness = FindingWitness(self.ledger.findings, announce=self.ledger.announce)

    async def begun(self, name: str) -> Claim:
        clock = self.ledger.clock
        asked = Start(inspection_id=name, collection_id="docs")
        await usecases.start_inspection(self.db, asked, caller=ANN, clock=clock)
        held = await running.claim(self.db, name, holder="me", ttl=timedelta(hours=1), clock=clock)
        assert held is not None
        await running.begin(self.db, held, LISTING, clock=clock)
        return held

    def report(self, item: Item, *asked: str) -> WalkReport:
        walk = self.ledger.walk(
            item.verification_id, *asked, principal="ann", document=item.page, proves=not asked
        )
        return replace(walk, procedure_id="p", product="")

    async def settle(self, held: Claim, item: Item, report: WalkReport) -> None:
        await running.settle(
            self.db,
            held,
            item,
            Seen(ending=VERIFIED, report=report),
            clock=self.ledger.clock,
            witness=self.witness,
        )

    async def inspected(self, name: str, *asked: str) -> dict[str, Item]:
        """An inspection from its start to its end, whose walks saw these words wrong;
        its items by their procedures."""
        held = await self.begun(name)
        for item in (await running.look(self.db, held)).waiting:
            intended = await running.intend(
                self.db, held, item, how=How.WALK, clock=self.ledger.clock
            )
            words = asked if item.procedure_id == "stop#p" else ()
            await self.settle(held, intended, self.report(intended, *words))
        await running.finish(self.db, held, clock=self.ledger.clock, witness=self.witness)
        items = await usecases.read_items(self.db, name, caller=ANN, after=0, limit=9)
        self.ledger.later()
        return {item.procedure_id: item for item in items}


@pytest.fixture
async def place(sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory) -> Place:
    await copy_migrated("proofwalk.inspection", sqlite_db, tmp_path_factory)
    await collected(sqlite_db)
    return Place(sqlite_db)


async def test_what_a_walk_saw_is_a_finding_of_the_collections_owner(place: Place) -> None:
    items = await place.inspected("i", "Stop")
    [row] = await place.ledger.findings.page(Filter(), caller=ANN, limit=9)
    assert (row.principal, row.product, row.document) == ("ann", "docs", "stop.md")
    history = await place.ledger.findings.read(row.finding_id, caller=ANN)
    seen_by = [one.verification_id for one in history.sightings]
    assert seen_by == [items["stop#p"].verification_id]
    told = [(whose, event) for whose, event, _ in place.ledger.announced]
    assert told == [("ann", EventType.FINDING_OPENED), ("ann", EventType.INSPECTION_FINISHED)]


async def test_a_fixed_procedure_is_walked_again_and_shown(place: Place) -> None:
    await place.inspected("i", "Stop")
    dues = {name: item.due for name, item in (await place.inspected("j")).items()}
    assert dues == dict.fromkeys(dues, Due.NOT_DUE)
    [row] = await place.ledger.findings.page(Filter(), caller=ANN, limit=9)
    fixed = await place.ledger.findings.decide(
        row.finding_id, decision(Act.FIX), version=1, caller=ANN
    )
    place.ledger.later()
    items = await place.inspected("k")
    assert (items["stop#p"].due, items["other#p"].due) == (Due.FIXED, Due.NOT_DUE)
    history = await place.ledger.findings.read(row.finding_id, caller=ANN)
    assert fixed.life.proof == ""
    assert (history.finding.life.state, history.finding.life.proof) == (
        FindingState.FIXED,
        items["stop#p"].verification_id,
    )
    dues = {name: item.due for name, item in (await place.inspected("l")).items()}
    assert dues == dict.fromkeys(dues, Due.NOT_DUE)


async def test_item_and_finding_are_stored_together_or_not_at_all(place: Place) -> None:
    held = await place.begun("i")
    [item, *_] = (await running.look(place.db, held)).waiting
    intended = await running.intend(place.db, held, item, how=How.WALK, clock=place.ledger.clock)
    lost = replace(held, epoch=held.epoch - 1)
    with pytest.raises(ProofwalkError, match="epoch"):
        await place.settle(lost, intended, place.report(intended, "Stop"))
    assert await place.ledger.findings.page(Filter(), caller=ANN, limit=9) == []
    items = await usecases.read_items(place.db, "i", caller=ANN, after=0, limit=9)
    assert [one.state for one in items] == [ItemState.ASKED, ItemState.WAITING]
