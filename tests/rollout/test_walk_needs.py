"""What a walk lacks is asked for with its document, made, told, taken back, and its
record proven where the account is as before."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.kernel.errors import conflict
from proofwalk.kernel.needs import Need
from proofwalk.rollout.ports import LeftBehind, WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.fixtures.clocks import set_wall
from tests.rollout.fakes import away
from tests.rollout.setting import Setting


async def test_on_demand_resources_are_made_reported_and_taken_back(setting: Setting) -> None:
    setting.world.walker.needs = ["a security group", "a snapshot"]
    await setting.create()
    await setting.finish()
    await setting.check_all_is_well()
    needs = setting.world.provisioner.needs
    assert [need.text for need in needs] == ["a security group", "a snapshot"]
    row = await setting.row()
    assert {need.document_digest for need in needs} == {row.document_digest}
    assert {intent.key for intent in await setting.intents()} == {
        "account",
        "provision",
        "sandbox",
        "on_demand_1",
        "on_demand_2",
    }
    assert [
        event.data["need"]
        for event in await setting.events()
        if event.type == "on_demand_provisioned"
    ] == [
        "a security group",
        "a snapshot",
    ]


async def test_the_judge_is_told_when_the_platform_worked_in_the_account(setting: Setting) -> None:
    setting.world.walker.needs = ["a security group", "a snapshot"]
    await setting.create()
    await setting.finish()
    (window,) = setting.world.rewards.windows
    first, second = window.pauses
    assert window.start <= first.start <= first.end <= second.start <= second.end <= window.end


@pytest.mark.parametrize("jump_s", [3600.0, -3600.0])
async def test_what_is_judged_keeps_its_order_when_the_wall_clock_is_set(
    setting: Setting, jump_s: float
) -> None:
    async def jumps(order: WalkOrder, listeners: WalkListeners) -> Ending:
        set_wall(setting.clock, jump_s)
        await listeners.provision(Need(text="a snapshot"))
        setting.clock.advance(5)
        return Completed(note="done")

    setting.world.walker.script = jumps
    await setting.create()
    await setting.finish()
    (window,) = setting.world.rewards.windows
    (pause,) = window.pauses
    assert window.start <= pause.start <= pause.end <= window.end
    assert (window.end - window.start).total_seconds() < 60


async def test_the_judge_is_told_that_the_consoles_clock_was_off(setting: Setting) -> None:
    setting.world.walker.clock_off_s = -90.0
    await setting.create()
    await setting.finish()
    assert [one.clock_off_s for one in setting.world.rewards.windows] == [-90.0]


async def test_a_record_that_met_a_need_is_proven_once_the_account_is_clean(
    setting: Setting,
) -> None:
    setting.world.walker.needs = ["a snapshot"]
    await setting.create()
    await setting.finish()
    assert setting.world.provisioner.proven == ["need-instance@3"]
    (said,) = [one for one in await setting.events() if one.type == "on_demand_provisioned"]
    assert said.data["record"] == "need-instance@3"
    assert said.data["resources"] == [
        {"product": "ecs", "type": "instance", "id": "i-1", "name": "web-1", "state": ""}
    ]


@pytest.mark.parametrize("left", ["dirty", "unproven", "not swept"])
async def test_a_record_is_not_proven_where_something_may_be_left(
    setting: Setting, left: str
) -> None:
    setting.world.walker.needs = ["a snapshot"]
    if left == "dirty":
        setting.world.accounts.leftovers = [
            LeftBehind(product="ecs", type="instance", id="i-9", region="r", name="")
        ]
    elif left == "unproven":
        setting.world.accounts.unproven = True
    else:
        setting.world.before["provisioner.sweep"].append(
            conflict("provision.destroy_failed", "it does not go")
        )
    await setting.create()
    await setting.finish()
    assert setting.world.provisioner.proven == []


async def test_what_cannot_be_proven_now_keeps_no_account(setting: Setting) -> None:
    setting.world.walker.needs = ["a snapshot"]
    setting.world.before["provisioner.prove"].extend(away(1))
    await setting.create()
    await setting.finish()
    await setting.check_all_is_well()
    assert setting.world.provisioner.proven == []
