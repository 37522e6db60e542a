"""Groups for training: begun whole or not at all, grown, cancelled; members are
verifications like any other."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.jobs import JobState
from proofwalk.orders.order import DocumentSource
from proofwalk.rollout import group_repository, usecases
from tests.rollout.fakes import Died, away
from tests.rollout.groups import TASK, Place, code_of
from tests.rollout.setting import DOCUMENT, asking


async def test_a_group_is_so_many_queued_verifications_with_one_attempt_each(place: Place) -> None:
    group = await place.groups.run("run.1.stop", TASK, size=3)
    assert (group.id, group.size, group.finished) == ("run.1.stop", 3, 0)
    assert await place.members() == place.rung == ["run.1.stop.0", "run.1.stop.1", "run.1.stop.2"]
    for number, name in enumerate(place.rung):
        row = await place.setting.row(name)
        assert (row.state, row.order.attempts, row.group_id, row.group_number) == (
            JobState.QUEUED,
            1,
            "run.1.stop",
            number,
        )
        assert (row.document_name, row.principal, row.total) == ("stop.md", "trainer", 3)
        assert [(event.sequence, event.type) for event in await place.setting.events(name)] == [
            (1, "verification_queued")
        ]


async def test_asked_for_again_it_is_what_it_is_and_asked_for_larger_it_grows(place: Place) -> None:
    task = asking(DocumentSource(url="https://docs.example/stop"))
    first = await place.groups.run("run.1.stop", task, size=2)
    assert await place.groups.run("run.1.stop", task, size=2) == first
    assert (await place.groups.run("run.1.stop", task, size=1)).size == 2
    await place.finish(0)
    place.document = DOCUMENT.replace(b"Stop", b"Halt")
    place.setting.world.before["rewards.validate"].extend(away(9))
    place.setting.clock.advance(60)
    assert (await place.groups.run("run.1.stop", task, size=4)).size == 4
    assert len(await place.members()) == 4
    documents = {(await place.setting.row(name)).document_digest for name in await place.members()}
    assert len(documents) == 1, "all of a group walk the same document"
    fresh = await place.setting.row("run.1.stop.3")
    assert (fresh.state, fresh.finished_at, fresh.verdict, fresh.claim_epoch) == (
        JobState.QUEUED,
        None,
        None,
        0,
    )
    await place.finish(1, 2, 3)
    assert [member.number for member in await place.watched()] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "other", [{"rule": "rule: 2"}, {"document": DocumentSource(text="x")}, {"policy": "llm"}]
)
async def test_an_id_is_not_taken_for_another_task(here: Place, other: dict[str, Any]) -> None:
    await here.groups.run("run.1.stop", TASK, size=2)
    changed = asking(**other)
    assert await code_of(here.groups.run("run.1.stop", changed, size=2)) == "group.exists"
    assert (
        await code_of(here.groups.run("run.1.stop", TASK, size=2, temperature=0.5))
        == "group.exists"
    )
    assert len(await here.members()) == 2


async def test_asked_for_at_the_same_time_it_is_made_once(place: Place) -> None:
    sizes = [3, 5, 3, 4, 5]
    groups = await asyncio.gather(
        *(place.groups.run("run.1.stop", TASK, size=size) for size in sizes)
    )
    assert max(group.size for group in groups) == 5
    assert len(await place.members()) == 5
    assert sorted(place.rung) == await place.members()


async def test_what_breaks_off_while_it_is_written_leaves_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = group_repository.insert_members
    faults = [Died(), KeyError("a bug")]

    async def breaking(*arguments: Any, **named: Any) -> None:
        await insert(*arguments, **named)
        if faults:
            raise faults.pop()

    monkeypatch.setattr(group_repository, "insert_members", breaking)
    for fault in (KeyError, Died):
        with pytest.raises(fault):
            await place.groups.run("run.1.stop", TASK, size=2)
        assert await place.members() == []
        assert await code_of(place.watched()) == "group.not_found"
    await place.groups.run("run.1.stop", TASK, size=2)
    faults.append(Died())
    with pytest.raises(Died):
        await place.groups.run("run.1.stop", TASK, size=4)
    assert len(await place.members()) == 2
    assert (await place.groups.run("run.1.stop", TASK, size=4)).size == 4
    assert len(await place.members()) == 4


async def test_a_cancelled_group_keeps_what_is_finished_and_may_grow_again(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=3)
    await place.finish(1)
    place.rung.clear()
    for _ in range(2):
        group = await place.groups.cancel("run.1.stop", caller=ITSELF)
        assert (group.size, group.finished) == (3, 1)
    assert place.rung == ["run.1.stop.0", "run.1.stop.2"]
    await place.finish(0, 2)
    assert [
        (one.number, one.judgement.outcome.kind, one.judgement.evidence, one.episode)
        for one in await place.watched()
    ] == [
        (1, "verified", "audit", 1),
        (0, "cancelled", "none", 0),
        (2, "cancelled", "none", 0),
    ]
    await place.groups.run("run.1.stop", TASK, size=4)
    await place.finish(3)
    assert [one.judgement.outcome.kind for one in await place.watched(after=3)] == ["verified"]
    assert await code_of(place.groups.cancel("run.none", caller=ITSELF)) == "group.not_found"


async def test_people_see_their_own_and_go_first(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=2)
    place.setting.clock.advance(5)
    await place.setting.create("ver_1")
    assert await place.listed() == ["ver_1"]
    waiting = await usecases.waiting(place.setting.db, clock=place.setting.clock, limit=9)
    assert waiting == ["ver_1", "run.1.stop.0", "run.1.stop.1"]


@pytest.mark.parametrize(
    ("group_id", "task", "named", "code"),
    [
        ("", {}, {}, "group.bad_id"),
        ("a/b", {}, {}, "group.bad_id"),
        (".a", {}, {}, "group.bad_id"),
        ("g" * 61, {}, {}, "group.bad_id"),
        ("g", {}, {"size": 0}, "group.bad_size"),
        ("g", {}, {"size": 257}, "group.bad_size"),
        ("g", {"verification_id": "ver_1"}, {}, "group.bad_task"),
        ("g", {"attempts": 2}, {}, "group.bad_task"),
        ("g", {}, {"temperature": 2.5}, "group.bad_temperature"),
        ("g", {}, {"temperature": float("nan")}, "group.bad_temperature"),
        ("g", {"target": "moon"}, {}, "target.unknown"),
        ("g", {"document": DocumentSource(text="no procedure")}, {}, "document."),
    ],
)
async def test_what_cannot_be_walked_begins_nothing(
    here: Place, group_id: str, task: dict[str, Any], named: dict[str, Any], code: str
) -> None:
    wanted = asking(**task)
    assert (await code_of(here.groups.run(group_id, wanted, **{"size": 2, **named}))).startswith(
        code
    )
    assert await here.listed() == await here.members("g") == here.rung == []


async def test_the_longest_id_has_room_for_the_largest_number(place: Place) -> None:
    name = "g" * 60
    group = await place.groups.run(name, TASK, size=256)
    assert group.size == 256
    assert (await place.members(name))[-1] == f"{name}.255"


async def test_a_member_asks_for_an_account_for_training(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    assert [one.purpose for one in here.setting.world.accounts.demands] == ["training"]


async def test_what_groups_come_to_is_counted(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=2)
    await here.groups.run("run.1.stop", TASK, size=3)
    await here.setting.create("ver_1")
    here.setting.world.before["sandboxes.acquire"].extend(away())
    await here.finish(0, 1)
    await here.worker().attend("ver_1")
    value = here.registry.get_sample_value
    assert value("proofwalk_rollout_groups_total") == 1
    assert value("proofwalk_rollout_group_episodes_total") == 3
    finished = [
        value("proofwalk_rollout_group_episodes_finished_total", {"outcome": one})
        for one in ("verified", "env_failure")
    ]
    assert finished == [1, 1]
