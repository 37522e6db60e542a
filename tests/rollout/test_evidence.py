"""What a verdict rests on where no rule tells: what the walk saw, and nothing that was
only claimed."""

from __future__ import annotations

from tests.rollout.fakes import STOPPED
from tests.rollout.setting import Setting


async def test_without_a_rule_a_claim_is_unproven_and_says_so(setting: Setting) -> None:
    await setting.create(rule="", meta="")
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.evidence, judgement.outcome.code) == (
        "unproven",
        "none",
        "walk.unproven",
    )
    assert all(step.status == "not_verified" for step in judgement.substeps)


async def test_without_a_rule_the_verdict_rests_on_what_the_walk_saw_and_says_so(
    setting: Setting,
) -> None:
    setting.world.walker.seen = STOPPED
    await setting.create(rule="", meta="")
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.evidence) == ("verified", "page")
    assert "weaker" in judgement.outcome.reason
    (sighting,) = judgement.substeps[-1].sightings
    assert (sighting.seen, sighting.expectation.kind) == ("web-1 Stopped", "state")
    assert "provisioner.provision" not in setting.world.calls


async def test_only_what_reaches_the_accepted_rung_is_verified(setting: Setting) -> None:
    setting.world.walker.seen = STOPPED
    await setting.create(rule="", meta="", accept="judges")
    await setting.finish()
    row = await setting.check_all_is_well()
    assert row.verdict is not None
    assert (
        row.order.accept,
        row.verdict.judgement.outcome.kind,
        row.verdict.judgement.evidence,
    ) == (
        "judges",
        "unproven",
        "page",
    )
