"""Compiled walks in the rows: kept after a verified episode, offered to the next
inspection, never across what they do not fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from proofwalk.agent.core.endings import Ending, Unachievable
from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.policies.replay.script import parse_replay
from proofwalk.console.actions import SubStepComplete, TaskComplete
from proofwalk.console.observation import Observation
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout import replays, repository
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.role_choice import RoleChoice
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.fakes import FakeWalker
from tests.rollout.setting import Setting

PAGE = Observation(
    url="http://console.test/ecs",
    title="Console",
    taken_at=datetime(2026, 1, 1, tzinfo=UTC),
    elements=(),
    texts=(),
    tabs=(),
    viewport=(1440, 900),
    scroll=(0, 0, 1440, 900),
)


@pytest.fixture
def kept(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> Setting:
    """The walker keeps the pages of its walk, as it is asked to."""
    plain = FakeWalker.walk

    async def walk(
        self: FakeWalker, order: WalkOrder, listeners: WalkListeners, *, clock: Clock
    ) -> object:
        walked = await plain(self, order, listeners, clock=clock)
        last = len(order.procedure.substeps) - 1
        history = tuple(
            PastStep(
                substep=substep.number,
                thought="",
                action=TaskComplete() if number == last else SubStepComplete(),
                result="",
                ok=True,
            )
            for number, substep in enumerate(order.procedure.substeps)
        )
        looks = tuple(PAGE for _ in history) if order.keeps_looks else ()
        return replace(walked, history=history, looks=looks, final=PAGE)

    monkeypatch.setattr(FakeWalker, "walk", walk)
    return setting


async def test_a_verified_walk_is_kept_and_the_next_inspection_gets_it(kept: Setting) -> None:
    await kept.create("ver_1", policy="literal")
    await kept.finish("ver_1")
    row = await replays.read_script(kept.db, "ver_1", caller=ITSELF)
    script = parse_replay(row.script)
    assert (row.policy, row.target, row.verification_id) == ("literal", "devcloud", "ver_1")
    assert [one.open for one in script.substeps] == [""] * len(script.substeps)
    assert [event.name for one in script.substeps for event in one.events] != []
    assert "walk_compiled" in [event.type for event in await kept.events("ver_1")]

    await kept.create("ver_2", policy="replay")
    await kept.finish("ver_2")
    first, second = kept.world.walker.orders
    assert (first.replay_json, second.replay_json) == ("", row.script)


async def test_a_walk_that_is_not_verified_is_not_kept(kept: Setting) -> None:
    async def gives_up(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return Unachievable(substep="1", reason="no")

    kept.world.walker.script = gives_up
    await kept.create("ver_1", policy="literal")
    await kept.finish("ver_1")
    with pytest.raises(ProofwalkError) as caught:
        await replays.read_script(kept.db, "ver_1", caller=ITSELF)
    assert caught.value.code == "replay.no_script"


async def test_the_walk_of_a_script_is_not_compiled(kept: Setting) -> None:
    await kept.create("ver_1", policy="scripted")
    await kept.finish("ver_1")
    assert not kept.world.walker.orders[0].keeps_looks
    assert "walk_compiled" not in [event.type for event in await kept.events("ver_1")]


async def test_what_cannot_be_compiled_changes_no_verdict(
    kept: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("a fault of the compiler")

    monkeypatch.setattr(replays, "compiled", breaks)
    await kept.create("ver_1", policy="literal")
    row = await kept.finish("ver_1")
    assert row.verdict is not None
    assert row.verdict.judgement.outcome.kind == "verified"
    assert "walk_not_compiled" in [event.type for event in await kept.events("ver_1")]


async def _store(
    setting: Setting, *, digest: str, policy: str, script: str, target: str = "devcloud"
) -> None:
    row = repository.ScriptRow(
        principal="local",
        target=target,
        procedure_id="",
        document_digest=digest,
        policy=policy,
        script=script,
        verification_id=f"ver_{digest[:4]}_{policy}",
        episode_id="ep_1",
        created_at=setting.clock.now(),
    )
    await setting.db.run(lambda tx: repository.put_script(tx, row))


def _script(title: str, version: int = 1) -> str:
    return (
        f'{{"version": {version}, "procedure_id": "p", "procedure_digest": "d", "title": "{title}",'
        ' "policy": "literal", "substeps": []}'
    )


async def test_the_script_of_the_same_document_goes_before_one_of_an_earlier_state(
    rows: Setting,
) -> None:
    asked = await rows.create("ver_1", policy="replay", document_digest="a" * 64)
    assert await replays.script_to_replay(rows.db, asked) == ""
    await _store(rows, digest="b" * 64, policy="replay", script=_script("earlier"))
    assert "earlier" in await replays.script_to_replay(rows.db, asked)
    await _store(rows, digest="a" * 64, policy="literal", script=_script("same"))
    assert "same" in await replays.script_to_replay(rows.db, asked)
    await _store(rows, digest="a" * 64, policy="literal", script=_script("once more"))
    assert "once more" in await replays.script_to_replay(rows.db, asked)


async def test_neither_another_targets_script_nor_one_of_another_version_is_played(
    rows: Setting,
) -> None:
    asked = await rows.create("ver_1", policy="replay", document_digest="a" * 64)
    await _store(
        rows, digest="a" * 64, policy="literal", script=_script("elsewhere"), target="other"
    )
    await _store(rows, digest="a" * 64, policy="replay", script=_script("old", version=0))
    assert await replays.script_to_replay(rows.db, asked) == ""


async def test_what_one_role_walked_is_no_script_for_another(kept: Setting) -> None:
    for verification_id, role, policy in (
        ("ver_1", "admin", "literal"),
        ("ver_2", "viewer", "replay"),
        ("ver_3", "admin", "replay"),
    ):
        choice = RoleChoice(role=role)
        await kept.create(verification_id, policy=policy, signed_in_as=choice)
    for verification_id in ("ver_1", "ver_2", "ver_3"):
        await kept.finish(verification_id)
    scripts = [bool(order.replay_json) for order in kept.world.walker.orders]
    assert scripts == [False, False, True]


async def test_what_was_walked_at_one_site_is_no_script_for_another(kept: Setting) -> None:
    for verification_id, site, policy in (
        ("ver_1", "cn", "literal"),
        ("ver_2", "intl", "replay"),
        ("ver_3", "cn", "replay"),
    ):
        await kept.create(verification_id, policy=policy, site=site)
    for verification_id in ("ver_1", "ver_2", "ver_3"):
        await kept.finish(verification_id)
    scripts = [bool(order.replay_json) for order in kept.world.walker.orders]
    assert scripts == [False, False, True]
