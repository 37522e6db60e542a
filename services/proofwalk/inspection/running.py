"""What a worker does to an inspection: one function, one transaction.

Each takes the worker's `Claim` and begins with the compare-and-swap of
`repository.holding`: one whose claim was taken over gets `lease.stale_epoch`, and has
changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection import finding_repository, item_repository, repository
from proofwalk.inspection.documents import Listing
from proofwalk.inspection.domain import (
    Claim,
    Collection,
    How,
    Inspection,
    InspectionState,
    Item,
    ItemState,
    claim_is_free,
    verification_id,
)
from proofwalk.inspection.due import REMEMBERED
from proofwalk.inspection.planning import History, planned
from proofwalk.inspection.ports import Seen, Witness
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.clock import Clock
from proofwalk.orders.collection import MAX_CONCURRENCY, Budget


@dataclass(frozen=True, kw_only=True)
class Look:
    """Where an inspection stands, from one snapshot."""

    inspection: Inspection
    collection: Collection
    waiting: Sequence[Item]
    """The next to be asked for, in order; not all of them."""
    under_way: Sequence[Item]
    spent: Budget
    """By what is done."""


async def waiting(db: Database, *, holder: str, clock: Clock, limit: int) -> Sequence[str]:
    """Inspections that nobody works on, in the order in which `holder` is to take them:
    first those of whoever has the fewest of its places."""
    async with db.read() as tx:
        now = clock.now()
        places = await repository.places_of(tx, holder, now=now)
        found = await repository.claimable(tx, now=now, limit=limit, places=places)
        return [one.id for one in found]


async def claim(
    db: Database, inspection_id: str, *, holder: str, ttl: timedelta, clock: Clock
) -> Claim | None:
    """Take an inspection that nobody works on; None when somebody does, or when it has
    ended."""

    async def work(tx: Transaction) -> Claim | None:
        found, now = await repository.find_inspection(tx, inspection_id), clock.now()
        if found is None or not claim_is_free(found, now=now):
            return None
        epoch = found.claim_epoch + 1
        await repository.update_inspection(
            tx,
            inspection_id,
            claim_holder=holder,
            claim_epoch=epoch,
            claim_expires_at=now + ttl,
            started_at=found.started_at or now,
        )
        return Claim(inspection_id=inspection_id, epoch=epoch)

    return await db.run(work)


async def renew(db: Database, held: Claim, *, ttl: timedelta, clock: Clock) -> None:
    """Extend a claim. Raises `lease.stale_epoch`."""

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        await repository.update_inspection(
            tx, held.inspection_id, claim_expires_at=clock.now() + ttl
        )

    await db.run(work)


async def give_back(db: Database, held: Claim) -> None:
    """Let an inspection go, for the next process."""

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        await repository.update_inspection(
            tx, held.inspection_id, claim_holder="", claim_expires_at=None
        )

    await db.run(work)


async def make_room(db: Database, held: Claim, *, places: int, clock: Clock) -> bool:
    """Let an inspection go if its process has no place left for an owner that has at
    least two fewer than its own; whether it was let go. Then nobody has all places
    while somebody waits, and nothing goes to and fro between owners that have as many.
    `places`: of a process. Raises `lease.stale_epoch`."""

    now = clock.now()
    async with db.read() as tx:
        found = await repository.find_inspection(tx, held.inspection_id)
        if found is None or not await _is_owed(tx, found, places=places, now=now):
            return False

    async def work(tx: Transaction) -> bool:
        inspection = await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        owed = await _is_owed(tx, inspection, places=places, now=now)
        if owed:
            await repository.update_inspection(
                tx, inspection.id, claim_holder="", claim_expires_at=None
            )
        return owed

    return await db.run(work)


async def _is_owed(tx: Transaction, inspection: Inspection, *, places: int, now: datetime) -> bool:
    """Whether the place of an inspection is owed to another owner."""
    has = await repository.places_of(tx, inspection.claim_holder, now=now)
    if sum(has.values()) < places or inspection.state is InspectionState.CANCELLING:
        return False
    first = await repository.claimable(tx, now=now, limit=1, places=has)
    own = has.get(inspection.principal, 0)
    return any(own - has.get(one.principal, 0) > 1 for one in first)


async def is_cancelling(db: Database, held: Claim) -> bool:
    """Whether an inspection is to be cancelled."""
    async with db.read() as tx:
        found = await repository.find_inspection(tx, held.inspection_id)
    return found is not None and found.state is InspectionState.CANCELLING


async def begin(db: Database, held: Claim, listing: Listing, *, clock: Clock) -> None:
    """Plan an inspection: its items, from what its source holds now and what is known
    of each procedure. One that is planned already stays as it is."""

    async def work(tx: Transaction) -> None:
        inspection = await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        if inspection.state is not InspectionState.PLANNED:
            return
        collection = await repository.get_collection(tx, inspection.collection_id, caller=ITSELF)
        history = History(
            walks=await item_repository.recent_walks(tx, collection.id, each=REMEMBERED),
            last=await item_repository.last_items(tx, collection.id),
            fixes=await finding_repository.unproven_fixes(
                tx, collection.principal, target=collection.spec.order.target
            ),
        )
        items = planned(inspection, collection, listing, history, now=clock.now())
        await item_repository.insert_items(tx, items)
        await repository.update_inspection(tx, inspection.id, state=InspectionState.RUNNING.value)

    await db.run(work)


async def look(db: Database, held: Claim) -> Look:
    """Raises `lease.stale_epoch`."""

    async def work(tx: Transaction) -> Look:
        inspection = await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        tallies = (await item_repository.tally(tx, [inspection.id])).get(inspection.id, ())
        done = [one for one in tallies if one.state is ItemState.DONE]
        return Look(
            inspection=inspection,
            collection=await repository.get_collection(tx, inspection.collection_id, caller=ITSELF),
            waiting=await item_repository.items_in(
                tx, inspection.id, ItemState.WAITING, limit=MAX_CONCURRENCY
            ),
            under_way=await item_repository.items_in(
                tx, inspection.id, ItemState.ASKED, limit=MAX_CONCURRENCY
            ),
            spent=Budget(
                walks=sum(one.count for one in done),
                cost=sum(one.cost for one in done),
                seconds=sum(one.seconds for one in done),
            ),
        )

    return await db.run(work)


async def last_walk(db: Database, item: Item) -> Item | None:
    """The newest walk of an item's procedure."""
    async with db.read() as tx:
        found = await item_repository.history_of(tx, item.collection_id, item.procedure_id, limit=1)
    return found[0] if found else None


async def intend(db: Database, held: Claim, item: Item, *, how: How, clock: Clock) -> Item:
    """Write down that an item is asked for, and under which id, before it is."""
    intended = replace(
        item,
        state=ItemState.ASKED,
        how=how,
        verification_id=verification_id(item),
        asked_at=clock.now(),
    )
    await _put(db, held, intended)
    return intended


async def refuse(db: Database, held: Claim, item: Item, *, why: str, code: str) -> None:
    """Skip an item that cannot be asked for."""
    await _put(db, held, replace(item, state=ItemState.SKIPPED, why=why, code=code))


async def settle(
    db: Database,
    held: Claim,
    item: Item,
    seen: Seen,
    *,
    clock: Clock,
    witness: Witness | None = None,
) -> None:
    """Keep how an item's verification ended, and tell the witness what it says of
    findings."""
    assert seen.ending is not None, "it is finished"
    inputs = item.inputs
    if inputs.meta is None:
        inputs = replace(inputs, meta=seen.kept_meta or None)
    done = replace(
        item,
        state=ItemState.DONE,
        ending=seen.ending,
        inputs=inputs,
        finished_at=clock.now(),
    )

    async def work(tx: Transaction) -> None:
        await _written(tx, held, done)
        if witness is not None and seen.report is not None:
            collection = await repository.get_collection(tx, item.collection_id, caller=ITSELF)
            await witness.settled(tx, replace(seen.report, product=collection.spec.name))

    await db.run(work)


async def skip_waiting(db: Database, held: Claim, *, why: str, code: str) -> None:
    """Skip whatever is not asked for yet."""

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        await item_repository.skip_waiting(tx, held.inspection_id, why=why, code=code)

    await db.run(work)


async def note(db: Database, held: Claim, *, code: str, reason: str) -> None:
    """Say what an inspection waits for; empty when it goes on."""

    async def work(tx: Transaction) -> None:
        inspection = await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        if (inspection.code, inspection.reason) != (code, reason):
            await repository.update_inspection(tx, held.inspection_id, code=code, reason=reason)

    await db.run(work)


async def finish(
    db: Database,
    held: Claim,
    *,
    clock: Clock,
    code: str = "",
    reason: str = "",
    witness: Witness | None = None,
) -> InspectionState:
    """End an inspection and let it go; one that was to be cancelled is cancelled. The
    witness is told."""

    async def work(tx: Transaction) -> InspectionState:
        inspection = await repository.holding(tx, held.inspection_id, epoch=held.epoch)
        cancelling = inspection.state is InspectionState.CANCELLING
        state = InspectionState.CANCELLED if cancelling else InspectionState.FINISHED
        await repository.update_inspection(
            tx,
            inspection.id,
            state=state.value,
            finished_at=clock.now(),
            code=code,
            reason=reason,
            claim_holder="",
            claim_expires_at=None,
        )
        if witness is not None:
            ended = replace(inspection, state=state, code=code, reason=reason)
            await witness.ended(tx, ended)
        return state

    return await db.run(work)


async def _put(db: Database, held: Claim, item: Item) -> None:
    await db.run(lambda tx: _written(tx, held, item))


async def _written(tx: Transaction, held: Claim, item: Item) -> None:
    await repository.holding(tx, held.inspection_id, epoch=held.epoch)
    await item_repository.put_item(tx, item)
