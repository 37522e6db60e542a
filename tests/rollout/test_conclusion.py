"""Another episode or not, which one decides, and what two sightings make of a finding: pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.rollout.conclusion import Attempt, concluded, decisive, wants_another
from proofwalk.rollout.domain import CONTRADICTED, SEEN_ONCE

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
    # A second witness, whatever the number of attempts; what the environment failed is none.
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
    st.lists(st.sampled_from([LOST, FAILED, SEEN, attempt(K.AGENT_FAILURE)]), min_size=60, max_size=60),
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
    outcome: str
    lost: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    started_at: datetime = START
    finished_at: datetime | None = START + timedelta(seconds=30)


def seen(number: int, outcome: str, *, line: int = 0, kind: str = "missing", code: str = SEEN_ONCE, lost: bool = False) -> Seen:
    finding = {"file": "a.md", "line": line, "sentence": "Click Stop.", "kind": kind, "message": "no Stop", "candidates": []}
    substeps = [{"number": "1", "status": "verified", "reason": ""}, {"number": "2", "status": "defect", "reason": "no Stop"}]
    judgement = {
        "outcome": outcome, "code": code if line else "", "reason": "no Stop" if line else "it works", "blame": "nobody", "evidence": "page",
        "goal": "unknown", "finding": finding if line else None, "substeps": substeps if line else [], "seconds": {"walk": 9.0},
    }  # fmt: skip
    return Seen(number=number, outcome=outcome, lost=lost, facts={"judgement": judgement})


FIRST = seen(1, "suspected", line=7)


@pytest.mark.parametrize("kind", ["missing", "renamed"])
def test_a_finding_that_two_episodes_saw_is_a_defect(kind: str) -> None:
    episodes = [FIRST, seen(2, "env_failure"), seen(3, "suspected", line=7, kind=kind)]
    verdict = concluded(episodes)
    assert (verdict["outcome"], verdict["blame"], verdict["code"], verdict["evidence"]) == ("doc_defect", "document", "", "page")
    assert [step["status"] for step in verdict["substeps"]] == ["verified", "defect"]
    assert [(one["episode"], one["outcome"], bool(one["finding"])) for one in verdict["sightings"]] == [
        (1, "suspected", True),
        (2, "env_failure", False),
        (3, "suspected", True),
    ]
    assert verdict["second_sighting_seconds"] == 60.0
    assert decisive(episodes) is episodes[2]


OTHERWISE = [
    ([FIRST], "in one episode alone", 1),
    ([FIRST, seen(2, "env_failure"), seen(3, "env_failure")], "in one episode alone", 1),
    ([FIRST, seen(2, "verified")], "ended as verified", 1),
    ([FIRST, seen(2, "agent_failure")], "ended as agent_failure", 1),
    ([FIRST, seen(2, "suspected", line=9)], "another fault (line 9", 2),
    ([FIRST, seen(2, "suspected", line=7, kind="disabled")], "another fault (line 7", 2),
    ([FIRST, seen(2, "suspected", line=7, code=CONTRADICTED)], "another fault (line 7", 2),
    ([seen(1, "suspected", line=7, code=CONTRADICTED)], "no Stop", 1),
]


@pytest.mark.parametrize(("episodes", "why", "rests_on"), OTHERWISE)
def test_every_other_finding_is_suspected_and_no_failure_of_the_document(episodes: list[Seen], why: str, rests_on: int) -> None:
    verdict = concluded(episodes)
    assert (verdict["outcome"], verdict["blame"]) == ("suspected", "nobody")
    assert why in verdict["reason"]
    assert [step["status"] for step in verdict["substeps"]] == ["verified", "not_verified"]
    assert verdict["finding"] is not None
    assert [one["episode"] for one in verdict["sightings"]] == [one.number for one in episodes]
    found = decisive(episodes)
    assert found is not None
    assert found.number == rests_on


def test_without_a_finding_the_last_episode_that_was_not_lost_decides() -> None:
    episodes = [seen(1, "agent_failure"), seen(2, "verified"), seen(3, "env_failure", lost=True)]
    assert concluded(episodes) == episodes[1].facts["judgement"]
    assert decisive(episodes) is episodes[1]
    lost = [seen(1, "env_failure", lost=True)]
    assert decisive(lost) is lost[0]
    assert decisive([Seen(number=1, outcome="")]) is None


def test_a_defect_of_an_earlier_release_stays_one() -> None:
    old = seen(1, "doc_defect", line=7)
    assert concluded([old])["outcome"] == "doc_defect"
    assert "sightings" not in concluded([old])
