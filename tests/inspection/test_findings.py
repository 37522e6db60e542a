"""Findings come in from verifications and live, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from proofwalk.api.inspection.v1 import findings_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2 as rollout
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference
from proofwalk.chassis.rpc.page_tokens import page_token
from proofwalk.inspection import finding_repository, repository
from proofwalk.inspection.finding_api import FindingsApi
from proofwalk.inspection.finding_domain import Certainty, StoredFinding
from proofwalk.inspection.finding_life import Act, FindingState, Review, folded
from proofwalk.inspection.finding_precision import Facet
from proofwalk.inspection.finding_repository import Filter, Order, Position
from proofwalk.inspection.webhook_life import EventType
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import FindingKind
from tests.fixtures.templates import copy_migrated
from tests.inspection.findings import CI, OPERATOR, WEB, Ledger, decision


@pytest.fixture
async def ledger(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    await copy_migrated("proofwalk.inspection", database, tmp_path_factory)
    return Ledger(database)


@pytest.fixture
async def lite(sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    """For what has nothing to do with the engine."""
    await copy_migrated("proofwalk.inspection", sqlite_db, tmp_path_factory)
    return Ledger(sqlite_db)


def position(row: StoredFinding) -> Position:
    return Position(
        certainty=row.certainty,
        sightings=row.life.sightings,
        created_at=row.created_at,
        finding_id=row.finding_id,
    )


async def states(ledger: Ledger) -> dict[str, FindingState]:
    rows = await ledger.findings.page(Filter(), caller=OPERATOR, limit=100)
    return {row.finding.asked: row.life.state for row in rows}


async def test_tables_are_as_they_are_declared(ledger: Ledger) -> None:
    assert await difference(ledger.db, "proofwalk.inspection", repository.METADATA) == []


async def test_what_is_stored_is_read_as_it_was(ledger: Ledger) -> None:
    [stored] = await ledger.findings.record(ledger.walk("ver_1", "Stop"))
    ledger.later()
    [again] = await ledger.findings.record(ledger.walk("ver_2", "Stop"))
    assert again.finding_id == stored.finding_id
    history = await ledger.findings.read(stored.finding_id, caller=WEB)
    assert history.finding == again
    assert [event.act for event in history.events] == [Act.FOUND]
    assert [one.verification_id for one in history.sightings] == ["ver_2", "ver_1"]
    state, review, assignee = folded(history.events)
    life = history.finding.life
    assert (state, review, assignee) == (life.state, life.review, life.assignee)


async def test_a_verification_counts_once(lite: Ledger) -> None:
    report = lite.walk("ver_1", "Stop", "Reboot")
    first = await lite.findings.record(report)
    assert await lite.findings.record(report) == first
    assert [one.life.sightings for one in first] == [1, 1]
    assert [event for _, event, _ in lite.announced] == [EventType.FINDING_OPENED] * 2


async def test_two_processes_record_at_once(ledger: Ledger) -> None:
    """Every walk is counted once, and there is one finding."""
    walks = [ledger.walk(f"ver_{number % 3}", "Stop") for number in range(6)]
    await asyncio.gather(*(ledger.findings.record(walk) for walk in walks))
    [row] = await ledger.findings.page(Filter(), caller=WEB, limit=10)
    assert row.life.sightings == 3


async def test_of_two_decisions_on_one_version_one_is_stale(ledger: Ledger) -> None:
    [stored] = await ledger.findings.record(ledger.walk("ver_1", "Stop"))
    outcomes = await asyncio.gather(
        *(
            ledger.findings.decide(stored.finding_id, one, version=1, caller=WEB)
            for one in (decision(Act.ACCEPT), decision(Act.REJECT, "fine"))
        ),
        return_exceptions=True,
    )
    codes = [one.code for one in outcomes if isinstance(one, ProofwalkError)]
    assert codes == ["finding.stale_version"]


async def test_a_sighting_makes_no_decision_stale(lite: Ledger) -> None:
    [stored] = await lite.findings.record(lite.walk("ver_1", "Stop"))
    lite.later()
    await lite.findings.record(lite.walk("ver_2", "Stop"))
    accepted = await lite.findings.decide(
        stored.finding_id, decision(Act.ACCEPT), version=1, caller=WEB
    )
    assert (accepted.life.state, accepted.life.sightings) == (FindingState.ACCEPTED, 2)


async def test_a_verified_walk_fixes_what_it_did_not_see(ledger: Ledger) -> None:
    await ledger.findings.record(ledger.walk("ver_1", "Stop", "Reboot", "Release"))
    rows = {
        row.finding.asked: row for row in await ledger.findings.page(Filter(), caller=WEB, limit=10)
    }
    await ledger.findings.decide(
        rows["Release"].finding_id, decision(Act.REJECT, "it is right"), version=1, caller=WEB
    )
    ledger.later()
    await ledger.findings.record(ledger.walk("ver_0", "Other", proves=True, document="else.md"))
    ledger.later()
    moved = await ledger.findings.record(
        ledger.walk("ver_2", "Reboot", proves=True, certainty=Certainty.NOTED)
    )
    assert [row.finding.asked for row in moved] == ["Reboot", "Stop"]
    assert moved[1].life.proof == "ver_2"
    assert await states(ledger) == {
        "Stop": FindingState.FIXED,
        "Reboot": FindingState.OPEN,
        "Release": FindingState.REJECTED,
        "Other": FindingState.OPEN,
    }


async def test_what_is_not_proven_fixes_nothing(lite: Ledger) -> None:
    await lite.findings.record(lite.walk("ver_1", "Stop"))
    lite.later()
    await lite.findings.record(lite.walk("ver_2", "Reboot"))
    assert (await states(lite))["Stop"] is FindingState.OPEN


async def test_a_fixed_one_comes_back_and_the_world_is_told(lite: Ledger) -> None:
    [stored] = await lite.findings.record(lite.walk("ver_1", "Stop"))
    lite.later()
    await lite.findings.record(lite.walk("ver_2", proves=True))
    lite.later()
    await lite.findings.record(lite.walk("ver_3", "Stop"))
    assert [(event, facts["verification_id"]) for _, event, facts in lite.announced] == [
        (EventType.FINDING_OPENED, "ver_1"),
        (EventType.FINDING_FIXED, "ver_2"),
        (EventType.FINDING_REOPENED, "ver_3"),
    ]
    assert {facts["finding_id"] for _, _, facts in lite.announced} == {stored.finding_id}


async def test_what_a_person_fixes_is_due_until_a_walk_shows_it(lite: Ledger) -> None:
    async def due() -> frozenset[tuple[str, str]]:
        async with lite.db.read() as tx:
            return await finding_repository.unproven_fixes(tx, "web", target="devcloud")

    [stored] = await lite.findings.record(lite.walk("ver_1", "Stop"))
    assert await due() == frozenset()
    lite.later()
    await lite.findings.decide(stored.finding_id, decision(Act.FIX), version=1, caller=WEB)
    assert await due() == {("docs/stop.md", "stop")}
    lite.later()
    [shown] = await lite.findings.record(lite.walk("ver_2", proves=True))
    assert await due() == frozenset()
    assert (shown.life.proof, shown.life.review) == ("ver_2", Review.ACCEPTED)
    assert [event for _, event, _ in lite.announced].count(EventType.FINDING_FIXED) == 1


async def test_words_are_those_of_the_newest_walk(lite: Ledger) -> None:
    old = lite.walk("ver_1", "stop")
    lite.later()
    await lite.findings.record(lite.walk("ver_2", "Stop", document="./docs/stop.md"))
    [stored] = await lite.findings.record(old)
    assert (stored.document, stored.finding.asked) == ("./docs/stop.md", "Stop")
    assert stored.life.sightings == 2


async def test_the_surest_sighting_counts(lite: Ledger) -> None:
    await lite.findings.record(lite.walk("ver_1", "Stop"))
    lite.later()
    suspected = lite.walk("ver_2", "Stop", certainty=Certainty.SUSPECTED)
    [stored] = await lite.findings.record(suspected)
    assert stored.certainty is Certainty.PROVEN


async def test_what_is_anothers_is_not_there(lite: Ledger) -> None:
    [stored] = await lite.findings.record(lite.walk("ver_1", "Stop"))
    [other] = await lite.findings.record(lite.walk("ver_2", "Stop", principal="ci"))
    assert (stored.fingerprint, stored.finding_id) != (other.fingerprint, other.finding_id)
    assert stored.fingerprint == other.fingerprint
    for reading in (
        lite.findings.read(stored.finding_id, caller=CI),
        lite.findings.decide(stored.finding_id, decision(Act.FIX), version=9, caller=CI),
    ):
        with pytest.raises(ProofwalkError) as refusal:
            await reading
        assert refusal.value.code == "finding.not_found"
    seen = {
        caller.principal: len(await lite.findings.page(Filter(), caller=caller, limit=10))
        for caller in (WEB, CI, OPERATOR)
    }
    assert seen == {"web": 1, "ci": 1, "ops": 2}
    assert (await lite.findings.precision(caller=CI))[0].waiting == 1


async def test_filters(ledger: Ledger) -> None:
    await ledger.findings.record(ledger.walk("ver_1", "Stop", "Reboot"))
    await ledger.findings.record(ledger.walk("ver_2", "Stop", document="https://d.example/a_b/x"))
    [row, *_] = await ledger.findings.page(Filter(path="docs/"), caller=WEB, limit=10)
    await ledger.findings.decide(row.finding_id, decision(Act.ASSIGN, "ann"), version=1, caller=WEB)
    await ledger.findings.decide(row.finding_id, decision(Act.ACCEPT), version=2, caller=WEB)

    async def count(asked: Filter) -> int:
        return len(await ledger.findings.page(asked, caller=WEB, limit=10))

    assert await count(Filter()) == 3
    assert await count(Filter(states=[FindingState.ACCEPTED])) == 1
    assert await count(Filter(states=[FindingState.ACCEPTED, FindingState.OPEN])) == 3
    assert await count(Filter(kinds=[FindingKind.MOVED])) == 0
    assert await count(Filter(product="ECS", target="devcloud")) == 3
    assert await count(Filter(product="VPC")) == 0
    assert await count(Filter(path="docs/")) == 2
    assert await count(Filter(path="d.example/a_b")) == 1
    assert await count(Filter(path="d.example/a%")) == 0
    assert await count(Filter(assignee="ann")) == 1


@pytest.mark.parametrize("order", Order)
async def test_pages_hold_all_findings_once(ledger: Ledger, order: Order) -> None:
    await ledger.findings.record(ledger.walk("ver_1", *(f"Button {n}" for n in range(5))))
    ledger.later()
    await ledger.findings.record(ledger.walk("ver_2", "Newest"))
    names, after = [], None
    while page := await ledger.findings.page(
        Filter(), caller=WEB, limit=2, order=order, after=after
    ):
        names += [row.finding.asked for row in page]
        after = position(page[-1])
    assert names[0] == "Newest"
    assert sorted(names[1:]) == [f"Button {n}" for n in range(5)]


async def test_the_surer_and_the_oftener_seen_come_first(ledger: Ledger) -> None:
    suspected = ledger.walk("ver_1", "Once", "Twice", certainty=Certainty.SUSPECTED)
    await ledger.findings.record(suspected)
    await ledger.findings.record(ledger.walk("ver_2", "Twice", certainty=Certainty.SUSPECTED))
    await ledger.findings.record(ledger.walk("ver_3", "Proven"))
    ledger.later()
    await ledger.findings.record(ledger.walk("ver_4", "Noted", certainty=Certainty.NOTED))
    page = await ledger.findings.page(Filter(), caller=WEB, limit=10, order=Order.IMPORTANCE)
    assert [row.finding.asked for row in page] == ["Proven", "Noted", "Twice", "Once"]


async def test_the_contract_pages_in_either_order(lite: Ledger) -> None:
    await lite.findings.record(lite.walk("ver_1", "Stop", "Reboot", "Release"))
    nobody: Any = None
    api = FindingsApi(lite.findings, verification=nobody, patches=nobody)
    caller = rollout.Caller(principal="web")

    async def page(order: str, token: str = "") -> pb.ListFindingsResponse:
        request = pb.ListFindingsRequest(caller=caller, order=order, page_token=token, limit=2)
        return await api.ListFindings(request, nobody)

    for order in ("", "newest", "importance"):
        first = await page(order)
        rest = await page(order, first.next_page_token)
        assert len({one.finding_id for one in (*first.findings, *rest.findings)}) == 3
        assert rest.next_page_token == ""
    assert "accept" in first.findings[0].acts
    assert "reopen" not in first.findings[0].acts
    for order, token, code in (
        ("loudest", "", "finding.bad_order"),
        ("", page_token(lite.clock.now(), "fnd_1"), "page.bad_token"),
    ):
        with pytest.raises(ProofwalkError) as caught:
            await page(order, token)
        assert caught.value.code == code


async def test_a_text_is_looked_for_in_what_a_finding_says(ledger: Ledger) -> None:
    await ledger.findings.record(ledger.walk("ver_1", "Stop 100%", "停止"))

    async def names(text: str, policy: str = "") -> list[str]:
        asked = Filter(text=text, policy=policy)
        rows = await ledger.findings.page(asked, caller=WEB, limit=10)
        return [row.finding.asked for row in rows]

    assert await names("stop 100%") == ["Stop 100%"]
    assert await names("click **停") == ["停止"]
    assert sorted(await names("DOCS/stop")) == ["Stop 100%", "停止"]
    assert await names("100_") == []
    assert await names("停止", policy="literal") == ["停止"]
    assert await names("停止", policy="llm") == []


async def test_many_are_decided_on_each_by_itself(lite: Ledger) -> None:
    one, other = await lite.findings.record(lite.walk("ver_1", "Stop", "Reboot"))
    reviewed = await lite.findings.decide_all(
        [(one.finding_id, 1), ("fnd_none", 1), (other.finding_id, 7)],
        decision(Act.ACCEPT),
        caller=WEB,
    )
    told = [(row.finding is not None, row.refusal and row.refusal.code) for row in reviewed]
    assert told == [
        (True, None),
        (False, "finding.not_found"),
        (False, "finding.stale_version"),
    ]


async def test_precision_is_of_what_was_reviewed(lite: Ledger) -> None:
    rows = await lite.findings.record(lite.walk("ver_1", *(f"Button {n}" for n in range(4))))
    await lite.findings.record(replace(lite.walk("ver_2", "Other"), policy="llm"))
    words = [decision(Act.ACCEPT), decision(Act.ACCEPT), decision(Act.REJECT, "it is right")]
    for row, word in zip(rows, words, strict=False):
        await lite.findings.decide(row.finding_id, word, version=1, caller=WEB)
    told = {
        (row.facet, row.name): (row.accepted, row.rejected, row.waiting)
        for row in await lite.findings.precision(caller=WEB)
    }
    assert told[None, ""] == (2, 1, 2)
    assert told[Facet.POLICY, "literal"] == (2, 1, 1)
    assert told[Facet.POLICY, "llm"] == (0, 0, 1)
    assert told[Facet.PRODUCT, "ECS"] == (2, 1, 2)


async def test_precision_by_week_is_of_the_callers_findings_of_the_last_weeks(
    ledger: Ledger,
) -> None:
    [old] = await ledger.findings.record(ledger.walk("ver_1", "Old"))
    await ledger.findings.decide(old.finding_id, decision(Act.ACCEPT), version=1, caller=WEB)
    ledger.clock.advance(7 * 86400)
    await ledger.findings.record(ledger.walk("ver_2", "New"))
    both = await ledger.findings.weekly_precision(caller=WEB, weeks=2)
    assert [(one.product, one.accepted, one.waiting) for one in both] == [
        ("ECS", 1, 0),
        ("ECS", 0, 1),
    ]
    assert (both[1].week - both[0].week).days == 7
    [newest] = await ledger.findings.weekly_precision(caller=WEB, weeks=1)
    assert newest == both[1]
    assert await ledger.findings.weekly_precision(caller=CI, weeks=2) == []
