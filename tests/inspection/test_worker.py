"""Inspections worked off: budget, replay, cancel, pause, takeover; rollout and sources
are made up."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from proofwalk.chassis.database import Database
from proofwalk.inspection import running, usecases
from proofwalk.inspection.domain import ENDED, Due, Ending, How, InspectionState, ItemState
from proofwalk.inspection.ports import Errand
from proofwalk.inspection.usecases import Standing, Start
from proofwalk.inspection.worker import Worker
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, conflict, exhausted, invalid, unavailable
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import Budget
from proofwalk.orders.order import Order
from tests.fixtures.templates import copy_migrated
from tests.inspection.kit import (
    ANN,
    START,
    VERIFIED,
    FakeRollout,
    FakeSources,
    collected,
    listed,
    surroundings,
)

DAY = 86400.0


class Place:
    """A collection `docs` with its rollout, sources and clock."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.clock = ManualClock(START)
        self.rollout = FakeRollout()
        self.sources = FakeSources([listed(f"{name}#p") for name in "abc"])

    def worker(self, holder: str = "me") -> Worker:
        around = surroundings(self.db, self.rollout, self.sources, clock=self.clock)
        return Worker(around, holder=holder)

    async def start(self, name: str = "i", *, everything: bool = False) -> None:
        asked = Start(inspection_id=name, collection_id="docs", everything=everything)
        await usecases.start_inspection(self.db, asked, caller=ANN, clock=self.clock)

    async def inspected(self, name: str = "i", *, everything: bool = False) -> Standing:
        """An inspection from start to end."""
        await self.start(name, everything=everything)
        await self.worker().attend(name)
        return await self.standing(name)

    async def standing(self, name: str = "i") -> Standing:
        return await usecases.read_inspection(self.db, name, caller=ANN)

    async def items(self, name: str = "i") -> dict[str, Any]:
        found = await usecases.read_items(self.db, name, caller=ANN, after=0, limit=99)
        return {item.procedure_id: item for item in found}

    @asynccontextmanager
    async def working(self, name: str = "i") -> AsyncIterator[None]:
        """A worker on an inspection, until the block is left."""
        await self.start(name)
        task = asyncio.create_task(self.worker().attend(name))
        try:
            yield
            async with asyncio.timeout(10):
                await task
        finally:
            task.cancel()

    async def until(self, holds: Callable[[Standing], bool], name: str = "i") -> Standing:
        async with asyncio.timeout(10):
            while not holds(found := await self.standing(name)):
                await asyncio.sleep(0.005)
        return found


@pytest.fixture
async def place(
    sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Place]:
    """Afterwards an inspection that has ended has nothing open, and nobody holds it."""
    await copy_migrated("proofwalk.inspection", sqlite_db, tmp_path_factory)
    place = Place(sqlite_db)
    yield place
    for standing in await usecases.read_inspections(
        sqlite_db, caller=ANN, collection_id="", limit=99, before=None
    ):
        inspection = standing.inspection
        if inspection.state in ENDED:
            assert not inspection.claim_holder
            open_ones = {ItemState.WAITING, ItemState.ASKED}
            assert open_ones.isdisjoint(
                item.state for item in (await place.items(inspection.id)).values()
            )


async def test_what_is_due_is_walked_once_and_then_not_due(place: Place) -> None:
    await collected(place.db, concurrency=2)
    found = await place.inspected()
    assert found.inspection.state is InspectionState.FINISHED
    assert found.progress.outcomes == {"verified": 3}
    assert (found.progress.spent.walks, found.progress.spent.seconds) == (3, 30.0)
    assert sorted(place.rollout.asked) == ["i_1", "i_2", "i_3"]
    assert {one.principal for one in place.rollout.asked.values()} == {"ann"}
    place.clock.advance(DAY)
    again = await place.inspected("j")
    assert (again.progress.total, again.progress.skipped) == (0, 3)
    assert len(place.rollout.asked) == 3
    place.sources.procedures = [listed("a#p", text="1. Click **Halt**."), listed("b#p")]
    place.clock.advance(DAY)
    await place.inspected("k")
    items = await place.items("k")
    assert (items["a#p"].due, items["a#p"].changed) == (Due.CHANGED, ("document",))
    assert items["b#p"].state is ItemState.SKIPPED
    history = await usecases.read_history(place.db, "docs", "a#p", caller=ANN, limit=9)
    assert [one.changed for one in history] == [("document",), ()]


async def test_no_more_are_under_way_than_the_collection_says(place: Place) -> None:
    await collected(place.db, concurrency=2)
    place.rollout.ends = lambda asked: None
    async with place.working():
        found = await place.until(lambda it: len(place.rollout.asked) == 2)
        assert found.progress.seconds_left is None, "nothing was measured"
        await place.until(lambda it: it.progress.waits_for == "2 verifications under way")
        place.rollout.ends = lambda asked: VERIFIED
    assert place.rollout.most_under_way == 2
    assert (await place.standing()).progress.done == 3


async def test_the_budget_is_kept_and_what_is_left_stays_due(place: Place) -> None:
    await collected(place.db, budget=Budget(walks=2), concurrency=3)
    found = await place.inspected()
    assert (found.progress.done, found.progress.skipped) == (2, 1)
    assert {item.code for item in (await place.items()).values()} == {"", "budget.walks"}
    later = await place.inspected("j")
    assert (later.progress.done, later.progress.skipped) == (1, 2)
    assert (await place.items("j"))["c#p"].due is Due.NEW


async def test_progress_is_estimated_from_measured_walks_alone(place: Place) -> None:
    await collected(place.db)
    await place.inspected()
    place.rollout.ends = lambda asked: None
    await place.start("j", everything=True)
    task = asyncio.create_task(place.worker().attend("j"))
    found = await place.until(lambda it: it.progress.total == 3, "j")
    assert (found.progress.seconds_left, found.progress.measured) == (30.0, 3)
    place.rollout.ends = lambda asked: VERIFIED
    await task


async def test_an_unchanged_walk_is_replayed_while_its_script_is_there(place: Place) -> None:
    llm = Order(target="devcloud", policy="llm")
    place.sources.procedures = [listed("a#p", policy="llm"), listed("b#p", policy="llm")]
    await collected(place.db, order=llm)
    await place.inspected()
    place.rollout.scripts = {"i_1"}
    await place.inspected("j", everything=True)
    items = await place.items("j")
    assert (items["a#p"].how, items["b#p"].how) == (How.REPLAY, How.WALK)
    policies = [place.rollout.asked[name].request.policy for name in ("j_1", "j_2")]
    assert policies == ["replay", "llm"]


async def test_a_cancelled_inspection_ends_what_is_under_way_and_asks_for_nothing(
    place: Place,
) -> None:
    await collected(place.db)
    place.rollout.ends = lambda asked: None
    async with place.working():
        await place.until(lambda it: bool(place.rollout.asked))
        await usecases.request_cancel(place.db, "i", caller=ANN, clock=place.clock)
    found = await place.standing()
    assert found.inspection.state is InspectionState.CANCELLED
    assert found.progress.outcomes == {"cancelled": 1}
    assert place.rollout.cancelled == {"i_1"}
    skipped = [item.code for item in (await place.items()).values() if not item.ending]
    assert skipped == ["inspection.cancelled"] * 2


async def test_a_cancel_ends_the_reading_of_the_source(place: Place) -> None:
    await collected(place.db)
    place.sources.hold = asyncio.Event()
    async with place.working():
        await place.until(lambda it: place.sources.reads == 1)
        await usecases.request_cancel(place.db, "i", caller=ANN, clock=place.clock)
    found = await place.standing()
    assert found.inspection.state is InspectionState.CANCELLED
    assert (place.sources.left, place.rollout.asks) == (1, [])


async def test_a_cancel_ends_the_reading_of_a_worker_that_takes_over(place: Place) -> None:
    await collected(place.db)
    place.rollout.ends = lambda asked: None
    await place.start()
    first = asyncio.create_task(place.worker("first").attend("i"))
    await place.until(lambda it: bool(place.rollout.asked))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    place.sources.hold, place.rollout.ends = asyncio.Event(), lambda asked: VERIFIED
    second = asyncio.create_task(place.worker("second").attend("i"))
    await place.until(lambda it: place.sources.reads == 2)
    await usecases.request_cancel(place.db, "i", caller=ANN, clock=place.clock)
    async with asyncio.timeout(10):
        await second
    found = await place.standing()
    assert found.inspection.state is InspectionState.CANCELLED
    assert (found.progress.done, place.sources.left) == (1, 1)


async def test_a_paused_collection_asks_for_no_more_until_it_goes_on(place: Place) -> None:
    made = await collected(place.db)
    place.rollout.ends = lambda asked: None

    async def pause(paused: bool) -> None:
        spec = made.spec.model_copy(update={"paused": paused})
        await usecases.update_collection(place.db, "docs", spec, caller=ANN, clock=place.clock)

    async with place.working():
        await place.until(lambda it: bool(place.rollout.asked))
        await pause(True)
        place.rollout.ends = lambda asked: VERIFIED
    found = await place.standing()
    assert (found.inspection.state, found.progress.done) == (InspectionState.RUNNING, 1)
    assert "paused" in found.progress.waits_for
    # Nobody holds it, so that it takes no room from others.
    assert await running.waiting(place.db, holder="me", clock=place.clock, limit=9) == []
    await pause(False)
    assert await running.waiting(place.db, holder="me", clock=place.clock, limit=9) == ["i"]
    await place.worker().attend("i")
    assert (await place.standing()).progress.done == 3


@pytest.mark.parametrize(
    "away",
    [
        unavailable("rpc.unavailable", "rollout is away"),
        exhausted("limit.jobs", "500 verifications of this key are not finished"),
    ],
)
async def test_rollout_away_or_full_is_waited_for_and_said(
    place: Place, away: ProofwalkError
) -> None:
    await collected(place.db)
    place.rollout.refusals = [away] * 3
    found = await place.inspected()
    assert (found.progress.done, found.inspection.code) == (3, "")
    assert place.rollout.asks.count("i_1") == 4, "the same id each time"


async def test_what_rollout_refuses_ends_its_item_and_not_the_inspection(place: Place) -> None:
    await collected(place.db)
    place.rollout.refusals = [invalid("meta.invalid", "this is no META")]
    found = await place.inspected()
    assert (found.progress.done, found.progress.skipped) == (2, 1)
    assert (await place.items())["a#p"].code == "meta.invalid"


async def test_a_source_that_cannot_be_read_ends_the_inspection_with_its_reason(
    place: Place,
) -> None:
    await collected(place.db)
    place.sources.error = conflict("tree.not_a_folder", "it is no folder")
    found = await place.inspected()
    assert found.inspection.state is InspectionState.FINISHED
    assert (found.inspection.code, found.inspection.reason) == (
        "tree.not_a_folder",
        "it is no folder",
    )


async def test_a_page_that_goes_or_changes_meanwhile_is_asked_as_it_is(place: Place) -> None:
    await collected(place.db)
    place.rollout.ends = lambda asked: None
    await place.start()
    first = asyncio.create_task(place.worker("first").attend("i"))
    await place.until(lambda it: bool(place.rollout.asked))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    # It was given back; the next worker reads the source anew.
    place.sources.procedures = [listed("a#p"), listed("b#p", text="1. Click **Halt**.")]
    place.rollout.ends = lambda asked: VERIFIED
    await place.worker("second").attend("i")
    items = await place.items()
    assert items["c#p"].code == "collection.procedure_gone"
    assert place.rollout.asked["i_2"].request.document.text == "1. Click **Halt**."
    assert items["b#p"].inputs == place.sources.procedures[1].inputs
    assert (await place.standing()).progress.done == 2
    assert place.rollout.asks == ["i_1", "i_2"]


async def test_outcomes_that_say_nothing_are_asked_for_again_next_time(place: Place) -> None:
    await collected(place.db)

    def ends(asked: Errand) -> Ending:
        outcome = OutcomeKind.ENV_FAILURE if asked.verification_id == "i_1" else VERIFIED.outcome
        return Ending(outcome=outcome, seconds=1.0)

    place.rollout.ends = ends
    await place.inspected()
    await place.inspected("j")
    items = await place.items("j")
    assert [(items[f"{name}#p"].due) for name in "abc"] == [
        Due.UNSETTLED,
        Due.NOT_DUE,
        Due.NOT_DUE,
    ]


@pytest.mark.parametrize("when", ["before", "after"])
async def test_killed_between_intent_and_answer_it_is_asked_for_once(
    place: Place, tmp_path: Path, when: str
) -> None:
    await collected(place.db)
    await place.start()
    ledger = tmp_path / "ledger"
    ledger.touch()
    arguments = [f"sqlite:///{place.db.url.database}", str(ledger), when]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.inspection.killed", *arguments, stderr=subprocess.DEVNULL
    )
    async with asyncio.timeout(60):
        assert await child.wait() == -9
    for known in ledger.read_text(encoding="ascii").split():
        await place.rollout.ask(
            Errand(verification_id=known, principal="ann", request=listed("a#p").request)
        )
    place.sources.procedures = [listed("a#p")]
    assert (await place.items())["a#p"].state is ItemState.ASKED
    await place.worker("next").attend("i")
    assert (await place.standing()).inspection.state is InspectionState.RUNNING, "it is held"
    place.clock.advance(31)
    await place.worker("next").attend("i")
    assert (await place.standing()).progress.outcomes == {"verified": 1}
    assert place.rollout.asks == ["i_1"]
