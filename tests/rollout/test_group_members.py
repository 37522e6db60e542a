"""Members of a group: how they end, and in which order they are told."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.agent.core.endings import BudgetExhausted, Completed, Ending, Unachievable
from proofwalk.agent.core.environment import StepEvent
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.outcomes import EnvCause, Finding, FindingKind
from proofwalk.models.client import AnswerForm, Completion, Exchange
from proofwalk.rollout.messages import member_message
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.fakes import Died, away
from tests.rollout.groups import TASK, Place


async def test_members_are_told_of_in_the_order_of_finishing_first_stored_then_live(
    place: Place,
) -> None:
    await place.groups.run("run.1.stop", TASK, size=3)
    await place.finish(2)
    live = place.groups.watch("run.1.stop", caller=ITSELF)
    async with asyncio.timeout(20):
        first = await anext(live)
        waiting = asyncio.ensure_future(anext(live))
        await place.finish(0)
        second = await waiting
        await place.finish(1)
        assert [member async for member in live] == await place.watched(after=2)
    assert [
        (one.sequence, one.number, one.judgement.outcome.kind, one.judgement.evidence)
        for one in (first, second)
    ] == [
        (1, 2, "verified", "audit"),
        (2, 0, "verified", "audit"),
    ]
    assert first.verification_id == "run.1.stop.2"
    assert first.episode == 1
    assert [member.sequence for member in await place.watched()] == [1, 2, 3]
    assert [member.number for member in await place.watched(after=1)] == [0, 1]
    assert await place.watched(after=3) == []


async def test_members_that_finish_at_the_same_time_get_a_number_each(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=4)
    place.setting.settings = place.setting.settings.model_copy(
        update={"account_wait_s": 60.0, "sandbox_wait_s": 60.0}
    )
    await asyncio.gather(*(place.finish(number, holder=f"worker_{number}") for number in range(4)))
    assert [member.sequence for member in await place.watched()] == [1, 2, 3, 4]
    for name in await place.members():
        await place.setting.check_all_is_well(name)


async def test_an_environment_failure_is_told_and_not_tried_again(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=2)
    place.setting.world.before["sandboxes.acquire"].extend(away())
    await place.finish(0, 1)
    failed, fine = await place.watched()
    assert failed.judgement.outcome.cause == EnvCause.SANDBOX
    assert (failed.judgement.evidence, failed.episode) == ("none", 1)
    assert (fine.judgement.outcome.kind, fine.judgement.evidence) == ("verified", "audit")
    assert len(await place.setting.episodes("run.1.stop.0")) == 1


@pytest.mark.parametrize(
    ("decision", "outcome", "evidence", "seen"),
    [
        ("confirmed", "verified", "audit", (1, 0, 0)),
        ("denied", "agent_failure", "none", (0, 1, 0)),
        ("audit_late", "env_failure", "none", (0, 1, 0)),
    ],
)
async def test_a_member_says_how_it_ended_and_what_that_rests_on(
    here: Place, decision: str, outcome: str, evidence: str, seen: tuple[int, int, int]
) -> None:
    here.setting.world.rewards.decision = decision
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    (member,) = await here.watched()
    assert (member.judgement.outcome.kind, member.judgement.evidence) == (outcome, evidence)
    assert (member.met, member.missing, member.forbidden) == seen, "of the rule"


async def test_a_finding_comes_with_its_member(here: Place) -> None:
    finding = Finding(
        file="stop.md",
        line=6,
        sentence="click **Stop**",
        kind=FindingKind.RENAMED,
        message="no Stop",
    )

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return Unachievable(substep="2", reason="no Stop", finding=finding)

    here.setting.world.walker.script = script
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    (member,) = await here.watched()
    assert (member.judgement.outcome.kind, member.judgement.evidence) == (
        "suspected",
        "page",
    ), "one episode is one witness"
    assert member.judgement.finding == finding


async def test_the_weights_that_acted_are_told_each_once(here: Place) -> None:
    def asked(model: str) -> Exchange:
        answer = Completion(text="", finish_reason="stop", model=model, tokens_in=1, tokens_out=1)
        return Exchange(messages=(), form=AnswerForm.TEXT, completion=answer, error="it is no JSON")

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        now = here.setting.clock.now()
        for number, versions in enumerate((("run@step-1", "run@step-2"), ("run@step-2",)), start=4):
            await listeners.on_step(
                StepEvent(
                    step=number, substep="3", substep_index=2, thought="", action="{}", result="", ok=False, url="", title="",
                    started_at=now, ended_at=now, unread=tuple(map(asked, versions)),
                )
            )  # fmt: skip
        return Completed()

    here.setting.world.walker.script = script
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    (member,) = await here.watched()
    assert member.policy_versions == ("run@step-1", "run@step-2")


@pytest.mark.parametrize(
    ("ending", "completed"),
    [
        (Completed(), True),
        (Unachievable(substep="2", reason="no Stop"), False),
        (BudgetExhausted(substep="2", reason="60 steps"), False),
    ],
)
async def test_whether_the_policy_said_that_it_was_done_is_told(
    here: Place, ending: Ending, completed: bool
) -> None:
    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return ending

    here.setting.world.walker.script = script
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    (member,) = await here.watched()
    assert member.completed == completed
    assert member_message(member).completed == completed


async def test_a_member_whose_worker_dies_is_taken_over_and_finishes_once(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=1)
    here.setting.world.before["walker.walk"].append(Died())
    with pytest.raises(Died):
        await here.finish(0)
    here.setting.clock.advance(601)
    await here.finish(0, holder="worker_2")
    (member,) = await here.watched()
    assert (member.sequence, member.judgement.outcome.kind, member.episode) == (1, "verified", 2)
    await here.setting.check_all_is_well("run.1.stop.0")
