"""Takes turns of schedules: a collection whose time has come gets one inspection,
however many replicas look.

Whoever takes a turn moves the collection's epoch on by compare-and-swap and plans the
inspection in the same transaction, so a turn is taken once or not at all. The next time
is counted from now: turns that were missed while nobody looked are one turn. Where the
inspection before is still under way, the turn is let pass, and the log says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import structlog

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inspection import repository
from proofwalk.inspection.domain import (
    Collection,
    Inspection,
    InspectionState,
    StartedBy,
    next_turn,
)
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import IdSource

_AT_ONCE = 50
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


async def take_turns(
    db: Database, *, clock: Clock, ids: IdSource, wake: Callable[[], None]
) -> Sequence[Inspection]:
    """Plan an inspection of every collection whose time has come and whose turn was to
    be had; `wake` has the worker look."""
    async with db.read() as tx:
        due = await repository.turns_due(tx, now=clock.now(), limit=_AT_ONCE)
    taken = [await _take(db, collection, clock=clock, ids=ids) for collection in due]
    made = [inspection for inspection in taken if inspection is not None]
    if made:
        wake()
    return made


async def _take(
    db: Database, seen: Collection, *, clock: Clock, ids: IdSource
) -> Inspection | None:
    inspection_id = ids.new("insp")

    async def work(tx: Transaction) -> Inspection | None:
        now = clock.now()
        following = next_turn(seen.spec.schedule, now)
        if not await repository.take_turn(tx, seen, next_run_at=following):
            return None
        running = await repository.unfinished_of(tx, seen.id)
        if running is not None:
            _log.warning("turn_passed", collection=seen.id, under_way=running.id)
            return None
        fresh = Inspection(
            id=inspection_id,
            collection_id=seen.id,
            principal=seen.principal,
            state=InspectionState.PLANNED,
            started_by=StartedBy.SCHEDULE,
            scheduled_for=seen.next_run_at,
            created_at=now,
        )
        await repository.insert_inspection(tx, fresh)
        return fresh

    return await db.run(work)
