"""Whose rows are whose, on both databases: reads, cancels, groups and compiled walks,
the bound on jobs, and rows of before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.jobs import JobState
from proofwalk.rollout import group_repository, replays, repository, usecases
from proofwalk.rollout.selections import Selection
from tests.rollout.api import Api
from tests.rollout.setting import Setting, verification

CI, WEB = Caller(principal="ci"), Caller(principal="web")
OPERATOR = Caller(principal="ops", is_operator=True)
NOBODY = Caller(principal="")


async def refused(call: Awaitable[object]) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value


READS: list[Callable[[Setting, str, Caller], Awaitable[object]]] = [
    lambda rows, name, caller: usecases.read_verification(rows.db, name, caller=caller),
    lambda rows, name, caller: usecases.read_events(rows.db, name, caller=caller, after=0),
    lambda rows, name, caller: usecases.request_cancel(
        rows.db, name, caller=caller, clock=rows.clock
    ),
]


@pytest.mark.parametrize("read", READS, ids=["read", "events", "cancel"])
async def test_what_is_anothers_is_told_as_what_does_not_exist(rows: Setting, read: Any) -> None:
    await rows.create("ver_ci", principal="ci")
    await rows.create("ver_old", principal="")
    for name in ("ver_ci", "ver_old"):
        theirs, none = (
            await refused(read(rows, name, WEB)),
            await refused(read(rows, "ver_no", WEB)),
        )
        assert (theirs.code, theirs.status, theirs.hint) == (none.code, none.status, none.hint)
        assert theirs.message.replace(name, "ver_no") == none.message
    assert (await refused(read(rows, "ver_old", NOBODY))).code == "verification.not_found"
    assert (await rows.row("ver_ci")).state is JobState.QUEUED
    await read(rows, "ver_ci", CI)
    await read(rows, "ver_ci", OPERATOR)
    await read(rows, "ver_old", OPERATOR)


async def test_a_list_has_what_its_caller_sees(rows: Setting) -> None:
    for number, principal in enumerate(["ci", "web", "", "ci"]):
        await rows.create(f"ver_{number}", principal=principal)

    async def listed(caller: Caller, principal: str = "") -> set[str]:
        page = await usecases.page_of_verifications(
            rows.db, caller=caller, limit=10, before=None, selection=Selection(principal=principal)
        )
        return {row.id for row, _ in page}

    assert await listed(CI) == {"ver_0", "ver_3"}
    assert await listed(WEB) == {"ver_1"}
    assert await listed(WEB, "ci") == await listed(NOBODY) == set()
    assert await listed(OPERATOR) == {"ver_0", "ver_1", "ver_2", "ver_3"}
    assert await listed(OPERATOR, "ci") == {"ver_0", "ver_3"}


async def test_a_group_is_its_principals(rows: Setting) -> None:
    group = group_repository.GroupRow(
        id="g", request_digest="d", principal="ci", size=1, created_at=rows.clock.now()
    )
    member = verification("g.0", principal="ci", group_id="g")

    async def make(tx: Transaction) -> None:
        await group_repository.put_group(tx, group)
        await group_repository.insert_members(tx, [member], type="verification_queued", data={})

    await rows.db.run(make)
    async with rows.db.read() as tx:
        assert (await group_repository.get_group(tx, "g", caller=CI)).size == 1
        assert (await group_repository.get_group(tx, "g", caller=OPERATOR)).size == 1
        theirs = await refused(group_repository.get_group(tx, "g", caller=WEB))
        none = await refused(group_repository.get_group(tx, "h", caller=WEB))
    assert (theirs.code, theirs.message.replace("'g'", "'h'")) == (none.code, none.message)
    page = await usecases.page_of_verifications(
        rows.db, caller=WEB, limit=10, before=None, selection=Selection(group_id="g")
    )
    assert page == []


def script(title: str) -> str:
    return (
        f'{{"version": 1, "procedure_id": "p", "procedure_digest": "d", "title": "{title}",'
        ' "policy": "literal", "substeps": []}'
    )


async def test_nobodys_walk_is_played_for_another(rows: Setting) -> None:
    for principal in ("ci", "web", ""):
        stored = repository.ScriptRow(
            principal=principal,
            target="devcloud",
            procedure_id="",
            document_digest="a" * 64,
            policy="literal",
            script=script(f"walk of {principal}"),
            verification_id=f"ver_of_{principal}",
            episode_id="ep_1",
            created_at=rows.clock.now(),
        )

        async def put(tx: Transaction, row: repository.ScriptRow = stored) -> None:
            await repository.put_script(tx, row)

        await rows.db.run(put)
    for number, principal in enumerate(["ci", "web"]):
        asked = await rows.create(
            f"ver_{number}", policy="replay", document_digest="a" * 64, principal=principal
        )
        assert f'"walk of {principal}"' in await replays.script_to_replay(rows.db, asked)
    stranger = await rows.create(
        "ver_9", policy="replay", document_digest="a" * 64, principal="third"
    )
    assert await replays.script_to_replay(rows.db, stranger) == ""
    await rows.create("ver_of_ci", principal="ci")
    assert "walk of ci" in (await replays.read_script(rows.db, "ver_of_ci", caller=CI)).script
    assert (
        await refused(replays.read_script(rows.db, "ver_of_ci", caller=WEB))
    ).code == "verification.not_found"


async def test_a_principal_has_so_many_unfinished_jobs_and_no_more_however_many_ask_at_once(
    rows: Setting,
) -> None:
    async def create(number: int, principal: str = "ci") -> str:
        row = verification(f"ver_{principal}_{number}", principal=principal)
        try:
            await usecases.create_verification(rows.db, row, max_unfinished=3)
        except ProofwalkError as error:
            return error.code
        return "made"

    made = await asyncio.gather(*(create(number) for number in range(8)))
    assert sorted(made) == ["limit.jobs"] * 5 + ["made"] * 3
    assert await create(1, "web") == "made"
    error = await refused(usecases.check_room(rows.db, "ci", max_unfinished=3))
    assert (error.code, error.status, error.retryable) == (
        "limit.jobs",
        Status.RESOURCE_EXHAUSTED,
        True,
    )
    assert int(error.details["retry_after_s"]) > 0
    # Asked again, what is there is there; ended, it makes room.
    known, *_ = await usecases.page_of_verifications(rows.db, caller=CI, limit=3, before=None)
    assert (
        await usecases.create_verification(
            rows.db, verification(known[0].id, principal="ci"), max_unfinished=3
        )
    ).id
    await rows.db.run(lambda tx: end(tx, known[0].id, rows))
    assert await create(9) == "made"


async def end(tx: Transaction, name: str, rows: Setting) -> None:
    await repository.update_verification(
        tx, name, state=JobState.FINISHED.value, finished_at=rows.clock.now()
    )


async def to_revision(db: Database, revision: str, *, down: bool = False) -> None:
    def steps(scripts: Any) -> Any:
        move = scripts._downgrade_revs if down else scripts._upgrade_revs
        return lambda current, _context: move(revision, current)

    async with db.changing_tables() as tx:
        await tx.run_sync(migrations._environment, "proofwalk.rollout", None, steps)


async def test_rows_of_before_get_the_owners_that_they_name(database: Database) -> None:
    await to_revision(database, "0005")
    moment = (
        "'2026-01-01 00:00:00+00:00'" if not database.is_sqlite else "'2026-01-01 00:00:00.000000'"
    )
    columns = (
        "id, state, request_digest, document_name, document_digest, document_title, media_type,"
        " procedure_id, target, policy, attempts, meta_yaml, meta_id, rule_yaml, region, principal,"
        " created_at, claim_holder, claim_epoch, done, total, message, event_count, group_id"
    )
    async with database.transaction() as tx:
        for name, principal, group in [("ver_1", "ci", ""), ("g.0", "trainer:run_1", "g")]:
            values = f"'{name}','queued','d','n','d','t','m','','devcloud','literal',1,'','','','','{principal}',{moment},'',0,0,0,'',0,'{group}'"
            await tx.execute(
                text(f"INSERT INTO rollout_verifications ({columns}) VALUES ({values})")
            )
        for name in ("g", "empty"):
            values = f"'{name}','d',1,0,{moment}"
            await tx.execute(
                text(
                    "INSERT INTO rollout_groups (id, request_digest, size, finished, created_at)"
                    f" VALUES ({values})"
                )
            )
        for number, name in enumerate(["ver_1", "ver_gone"]):
            columns = (
                "target, procedure_id, document_digest, policy, script, verification_id,"
                " episode_id, created_at"
            )
            values = f"'devcloud','p{number}','d','literal','{{}}','{name}','ep',{moment}"
            await tx.execute(text(f"INSERT INTO rollout_scripts ({columns}) VALUES ({values})"))
    await to_revision(database, "head")
    async with database.read() as tx:
        owners = await tx.execute(text("SELECT id, principal FROM rollout_groups ORDER BY id"))
        assert [tuple(row) for row in owners] == [("empty", ""), ("g", "trainer:run_1")]
        owners = await tx.execute(
            text("SELECT verification_id, principal FROM rollout_scripts ORDER BY verification_id")
        )
        assert [tuple(row) for row in owners] == [("ver_1", "ci"), ("ver_gone", "")]
    assert await migrations.difference(database, "proofwalk.rollout", repository.METADATA) == []
    await to_revision(database, "0005", down=True)
    await to_revision(database, "head")


@given(principal=st.text(max_size=5), owner=st.text(max_size=5), operator=st.booleans())
def test_a_caller_sees_its_own_and_an_operator_everything(
    principal: str, owner: str, operator: bool
) -> None:
    sees = Caller(principal=principal, is_operator=operator).sees(owner)
    assert sees == (operator or (owner == principal and owner != ""))
    assert ITSELF.sees(owner)


def test_every_call_about_something_that_is_owned_says_for_whom_it_is_made() -> None:
    """A call that is added without a caller fails here."""
    calls = pb.DESCRIPTOR.services_by_name["Rollout"].methods
    bare = {call.name for call in calls if "caller" not in call.input_type.fields_by_name}
    # The first two name the owner of what they make; targets are everybody's.
    assert bare == {"CreateVerification", "RunGroup", "ListTargets"}


@pytest.mark.parametrize("principal", ["", "ci"])
async def test_a_call_for_nobody_is_refused(api: Api, principal: str) -> None:
    """By each call's own message: with a caller it is not found, without one it is not
    even looked for."""
    stub: Any = api.stub
    for call in pb.DESCRIPTOR.services_by_name["Rollout"].methods:
        kind = getattr(pb, call.input_type.name)
        if "caller" not in call.input_type.fields_by_name or (
            principal and call.name in ("ListVerifications", "SummariseVerifications")
        ):
            continue
        asked = getattr(stub, call.name)(kind(caller=pb.Caller(principal=principal)), timeout=5)
        with pytest.raises(ProofwalkError) as caught:
            if call.server_streaming:
                [item async for item in asked]
            else:
                await asked
        found = ("verification.not_found", "group.not_found")
        assert caught.value.code in (found if principal else ("caller.missing",)), call.name
    for request in (
        pb.CreateVerificationRequest(verification_id="ver_1"),
        pb.RunGroupRequest(group_id="g", episodes=1),
    ):
        name = type(request).__name__.removesuffix("Request")
        assert (await refused(getattr(stub, name)(request, timeout=5))).code == "caller.missing"
