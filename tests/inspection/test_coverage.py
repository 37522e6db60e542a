"""How much of a collection is walked, what is due in it, and its calendar."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from proofwalk.chassis.database import Database
from proofwalk.inspection import running, usecases
from proofwalk.inspection.calendar import LONGEST, Span
from proofwalk.inspection.coverage import Rows, covered
from proofwalk.inspection.documents import Listing
from proofwalk.inspection.domain import (
    Collection,
    Due,
    Ending,
    Inputs,
    Inspection,
    InspectionState,
    Item,
    ItemState,
    StartedBy,
)
from proofwalk.inspection.usecases import Start
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import Schedule
from tests.fixtures.templates import copy_migrated
from tests.inspection.kit import ANN, BOB, START, collected, listed, spec_of, walked

COLLECTION = Collection(id="docs", principal="ann", spec=spec_of(), created_at=START)
NEWEST = Inspection(
    id="new",
    collection_id="docs",
    principal="ann",
    state=InspectionState.FINISHED,
    started_by=StartedBy.REQUEST,
    created_at=START,
)
WRONG = Ending(outcome=OutcomeKind.DOC_DEFECT)
DAY_S = 86400


def _listed(procedure_id: str, *, document: str = "d", **fields: object) -> Item:
    """An item of the newest inspection."""
    item = walked(procedure_id, inspection_id="new", inputs=Inputs(document=document))
    return replace(item, ending=None, state=ItemState.SKIPPED, **fields)  # type: ignore[arg-type]


def test_folders_count_what_their_procedures_last_walks_said() -> None:
    listing = [
        _listed("ecs/stop#p"),
        _listed("ecs/start#p"),
        _listed("ecs/new#p", code="budget.walks"),
        _listed("top#p"),
        _listed("ecs/broken", document="", code="document.not_text"),
    ]
    past = {
        "ecs/stop#p": [walked("ecs/stop#p", ending=WRONG), walked("ecs/stop#p", ago_s=9)],
        "ecs/start#p": [walked("ecs/start#p")],
        "gone#p": [walked("gone#p")],
    }
    rows = Rows(listed_by=NEWEST, listed=listing, past=past, fixes=frozenset())
    top, ecs = covered(COLLECTION, rows, now=START).folders
    assert (top.path, top.procedures, top.outcomes) == ("", 1, {})
    assert (ecs.path, ecs.procedures, ecs.unreached, ecs.unreadable) == ("ecs", 3, 1, 1)
    assert ecs.outcomes == {OutcomeKind.DOC_DEFECT: 1, OutcomeKind.VERIFIED: 1}


def test_what_is_due_follows_from_rows_and_time() -> None:
    listing = [_listed(f"{name}#p") for name in ("never", "fresh", "old", "mended")]
    listing.append(_listed("edited#p", document="other"))
    past = {
        "fresh#p": [walked("fresh#p")],
        "old#p": [walked("old#p", ago_s=31 * DAY_S)],
        "edited#p": [walked("edited#p")],
        "mended#p": [walked("mended#p", ending=WRONG)],
    }
    fixes = frozenset({("mended.md", "p")})
    rows = Rows(listed_by=NEWEST, listed=listing, past=past, fixes=fixes)
    coverage = covered(COLLECTION, rows, now=START)
    assert [(one.assessment.candidate.page, one.assessment.due) for one in coverage.due] == [
        ("never.md", Due.NEW),
        ("edited.md", Due.CHANGED),
        ("mended.md", Due.FIXED),
        ("old.md", Due.STALE),
    ]
    assert [one.outcome for one in coverage.due[::2]] == [None, OutcomeKind.DOC_DEFECT]


@pytest.fixture
async def db(sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory) -> Database:
    await copy_migrated("proofwalk.inspection", sqlite_db, tmp_path_factory)
    return sqlite_db


async def test_coverage_is_of_the_newest_inspection_that_has_looked(db: Database) -> None:
    clock = ManualClock(START)
    await collected(db)
    assert (await usecases.read_coverage(db, "docs", caller=ANN, clock=clock)).listed_by is None
    for name, listing in (
        ("one", Listing(procedures=(listed("a#p"), listed("b#p")))),
        ("two", None),
    ):
        clock.advance(60)
        asked = Start(inspection_id=name, collection_id="docs")
        await usecases.start_inspection(db, asked, caller=ANN, clock=clock)
        held = await running.claim(db, name, holder="me", ttl=timedelta(60), clock=clock)
        assert held is not None
        if listing is not None:
            await running.begin(db, held, listing, clock=clock)
        await running.finish(db, held, clock=clock)
    coverage = await usecases.read_coverage(db, "docs", caller=ANN, clock=clock)
    assert coverage.listed_by is not None
    assert coverage.listed_by.id == "one"
    assert [one.procedures for one in coverage.folders] == [2]
    assert [one.assessment.due for one in coverage.due] == [Due.NEW] * 2
    with pytest.raises(ProofwalkError, match="no collection"):
        await usecases.read_coverage(db, "docs", caller=BOB, clock=clock)


async def test_a_calendar_has_what_was_begun_and_what_comes(db: Database) -> None:
    clock = ManualClock(START)
    daily = Schedule(cron="0 3 * * *", time_zone="Europe/Berlin")
    await collected(db, "ecs", schedule=daily)
    await collected(db, "vpc", schedule=daily, paused=True)
    await collected(db, "oss", caller=BOB, schedule=daily)
    asked = Start(inspection_id="one", collection_id="ecs")
    await usecases.start_inspection(db, asked, caller=ANN, clock=clock)
    span = Span(first=START - timedelta(days=3), last=START + timedelta(days=2))
    calendar = await usecases.read_calendar(db, span, caller=ANN, clock=clock)
    assert [(one.collection.id, one.at, one.inspection is None) for one in calendar.entries] == [
        ("ecs", START, False),
        ("ecs", START + timedelta(hours=2), True),
        ("ecs", START + timedelta(days=1, hours=2), True),
    ]
    assert not calendar.more
    alone = await usecases.read_calendar(db, span, caller=BOB, clock=clock, collection_id="oss")
    assert len(alone.entries) == 2
    with pytest.raises(ProofwalkError, match="no collection"):
        await usecases.read_calendar(db, span, caller=BOB, clock=clock, collection_id="ecs")


async def test_a_calendar_is_bounded(db: Database) -> None:
    for days in (timedelta(), -LONGEST, LONGEST * 2):
        with pytest.raises(ProofwalkError, match="no span"):
            Span(first=START, last=START + days)
    await collected(db, schedule=Schedule(cron="*/5 * * * *"))
    span = Span(first=START, last=START + timedelta(days=30))
    calendar = await usecases.read_calendar(db, span, caller=ANN, clock=ManualClock(START))
    assert (len(calendar.entries), calendar.more) == (1000, True)
