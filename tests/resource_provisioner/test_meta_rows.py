"""META records in SQL, on SQLite and PostgreSQL: numbered, found by what they are for,
trusted as far as somebody showed."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner import repository, usecases
from proofwalk.resource_provisioner.lineage import Mark, MetaState, Purpose
from proofwalk.resource_provisioner.repository import MetaRow
from tests.fixtures.releases import insert, upgraded

PACKAGE = "proofwalk.resource_provisioner"
MORNING = datetime(2026, 11, 27, 8, tzinfo=UTC)
FOR = Purpose(product="ecs", document_digest="d1", intent="instance:stopped")


def a_row(digest: str, *, minute: int = 0, **members: Any) -> MetaRow:
    now = MORNING + timedelta(minutes=minute)
    plain: dict[str, Any] = {
        "id": "one",
        "digest": digest,
        "yaml": "id: one\ndescription: One\n",
        "origin": "file",
        "created_at": now,
        "state": MetaState.PROPOSED,
        "state_at": now,
        "checked_at": now,
        "writer": "catalogue-writer",
    }
    return MetaRow(**{**plain, **members})


async def an_empty(database: Database) -> Database:
    await migrations.migrate(database, PACKAGE)
    return database


async def test_each_content_of_an_id_is_a_version_of_its_own(database: Database) -> None:
    db = await an_empty(database)
    stored = [await usecases.put_meta(db, a_row(name, minute=n)) for n, name in enumerate("aba")]
    assert [row.version for row in stored] == [1, 2, 1]
    assert (await usecases.put_meta(db, a_row("a", id="two"))).version == 1
    assert (await usecases.get_meta(db, "one", 1)).digest == "a"
    assert (await usecases.get_meta(db, "one")).digest == "b"
    with pytest.raises(ProofwalkError) as caught:
        await usecases.get_meta(db, "one", 3)
    assert (caught.value.code, "version 3" in caught.value.message) == ("meta.not_found", True)


async def test_versions_stored_at_once_have_numbers_of_their_own(database: Database) -> None:
    db = await an_empty(database)
    rows = await asyncio.gather(*(usecases.put_meta(db, a_row(f"d{n}")) for n in range(6)))
    assert sorted(row.version for row in rows) == [1, 2, 3, 4, 5, 6]


async def test_what_is_stored_again_fills_in_and_takes_nothing_back(database: Database) -> None:
    db = await an_empty(database)
    first = await usecases.put_meta(db, a_row("a", origin="runtime", run="r1", product="ecs"))
    vouched = a_row("a", minute=5, state=MetaState.PROVEN, writer="person", run="r2", intent="i")
    again = await usecases.put_meta(db, vouched)
    assert (again.origin, again.state, again.created_at) == (
        "file",
        MetaState.PROVEN,
        vouched.created_at,
    )
    assert (again.writer, again.run, again.product, again.intent) == (
        first.writer,
        "r1",
        "ecs",
        "i",
    )
    assert await usecases.get_meta(db, "one", 1) == again
    later = await usecases.put_meta(db, a_row("a", minute=9, product="vpc"))
    assert later == again


async def test_a_proven_record_is_found_before_a_newer_proposal(database: Database) -> None:
    db = await an_empty(database)
    for minute, (digest, state, product) in enumerate(
        [
            ("old", MetaState.PROVEN, "ecs"),
            ("new", MetaState.PROVEN, "ecs"),
            ("draft", MetaState.PROPOSED, "ecs"),
            ("gone", MetaState.PROVEN, "ecs"),
            ("other", MetaState.PROVEN, "vpc"),
        ]
    ):
        purpose = {**FOR.__dict__, "product": product}
        await usecases.put_meta(db, a_row(digest, minute=minute, state=state, **purpose))
    clock = ManualClock()
    await usecases.mark_meta(db, "one", 4, Mark(state=MetaState.STALE), clock=clock)

    async def by(**members: str) -> list[str]:
        return [row.digest for row in await usecases.find_metas(db, Purpose(**members))]

    assert await by(**FOR.__dict__) == ["new", "old", "draft"]
    assert await by(document_digest="d1") == ["other", "new", "old", "draft"]
    assert await by(product="vpc", intent="instance:stopped") == ["other"]
    assert await by(product="rds") == []
    with pytest.raises(ProofwalkError) as caught:
        await usecases.find_metas(db, Purpose())
    assert caught.value.code == "meta.no_purpose"


async def test_a_stale_record_is_named_only_where_there_is_no_other(database: Database) -> None:
    db = await an_empty(database)
    await usecases.put_meta(db, a_row("a"))
    await usecases.put_meta(db, a_row("b", minute=1))
    for version, named in ((2, "a"), (1, "b")):
        await usecases.mark_meta(
            db, "one", version, Mark(state=MetaState.STALE), clock=ManualClock()
        )
        assert (await usecases.get_meta(db, "one")).digest == named


async def test_a_mark_says_what_showed_it_and_no_state_goes_back(database: Database) -> None:
    db = await an_empty(database)
    await usecases.put_meta(db, a_row("a", run="written"))
    clock = ManualClock()
    shown = Mark(state=MetaState.PROVEN, run="prov_7", provider_version="1.246.0")
    marked = await usecases.mark_meta(db, "one", 1, shown, clock=clock)
    assert marked == await usecases.get_meta(db, "one", 1)
    assert (marked.state, marked.state_run, marked.state_at) == (
        MetaState.PROVEN,
        "prov_7",
        clock.now(),
    )
    assert (marked.run, marked.writer, marked.provider_version) == (
        "written",
        "catalogue-writer",
        "1.246.0",
    )
    same = await usecases.mark_meta(db, "one", 1, Mark(state=MetaState.PROVEN), clock=clock)
    assert same.provider_version == "1.246.0"
    with pytest.raises(ProofwalkError) as caught:
        await usecases.mark_meta(db, "one", 1, Mark(state=MetaState.PROPOSED), clock=clock)
    assert caught.value.code == "meta.bad_transition"
    with pytest.raises(ProofwalkError) as caught:
        await usecases.mark_meta(db, "one", 2, Mark(state=MetaState.STALE), clock=clock)
    assert caught.value.code == "meta.not_found"


@pytest.mark.parametrize(
    "members", [{"intent": "x" * 201}, {"document_digest": "x" * 65}, {"product": "a\x1b[31m"}]
)
def test_a_purpose_that_no_column_holds_is_refused(members: dict[str, str]) -> None:
    with pytest.raises(ProofwalkError) as caught:
        Purpose(**members)
    assert caught.value.code == "meta.invalid"
    assert caught.value.details["path"] in members


async def test_records_of_an_earlier_release_are_numbered_and_keep_their_meaning(
    database: Database,
) -> None:
    await upgraded(database, PACKAGE, "0003")
    for minute, (id_, digest, origin) in enumerate(
        [("one", "b", "file"), ("one", "a", "runtime"), ("one", "c", "file"), ("two", "d", "file")]
    ):
        row = {"id": id_, "digest": digest, "yaml": "id: one", "origin": origin}
        created = {"created_at": f"2026-11-01 10:0{minute}:00"}
        await insert(database, "resource_provisioner_metas", {**row, **created})
    await migrations.migrate(database, PACKAGE)
    assert await migrations.difference(database, PACKAGE, repository.METADATA) == []
    kept = [await usecases.get_meta(database, "one", version) for version in (1, 2, 3)]
    assert [(row.digest, row.state, row.writer) for row in kept] == [
        ("b", MetaState.PROVEN, "person"),
        ("a", MetaState.PROPOSED, "catalog"),
        ("c", MetaState.PROVEN, "person"),
    ]
    assert all(row.state_at == row.created_at for row in kept)
    assert (await usecases.get_meta(database, "one")).digest == "c"
    assert (await usecases.get_meta(database, "two")).version == 1
    assert (await usecases.put_meta(database, a_row("e", minute=9))).version == 4
    assert {row.target_kind for row in kept} == {""}


async def test_a_record_of_one_kind_of_cloud_is_no_other_kinds(database: Database) -> None:
    db = await an_empty(database)
    for minute, (digest, kind) in enumerate([("any", ""), ("ours", "devcloud"), ("new", "")]):
        row = a_row(digest, minute=minute, **{**FOR.__dict__, "target_kind": kind})
        await usecases.put_meta(db, row)

    async def by(kind: str) -> list[str]:
        purpose = Purpose(target_kind=kind, document_digest="d1")
        return [row.digest for row in await usecases.find_metas(db, purpose)]

    assert await by("devcloud") == ["ours", "new", "any"]
    assert await by("alicloud") == ["new", "any"]
    assert await by("") == ["new", "any", "ours"]
    with pytest.raises(ProofwalkError) as caught:
        await usecases.find_metas(db, Purpose(target_kind="devcloud"))
    assert caught.value.code == "meta.no_purpose"


async def test_a_proof_ties_a_record_and_another_kind_says_nothing_of_it(
    database: Database,
) -> None:
    db, clock = await an_empty(database), ManualClock()
    await usecases.put_meta(db, a_row("a"))

    async def marked(state: MetaState, kind: str = "") -> MetaRow:
        mark = Mark(state=state, target_kind=kind)
        return await usecases.mark_meta(db, "one", 1, mark, clock=clock)

    async def refusal(state: MetaState, kind: str) -> str:
        with pytest.raises(ProofwalkError) as caught:
            await marked(state, kind)
        return caught.value.code

    assert await refusal(MetaState.STALE, "alicloud") == "meta.other_kind"
    assert (await marked(MetaState.PROVEN, "devcloud")).target_kind == "devcloud"
    for state in (MetaState.STALE, MetaState.PROVEN):
        assert await refusal(state, "alicloud") == "meta.other_kind"
    stale = await marked(MetaState.STALE, "devcloud")
    assert (stale.state, stale.target_kind) == (MetaState.STALE, "devcloud")
    assert (await marked(MetaState.PROVEN)).target_kind == "devcloud"
