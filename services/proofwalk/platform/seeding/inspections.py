"""Writes collections and their past inspections into the inspection role's store: one
collection a product, and an inspection for each week.

The collections are paused. Their documents describe no console that there is, and a
schedule would have them walked for real.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection import item_repository, repository
from proofwalk.inspection.domain import (
    Collection,
    Due,
    Ending,
    How,
    Inputs,
    Inspection,
    InspectionState,
    Item,
    ItemState,
    StartedBy,
)
from proofwalk.kernel.ids import IdSource
from proofwalk.orders.collection import Budget, CollectionSpec, Schedule, Source, SourceKind
from proofwalk.platform.seeding.history import PlannedWalk
from proofwalk.rollout.repository import VerificationRow

_WALK_S = 35.0
"""What a walk is expected to take."""


@dataclass(frozen=True, kw_only=True)
class InspectedWalk:
    """A walk that took place, as an inspection asked for it."""

    planned: PlannedWalk
    row: VerificationRow


async def write_inspections(
    db: Database, ids: IdSource, walks: Sequence[InspectedWalk], *, documents: Path
) -> int:
    """Write a collection for each product of the walks, with its inspections. Return
    how many inspections that are."""
    by_product: dict[str, list[InspectedWalk]] = {}
    for walk in walks:
        by_product.setdefault(walk.planned.document.product, []).append(walk)
    count = 0
    for product, own in by_product.items():
        collection = _collection(ids.new("col"), product, own[0].planned, documents)
        by_week: dict[int, list[InspectedWalk]] = {}
        for walk in own:
            by_week.setdefault(walk.planned.week, []).append(walk)
        await _write(db, ids, collection, by_week)
        count += len(by_week)
    return count


def _collection(
    collection_id: str, product: str, first: PlannedWalk, documents: Path
) -> Collection:
    source = Source(kind=SourceKind.FOLDER, address=str(documents.absolute() / product))
    return Collection(
        id=collection_id,
        principal=first.owner,
        spec=CollectionSpec.model_validate(
            {
                "name": product,
                "source": source,
                "order": {"target": first.target, "policy": "literal", "attempts": 2},
                "budget": Budget(walks=20),
                "schedule": Schedule(cron="0 3 * * 1"),
                "paused": True,
            }
        ),
        created_at=first.at - timedelta(days=1),
    )


async def _write(
    db: Database,
    ids: IdSource,
    collection: Collection,
    by_week: Mapping[int, Sequence[InspectedWalk]],
) -> None:
    async def work(tx: Transaction) -> None:
        await repository.insert_collection(tx, collection)
        for week, walks in sorted(by_week.items()):
            inspection = _inspection(ids.new("insp"), collection, walks)
            await repository.insert_inspection(tx, inspection)
            due = Due.STALE if week else Due.NEW
            rows = [_item(inspection, number, due, one) for number, one in enumerate(walks, 1)]
            await item_repository.insert_items(tx, rows)

    await db.run(work)


def _inspection(
    inspection_id: str, collection: Collection, walks: Sequence[InspectedWalk]
) -> Inspection:
    started = min(one.row.created_at for one in walks) - timedelta(seconds=20)
    return Inspection(
        id=inspection_id,
        collection_id=collection.id,
        principal=collection.principal,
        state=InspectionState.FINISHED,
        started_by=StartedBy.SCHEDULE,
        scheduled_for=started,
        created_at=started,
        started_at=started,
        finished_at=max(one.row.finished_at or started for one in walks) + timedelta(seconds=5),
    )


def _item(inspection: Inspection, number: int, due: Due, walk: InspectedWalk) -> Item:
    row, document = walk.row, walk.planned.document
    assert row.verdict is not None, "only finished walks are written"
    outcome = row.verdict.judgement.outcome
    return Item(
        inspection_id=inspection.id,
        number=number,
        collection_id=inspection.collection_id,
        procedure_id=f"{document.page}#{document.slug}",
        page=document.page,
        title=document.title,
        due=due,
        state=ItemState.DONE,
        why="it was never walked" if due is Due.NEW else "its last walk is a week ago",
        how=How.WALK,
        verification_id=row.id,
        inputs=Inputs(document=hashlib.sha256(walk.planned.text.encode()).hexdigest()),
        expected_s=_WALK_S,
        ending=Ending(
            outcome=outcome.kind,
            reason=outcome.reason,
            cost=row.verdict.cost,
            seconds=row.verdict.seconds,
        ),
        asked_at=row.created_at,
        finished_at=row.finished_at,
    )
