"""What can be done to collections and inspections: one function, one transaction.

A worker's functions are in `running`, and those of the schedule in `scheduling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection import finding_repository, item_repository, repository
from proofwalk.inspection.calendar import MOST_ENTRIES, Calendar, Span, calendar_of
from proofwalk.inspection.coverage import Coverage, Rows, covered
from proofwalk.inspection.domain import (
    ENDED,
    Collection,
    Inspection,
    InspectionState,
    Item,
    StartedBy,
    check_collection_id,
    check_inspection_id,
    check_spec,
    exists,
    next_turn,
    under_way,
)
from proofwalk.inspection.due import REMEMBERED
from proofwalk.inspection.progress import Progress, progress_of
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict
from proofwalk.orders.collection import CollectionSpec


@dataclass(frozen=True, kw_only=True)
class Standing:
    """An inspection with how far it is."""

    inspection: Inspection
    progress: Progress


async def create_collection(
    db: Database, collection_id: str, spec: CollectionSpec, *, caller: Caller, clock: Clock
) -> Collection:
    """Store a collection. Idempotent by id; raises `collection.exists`,
    `collection.name_taken` and what is wrong with what it says."""
    now = clock.now()
    fresh = Collection(
        id=check_collection_id(collection_id),
        principal=caller.principal,
        spec=check_spec(spec),
        created_at=now,
        next_run_at=_next_run(spec, now),
    )

    async def work(tx: Transaction) -> Collection:
        known = await repository.find_collection(tx, fresh.id)
        if known is not None:
            if (known.principal, known.spec) != (fresh.principal, fresh.spec):
                raise exists("collection", fresh.id)
            return known
        await _check_name(tx, fresh)
        await repository.insert_collection(tx, fresh)
        return await repository.get_collection(tx, fresh.id, caller=ITSELF)

    return await db.run(work)


async def update_collection(
    db: Database, collection_id: str, spec: CollectionSpec, *, caller: Caller, clock: Clock
) -> Collection:
    """Replace what a collection says. Its next turn stays, unless schedule or pause
    changed. Raises `collection.not_found`, and as `create_collection`."""
    check_spec(spec)

    async def work(tx: Transaction) -> Collection:
        known = await repository.get_collection(tx, collection_id, caller=caller)
        await _check_name(tx, replace(known, spec=spec))
        same = (known.spec.schedule, known.spec.paused) == (spec.schedule, spec.paused)
        next_run_at = known.next_run_at if same else _next_run(spec, clock.now())
        await repository.update_collection(tx, collection_id, spec, next_run_at=next_run_at)
        return await repository.get_collection(tx, collection_id, caller=caller)

    return await db.run(work)


async def delete_collection(db: Database, collection_id: str, *, caller: Caller) -> None:
    """Raises `collection.not_found`, and `inspection.under_way`."""

    async def work(tx: Transaction) -> None:
        await repository.get_collection(tx, collection_id, caller=caller)
        running = await repository.unfinished_of(tx, collection_id)
        if running is not None:
            raise under_way(running)
        await repository.delete_collection(tx, collection_id)

    await db.run(work)


async def read_collection(db: Database, collection_id: str, *, caller: Caller) -> Collection:
    """Raises `collection.not_found`."""
    async with db.read() as tx:
        return await repository.get_collection(tx, collection_id, caller=caller)


async def read_collections(db: Database, *, caller: Caller, name: str = "") -> Sequence[Collection]:
    """What the caller sees, by name."""
    async with db.read() as tx:
        return await repository.list_collections(tx, caller=caller, name=name)


@dataclass(frozen=True, kw_only=True)
class Start:
    """A request for an inspection."""

    inspection_id: str
    collection_id: str
    everything: bool = False


async def start_inspection(db: Database, asked: Start, *, caller: Caller, clock: Clock) -> Standing:
    """Plan an inspection. Idempotent by id; raises `collection.not_found`,
    `collection.paused`, `inspection.under_way`, `inspection.exists`."""
    check_inspection_id(asked.inspection_id)

    async def work(tx: Transaction) -> Standing:
        collection = await repository.get_collection(tx, asked.collection_id, caller=caller)
        known = await repository.find_inspection(tx, asked.inspection_id)
        if known is not None:
            if (known.collection_id, known.everything) != (collection.id, asked.everything):
                raise exists("inspection", known.id)
            return await _standing(tx, known, collection)
        if collection.spec.paused:
            raise conflict(
                "collection.paused",
                f"collection {collection.id} is paused, and nothing is asked for in it",
                hint="let it go on first",
            )
        running = await repository.unfinished_of(tx, collection.id)
        if running is not None:
            raise under_way(running)
        fresh = Inspection(
            id=asked.inspection_id,
            collection_id=collection.id,
            principal=collection.principal,
            state=InspectionState.PLANNED,
            started_by=StartedBy.REQUEST,
            everything=asked.everything,
            created_at=clock.now(),
        )
        await repository.insert_inspection(tx, fresh)
        return await _standing(tx, fresh, collection)

    return await db.run(work)


async def request_cancel(
    db: Database, inspection_id: str, *, caller: Caller, clock: Clock
) -> Standing:
    """Ask for the end: its worker sees it at its next look. One that nobody has begun
    ends at once, and one that has ended stays as it is. Raises
    `inspection.not_found`."""

    async def work(tx: Transaction) -> Standing:
        inspection = await repository.get_inspection(tx, inspection_id, caller=caller)
        if inspection.state is InspectionState.PLANNED and not inspection.claim_holder:
            await repository.update_inspection(
                tx,
                inspection_id,
                state=InspectionState.CANCELLED.value,
                finished_at=clock.now(),
            )
        elif inspection.state not in ENDED:
            await repository.update_inspection(
                tx, inspection_id, state=InspectionState.CANCELLING.value
            )
        return await _read(tx, inspection_id, caller)

    return await db.run(work)


async def read_inspection(db: Database, inspection_id: str, *, caller: Caller) -> Standing:
    """Raises `inspection.not_found`."""
    async with db.read() as tx:
        return await _read(tx, inspection_id, caller)


async def read_inspections(
    db: Database,
    *,
    caller: Caller,
    collection_id: str,
    limit: int,
    before: tuple[datetime, str] | None,
) -> Sequence[Standing]:
    """Newest first. Raises `collection.not_found`."""
    async with db.read() as tx:
        if collection_id:
            await repository.get_collection(tx, collection_id, caller=caller)
        found = await repository.list_inspections(
            tx, caller=caller, collection_id=collection_id, limit=limit, before=before
        )
        return [await _standing(tx, one) for one in found]


async def read_items(
    db: Database, inspection_id: str, *, caller: Caller, after: int, limit: int
) -> Sequence[Item]:
    """Raises `inspection.not_found`."""
    async with db.read() as tx:
        await repository.get_inspection(tx, inspection_id, caller=caller)
        return await item_repository.list_items(tx, inspection_id, after=after, limit=limit)


async def read_history(
    db: Database, collection_id: str, procedure_id: str, *, caller: Caller, limit: int
) -> Sequence[Item]:
    """Raises `collection.not_found`."""
    async with db.read() as tx:
        await repository.get_collection(tx, collection_id, caller=caller)
        return await item_repository.history_of(tx, collection_id, procedure_id, limit=limit)


async def read_coverage(
    db: Database, collection_id: str, *, caller: Caller, clock: Clock
) -> Coverage:
    """Raises `collection.not_found`."""
    async with db.read() as tx:
        collection = await repository.get_collection(tx, collection_id, caller=caller)
        newest = await repository.newest_planned(tx, collection_id)
        if newest is None:
            return Coverage()
        rows = Rows(
            listed_by=newest,
            listed=await item_repository.list_items(tx, newest.id),
            past=await item_repository.recent_walks(tx, collection_id, each=REMEMBERED),
            fixes=await finding_repository.unproven_fixes(
                tx, collection.principal, target=collection.spec.order.target
            ),
        )
    return covered(collection, rows, now=clock.now())


async def read_calendar(
    db: Database, span: Span, *, caller: Caller, clock: Clock, collection_id: str = ""
) -> Calendar:
    """Of one collection, or of all that the caller sees. Raises
    `collection.not_found`."""
    async with db.read() as tx:
        collections = (
            [await repository.get_collection(tx, collection_id, caller=caller)]
            if collection_id
            else await repository.list_collections(tx, caller=caller)
        )
        begun = await repository.inspections_within(
            tx,
            [one.id for one in collections],
            first=span.first,
            last=span.last,
            limit=MOST_ENTRIES + 1,
        )
    return calendar_of(collections, begun, span, now=clock.now())


async def _read(tx: Transaction, inspection_id: str, caller: Caller) -> Standing:
    return await _standing(tx, await repository.get_inspection(tx, inspection_id, caller=caller))


async def _standing(
    tx: Transaction, inspection: Inspection, collection: Collection | None = None
) -> Standing:
    """`collection` is its own; None reads it."""
    if collection is None:
        collection = await repository.get_collection(tx, inspection.collection_id, caller=ITSELF)
    tallies = (await item_repository.tally(tx, [inspection.id])).get(inspection.id, ())
    spec = collection.spec
    progress = progress_of(inspection, tallies, concurrency=spec.concurrency, paused=spec.paused)
    return Standing(inspection=inspection, progress=progress)


def _next_run(spec: CollectionSpec, now: datetime) -> datetime | None:
    return None if spec.paused else next_turn(spec.schedule, now)


async def _check_name(tx: Transaction, collection: Collection) -> None:
    if await repository.name_is_taken(tx, collection):
        raise ProofwalkError(
            "collection.name_taken",
            f"a collection of yours is called {collection.spec.name!r} already",
            status=Status.ALREADY_EXISTS,
            hint="choose another name, or change that collection",
        )
