"""What counts as evidence: events outside of a pause, sightings that prove, findings
that tell one fault."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta

import pytest

from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.evidence import API_CALL, SIGN_IN, AuditEvent, Pause
from proofwalk.kernel.expectations import Expectation, Seen, Sighting
from proofwalk.kernel.outcomes import (
    Decision,
    Evidence,
    Finding,
    FindingKind,
    distinct,
)

START = datetime(2026, 1, 1, 12, 0, 0, 700_000, tzinfo=UTC)
PAUSE = Pause(start=START, end=START + timedelta(seconds=30))
SIGHTING = Sighting(
    expectation=Expectation(kind=Seen.ROW, text="staging"),
    seen="staging",
    grounded=True,
    fresh=True,
    after_last_act=True,
)
FINDING = Finding(
    file="a.md",
    line=3,
    sentence="Click **Save**.",
    kind=FindingKind.RENAMED,
    message="There is no Save on /edit/1.",
    asked="Save",
    offered="Keep",
)


def event(after_s: float, kind: str = API_CALL) -> AuditEvent:
    moment = START + timedelta(seconds=after_s)
    return AuditEvent(
        id="e", time=moment, service="Vpc", name="CreateVpc", kind=kind, write=True, ok=True
    )


@pytest.mark.parametrize(
    ("after_s", "inside"),
    [(-0.701, False), (-0.7, True), (0, True), (29, True), (30, True), (30.001, False)],
)
def test_a_pause_spans_the_calls_from_its_first_second_to_its_end(
    after_s: float, inside: bool
) -> None:
    assert PAUSE.spans(event(after_s)) is inside


@pytest.mark.parametrize("kind", ["ConsoleOperation", SIGN_IN])
def test_what_came_through_a_console_is_nobodys_pause(kind: str) -> None:
    assert not PAUSE.spans(event(1, kind))


def test_an_events_request_is_text_as_it_was_written() -> None:
    assert replace(event(0), request={"Name": "预"}).request_json == '{"Name": "预"}'


def test_a_sighting_proves_if_nothing_speaks_against_it() -> None:
    assert SIGHTING.proves is True
    weaker = ({"seen": ""}, {"grounded": False}, {"fresh": False}, {"after_last_act": False})
    assert [replace(SIGHTING, **one).proves for one in weaker] == [False] * 4


def test_what_was_seen_is_not_changed_afterwards() -> None:
    with pytest.raises(FrozenInstanceError):
        SIGHTING.expectation.text = "production"  # type: ignore[misc]
    assert SIGHTING.expectation == Expectation(kind=Seen.ROW, text="staging")


def test_one_fault_is_one_whatever_page_it_was_seen_on() -> None:
    elsewhere = replace(FINDING, message="There is no Save on /edit/2.", candidates=("Keep",))
    assert FINDING.repeats(elsewhere)
    assert distinct([FINDING, elsewhere, FINDING]) == (FINDING,)


@pytest.mark.parametrize(
    "change",
    [
        {"file": "b.md"},
        {"line": 4},
        {"sentence": "Click."},
        {"kind": FindingKind.MISSING},
        {"asked": "Saves"},
        {"asked": "A"},
        {"offered": "Store"},
        {"offered": ""},
    ],
    ids=str,
)
def test_what_differs_otherwise_is_another_fault(change: dict[str, str]) -> None:
    other = replace(FINDING, **change)  # type: ignore[arg-type]
    assert not FINDING.repeats(other)
    assert not other.repeats(FINDING)
    assert distinct([FINDING, other]) == (FINDING, other)


def test_without_words_of_the_document_the_message_tells_faults_apart() -> None:
    plain = replace(FINDING, asked="")
    assert not plain.repeats(replace(plain, message="There is no such page."))
    assert plain.repeats(replace(plain))


def test_rewards_are_of_decisions_that_tell() -> None:
    rewards = {decision: decision.reward for decision in Decision if decision.tells}
    assert rewards == {
        Decision.CONFIRMED: 1,
        Decision.DENIED: 0,
        Decision.JUDGED_SUCCESS: 1,
        Decision.JUDGED_FAILURE: 0,
        Decision.ANSWER_WRONG: 0,
        Decision.ANSWER_MISSING: 0,
    }
    assert {decision.reward for decision in Decision if not decision.tells} == {None}
    assert {decision for decision in Decision if not decision.is_final} == {
        Decision.AUDIT_LATE,
        Decision.JUDGE_AWAY,
    }


def test_evidence_reaches_its_own_rung_and_those_below() -> None:
    ladder = list(Evidence)
    for place, rung in enumerate(ladder):
        assert [one for one in ladder if rung.reaches(one)] == ladder[place:]


def test_a_caller_sees_its_own_rows_and_an_operator_all() -> None:
    caller = Caller(principal="ci")
    assert [owner for owner in ("ci", "web", "c", "d", "") if caller.sees(owner)] == ["ci"]
    assert not Caller(principal="").sees("")
    assert all(ITSELF.sees(owner) for owner in ("ci", "web", ""))
