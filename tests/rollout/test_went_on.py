"""A walk that took something under another name and went on: its finding is what it
found, however it ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from proofwalk.agent.core.endings import EnvironmentFailed
from proofwalk.agent.core.walk_record import Walk
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.outcomes import (
    Decision,
    EnvCause,
    FindingKind,
    Goal,
    OutcomeKind,
    SubStepStatus,
)
from proofwalk.rollout.domain import judge
from proofwalk.rollout.facts import RewardFacts
from proofwalk.rollout.findings import CLAIMED, SEEN_ONCE
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.walk_facts import facts_of
from tests.agent.documents import procedure, run
from tests.agent.test_detours import form
from tests.agent.test_findings import OPEN, START

STEPS = (
    START,
    OPEN,
    "Click **Create Instance**.",
    "In the **Disk Size** field, enter `40`.",
    "Click **OK**.",
)
LONGER = (*STEPS[:4], "Set **Tenancy** to **Dedicated**.")


async def judged(steps: tuple[str, ...], decision: Decision) -> tuple[Walk, Judgement]:
    walk = await run(form(), *steps)
    event = AuditEvent(
        id="e-1",
        time=walk.ended_at + timedelta(seconds=1),
        service="Ecs",
        name="CreateInstance",
        kind="ApiCall",
        write=True,
        ok=True,
    )
    told = RewardFacts(decision=decision, reason="", matched=(event,), observed=(event,))
    return walk, judge(facts_of(walk, procedure(*steps)), told)


@pytest.mark.parametrize("decision", [Decision.CONFIRMED, Decision.DENIED, Decision.NO_RULE])
async def test_another_name_is_the_finding_of_a_walk_to_its_end(decision: Decision) -> None:
    _, judgement = await judged(STEPS, decision)
    assert judgement.outcome.kind is OutcomeKind.SUSPECTED
    assert judgement.outcome.code == SEEN_ONCE
    assert judgement.finding is not None
    assert (judgement.finding.kind, judgement.finding.line) == (FindingKind.RENAMED, 4)
    assert judgement.noted == ()


async def test_what_was_done_behind_it_is_verified_by_the_log_alone() -> None:
    _, confirmed = await judged(STEPS, Decision.CONFIRMED)
    assert confirmed.goal is Goal.YES
    assert [one.status for one in confirmed.substeps[3:]] == [
        SubStepStatus.DEFECT,
        SubStepStatus.VERIFIED,
    ]
    _, denied = await judged(STEPS, Decision.DENIED)
    assert denied.goal is Goal.NO
    assert [one.status for one in denied.substeps[3:]] == [
        SubStepStatus.DEFECT,
        SubStepStatus.NOT_VERIFIED,
    ]


async def test_what_stops_the_walk_later_may_follow_from_it_and_is_not_the_finding() -> None:
    walk, judgement = await judged(LONGER, Decision.NO_RULE)
    assert walk.finding is not None
    assert walk.finding.line == 5
    assert judgement.finding is not None
    assert judgement.finding.line == 4
    assert walk.finding not in judgement.noted


async def test_the_environment_is_never_blamed_on_the_document() -> None:
    walk = await run(form(), *STEPS)
    error = unavailable("browser.gone", "the browser went away")
    failed = replace(
        walk, ending=EnvironmentFailed(substep="5", cause=EnvCause.SANDBOX, error=error)
    )
    judgement = judge(
        facts_of(failed, procedure(*STEPS)), RewardFacts(decision=Decision.NO_RULE, reason="")
    )
    assert judgement.outcome.kind is OutcomeKind.ENV_FAILURE


async def test_a_walk_that_touched_nothing_has_only_claimed_another_name() -> None:
    walk = replace(await run(form(), *STEPS), history=())
    judgement = judge(
        facts_of(walk, procedure(*STEPS)), RewardFacts(decision=Decision.NO_RULE, reason="")
    )
    assert (judgement.outcome.kind, judgement.outcome.code) == (OutcomeKind.SUSPECTED, CLAIMED)


@pytest.mark.parametrize(
    ("decision", "kind", "noted"),
    [
        (Decision.DENIED, OutcomeKind.SUSPECTED, 0),
        (Decision.CONFIRMED, OutcomeKind.VERIFIED, 0),
        (Decision.NO_RULE, OutcomeKind.UNPROVEN, 1),
    ],
)
async def test_a_form_that_the_document_does_not_send_is_why_the_log_lacks_the_effect(
    decision: Decision, kind: OutcomeKind, noted: int
) -> None:
    steps = tuple(step.replace("Disk Size", "Volume Size") for step in STEPS[:4])
    walk = await run(form(), *steps)
    told = RewardFacts(decision=decision, reason="the log lacks it")
    judgement = judge(facts_of(walk, procedure(*steps)), told)
    assert judgement.outcome.kind is kind
    assert len(judgement.noted) == noted
    if decision is Decision.DENIED:
        assert judgement.finding is not None
        assert (judgement.finding.kind, judgement.finding.line) == (FindingKind.MISSING_STEP, 4)
        assert judgement.substeps[3].status is SubStepStatus.DEFECT
