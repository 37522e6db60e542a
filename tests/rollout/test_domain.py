"""The table of judgement, the attribution of events, and the decision about another
attempt: pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.expectations import Expectation, Seen, Sighting
from proofwalk.kernel.outcomes import (
    ACCEPTABLE,
    Decision,
    EnvCause,
    Evidence,
    Finding,
    FindingKind,
    Goal,
    OutcomeKind,
    SubStepStatus,
)
from proofwalk.kernel.readings import ReadAct, Span, SubStepReading
from proofwalk.rollout.domain import judge
from proofwalk.rollout.facts import RewardFacts, WalkedSubStep, WalkEnding, WalkFacts
from proofwalk.rollout.substep_results import attribute

START = datetime(2026, 11, 21, 3, 4, 5, 250_000, tzinfo=UTC)
STOPPED = Sighting(
    expectation=Expectation(kind=Seen.STATE, text="Stopped", subject="web-1"),
    seen="web-1 Stopped",
    step=3,
    grounded=True,
    fresh=True,
    after_last_act=True,
)
READ = SubStepReading(acts=(ReadAct(asked="click “Stop”", executed="clicked “Stop”"),))
FINDING = Finding(
    file="a.md",
    line=7,
    sentence="Click Stop.",
    kind=FindingKind.RENAMED,
    message="it is called Halt",
)


def step(
    number: str,
    *,
    executed: bool = True,
    optional: bool = False,
    start: float | None = 0.0,
    reason: str = "",
    seen: Sighting | None = None,
    reading: SubStepReading | None = None,
) -> WalkedSubStep:
    begun = None if start is None else START + timedelta(seconds=start)
    return WalkedSubStep(
        number=number,
        text=f"do {number}",
        line=int(number),
        executed=executed,
        optional=optional,
        reason=reason,
        steps=1,
        started_at=begun,
        ended_at=begun,
        unplaced=("softly",),
        sightings=(seen,) if seen else (),
        reading=reading,
    )


def facts(ending: WalkEnding, *steps: WalkedSubStep, cause: EnvCause | None = None) -> WalkFacts:
    found = ending is WalkEnding.FINDING
    return WalkFacts(
        ending=ending,
        reason="so it ended",
        substeps=steps or (step("1"), step("2", start=2)),
        finding=FINDING if found else None,
        finding_substep="2" if found else "",
        cause=cause,
    )


def log(decision: Decision, *events: AuditEvent) -> RewardFacts:
    return RewardFacts(decision=decision, reason="says the log", matched=events, observed=events)


E, K = WalkEnding, OutcomeKind
TABLE = [
    (E.COMPLETED, Decision.CONFIRMED, K.VERIFIED, Evidence.AUDIT),
    (E.COMPLETED, Decision.DENIED, K.AGENT_FAILURE, Evidence.NONE),
    (E.COMPLETED, Decision.AUDIT_LATE, K.ENV_FAILURE, Evidence.NONE),
    (E.COMPLETED, Decision.NO_RULE, K.UNPROVEN, Evidence.NONE),
    (E.COMPLETED, Decision.NO_AUDIT_LOG, K.UNPROVEN, Evidence.NONE),
    (E.COMPLETED, Decision.JUDGED_SUCCESS, K.VERIFIED, Evidence.JUDGES),
    (E.COMPLETED, Decision.JUDGED_FAILURE, K.AGENT_FAILURE, Evidence.NONE),
    (E.COMPLETED, Decision.JUDGE_SPLIT, K.JUDGE_SPLIT, Evidence.NONE),
    (E.COMPLETED, Decision.JUDGE_AWAY, K.ENV_FAILURE, Evidence.NONE),
    (E.COMPLETED, Decision.RULE_TOO_COSTLY, K.JUDGE_SPLIT, Evidence.NONE),
    (E.COMPLETED, Decision.ANSWER_WRONG, K.AGENT_FAILURE, Evidence.NONE),
    (E.COMPLETED, Decision.ANSWER_MISSING, K.AGENT_FAILURE, Evidence.NONE),
    (E.COMPLETED, Decision.ANSWER_NOT_JUDGED, K.UNPROVEN, Evidence.NONE),
    *[(E.FINDING, decision, K.SUSPECTED, Evidence.PAGE) for decision in Decision],
    *[
        (ending, decision, K.AGENT_FAILURE, Evidence.NONE)
        for ending in (E.GAVE_UP, E.BUDGET, E.ACTION_FAILURES)
        for decision in Decision
    ],
    *[(E.ENVIRONMENT, decision, K.ENV_FAILURE, Evidence.NONE) for decision in Decision],
    *[(E.CANCELLED, decision, K.CANCELLED, Evidence.NONE) for decision in Decision],
]


@pytest.mark.parametrize(("ending", "decision", "kind", "evidence"), TABLE)
def test_the_table_of_judgement(
    ending: WalkEnding, decision: Decision, kind: OutcomeKind, evidence: Evidence
) -> None:
    judgement = judge(facts(ending), log(decision))
    assert (judgement.outcome.kind, judgement.evidence) == (kind, evidence)
    assert judgement.outcome.reason
    statuses = [result.status for result in judgement.substeps]
    if kind is K.VERIFIED:
        assert statuses == [SubStepStatus.VERIFIED] * 2
    elif kind is K.SUSPECTED:
        assert statuses == [SubStepStatus.VERIFIED, SubStepStatus.DEFECT]
        assert judgement.finding == FINDING
    else:
        assert statuses == [SubStepStatus.NOT_VERIFIED] * 2
        assert all(result.reason for result in judgement.substeps)


def proven(
    *steps: WalkedSubStep, accept: Evidence = Evidence.PAGE, decision: Decision = Decision.NO_RULE
) -> tuple[OutcomeKind, Evidence, str]:
    judgement = judge(facts(E.COMPLETED, *steps), log(decision), accept=accept)
    return judgement.outcome.kind, judgement.evidence, judgement.outcome.code


def test_what_the_walk_saw_for_itself_proves_where_nobody_else_says_anything() -> None:
    judgement = judge(facts(E.COMPLETED, step("1"), step("2", seen=STOPPED)), log(Decision.NO_RULE))
    assert (judgement.outcome.kind, judgement.evidence) == (K.VERIFIED, Evidence.PAGE)
    assert "“Stopped”" in judgement.outcome.reason
    assert judgement.substeps[1].sightings == (STOPPED,)


@pytest.mark.parametrize(
    "weak",
    [{"seen": ""}, {"grounded": False}, {"fresh": False}, {"after_last_act": False}],
    ids=lambda weak: next(iter(weak)),
)
def test_a_sighting_that_does_not_prove_is_a_claim(weak: dict[str, Any]) -> None:
    assert proven(step("1"), step("2", seen=replace(STOPPED, **weak))) == (
        K.UNPROVEN,
        Evidence.NONE,
        "walk.unproven",
    )


def test_a_sighting_before_sub_steps_that_nobody_read_proves_nothing() -> None:
    assert proven(step("1", seen=STOPPED), step("2")) == (
        K.UNPROVEN,
        Evidence.NONE,
        "walk.unproven",
    )
    assert proven(step("1", seen=STOPPED), step("2", reading=READ))[:2] == (
        K.VERIFIED,
        Evidence.PAGE,
    )
    left = step("2", executed=False, optional=True)
    assert proven(step("1", seen=STOPPED), left)[:2] == (K.VERIFIED, Evidence.PAGE)


UNREAD = [
    (
        SubStepReading(acts=(ReadAct(asked="click “Stop”"),)),
        "walk.not_executed",
        "sub-step 2 asks to click “Stop”",
    ),
    (
        SubStepReading(not_understood=(Span(file="a.md", line=9, text="Clik Stop"),)),
        "walk.not_understood",
        "line 9",
    ),
]


@pytest.mark.parametrize(("reading", "code", "named"), UNREAD, ids=[code for _, code, _ in UNREAD])
@pytest.mark.parametrize(
    "decision", [Decision.CONFIRMED, Decision.JUDGED_SUCCESS, Decision.NO_RULE]
)
def test_what_was_asked_and_not_done_is_never_verified(
    decision: Decision, reading: SubStepReading, code: str, named: str
) -> None:
    judgement = judge(
        facts(E.COMPLETED, step("1"), step("2", seen=STOPPED, reading=reading)),
        log(decision, event("a", 0)),
    )
    assert (judgement.outcome.kind, judgement.outcome.code) == (K.UNPROVEN, code)
    assert named in judgement.outcome.reason
    assert [result.status for result in judgement.substeps] == [SubStepStatus.NOT_VERIFIED] * 2
    assert judgement.substeps[1].reading == reading
    assert judgement.audit_events == ("a",)


RUNGS = {
    Decision.CONFIRMED: Evidence.AUDIT,
    Decision.JUDGED_SUCCESS: Evidence.JUDGES,
    Decision.NO_RULE: Evidence.PAGE,
}


@pytest.mark.parametrize("accept", ACCEPTABLE)
@pytest.mark.parametrize("decision", RUNGS)
def test_only_what_reaches_the_rung_that_is_accepted_is_verified(
    decision: Decision, accept: Evidence
) -> None:
    rung = RUNGS[decision]
    enough = list(Evidence).index(rung) <= list(Evidence).index(accept)
    kind, evidence, _ = proven(step("1"), step("2", seen=STOPPED), accept=accept, decision=decision)
    assert (kind is K.VERIFIED) is enough
    assert kind in (K.VERIFIED, K.UNPROVEN)
    assert evidence is rung


def test_the_table_is_whole() -> None:
    assert {(ending, decision) for ending, decision, _, _ in TABLE} == {
        (ending, decision) for ending in E for decision in Decision
    }


@pytest.mark.parametrize("cause", [*EnvCause, None])
def test_a_failing_environment_keeps_its_cause(cause: EnvCause | None) -> None:
    outcome = judge(facts(E.ENVIRONMENT, cause=cause), log(Decision.NO_RULE)).outcome
    assert outcome.cause is (cause or EnvCause.SANDBOX)


def test_a_completed_walk_that_left_a_sub_step_out_is_no_success_whatever_the_log_says() -> None:
    walk = facts(
        E.COMPLETED,
        step("1"),
        step("2", executed=False, reason="the policy ended the walk before it"),
    )
    judgement = judge(walk, log(Decision.CONFIRMED))
    assert (judgement.outcome.kind, judgement.outcome.code) == (K.AGENT_FAILURE, "walk.incomplete")
    assert "sub-step 2" in judgement.outcome.reason


def test_an_optional_sub_step_may_be_left_out_and_is_not_called_verified() -> None:
    walk = facts(
        E.COMPLETED,
        step("1"),
        step("2", executed=False, optional=True, reason="not needed"),
        step("3"),
    )
    judgement = judge(walk, log(Decision.CONFIRMED))
    assert judgement.outcome.kind is K.VERIFIED
    assert [result.status for result in judgement.substeps] == [
        SubStepStatus.VERIFIED,
        SubStepStatus.NOT_VERIFIED,
        SubStepStatus.VERIFIED,
    ]
    assert judgement.substeps[1].reason == "not needed"


def test_what_comes_after_a_defect_was_not_reached() -> None:
    judgement = judge(
        facts(E.FINDING, step("1"), step("2"), step("3", executed=False, start=None)),
        log(Decision.NO_RULE),
    )
    assert [result.status for result in judgement.substeps][2] is SubStepStatus.NOT_VERIFIED
    assert "not reached" in judgement.substeps[2].reason


def test_words_that_could_not_be_placed_are_kept_whatever_the_outcome() -> None:
    for ending, decision, _, _ in TABLE:
        assert all(
            result.unplaced == ("softly",)
            for result in judge(facts(ending), log(decision)).substeps
        )


def event(name: str, second: int) -> AuditEvent:
    return AuditEvent(
        id=name,
        time=START.replace(microsecond=0) + timedelta(seconds=second),
        service="Ecs",
        name=name,
        kind="ApiCall",
        write=True,
        ok=True,
    )


def test_an_event_of_the_second_in_which_a_sub_step_began_is_its_own() -> None:
    # The log keeps whole seconds: an event at 03:04:05 may lie before the sub-step's
    # 03:04:05.25 by that alone.
    found = attribute(
        [step("1", start=0), step("2", start=3)],
        [event("a", 0), event("b", 2), event("c", 3), event("d", 60)],
    )
    assert found == {"1": ("a", "b"), "2": ("c", "d")}


def test_an_event_before_the_walk_belongs_to_no_sub_step() -> None:
    assert attribute([step("1", start=2), step("2", start=None)], [event("early", 1)]) == {}


def test_of_sub_steps_that_began_in_one_second_the_last_has_the_event() -> None:
    assert attribute(
        [step("1", start=0), step("2", start=0.3), step("3", start=None)], [event("a", 0)]
    ) == {"2": ("a",)}


@given(
    starts=st.lists(st.floats(0, 100), min_size=1, max_size=8).map(sorted),
    seconds=st.lists(st.integers(-5, 110), max_size=20),
)
def test_each_event_goes_to_at_most_one_sub_step_that_had_begun(
    starts: list[float], seconds: list[int]
) -> None:
    steps = [step(str(number), start=start) for number, start in enumerate(starts)]
    events = [event(f"e{number}", second) for number, second in enumerate(seconds)]
    found = attribute(steps, events)
    placed = [name for names in found.values() for name in names]
    assert len(placed) == len(set(placed))
    times = {one.id: one.time for one in events}
    for one in steps:
        assert one.started_at is not None
        for name in found.get(one.number, ()):
            assert times[name] >= one.started_at.replace(microsecond=0)
    first = steps[0].started_at
    assert first is not None
    assert set(placed) == {one.id for one in events if one.time >= first.replace(microsecond=0)}


@pytest.mark.parametrize("ending", [E.COMPLETED, E.FINDING, E.GAVE_UP, E.BUDGET, E.ACTION_FAILURES])
def test_whether_the_goal_was_reached_is_told_apart_from_the_outcome(ending: WalkEnding) -> None:
    goals = {decision: judge(facts(ending), log(decision)).goal for decision in Decision}
    assert {decision for decision, goal in goals.items() if goal is Goal.YES} == {
        Decision.CONFIRMED,
        Decision.JUDGED_SUCCESS,
    }
    assert {decision for decision, goal in goals.items() if goal is Goal.NO} == {
        Decision.DENIED,
        Decision.JUDGED_FAILURE,
        Decision.ANSWER_WRONG,
        Decision.ANSWER_MISSING,
    }


@given(st.sampled_from(list(WalkEnding)), st.sampled_from(list(Decision)))
def test_what_the_walk_got_round_is_told_whatever_the_outcome(
    ending: WalkEnding, decision: Decision
) -> None:
    [noted] = (replace(FINDING, kind=FindingKind.MOVED),)
    judgement = judge(replace(facts(ending), noted=(noted,)), log(decision))
    assert noted in (*judgement.noted, judgement.finding)
