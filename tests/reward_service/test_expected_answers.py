"""A rule that expects an answer: what it says of answers, and of changes that nobody
asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.answers import FieldVerdict
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import SIGN_IN, AuditEvent
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.bindings import bindings_of
from proofwalk.reward_service.domain import Judgement, judge
from proofwalk.reward_service.rules import Rule
from tests.reward_service.events import START, event, rule

ASKED = rule("answer: {ip: {exact: $meta.ip}}")
RETENTION = rule("answer: {days: {exact: 30, as: number, unit: [days, 天]}}")
OUTPUTS = {"ip": "10.0.0.1"}


def judged(
    given: Rule,
    answer: str,
    events: Sequence[AuditEvent] = (),
    *,
    complete: bool = True,
    outputs: dict[str, str] = OUTPUTS,
) -> Judgement | None:
    bindings = bindings_of(given, start=START, outputs=outputs)
    return judge(given, events, bindings, complete=complete, answer=answer)


def decision(
    given: Rule, answer: str, events: Sequence[AuditEvent] = (), *, complete: bool = True
) -> Decision | None:
    found = judged(given, answer, events, complete=complete)
    return found.decision if found is not None else None


LOOKED = event("DescribeInstances", write=False)


@pytest.mark.parametrize("answer", ["10.0.0.1", "ip: 10.0.0.1", '{"ip": "10.0.0.1"}'])
def test_the_right_answer_of_a_walk_that_only_looked_is_confirmed(answer: str) -> None:
    found = judged(ASKED, answer, [LOOKED])
    assert found is not None
    assert found.decision is Decision.CONFIRMED
    (field,) = found.assessment.fields
    assert (field.name, field.value, field.verdict) == ("ip", "10.0.0.1", FieldVerdict.RIGHT)


def test_before_the_log_is_complete_something_may_have_been_changed() -> None:
    assert decision(ASKED, "10.0.0.1", complete=False) is None


@given(st.text(max_size=30).filter(lambda text: "10.0.0.1" not in text))
def test_no_other_answer_is_confirmed(answer: str) -> None:
    assert decision(ASKED, answer) in (Decision.ANSWER_WRONG, Decision.ANSWER_MISSING)


@pytest.mark.parametrize("complete", [True, False])
def test_a_wrong_or_missing_answer_is_told_at_once_and_without_the_right_one(
    complete: bool,
) -> None:
    for answer, expected in [("10.0.0.2", Decision.ANSWER_WRONG), ("", Decision.ANSWER_MISSING)]:
        found = judged(ASKED, answer, complete=complete)
        assert found is not None
        assert found.decision is expected
        assert "10.0.0.1" not in found.reason


def test_who_changes_something_is_denied_whatever_it_answers() -> None:
    changed = event("ModifyInstanceAttribute")
    found = judged(ASKED, "10.0.0.1", [LOOKED, changed], complete=False)
    assert found is not None
    assert found.decision is Decision.DENIED
    assert [one.event.id for one in found.evaluation.violations] == [changed.id]


def test_signing_in_changes_nothing() -> None:
    signed_in = event("ConsoleSignin", at=0, kind=SIGN_IN)
    assert decision(ASKED, "10.0.0.1", [signed_in]) is Decision.CONFIRMED


def test_a_change_that_was_refused_changed_nothing() -> None:
    assert decision(ASKED, "10.0.0.1", [event("StopInstance", ok=False)]) is Decision.CONFIRMED


def test_a_change_that_the_rule_asks_for_is_no_change_too_many() -> None:
    both = rule("all: [{event: StopInstance}]\nanswer: {ip: {exact: 10.0.0.1}}")
    assert decision(both, "10.0.0.1", [event("StopInstance")]) is Decision.CONFIRMED
    assert decision(both, "10.0.0.1") is Decision.DENIED
    more = [event("StopInstance"), event("StartInstance")]
    assert decision(both, "10.0.0.1", more) is Decision.DENIED


def test_a_rule_without_an_answer_forbids_nothing_more_and_reads_none() -> None:
    plain = rule("all: [{event: StopInstance}]")
    more = [event("StopInstance"), event("StartInstance")]
    assert decision(plain, "whatever", more) is Decision.CONFIRMED


def test_free_text_is_left_to_judges_and_never_guessed() -> None:
    both = rule("answer: {ip: {exact: 10.0.0.1}, use: {judged: what it is for}}")
    assert decision(both, "ip: 10.0.0.1\nuse: for tests") is Decision.ANSWER_NOT_JUDGED
    assert decision(both, "ip: 10.0.0.2\nuse: for tests") is Decision.ANSWER_WRONG
    assert decision(both, "ip: 10.0.0.1") is Decision.ANSWER_MISSING


def test_a_list_of_meta_counts_as_that_list() -> None:
    zones = rule("answer: {zones: {exact: $meta.zones, as: set}}")
    found = judged(zones, "b、a", outputs={"zones": '["a", "b"]'})
    assert found is not None
    assert found.decision is Decision.CONFIRMED
    assert decision(RETENTION, "３０ 天") is Decision.CONFIRMED


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("answer: {ip: {}}", "answer.ip"),
        ("answer: {ip: {exact: a, judged: b}}", "answer.ip"),
        ("answer: {ip: {exact: a, unit: GiB}}", "answer.ip"),
        ("answer: {ip: {exact: {a: b}}}", "answer.ip"),
        ("answer: {ip: {exact: $event.create.response.Ip}}", "answer.ip"),
        ("answer: {ip: {exact: $doc.absent}}", ""),
        ("answer: {IP: {exact: a}}", "answer.IP"),
        ("answer: {}", ""),
    ],
)
def test_an_expectation_that_says_too_little_is_refused(body: str, place: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        rule(body)
    assert caught.value.code == "rule.invalid"
    assert place in caught.value.details["path"]


@pytest.mark.parametrize("outputs", [{}, {"ip": ""}, {"ip": " '' "}])
def test_a_truth_that_meta_does_not_give_is_no_reward(outputs: dict[str, str]) -> None:
    with pytest.raises(ProofwalkError) as caught:
        judged(ASKED, "", outputs=outputs)
    assert caught.value.code == "rule.invalid"
