"""What the log shows of a sentence that is called wrong: done all the same, or only
read once more by the second look."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.kernel.outcomes import Decision, FindingKind
from proofwalk.rollout.domain import judge
from proofwalk.rollout.facts import WalkEnding
from tests.rollout.test_domain import FINDING, event, facts, log, step

E = WalkEnding.FINDING


@pytest.mark.parametrize(
    ("path", "write", "code"),
    [
        ("host/a", False, "finding.seen_once"),
        ("host/b", False, "finding.contradicted"),
        ("host/a", True, "finding.contradicted"),
    ],
)
def test_what_is_read_again_contradicts_nothing(path: str, write: bool, code: str) -> None:
    walk = facts(E, step("1"), step("2", start=2))
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
    walk = replace(facts(E, step("1"), step("2", start=2)), finding=found, finding_substep=substep)
    assert judge(walk, log(decision)).outcome.code == code
