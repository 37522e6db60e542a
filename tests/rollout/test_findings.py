"""How far a finding is believed: what the log shows of the sentence that is called
wrong, what the walk had done, and what it had not understood."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.kernel.outcomes import Decision, FindingKind, Goal, OutcomeKind
from proofwalk.kernel.readings import Span, SubStepReading
from proofwalk.rollout.domain import judge
from proofwalk.rollout.facts import WalkEnding
from tests.rollout.test_domain import FINDING, event, facts, log, step

E = WalkEnding
K = OutcomeKind


@pytest.mark.parametrize(
    ("path", "write", "code"),
    [
        ("host/a", False, "finding.seen_once"),
        ("host/b", False, "finding.contradicted"),
        ("host/a", True, "finding.contradicted"),
    ],
)
def test_what_is_read_again_contradicts_nothing(path: str, write: bool, code: str) -> None:
    walk = facts(E.FINDING, step("1"), step("2", start=2))
    first = replace(event("Host", 1), write=write, request={"path": "host/a"})
    late = replace(event("Host", 3), write=write, request={"path": path})
    told = replace(log(Decision.CONFIRMED, first), matched=(first, late))
    assert judge(walk, told).outcome.code == code


@pytest.mark.parametrize(
    ("decision", "substep", "code"),
    [
        (Decision.DENIED, "2", "finding.not_done"),
        (Decision.DENIED, "1", "finding.seen_once"),
        (Decision.CONFIRMED, "2", "finding.seen_once"),
        (Decision.NO_RULE, "2", "finding.seen_once"),
    ],
)
def test_nothing_follows_from_a_last_step_that_the_log_lacks(
    decision: Decision, substep: str, code: str
) -> None:
    found = replace(FINDING, kind=FindingKind.WRONG_OUTCOME)
    walk = replace(
        facts(E.FINDING, step("1"), step("2", start=2)), finding=found, finding_substep=substep
    )
    assert judge(walk, log(decision)).outcome.code == code


def late(decision: Decision, kind: FindingKind, second: int) -> tuple[OutcomeKind, str, Goal]:
    walk = facts(E.FINDING, step("1"), step("2", start=2))
    found = replace(FINDING, kind=kind)
    judgement = judge(replace(walk, finding=found), log(decision, event("StopInstance", second)))
    return judgement.outcome.kind, judgement.outcome.code, judgement.goal


def test_a_finding_of_what_the_log_shows_done_is_contradicted() -> None:
    contradicted = (K.SUSPECTED, "finding.contradicted", Goal.YES)
    for kind in (
        FindingKind.MISSING,
        FindingKind.RENAMED,
        FindingKind.DISABLED,
        FindingKind.MISSING_STEP,
    ):
        assert late(Decision.CONFIRMED, kind, 2) == contradicted
        assert late(Decision.CONFIRMED, kind, 9) == contradicted
    # It was done before the sentence that is wrong; or it could be done, and what
    # follows is not as it says.
    assert late(Decision.CONFIRMED, FindingKind.MISSING, 1) == (
        K.SUSPECTED,
        "finding.seen_once",
        Goal.YES,
    )
    assert late(Decision.CONFIRMED, FindingKind.WRONG_OUTCOME, 9) == (
        K.SUSPECTED,
        "finding.seen_once",
        Goal.YES,
    )
    assert late(Decision.DENIED, FindingKind.MISSING, 9) == (
        K.SUSPECTED,
        "finding.seen_once",
        Goal.NO,
    )


def test_a_finding_of_a_walk_that_touched_nothing_is_a_claim() -> None:
    outcome = judge(replace(facts(E.FINDING), touched=False), log(Decision.NO_RULE)).outcome
    assert (outcome.kind, outcome.code) == (K.SUSPECTED, "finding.claimed")


def test_a_finding_after_words_that_were_not_understood_may_follow_from_them() -> None:
    reading = SubStepReading(not_understood=(Span(file="a.md", line=3, text="Clik OK"),))
    outcome = judge(
        facts(E.FINDING, step("1", reading=reading), step("2")), log(Decision.NO_RULE)
    ).outcome
    assert (outcome.kind, outcome.code) == (K.SUSPECTED, "finding.after_unread")
    assert "Clik OK" in outcome.reason
