"""Another episode or not, which one decides, and what two sightings make of a finding:
pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.outcomes import (
    Blame,
    EnvCause,
    Evidence,
    Finding,
    FindingKind,
    Outcome,
    OutcomeKind,
    SubStepStatus,
)
from proofwalk.rollout.conclusion import Attempt, concluded, decisive, wants_another
from proofwalk.rollout.findings import CONTRADICTED, SEEN_ONCE
from proofwalk.rollout.judgement import Judgement, SubStepResult

K = OutcomeKind
START = datetime(2026, 11, 21, tzinfo=UTC)


def attempt(kind: OutcomeKind, *, lost: bool = False, code: str = "") -> Attempt:
    cause = EnvCause.SANDBOX if kind is K.ENV_FAILURE else None
    return Attempt(outcome=Outcome(kind=kind, cause=cause, reason="", code=code), lost=lost)


LOST = attempt(K.ENV_FAILURE, lost=True)
FAILED = attempt(K.ENV_FAILURE)
SEEN = attempt(K.SUSPECTED, code=SEEN_ONCE)
CASES = [
    ([], 1, True),
    ([FAILED], 1, False),
    ([FAILED], 2, True),
    ([attempt(K.AGENT_FAILURE)], 2, True),
    ([attempt(K.JUDGE_SPLIT)], 2, True),
    ([attempt(K.VERIFIED)], 5, False),
    ([attempt(K.UNPROVEN)], 5, False),
    ([attempt(K.DOC_DEFECT)], 5, False),
    ([attempt(K.CANCELLED)], 5, False),
    ([FAILED, attempt(K.VERIFIED)], 5, False),
    ([LOST], 1, True),
    ([LOST, LOST], 1, True),
    ([LOST, LOST, LOST], 1, False),
    ([LOST, FAILED], 1, False),
    ([LOST, FAILED], 2, True),
    ([FAILED, LOST], 2, True),
    ([FAILED, LOST], 1, False),
    ([attempt(K.VERIFIED), LOST], 1, False),
    # A second witness, whatever the number of attempts; what the environment failed is
    # none.
    ([SEEN], 1, True),
    ([FAILED, SEEN], 2, True),
    ([SEEN, SEEN], 5, False),
    ([SEEN, attempt(K.VERIFIED)], 5, False),
    ([SEEN, attempt(K.AGENT_FAILURE)], 5, False),
    ([SEEN, FAILED], 1, True),
    ([SEEN, FAILED, FAILED], 5, False),
    ([SEEN, FAILED, SEEN], 5, False),
    ([SEEN, LOST], 1, True),
    ([SEEN, LOST, LOST, LOST], 1, False),
    ([attempt(K.SUSPECTED, code=CONTRADICTED)], 5, False),
]


@pytest.mark.parametrize(("attempts", "allowed", "another"), CASES)
def test_who_gets_another_attempt(attempts: list[Attempt], allowed: int, another: bool) -> None:
    assert wants_another(attempts, allowed=allowed, lost_allowed=2) is another


def test_a_member_of_a_group_gets_no_second_sighting() -> None:
    assert not wants_another([SEEN], allowed=1, lost_allowed=2, second_sighting=False)


@given(
    st.lists(
        st.sampled_from([LOST, FAILED, SEEN, attempt(K.AGENT_FAILURE)]), min_size=60, max_size=60
    ),
    st.integers(1, 10),
    st.integers(0, 20),
)
def test_attempts_have_an_end(endings: list[Attempt], allowed: int, lost_allowed: int) -> None:
    attempts: list[Attempt] = []
    while wants_another(attempts, allowed=allowed, lost_allowed=lost_allowed):
        attempts.append(endings[len(attempts)])
    assert sum(not one.lost for one in attempts) <= allowed + 2
    assert sum(one.lost for one in attempts) <= lost_allowed + 1


@dataclass(frozen=True, kw_only=True)
class Seen:
    number: int
    judgement: Judgement | None = None
    lost: bool = False
    started_at: datetime = START
    finished_at: datetime | None = START + timedelta(seconds=30)


def step(number: str, status: SubStepStatus, reason: str = "") -> SubStepResult:
    return SubStepResult(
        number=number, text="Click Stop.", line=7, status=status, reason=reason, steps=1
    )


STEPS = (step("1", SubStepStatus.VERIFIED), step("2", SubStepStatus.DEFECT, "no Stop"))
MISSING = FindingKind.MISSING


def seen(
    number: int,
    kind: OutcomeKind,
    *,
    line: int = 0,
    found: FindingKind = MISSING,
    code: str = SEEN_ONCE,
    lost: bool = False,
) -> Seen:
    """An episode that is over; with a line one that ended with a finding there."""
    finding = Finding(file="a.md", line=line, sentence="Click Stop.", kind=found, message="no Stop")
    judgement = Judgement(
        outcome=Outcome(
            kind=kind,
            cause=EnvCause.SANDBOX if kind is K.ENV_FAILURE else None,
            code=code if line else "",
            reason="no Stop" if line else "it works",
        ),
        evidence=Evidence.PAGE,
        finding=finding if line else None,
        substeps=STEPS if line else (),
        seconds={"walk": 9.0},
    )
    return Seen(number=number, judgement=judgement, lost=lost)


FIRST = seen(1, K.SUSPECTED, line=7)


@pytest.mark.parametrize("found", [FindingKind.MISSING, FindingKind.RENAMED])
def test_a_finding_that_two_episodes_saw_is_a_defect(found: FindingKind) -> None:
    episodes = [FIRST, seen(2, K.ENV_FAILURE), seen(3, K.SUSPECTED, line=7, found=found)]
    judgement = concluded(episodes)
    assert judgement.outcome == Outcome(kind=K.DOC_DEFECT, reason="no Stop")
    assert (judgement.outcome.blame, judgement.evidence) == (Blame.DOCUMENT, Evidence.PAGE)
    assert judgement.substeps == STEPS
    assert [(one.episode, one.outcome, one.finding is not None) for one in judgement.sightings] == [
        (1, K.SUSPECTED, True),
        (2, K.ENV_FAILURE, False),
        (3, K.SUSPECTED, True),
    ]
    assert judgement.second_sighting_seconds == 60.0
    assert decisive(episodes) is episodes[2]


OTHERWISE = [
    ([FIRST], "in one episode alone", 1),
    ([FIRST, seen(2, K.ENV_FAILURE), seen(3, K.ENV_FAILURE)], "in one episode alone", 1),
    ([FIRST, seen(2, K.VERIFIED)], "ended as verified", 1),
    ([FIRST, seen(2, K.AGENT_FAILURE)], "ended as agent_failure", 1),
    ([FIRST, seen(2, K.SUSPECTED, line=9)], "another fault (line 9", 2),
    ([FIRST, seen(2, K.SUSPECTED, line=7, found=FindingKind.DISABLED)], "another fault (line 7", 2),
    ([FIRST, seen(2, K.SUSPECTED, line=7, code=CONTRADICTED)], "another fault (line 7", 2),
    ([seen(1, K.SUSPECTED, line=7, code=CONTRADICTED)], "no Stop", 1),
]


@pytest.mark.parametrize(("episodes", "why", "rests_on"), OTHERWISE)
def test_every_other_finding_is_suspected_and_no_failure_of_the_document(
    episodes: list[Seen], why: str, rests_on: int
) -> None:
    judgement = concluded(episodes)
    assert (judgement.outcome.kind, judgement.outcome.blame) == (K.SUSPECTED, Blame.NOBODY)
    assert why in judgement.outcome.reason
    assert judgement.substeps == (
        STEPS[0],
        step("2", SubStepStatus.NOT_VERIFIED, "suspected: no Stop"),
    )
    assert judgement.finding is not None
    assert [one.episode for one in judgement.sightings] == [one.number for one in episodes]
    found = decisive(episodes)
    assert found is not None
    assert found.number == rests_on


def test_without_a_finding_the_last_episode_that_was_not_lost_decides() -> None:
    episodes = [seen(1, K.AGENT_FAILURE), seen(2, K.VERIFIED), seen(3, K.ENV_FAILURE, lost=True)]
    assert concluded(episodes) == episodes[1].judgement
    assert decisive(episodes) is episodes[1]
    lost = [seen(1, K.ENV_FAILURE, lost=True)]
    assert decisive(lost) is lost[0]
    assert decisive([Seen(number=1)]) is None


def test_a_defect_of_an_earlier_release_stays_one() -> None:
    old = seen(1, K.DOC_DEFECT, line=7)
    assert concluded([old]) == old.judgement
