"""Collections and inspections as rows, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference
from proofwalk.inspection import item_repository, repository, running, usecases
from proofwalk.inspection.documents import Listing
from proofwalk.inspection.domain import Claim, How, InspectionState
from proofwalk.inspection.ports import Seen
from proofwalk.inspection.scheduling import take_turns
from proofwalk.inspection.usecases import Start
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import SeededIds
from proofwalk.orders.collection import Schedule, Weight
from tests.fixtures.templates import copy_migrated
from tests.inspection.kit import ANN, BOB, START, VERIFIED, collected, listed, spec_of

TTL = timedelta(seconds=30)
LISTING = Listing(procedures=(listed("a#p"), listed("b#p")))


@pytest.fixture
async def db(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Database:
    await copy_migrated("proofwalk.inspection", database, tmp_path_factory)
    return database


async def refusal(call: Awaitable[object]) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value.code


async def started(
    db: Database, name: str = "i", *, collection: str = "docs", clock: ManualClock
) -> Claim:
    """A planned inspection that a worker holds."""
    await usecases.start_inspection(
        db, Start(inspection_id=name, collection_id=collection), caller=ANN, clock=clock
    )
    held = await running.claim(db, name, holder="me", ttl=TTL, clock=clock)
    assert held is not None
    await running.begin(db, held, LISTING, clock=clock)
    return held


async def test_the_migrated_tables_are_the_declared_ones(db: Database) -> None:
    assert await difference(db, "proofwalk.inspection", repository.METADATA) == []


async def test_a_collection_comes_back_as_it_was_said(db: Database) -> None:
    changes: dict[str, Any] = {
        "weights": (Weight(pattern="ecs/**", weight=3.0),),
        "schedule": Schedule(cron="0 3 * * *", time_zone="Europe/Berlin"),
        "concurrency": 4,
        "never_replay": True,
    }
    made = await collected(db, **changes)
    assert made.spec == spec_of(**changes)
    assert await usecases.read_collection(db, "docs", caller=ANN) == made
    assert await collected(db, **changes) == made
    assert await refusal(collected(db)) == "collection.exists"
    other = spec_of()
    call = usecases.create_collection(db, "c2", other, caller=ANN, clock=ManualClock())
    assert await refusal(call) == "collection.name_taken"


async def test_nobody_sees_anothers(db: Database) -> None:
    clock = ManualClock(START)
    await collected(db)
    held = await started(db, clock=clock)
    calls: list[Callable[[Caller], Awaitable[object]]] = [
        lambda who: usecases.read_collection(db, "docs", caller=who),
        lambda who: usecases.update_collection(db, "docs", spec_of(), caller=who, clock=clock),
        lambda who: usecases.delete_collection(db, "docs", caller=who),
        lambda who: usecases.start_inspection(
            db, Start(inspection_id="j", collection_id="docs"), caller=who, clock=clock
        ),
        lambda who: usecases.read_inspection(db, "i", caller=who),
        lambda who: usecases.request_cancel(db, "i", caller=who, clock=clock),
        lambda who: usecases.read_items(db, "i", caller=who, after=0, limit=9),
        lambda who: usecases.read_history(db, "docs", "a#p", caller=who, limit=9),
        lambda who: usecases.read_inspections(
            db, caller=who, collection_id="docs", limit=9, before=None
        ),
    ]
    for call in calls:
        assert (await refusal(call(BOB))).endswith(".not_found")
        assert (await refusal(call(Caller(principal="")))).endswith(".not_found")
    assert await usecases.read_collections(db, caller=BOB) == []
    page = await usecases.read_inspections(db, caller=BOB, collection_id="", limit=9, before=None)
    assert page == []
    assert (await running.look(db, held)).inspection.state is InspectionState.RUNNING
    for who in (ANN, Caller(principal="ops", is_operator=True)):
        assert (await usecases.read_inspection(db, "i", caller=who)).progress.total == 2


async def test_a_collection_has_one_inspection_at_a_time(db: Database) -> None:
    clock = ManualClock(START)
    await collected(db)

    async def start(name: str) -> str:
        try:
            asked = Start(inspection_id=name, collection_id="docs")
            await usecases.start_inspection(db, asked, caller=ANN, clock=clock)
        except ProofwalkError as error:
            return error.code
        return "planned"

    said = await asyncio.gather(*(start(f"i{number}") for number in range(5)))
    assert sorted(said) == ["inspection.under_way"] * 4 + ["planned"]
    assert await refusal(usecases.delete_collection(db, "docs", caller=ANN)) == (
        "inspection.under_way"
    )


async def test_who_lost_the_claim_writes_nothing(db: Database) -> None:
    clock = ManualClock(START)
    await collected(db)
    first = await started(db, clock=clock)
    assert await running.claim(db, "i", holder="other", ttl=TTL, clock=clock) is None
    clock.advance(31)
    assert await running.waiting(db, holder="me", clock=clock, limit=9) == ["i"]
    later = await running.claim(db, "i", holder="later", ttl=TTL, clock=clock)
    assert later is not None
    item = (await running.look(db, later)).waiting[0]
    for late in (
        running.renew(db, first, ttl=TTL, clock=clock),
        running.begin(db, first, LISTING, clock=clock),
        running.look(db, first),
        running.intend(db, first, item, how=How.WALK, clock=clock),
        running.refuse(db, first, item, why="w", code="c"),
        running.settle(db, first, item, Seen(ending=VERIFIED), clock=clock),
        running.skip_waiting(db, first, why="w", code="c"),
        running.note(db, first, code="c", reason="r"),
        running.finish(db, first, clock=clock),
        running.give_back(db, first),
    ):
        assert await refusal(late) == "lease.stale_epoch"
    assert len((await running.look(db, later)).waiting) == 2


async def test_history_is_kept_and_goes_with_its_collection(db: Database) -> None:
    clock = ManualClock(START)
    await collected(db)
    for name in ("i", "j"):
        held = await started(db, name, clock=clock)
        for item in (await running.look(db, held)).waiting:
            intended = await running.intend(db, held, item, how=How.WALK, clock=clock)
            await running.settle(db, held, intended, Seen(ending=VERIFIED), clock=clock)
        assert await running.finish(db, held, clock=clock) is InspectionState.FINISHED
        clock.advance(60 * 86400)
    found = await usecases.read_history(db, "docs", "a#p", caller=ANN, limit=9)
    assert [one.verification_id for one in found] == ["j_1", "i_1"]
    async with db.read() as tx:
        past = await item_repository.recent_walks(tx, "docs", each=1)
    assert [one.inspection_id for one in past["b#p"]] == ["j"]
    await usecases.delete_collection(db, "docs", caller=ANN)
    assert await refusal(usecases.read_inspection(db, "i", caller=ITSELF)) == (
        "inspection.not_found"
    )


async def test_two_replicas_take_a_turn_once_and_missed_turns_are_one(db: Database) -> None:
    await collected(db, schedule=Schedule(cron="0 3 * * *"))
    clock, woken = ManualClock(START), []
    ids = SeededIds(1)

    async def look() -> int:
        made = await take_turns(db, clock=clock, ids=ids, wake=lambda: woken.append(1))
        return len(made)

    assert await look() == 0
    clock.advance(5 * 86400)
    assert sum(await asyncio.gather(*(look() for _ in range(4)))) == 1
    assert await look() == 0
    found = await usecases.read_collection(db, "docs", caller=ANN)
    assert found.next_run_at == START + timedelta(days=5, hours=3)
    assert found.schedule_epoch == 1
    clock.advance(86400)
    assert await look() == 0, "the one before is still under way"
    paused = found.spec.model_copy(update={"paused": True})
    changed = await usecases.update_collection(db, "docs", paused, caller=ANN, clock=clock)
    assert changed.next_run_at is None
