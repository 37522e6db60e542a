"""A finding has two witnesses: what a verification does about one, and what its verdict
says of both."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Ending, Unachievable
from proofwalk.kernel.outcomes import Finding, FindingKind, Outcome, OutcomeKind
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.fakes import Script, away
from tests.rollout.setting import Setting

FINDING = Finding(
    file="stop.md",
    line=6,
    sentence="click Stop",
    kind=FindingKind.RENAMED,
    message="it is called Halt",
    candidates=("Halt",),
)
FOUND = Unachievable(substep="2", reason="no Stop", finding=FINDING)


def one_after_the_other(setting: Setting, *endings: Ending) -> Script:
    """The first episode ends with the first, and so on; the last for ever."""

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        setting.clock.advance(20)
        return endings[min(len(setting.world.walker.orders), len(endings)) - 1]

    return script


async def test_a_wrong_sentence_that_two_episodes_meet_is_a_defect_of_the_document(
    setting: Setting,
) -> None:
    setting.world.walker.script = one_after_the_other(setting, FOUND)
    setting.world.rewards.decision = "denied"
    await setting.create(attempts=1)
    await setting.finish()
    verdict = await setting.verdict()
    assert verdict.judgement.outcome == Outcome(
        kind=OutcomeKind.DOC_DEFECT, reason="it is called Halt"
    )
    assert verdict.judgement.finding == FINDING
    assert [step.status for step in verdict.judgement.substeps] == [
        "verified",
        "defect",
        "not_verified",
    ]
    assert (verdict.judgement.goal, verdict.episodes) == ("no", 2)
    assert [one.episode for one in verdict.judgement.sightings] == [1, 2]
    assert verdict.judgement.second_sighting_seconds == 20.0
    # Each witness with an account and a browser of its own, proven clean in between, in
    # other trouble.
    accounts = setting.world.accounts.releases
    assert len(accounts) == len(set(accounts)) == 2
    assert len({order.seed for order in setting.world.walker.orders}) == 2


@pytest.mark.parametrize(
    ("second", "decision", "why"),
    [
        (Completed(), "denied", "ended as agent_failure"),
        (Completed(), "confirmed", "done all the same"),
        (Unachievable(substep="2", reason="I am lost"), "denied", "ended as agent_failure"),
    ],
)
async def test_a_finding_that_one_episode_meets_alone_is_suspected(
    setting: Setting, second: Ending, decision: str, why: str
) -> None:
    setting.world.walker.script = one_after_the_other(setting, FOUND, second)
    setting.world.rewards.decision = decision
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert judgement.outcome.kind == "suspected"
    assert why in judgement.outcome.reason
    assert all(step.status != "defect" for step in judgement.substeps)


async def test_a_finding_that_the_log_contradicts_is_suspected_at_once(setting: Setting) -> None:
    setting.world.walker.script = one_after_the_other(setting, FOUND)
    await setting.create(attempts=3)
    await setting.finish()
    verdict = await setting.verdict()
    assert (verdict.judgement.outcome.kind, verdict.judgement.goal, verdict.episodes) == (
        "suspected",
        "yes",
        1,
    )
    assert "StopInstance" in verdict.judgement.outcome.reason


async def test_what_the_environment_failed_is_no_second_witness(setting: Setting) -> None:
    setting.world.walker.script = one_after_the_other(setting, FOUND)
    setting.world.rewards.decision = "denied"
    await setting.create()
    setting.world.gates.clear()

    first = setting.world.walker.script

    async def broken_between(order: WalkOrder, listeners: WalkListeners) -> Ending:
        if len(setting.world.walker.orders) == 1:
            setting.world.before["sandboxes.acquire"].extend(away())
        return await first(order, listeners)

    setting.world.walker.script = broken_between
    await setting.finish()
    verdict = await setting.verdict()
    assert (verdict.judgement.outcome.kind, verdict.episodes) == ("doc_defect", 3)
    assert [one.outcome for one in verdict.judgement.sightings] == [
        "suspected",
        "env_failure",
        "suspected",
    ]


async def test_without_a_log_two_sightings_are_enough(setting: Setting) -> None:
    setting.world.walker.script = one_after_the_other(setting, FOUND)
    setting.world.before["rewards.judge"].extend(away(2))
    setting.world.before["rewards.events"].extend(away(2))
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.goal) == ("doc_defect", "unknown")


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [(Unachievable(substep="2", reason="I am lost"), "agent_failure"), (Completed(), "verified")],
)
async def test_every_ending_asks_the_log_whether_the_goal_was_reached(
    setting: Setting, ending: Ending, outcome: str
) -> None:
    setting.world.walker.script = one_after_the_other(setting, ending)
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.goal) == (outcome, "yes")
    assert setting.world.calls.count("rewards.judge") == 1


async def test_a_policy_that_blames_the_document_at_once_is_no_witness(setting: Setting) -> None:
    setting.world.walker.script = one_after_the_other(setting, FOUND)
    setting.world.walker.history = ()
    await setting.create(rule="")
    await setting.finish()
    verdict = await setting.verdict()
    assert (verdict.judgement.outcome.kind, verdict.judgement.outcome.code, verdict.episodes) == (
        "suspected",
        "finding.claimed",
        1,
    )
