"""The made-up history: what it has, that a seed gives it again, and that the roles'
stores take it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proofwalk.account_pool import repository as accounts_rows
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.inspection import usecases as inspections
from proofwalk.inspection.finding_life import FindingState
from proofwalk.inspection.finding_repository import Filter, page
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.ids import SeededIds
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.leases import LeaseState
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.platform.seeding import homes
from proofwalk.platform.seeding.documents import sample_documents
from proofwalk.platform.seeding.findings import FindingWriter
from proofwalk.platform.seeding.fleet import fleet, write_fleet
from proofwalk.platform.seeding.history import Ending, Moment, PlannedDecision, PlannedWalk, planned
from proofwalk.platform.seeding.inspections import InspectedWalk, write_inspections
from proofwalk.platform.seeding.training import RUN_ID, write_run
from proofwalk.platform.seeding.verifications import insert_all, replay
from proofwalk.platform.seeding.walks import WalkRows, rows_of
from proofwalk.platform.settings import Settings
from proofwalk.resource_provisioner import usecases as provisionings
from proofwalk.resource_provisioner.provisioning_messages import provisioning_in_list
from proofwalk.rollout import usecases as rollout
from proofwalk.trainer import usecases as trainer

NOW = datetime(2026, 11, 28, 19, tzinfo=UTC)


def _walks(moments: Sequence[Moment]) -> list[PlannedWalk]:
    return [one for one in moments if isinstance(one, PlannedWalk)]


def _rows(walks: Sequence[PlannedWalk]) -> list[WalkRows]:
    ids = SeededIds(1)
    return [rows_of(walk, ids, document_digest="0" * 64) for walk in walks]


def test_the_history_is_two_hundred_walks_of_the_past() -> None:
    moments = planned(seed=1, now=NOW)
    rows = [one.verification for one in _rows(_walks(moments))]
    assert len(rows) == 200
    assert moments == sorted(moments, key=lambda moment: moment.at)
    assert all(one.created_at < one.finished_at < NOW for one in rows if one.finished_at)
    assert len({one.order.target for one in rows}) == 2
    assert len({one.principal for one in rows}) == 3
    outcomes = Counter(one.verdict.judgement.outcome.kind for one in rows if one.verdict)
    assert set(outcomes) == set(OutcomeKind)
    assert outcomes[OutcomeKind.VERIFIED] > 90


def test_a_seed_gives_the_same_history_again() -> None:
    walks = _walks(planned(seed=1, now=NOW))
    assert planned(seed=1, now=NOW) == planned(seed=1, now=NOW)
    assert _rows(walks[:20]) == _rows(walks[:20])
    assert planned(seed=2, now=NOW) != planned(seed=1, now=NOW)


def test_what_was_fixed_is_walked_with_the_patch_that_its_finding_proposes() -> None:
    walks = _walks(planned(seed=1, now=NOW))
    patched = [one for one in walks if one.text != one.document.text]
    assert len({one.document.page for one in patched}) >= 3
    assert {one.is_mended for one in patched} == {True}
    assert any(one.ending is Ending.VERIFIED for one in patched), "which proves the patch"
    for one in patched:
        assert len(one.text.splitlines()) in range(8, 12)
        assert one.text.startswith(f"# {one.document.title}")


def test_a_fault_is_told_in_the_documents_own_words() -> None:
    for walk in _walks(planned(seed=1, now=NOW)):
        line = walk.document.text.splitlines()[walk.fault.line - 1].replace("**", "")
        assert line.endswith(f". {walk.fault.sentence}")
        assert walk.fault.asked in walk.fault.sentence


async def test_the_stores_take_it_with_findings_in_every_state(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/all.sqlite3")
    try:
        await migrate(db, "proofwalk.inspection")
        ids = SeededIds(1)
        findings = FindingWriter(db, ids)
        walks = []
        for moment in planned(seed=1, now=NOW):
            if isinstance(moment, PlannedDecision):
                await findings.decide(moment)
                continue
            row = rows_of(moment, ids, document_digest="0" * 64).verification
            await findings.record(row, product=moment.document.product)
            walks.append(InspectedWalk(planned=moment, row=row))
        async with db.read() as tx:
            stored = await page(tx, Filter(), caller=ITSELF, limit=100)
        assert len(stored) == len(sample_documents())
        assert {one.life.state for one in stored} == set(FindingState)
        assert await write_inspections(db, ids, walks, documents=tmp_path) == 40
        (newest, *_) = await inspections.read_inspections(
            db, caller=ITSELF, collection_id="", limit=1, before=None
        )
        assert newest.progress.done == 5
    finally:
        await db.close()


async def test_a_walk_is_replayed_with_its_events_and_a_crowd_as_rows(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/rollout.sqlite3")
    try:
        await migrate(db, "proofwalk.rollout")
        defective, *crowd = (
            one for one in _rows(_walks(planned(seed=1, now=NOW))) if len(one.episodes) == 2
        )
        await replay(db, defective)
        await insert_all(db, crowd)
        expected = defective.verification
        row, episodes = await rollout.read_verification(db, expected.id, caller=ITSELF)
        assert (row.state, row.verdict) == (JobState.FINISHED, expected.verdict)
        assert [one.judgement for one in episodes] == [one.judgement for one in defective.episodes]
        _, events = await rollout.read_events(db, row.id, caller=ITSELF, after=0)
        assert [one.time for one in events] == sorted(one.time for one in events)
        assert (events[0].type, events[-1].type) == (
            "verification_queued",
            "verification_finished",
        )
        listed = await rollout.page_of_verifications(db, caller=ITSELF, limit=200, before=None)
        assert len(listed) == 1 + len(crowd)
    finally:
        await db.close()


async def test_a_run_has_curves_and_its_page(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/trainer.sqlite3")
    try:
        await migrate(db, "proofwalk.trainer")
        await write_run(db, folder=tmp_path, seed=1, now=NOW)
        run, rows = await trainer.read_metrics(db, RUN_ID, after=0)
        assert (run.state, run.step, len(rows)) == ("finished", 60, 60)
        assert run.finished_at is not None
        assert run.finished_at < NOW
        assert rows[-1].values["reward"] > rows[0].values["reward"]
    finally:
        await db.close()


async def test_a_fleet_is_in_every_state_and_nothing_real_is_done_with_it(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/fleet.sqlite3")
    try:
        for role in ("account_pool", "resource_provisioner"):
            await migrate(db, f"proofwalk.{role}")
        await write_fleet(db, db, fleet(SeededIds(1), now=NOW))
        async with db.read() as tx:
            accounts = await accounts_rows.accounts(tx)
            for state in LeaseState:
                assert await accounts_rows.unattended(tx, state, NOW) == [], "none is swept"
            assert await accounts_rows.expired(tx, NOW) == []
        assert {one.state for one in accounts} == set(LeaseState)
        assert not any(one.offered for one in accounts), "none is lent"
        made = await provisionings.newest(db, states=[], limit=50)
        assert {one.state.value for one in made} == {"destroyed", "failed", "leaked", "ready"}
        held = {one.lease_id for one in accounts if one.lease_id}
        assert {one.lease_id for one in await provisionings.idle(db)} == held
        assert await provisionings.interrupted(db) == []
        for one in made:
            assert provisioning_in_list(one).description
    finally:
        await db.close()


async def test_a_home_is_seeded_once_and_an_interrupted_one_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [one for one in planned(seed=1, now=NOW) if one.at < NOW - timedelta(days=33)]
    monkeypatch.setattr(homes, "planned", lambda **_: few)
    settings = Settings(home=tmp_path / "home")
    first = await homes.seed_home(settings, seed=1, now=NOW)
    assert first is not None
    assert first.verifications == len(few)
    assert await homes.seed_home(settings, seed=1, now=NOW) is None
    mark = tmp_path / "home" / "history.json"
    mark.write_text(json.dumps({"done": False}))
    assert await homes.seed_home(settings, seed=1, now=NOW) == first


async def test_an_installation_of_somebodys_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    assert await homes.seed_home(Settings(home=tmp_path), seed=1, now=NOW) is None
    assert [one.name for one in tmp_path.iterdir()] == ["state"]
