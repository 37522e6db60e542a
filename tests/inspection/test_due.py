"""What is due, and in which order: the formula of `due`, on histories made up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.choosing import MODEL_POLICIES
from proofwalk.inspection.domain import Due, Ending, How, Inputs, Item
from proofwalk.inspection.due import (
    ASKING_A_MODEL,
    PATIENCE,
    Assessment,
    Candidate,
    affordable,
    assess,
    weight_of,
)
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import Budget, CollectionSpec, Weight
from proofwalk.orders.order import Order
from tests.inspection.kit import START, spec_of, walked

DAY = 86400.0
KNOWN = Inputs(document="d")


def candidate(name: str, **inputs: Any) -> Candidate:
    made = Inputs(**{"document": "d", **inputs})
    return Candidate(procedure_id=name, page=f"{name.partition('#')[0]}.md", inputs=made)


def ended(outcome: OutcomeKind, *, seconds: float = 10.0) -> Ending:
    return Ending(outcome=outcome, seconds=seconds, cost=0.5)


def assessed(
    candidates: list[Candidate],
    past: dict[str, list[Item]],
    spec: CollectionSpec | None = None,
    *,
    everything: bool = False,
) -> list[Assessment]:
    return assess(candidates, past, spec or spec_of(), now=START, everything=everything)


def only(past: list[Item], spec: CollectionSpec | None = None, **inputs: Any) -> Assessment:
    (found,) = assessed([candidate("a#p", **inputs)], {"a#p": past} if past else {}, spec)
    return found


def test_the_first_reason_that_holds_is_told() -> None:
    fresh, old = walked("a#p", ago_s=DAY), walked("a#p", ago_s=40 * DAY)
    failed = walked("a#p", ago_s=DAY, ending=ended(OutcomeKind.ENV_FAILURE))
    assert only([]).due is Due.NEW
    assert only([old], document="other").due is Due.CHANGED
    assert only([failed]).due is Due.UNSETTLED
    assert only([old]).due is Due.STALE
    found = only([fresh])
    assert (found.due, "1.0 days old" in found.why) == (Due.NOT_DUE, True)
    (wanted,) = assessed([candidate("a#p")], {"a#p": [fresh]}, everything=True)
    assert wanted.due is Due.WANTED


@pytest.mark.parametrize("name", ["meta", "rule", "map", "target"])
def test_an_input_that_changed_is_told_by_name_and_an_unknown_one_tells_nothing(name: str) -> None:
    one: dict[str, Any] = {name: "1"}
    two: dict[str, Any] = {name: "2"}
    before = walked("a#p", ago_s=DAY, inputs=Inputs(document="d", **one))
    assert only([before], **two).changed == (name,)
    assert only([before], **one).due is Due.NOT_DUE
    assert only([before]).due is Due.NOT_DUE
    unknown = walked("a#p", ago_s=DAY)
    assert only([unknown], **two).due is Due.NOT_DUE


def test_what_tells_nothing_again_and_again_is_not_asked_for_ever() -> None:
    def in_a_row(count: int) -> list[Item]:
        failed = ended(OutcomeKind.AGENT_FAILURE)
        return [walked("a#p", ago_s=DAY * n, ending=failed) for n in range(1, count + 1)]

    assert only(in_a_row(PATIENCE - 1)).due is Due.UNSETTLED
    assert only(in_a_row(PATIENCE)).due is Due.NOT_DUE


def test_importance_makes_due_earlier_and_a_weight_of_nothing_never() -> None:
    past = [walked("a#p", ago_s=20 * DAY)]
    assert only(past).due is Due.NOT_DUE
    heavy = spec_of(weights=(Weight(pattern="a*", weight=2.0),))
    assert only(past, heavy).due is Due.STALE
    none = spec_of(weights=(Weight(pattern="**/a.md", weight=0.0),))
    assert only([walked("a#p", ago_s=900 * DAY)], none).due is Due.NOT_DUE
    wrong = [walked("a#p", ago_s=20 * DAY, ending=ended(OutcomeKind.DOC_DEFECT))]
    assert only(wrong).due is Due.STALE


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("a.md", True), ("*.md", True), ("**/a.md", True), ("**", True), ("?.md", True),
        ("a", False), ("b/**", False), ("A.md", False), ("a.m", False), ("a+md", False),
    ],
)  # fmt: skip
def test_a_pattern_is_of_the_whole_path(pattern: str, fits: bool) -> None:
    spec = spec_of(weights=(Weight(pattern=pattern, weight=7.0),))
    assert weight_of("a.md", spec) == (7.0 if fits else 1.0)
    deep = spec_of(weights=(Weight(pattern="ecs/**", weight=2.0), Weight(pattern="**", weight=3)))
    assert [weight_of(page, deep) for page in ("ecs/a/b.md", "ecs.md")] == [2.0, 3.0]


def test_within_a_reason_what_matters_most_for_its_cost_comes_first() -> None:
    names = ["cheap#p", "dear#p", "heavy#p"]
    past = {name: [walked(name, ago_s=60 * DAY)] for name in names}
    dear = ended(OutcomeKind.VERIFIED, seconds=100.0)
    past["dear#p"] = [walked("dear#p", ago_s=60 * DAY, ending=dear)]
    spec = spec_of(weights=(Weight(pattern="heavy*", weight=5.0),))
    found = assessed([candidate(name) for name in names], past, spec)
    assert [one.candidate.procedure_id for one in found] == ["heavy#p", "cheap#p", "dear#p"]
    assert [one.expected_s for one in found] == [10.0, 10.0, 100.0]


def test_an_unchanged_verified_procedure_is_replayed_where_a_model_would_be_asked() -> None:
    old = walked("a#p", ago_s=40 * DAY)
    model = {policy: Order(target="t", policy=policy) for policy in ("llm", "cascade", "literal")}
    assert only([old], spec_of(order=model["llm"])).how is How.REPLAY
    assert only([old], spec_of(order=model["literal"])).how is How.WALK
    assert only([old], spec_of(order=model["llm"], never_replay=True)).how is How.WALK
    assert only([old], spec_of(order=model["llm"]), document="other").how is How.WALK
    wrong = walked("a#p", ago_s=40 * DAY, ending=ended(OutcomeKind.DOC_DEFECT))
    assert only([wrong], spec_of(order=model["llm"])).how is How.WALK
    assert ASKING_A_MODEL == MODEL_POLICIES


@pytest.mark.parametrize(
    ("budget", "spent", "bound"),
    [
        (Budget(), Budget(walks=99, cost=99, seconds=99), ""),
        (Budget(walks=3), Budget(walks=1), ""),
        (Budget(walks=3), Budget(walks=2), "walks"),
        (Budget(cost=3), Budget(cost=1), ""),
        (Budget(cost=3), Budget(cost=1.5), "cost"),
        (Budget(seconds=40), Budget(seconds=20), ""),
        (Budget(seconds=40), Budget(seconds=21), "seconds"),
    ],
)
def test_a_walk_that_would_break_a_bound_is_not_asked_for(
    budget: Budget, spent: Budget, bound: str
) -> None:
    # Two walks of 1 and 10 s each: one is under way, one follows.
    one = walked("a#p", expected_s=10.0, expected_cost=1.0)
    assert affordable(budget, spent, [one], one) == bound


def test_what_nothing_is_known_of_is_asked_until_the_bound_is_reached() -> None:
    unknown = walked("a#p")
    assert affordable(Budget(cost=1), Budget(), [unknown], unknown) == ""
    assert affordable(Budget(cost=1), Budget(cost=1), [], unknown) == "cost"


OUTCOMES = st.sampled_from(list(OutcomeKind))
WALKS = st.lists(st.tuples(st.floats(0, 100 * DAY), OUTCOMES, st.floats(0, 500)), max_size=4)


@given(histories=st.lists(WALKS, max_size=8), everything=st.booleans())
def test_every_procedure_is_told_of_once_and_reasons_come_in_order(
    histories: list[list[tuple[float, OutcomeKind, float]]], everything: bool
) -> None:
    names = [f"p{number}#x" for number in range(len(histories))]
    past = {
        name: [
            walked(name, ago_s=ago, ending=ended(outcome, seconds=seconds))
            for ago, outcome, seconds in sorted(walks)
        ]
        for name, walks in zip(names, histories, strict=True)
        if walks
    }
    candidates = [candidate(name) for name in names]
    found = assessed(candidates, past, everything=everything)
    assert sorted(one.candidate.procedure_id for one in found) == sorted(names)
    order = [Due.NEW, Due.CHANGED, Due.UNSETTLED, Due.STALE, Due.WANTED, Due.NOT_DUE]
    ranks = [order.index(one.due) for one in found]
    assert ranks == sorted(ranks)
    assert not (everything and any(one.due is Due.NOT_DUE for one in found))
    for one in found:
        assert (one.due is Due.NEW) == (one.candidate.procedure_id not in past)
        assert one.value >= 0
    assert assessed(candidates, past, everything=everything) == found
