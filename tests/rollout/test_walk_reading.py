"""What a reader is shown of a walk: steps also while it goes on, pictures that a step
names, the document, the evidence; and each of it to its owner alone."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.database import Transaction
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.json_values import JsonValue
from proofwalk.rollout import episode_repository, repository, walk_reading
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.api import OPERATOR, Api
from tests.rollout.setting import DOCUMENT, Setting

CI, WEB = pb.Caller(principal="ci"), pb.Caller(principal="web")
PICTURE = hashlib.sha256(b"jpeg").hexdigest()
"""Of every step that the fake walker takes."""


async def steps(api: Api, name: str = "ver_1", caller: pb.Caller = OPERATOR, **asked: Any) -> Any:
    request = pb.ListStepsRequest(caller=caller, verification_id=name, **asked)
    return await api.stub.ListSteps(request, timeout=5)


async def picture(
    api: Api, name: str = "ver_1", address: str = PICTURE, caller: pb.Caller = OPERATOR
) -> bytes:
    request = pb.GetPictureRequest(caller=caller, verification_id=name, address=address)
    return b"".join([one.data async for one in api.stub.GetPicture(request, timeout=5)])


async def document(api: Api, name: str = "ver_1", caller: pb.Caller = OPERATOR) -> Any:
    request = pb.GetDocumentRequest(caller=caller, verification_id=name)
    return await api.stub.GetDocument(request, timeout=5)


async def evidence(api: Api, name: str = "ver_1", caller: pb.Caller = OPERATOR) -> Any:
    request = pb.GetEvidenceRequest(caller=caller, verification_id=name)
    return await api.stub.GetEvidence(request, timeout=5)


async def test_steps_are_there_while_the_episode_walks_and_afterwards(api: Api) -> None:
    seen: list[pb.ListStepsResponse] = []

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        seen.append(await steps(api))
        seen.append(await steps(api, after=2))
        return Completed(note="done")

    api.setting.world.walker.script = script
    await api.create(rule_yaml="r")
    before = await steps(api)
    assert (before.episode, list(before.steps), before.open) == (0, [], True)
    await api.setting.finish()
    whole, rest = seen
    assert (whole.episode, whole.open, whole.more) == (1, True, False)
    assert [one.number for one in whole.steps] == [1, 2, 3]
    assert [one.number for one in rest.steps] == [3]
    after = await steps(api)
    assert (after.episode, after.open, list(after.steps)) == (1, False, list(whole.steps))
    step = after.steps[0]
    assert (step.substep, step.thought, step.action_json, step.result, step.ok) == (
        "1",
        "the button is there",
        '{"kind": "click", "id": 3}',
        "clicked",
        True,
    )
    assert (step.url, step.picture) == ("https://console.example/instances", PICTURE)


async def test_before_a_verdict_the_steps_are_those_of_the_episode_begun_last(api: Api) -> None:
    await api.create()
    await insert_steps(api.setting, "ver_1", count=3, episode=1)
    await insert_steps(api.setting, "ver_1", count=1, episode=2)
    assert [
        (one.episode, len(one.steps)) for one in [await steps(api), await steps(api, episode=1)]
    ] == [
        (2, 1),
        (1, 3),
    ]
    with pytest.raises(ProofwalkError, match="no episode 3") as caught:
        await steps(api, episode=3)
    assert caught.value.code == "episode.not_found"


async def insert_steps(setting: Setting, name: str, *, count: int, episode: int = 1) -> None:
    now = setting.clock.now()
    row = episode_repository.EpisodeRow(
        id=f"ep_{name}_{episode}",
        verification_id=name,
        number=episode,
        phase=EpisodePhase.WALK,
        started_at=now,
    )

    async def work(tx: Transaction) -> None:
        await episode_repository.insert_episode(tx, row)
        for number in range(1, count + 1):
            step = StepRow(
                episode_id=row.id,
                number=number,
                substep="1",
                thought="",
                action="{}",
                result="",
                ok=True,
                url="",
                screenshot="",
                started_at=now,
                ended_at=now,
            )
            await episode_repository.insert_step(tx, step)

    await setting.db.run(work)


async def test_a_long_walk_comes_in_parts(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk_reading, "STEPS_AT_ONCE", 4)
    await api.create()
    await insert_steps(api.setting, "ver_1", count=10)
    parts, after = [], 0
    while True:
        part = await steps(api, after=after)
        parts.append([one.number for one in part.steps])
        if not part.more:
            break
        after = part.steps[-1].number
    assert parts == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]


async def test_a_picture_is_given_if_a_step_of_this_very_verification_names_it(api: Api) -> None:
    await api.create("ver_1", principal="ci")
    await api.create("ver_2", principal="web")
    await api.setting.finish("ver_1")
    assert await picture(api, caller=CI) == b"jpeg"
    other = await api.setting.blobs.put(b"a document of somebody else")
    for name, address, caller, code in (
        ("ver_1", PICTURE, WEB, "verification.not_found"),
        ("ver_2", PICTURE, WEB, "picture.not_found"),
        ("ver_1", other, CI, "picture.not_found"),
        ("ver_1", "", CI, "picture.not_found"),
        ("ver_1", "../../etc/passwd", CI, "picture.not_found"),
    ):
        with pytest.raises(ProofwalkError) as caught:
            await picture(api, name, address, caller)
        assert caught.value.code == code, (name, address)
    await api.setting.blobs.collect(older_than_s=-60)
    with pytest.raises(ProofwalkError) as caught:
        await picture(api, caller=CI)
    assert caught.value.code == "picture.collected"


async def test_the_document_has_its_sub_steps_as_soon_as_they_are_read(api: Api) -> None:
    await api.create()
    shown = await document(api)
    assert (shown.name, shown.media_type, shown.text, shown.size) == (
        "stop.md",
        "text/markdown",
        DOCUMENT.decode(),
        len(DOCUMENT),
    )
    assert list(shown.substeps) == []

    async def read(tx: Transaction) -> None:
        substeps: list[JsonValue] = [
            {"number": "1", "text": "Click **Stop**.", "line": 6},
            {"later": True},
        ]
        await repository.append_event(
            tx,
            "ver_1",
            type="procedure_read",
            time=api.setting.clock.now(),
            data={"substeps": substeps},
        )

    await api.setting.db.run(read)
    assert [(one.number, one.text, one.line) for one in (await document(api)).substeps] == [
        ("1", "Click **Stop**.", 6),
        ("", "", 0),
    ]
    await api.setting.finish()
    assert [(one.number, one.line) for one in (await document(api)).substeps] == [
        ("1", 5),
        ("2", 6),
        ("3", 7),
    ]


async def test_of_a_large_document_its_beginning_is_shown(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk_reading, "DOCUMENT_BYTES", 10)
    await api.create()
    shown = await document(api)
    assert (shown.text, shown.size) == (DOCUMENT[:10].decode(), len(DOCUMENT))


async def test_the_evidence_is_the_log_what_was_made_and_where_the_time_went(api: Api) -> None:
    api.setting.world.walker.needs = ["a disk"]
    await api.create(rule_yaml="r", meta_yaml="meta: 1")
    assert (await evidence(api)).episode == 0
    await api.setting.finish()
    shown = await evidence(api)
    assert shown.episode == 1
    assert [(one.event.name, one.matched) for one in shown.events] == [("StopInstance", True)]
    assert {"walk", "sign_in"} <= {one.phase for one in shown.phases}
    assert shown.cost == 0.25
    before, asked_for = shown.provisions
    assert (before.on_demand, asked_for.on_demand, asked_for.text) == (False, True, "a disk")
    assert before.resources


@pytest.mark.parametrize("read", [steps, picture, document, evidence])
async def test_what_is_anothers_is_told_as_what_does_not_exist(api: Api, read: Any) -> None:
    await api.create("ver_1", principal="ci")
    await api.setting.finish("ver_1")
    assert await read(api, "ver_1", caller=CI)
    assert await read(api, "ver_1", caller=OPERATOR)
    refusals = []
    for name in ("ver_1", "ver_0"):
        with pytest.raises(ProofwalkError) as caught:
            await read(api, name, caller=WEB)
        refusals.append((caught.value.code, caught.value.message.replace(name, "")))
    assert refusals[0] == refusals[1]
    assert refusals[0][0] == "verification.not_found"


async def test_rows_are_read_alike_on_both_databases(rows: Setting) -> None:
    await rows.create(principal="ci")
    await insert_steps(rows, "ver_1", count=3)
    walked = await walk_reading.read_walked_steps(
        rows.db, "ver_1", caller=Caller(principal="ci"), episode=0, after=1
    )
    assert ([one.number for one in walked.steps], walked.has_more) == ([2, 3], False)
