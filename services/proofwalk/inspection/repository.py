"""SQL over collections and inspections. Each function takes a transaction that its
caller ends; none of them decides anything.

Writes of a worker are compare-and-swap on the claim: `holding` raises
`lease.stale_epoch` when the claim was taken over. Reads on somebody's behalf take the
caller, and find what it may see: what belongs to another is not found, in the same
words as what does not exist. Items: `item_repository`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    RowMapping,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    update,
)

from proofwalk.chassis.database import Transaction
from proofwalk.inspection.domain import (
    ENDED,
    Collection,
    Inspection,
    InspectionState,
    ItemState,
    StartedBy,
    no_collection,
    no_inspection,
)
from proofwalk.inspection.finding_tables import findings
from proofwalk.inspection.tables import METADATA, collections, inspections, items
from proofwalk.inspection.webhook_tables import webhooks
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.leases import stale_epoch
from proofwalk.orders.collection import Budget, CollectionSpec, Schedule, Source, Weight
from proofwalk.orders.stored import from_stored, to_stored

__all__ = ["METADATA", "findings", "webhooks"]
"""For the migrations: the tables of every module; the rest is imported by name."""

_ENDED = [state.value for state in ENDED]


def visible_to(caller: Caller, owner: Column[str]) -> ColumnElement[bool]:
    """The SQL of `Caller.sees`, over the column that names the owner."""
    return true() if caller.is_operator else and_(owner != "", owner == caller.principal)


def _collection(row: RowMapping) -> Collection:
    return Collection(
        id=row["id"],
        principal=row["principal"],
        created_at=row["created_at"],
        next_run_at=row["next_run_at"],
        schedule_epoch=row["schedule_epoch"],
        spec=CollectionSpec.model_construct(
            name=row["name"],
            source=Source.model_validate(row["source"]),
            order=from_stored(row["ordered"]),
            budget=Budget(
                walks=row["budget_walks"], cost=row["budget_cost"], seconds=row["budget_seconds"]
            ),
            schedule=Schedule(cron=row["cron"], time_zone=row["time_zone"]),
            paused=row["paused"],
            weights=tuple(Weight(**one) for one in row["weights"]),
            concurrency=row["concurrency"],
            refresh_s=row["refresh_s"],
            never_replay=row["never_replay"],
            all_procedures=row["all_procedures"],
        ),
    )


def _spec_columns(spec: CollectionSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "source": spec.source.model_dump(mode="json"),
        "ordered": to_stored(spec.order),
        "budget_walks": spec.budget.walks,
        "budget_cost": spec.budget.cost,
        "budget_seconds": spec.budget.seconds,
        "cron": spec.schedule.cron,
        "time_zone": spec.schedule.time_zone,
        "paused": spec.paused,
        "weights": [one.model_dump() for one in spec.weights],
        "concurrency": spec.concurrency,
        "refresh_s": spec.refresh_s,
        "never_replay": spec.never_replay,
        "all_procedures": spec.all_procedures,
    }


def _inspection(row: RowMapping) -> Inspection:
    return Inspection(
        **{
            **row,
            "state": InspectionState(row["state"]),
            "started_by": StartedBy(row["started_by"]),
        }
    )


async def insert_collection(tx: Transaction, collection: Collection) -> None:
    await tx.execute(
        insert(collections).values(
            id=collection.id,
            principal=collection.principal,
            created_at=collection.created_at,
            next_run_at=collection.next_run_at,
            schedule_epoch=collection.schedule_epoch,
            **_spec_columns(collection.spec),
        )
    )


async def find_collection(tx: Transaction, collection_id: str) -> Collection | None:
    query = select(collections).where(collections.c.id == collection_id)
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else _collection(row)


async def get_collection(tx: Transaction, collection_id: str, *, caller: Caller) -> Collection:
    """Raises `collection.not_found`, also for what is another's."""
    query = select(collections).where(
        collections.c.id == collection_id, visible_to(caller, collections.c.principal)
    )
    row = (await tx.execute(query)).mappings().first()
    if row is None:
        raise no_collection(collection_id)
    return _collection(row)


async def list_collections(
    tx: Transaction, *, caller: Caller, name: str = ""
) -> Sequence[Collection]:
    """What the caller sees, by name."""
    query = select(collections).where(visible_to(caller, collections.c.principal))
    if name:
        query = query.where(collections.c.name == name)
    query = query.order_by(collections.c.name, collections.c.id)
    return [_collection(row) for row in (await tx.execute(query)).mappings()]


async def name_is_taken(tx: Transaction, collection: Collection) -> bool:
    """Whether another collection of its principal has its name."""
    query = select(collections.c.id).where(
        collections.c.principal == collection.principal,
        collections.c.name == collection.spec.name,
        collections.c.id != collection.id,
    )
    return (await tx.execute(query)).first() is not None


async def update_collection(
    tx: Transaction, collection_id: str, spec: CollectionSpec, *, next_run_at: datetime | None
) -> None:
    await tx.execute(
        update(collections)
        .where(collections.c.id == collection_id)
        .values(next_run_at=next_run_at, **_spec_columns(spec))
    )


async def delete_collection(tx: Transaction, collection_id: str) -> None:
    """With everything that hangs on it."""
    await tx.execute(delete(items).where(items.c.collection_id == collection_id))
    await tx.execute(delete(inspections).where(inspections.c.collection_id == collection_id))
    await tx.execute(delete(collections).where(collections.c.id == collection_id))


async def turns_due(tx: Transaction, *, now: datetime, limit: int) -> Sequence[Collection]:
    """Collections whose time has come, longest due first."""
    query = (
        select(collections)
        .where(collections.c.next_run_at <= now, collections.c.paused.is_(False))
        .order_by(collections.c.next_run_at, collections.c.id)
        .limit(limit)
    )
    return [_collection(row) for row in (await tx.execute(query)).mappings()]


async def take_turn(
    tx: Transaction, collection: Collection, *, next_run_at: datetime | None
) -> bool:
    """Compare-and-swap on the schedule's epoch: whether this turn was to be had, and
    its owner has not changed the schedule meanwhile."""
    changed = await tx.execute(
        update(collections)
        .where(
            collections.c.id == collection.id,
            collections.c.schedule_epoch == collection.schedule_epoch,
            collections.c.next_run_at == collection.next_run_at,
            collections.c.paused.is_(False),
        )
        .values(schedule_epoch=collection.schedule_epoch + 1, next_run_at=next_run_at)
    )
    return bool(changed.rowcount)


async def insert_inspection(tx: Transaction, inspection: Inspection) -> None:
    values = {**inspection.__dict__, "state": inspection.state.value}
    await tx.execute(
        insert(inspections).values(values | {"started_by": inspection.started_by.value})
    )


async def find_inspection(tx: Transaction, inspection_id: str) -> Inspection | None:
    query = select(inspections).where(inspections.c.id == inspection_id)
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else _inspection(row)


async def get_inspection(tx: Transaction, inspection_id: str, *, caller: Caller) -> Inspection:
    """Raises `inspection.not_found`, also for what is another's."""
    query = select(inspections).where(
        inspections.c.id == inspection_id, visible_to(caller, inspections.c.principal)
    )
    row = (await tx.execute(query)).mappings().first()
    if row is None:
        raise no_inspection(inspection_id)
    return _inspection(row)


async def unfinished_of(tx: Transaction, collection_id: str) -> Inspection | None:
    """The inspection of a collection that is under way, if there is one."""
    query = select(inspections).where(
        inspections.c.collection_id == collection_id, inspections.c.state.not_in(_ENDED)
    )
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else _inspection(row)


async def list_inspections(
    tx: Transaction,
    *,
    caller: Caller,
    collection_id: str,
    limit: int,
    before: tuple[datetime, str] | None,
) -> Sequence[Inspection]:
    """What the caller sees, newest first, from just behind `before` (creation time and
    id) on."""
    query = select(inspections).where(visible_to(caller, inspections.c.principal))
    if collection_id:
        query = query.where(inspections.c.collection_id == collection_id)
    if before is not None:
        created_at, last = before
        query = query.where(
            or_(
                inspections.c.created_at < created_at,
                and_(inspections.c.created_at == created_at, inspections.c.id < last),
            )
        )
    query = query.order_by(inspections.c.created_at.desc(), inspections.c.id.desc()).limit(limit)
    return [_inspection(row) for row in (await tx.execute(query)).mappings()]


async def newest_planned(tx: Transaction, collection_id: str) -> Inspection | None:
    """The newest inspection of a collection that has looked at its source."""
    has_items = exists().where(items.c.inspection_id == inspections.c.id)
    query = (
        select(inspections)
        .where(inspections.c.collection_id == collection_id, has_items)
        .order_by(inspections.c.created_at.desc(), inspections.c.id.desc())
        .limit(1)
    )
    row = (await tx.execute(query)).mappings().first()
    return None if row is None else _inspection(row)


async def inspections_within(
    tx: Transaction, collection_ids: Sequence[str], *, first: datetime, last: datetime, limit: int
) -> Sequence[Inspection]:
    """Inspections that were made in [first, last), newest first."""
    query = (
        select(inspections)
        .where(
            inspections.c.collection_id.in_(collection_ids),
            inspections.c.created_at >= first,
            inspections.c.created_at < last,
        )
        .order_by(inspections.c.created_at.desc(), inspections.c.id.desc())
        .limit(limit)
    )
    return [_inspection(row) for row in (await tx.execute(query)).mappings()]


@dataclass(frozen=True, kw_only=True)
class Claimable:
    """An inspection that nobody works on."""

    id: str
    principal: str


async def claimable(
    tx: Transaction, *, now: datetime, limit: int, places: Mapping[str, int]
) -> Sequence[Claimable]:
    """Inspections that nobody works on; of a paused collection only what is to be
    cancelled, or has verifications under way. Whose owner would have the fewest places
    with it goes first, then the oldest; `places` are those that owners have."""
    free = or_(
        inspections.c.claim_holder == "",
        inspections.c.claim_expires_at.is_(None),
        inspections.c.claim_expires_at <= now,
    )
    under_way = exists().where(
        items.c.inspection_id == inspections.c.id, items.c.state == ItemState.ASKED.value
    )
    goes_on = or_(
        collections.c.paused.is_(False),
        inspections.c.state == InspectionState.CANCELLING.value,
        under_way,
    )
    turn = func.row_number().over(
        partition_by=inspections.c.principal,
        order_by=(inspections.c.created_at, inspections.c.id),
    )
    waiting = (
        select(
            inspections.c.id,
            inspections.c.principal,
            inspections.c.created_at,
            turn.label("turn"),
        )
        .join(collections, collections.c.id == inspections.c.collection_id)
        .where(inspections.c.state.not_in(_ENDED), free, goes_on)
        .subquery()
    )
    has = case(dict(places), value=waiting.c.principal, else_=0) if places else literal(0)
    query = (
        select(waiting.c.id, waiting.c.principal)
        .order_by(waiting.c.turn + has, waiting.c.created_at, waiting.c.id)
        .limit(limit)
    )
    return [Claimable(id=row.id, principal=row.principal) for row in await tx.execute(query)]


async def places_of(tx: Transaction, holder: str, *, now: datetime) -> Mapping[str, int]:
    """How many inspections of each owner a process works on."""
    query = (
        select(inspections.c.principal, func.count().label("places"))
        .where(
            inspections.c.claim_holder == holder,
            inspections.c.claim_expires_at > now,
            inspections.c.state.not_in(_ENDED),
        )
        .group_by(inspections.c.principal)
    )
    return {row.principal: row.places for row in await tx.execute(query)}


async def update_inspection(tx: Transaction, inspection_id: str, **values: Any) -> None:
    await tx.execute(update(inspections).where(inspections.c.id == inspection_id).values(**values))


async def holding(tx: Transaction, inspection_id: str, *, epoch: int) -> Inspection:
    """The inspection, locked, if `epoch` still is its claim's; raises
    `lease.stale_epoch` otherwise."""
    query = select(inspections).where(inspections.c.id == inspection_id).with_for_update()
    row = (await tx.execute(query)).mappings().first()
    if row is None:
        raise no_inspection(inspection_id)
    if row["claim_epoch"] != epoch or not row["claim_holder"]:
        raise stale_epoch(epoch, row["claim_epoch"])
    return _inspection(row)
