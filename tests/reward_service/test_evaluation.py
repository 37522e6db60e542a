"""What events say about a rule: the operators, the near misses, and what no evaluation
may depend on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.reward_service.bindings import bindings_of
from tests.reward_service.events import START, evaluated, event, rule

REQUEST = {
    "InstanceId": "i-1",
    "Ids": ["i-1", "i-2"],
    "IdsJson": '["i-1","i-3"]',
    "ForceStop": "false",
    "Port": "8080",
    "Size": 40,
    "SourceCidrIp": "10.1.0.0/16",
    "Tag.1.Key": "owner",
    "Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}],
    "Nested": '{"Deep": {"Value": "x"}}',
    "Empty": "",
}


@pytest.mark.parametrize(
    ("path", "op", "value", "holds"),
    [
        ("request.InstanceId", "eq", "$meta.one", True),
        ("request.InstanceId", "eq", "i-2", False),
        ("request.InstanceId", "eq", "$meta.many", True),
        ("request.InstanceId", "ne", "i-2", True),
        ("request.InstanceId", "ne", "i-1", False),
        ("request.Missing", "ne", "i-1", True),
        ("request.Missing", "eq", "i-1", False),
        ("request.InstanceId", "in", "$meta.many", True),
        ("request.InstanceId", "in", ["i-8", "$meta.one"], True),
        ("request.InstanceId", "in", ["i-8", "i-9"], False),
        ("request.InstanceId", "not_in", ["i-8"], True),
        ("request.InstanceId", "not_in", "$meta.many", False),
        ("request.InstanceId", "matches", "^i-[0-9]+$", True),
        ("request.InstanceId", "matches", "^x", False),
        ("request.InstanceId", "contains", "-1", True),
        ("request.Ids", "contains", "i-2", True),
        ("request.Ids", "contains", "i-3", False),
        ("request.IdsJson", "contains", "i-3", True),
        ("request.IdsJson.*", "eq", "i-3", True),
        ("request.Ids.1", "eq", "i-2", True),
        ("request.Tags.*.Key", "eq", "b", True),
        ("request.Tags.*.Key", "eq", "c", False),
        ("request.Tag.1.Key", "eq", "owner", True),
        ("request.Nested.Deep.Value", "eq", "x", True),
        ("request.Port", "eq", 8080, True),
        ("request.Size", "eq", "40", True),
        ("request.Size", "gt", 39, True),
        ("request.Size", "gt", 40, False),
        ("request.Size", "ge", 40, True),
        ("request.Size", "lt", 41, True),
        ("request.Size", "le", 39, False),
        ("request.InstanceId", "gt", 1, False),
        ("request.ForceStop", "eq", False, True),
        ("request.ForceStop", "eq", True, False),
        ("request.SourceCidrIp", "cidr_in", "$doc.net", True),
        ("request.SourceCidrIp", "cidr_in", "10.2.0.0/16", False),
        ("request.SourceCidrIp", "cidr_in", "10.1.2.0/24", False),
        ("request.InstanceId", "cidr_in", "10.0.0.0/8", False),
        ("request.InstanceId", "exists", True, True),
        ("request.Missing", "exists", False, True),
        ("request.Missing", "exists", True, False),
        ("request.Empty", "exists", True, False),
        ("response.Code", "eq", 200, True),
        ("raw.acsRegion", "eq", "$doc.region", True),
        ("raw.acsRegion", "eq", "${doc.region}", False),
        ("request.InstanceId", "eq", "i-$meta.number", True),
        ("actor", "eq", "agent", True),
        ("resources", "contains", "i-1", True),
        ("write", "eq", True, True),
    ],
)
def test_each_operator_against_a_realistic_event(
    path: str, op: str, value: Any, holds: bool
) -> None:
    subject = event(
        request=REQUEST,
        response={"Code": "200"},
        raw={"acsRegion": "cn-hangzhou"},
        resources=("i-1", "vpc-1"),
    )
    asked = rule(
        f"all: [{{event: StopInstance, where: [[{path}, {op}, {value!r}]]}}]" if op else ""
    )
    result = evaluated(asked, [subject], one="i-1", many='["i-1", "i-2"]', number="1")
    assert result.met is holds


@pytest.mark.parametrize(
    ("near", "word"),
    [
        (event(ok=False), "failed with IncorrectInstanceStatus"),
        (event(request={"InstanceId": "i-2"}), "request.InstanceId is 'i-2', not eq 'i-1'"),
        (event(request={}), "request.InstanceId is absent"),
        (event(at=700, request={"InstanceId": "i-1"}), "happened 700 s after the start"),
    ],
)
def test_a_near_miss_is_missing_and_named(near: Any, word: str) -> None:
    asked = rule(
        "all: [{service: Ecs, event: StopInstance, where: [[request.InstanceId, eq, $meta.id]],"
        " within: [0, 600]}]"
    )
    result = evaluated(asked, [near], id="i-1")
    assert not result.met
    assert not result.matched
    assert near.id in result.missing[0]
    assert word in result.missing[0]


@pytest.mark.parametrize(
    "stranger", [event("StartInstance"), event(service="Rds"), event("stopinstance")]
)
def test_another_operation_or_product_does_not_count(stranger: Any) -> None:
    result = evaluated(rule(), [stranger])
    assert result.missing == ("successful Ecs:StopInstance",)


def test_counts_are_bounded_on_both_sides() -> None:
    asked = rule("all: [{event: StopInstance, min: 2, max: 2}]")
    one, two, three = event(), event(), event()
    assert "found 1" in evaluated(asked, [one]).missing[0]
    assert evaluated(asked, [one, two]).met
    surplus = evaluated(asked, [one, two, three])
    assert not surplus.missing
    assert [match.event for match in surplus.violations] == [three]


def test_any_needs_one_alternative() -> None:
    asked = rule("any: [{event: StopInstance}, {event: StopInstances}]")
    assert evaluated(asked, [event("StopInstances")]).met
    nothing = evaluated(asked, [])
    assert nothing.missing == ("one of: successful StopInstance; or: successful StopInstances",)


def test_a_forbidden_event_is_a_violation_even_if_all_is_met() -> None:
    asked = rule("all: [{event: StopInstance}]\nnone: [{event: DeleteInstance}]")
    deleted = event("DeleteInstance")
    result = evaluated(asked, [event(), deleted])
    assert not result.missing
    assert [match.event for match in result.violations] == [deleted]
    assert evaluated(asked, [event(), event("DeleteInstance", ok=False)]).met, (
        "a refused deletion deleted nothing"
    )


def test_order_is_checked_where_it_is_asked_for() -> None:
    body = "all: [{event: StopInstance}, {event: StartInstance}, {event: StopInstance}]\norder: "
    stop, start, again = event(at=1), event("StartInstance", at=2), event(at=3)
    assert evaluated(rule(body + "true"), [again, start, stop]).met
    late = evaluated(rule(body + "true"), [stop, start])
    assert "after the events named before it" in late.missing[0]
    assert evaluated(rule(body + "false"), [stop, start]).met


def test_a_missing_output_is_the_callers_error_and_not_a_reward() -> None:
    with pytest.raises(ProofwalkError) as caught:
        bindings_of(
            rule("all: [{event: A, where: [[name, eq, $meta.id]]}]"),
            start=START,
            outputs={"vpc": "v"},
        )
    assert caught.value.code == "rule.invalid"
    assert "$meta.id" in caught.value.message
    assert "vpc" in caught.value.hint


names = st.sampled_from(["StopInstance", "StartInstance", "DeleteInstance", "DescribeInstances"])
some_events = st.lists(
    st.builds(
        lambda name, at, ok, target: event(name, at=at, ok=ok, request={"InstanceId": target}),
        names,
        st.integers(0, 900),
        st.booleans(),
        st.sampled_from(["i-1", "i-2"]),
    ),
    max_size=8,
)
monotone = rule(
    "all: [{event: StopInstance, where: [[request.InstanceId, eq, i-1]]}, {event: StartInstance,"
    " min: 1}]\nany: [{event: DescribeInstances}, {event: StopInstance, within: [0, 300]}]"
)
full = rule(
    "all: [{event: StopInstance, max: 2}, {event: StartInstance}]\nnone: [{event:"
    " DeleteInstance}]\norder: true"
)


@given(some_events, some_events)
def test_further_events_never_take_a_monotone_confirmation_back(
    events: list[Any], more: list[Any]
) -> None:
    if evaluated(monotone, events).met:
        assert evaluated(monotone, events + more).met


@given(some_events, some_events)
def test_unrelated_events_change_nothing(events: list[Any], more: list[Any]) -> None:
    unrelated = [
        event("CreateVpc", service="Vpc", at=(item.time - START).total_seconds()) for item in more
    ]
    alone, together = evaluated(full, events), evaluated(full, events + unrelated)
    assert alone == together


@given(some_events, st.randoms(use_true_random=False))
def test_the_order_of_delivery_and_duplicates_change_nothing(
    events: list[Any], random: Any
) -> None:
    shuffled = events + events[: len(events) // 2]
    random.shuffle(shuffled)
    assert evaluated(full, shuffled) == evaluated(full, events)


@given(some_events)
def test_every_event_cited_is_one_that_was_given(events: list[Any]) -> None:
    result = evaluated(full, events)
    cited = {match.event.id for match in (*result.matched, *result.violations)}
    assert cited <= {item.id for item in events}
    assert result.met == (not result.missing and not result.violations)


def test_within_is_relative_to_the_start() -> None:
    asked = rule("all: [{event: StopInstance, within: [60, 120]}]")
    assert evaluated(asked, [event(at=60)]).met
    assert not evaluated(asked, [event(at=59)]).met
    assert evaluated(asked, [event(at=120)]).met
    assert START + timedelta(seconds=120) == event(at=120).time


FOLLOWING = (
    "all:\n  - {as: create, event: CreateVpc, where: [[request.VpcName, eq, web]]}\n  - {as: part,"
    " event: CreateVSwitch, where: [[request.VpcId, eq, $event.create.response.VpcId]]}\n  -"
    " {event: TagResources, where: [[request.Ids, contains, $event.part.response.VSwitchId],"
    " [request.Text, eq, 'of $event.create.response.VpcId']]}\nnone: [{event: DeleteVpc, where:"
    " [[request.VpcId, eq, $event.create.response.VpcId]]}]\n"
)


def made(vpc: str, at: float, name: str = "web") -> Any:
    return event("CreateVpc", at=at, request={"VpcName": name}, response={"VpcId": vpc})


def part(vpc: str, vswitch: str, at: float) -> Any:
    return event("CreateVSwitch", at=at, request={"VpcId": vpc}, response={"VSwitchId": vswitch})


def tagged(vswitch: str, vpc: str, at: float = 30) -> Any:
    return event("TagResources", at=at, request={"Ids": [vswitch], "Text": f"of {vpc}"})


def test_clauses_follow_the_event_that_met_an_earlier_one() -> None:
    asked = rule(FOLLOWING)
    create, vswitch, tag = made("v1", 1), part("v1", "s1", 2), tagged("s1", "v1")
    result = evaluated(asked, [create, vswitch, tag])
    assert result.met
    assert {match.event.id for match in result.matched} == {create.id, vswitch.id, tag.id}
    assert not evaluated(asked, [create, part("v2", "s1", 2), tag]).met
    assert not evaluated(asked, [create, vswitch, tagged("s1", "v2")]).met
    assert "not eq 'v1'" in evaluated(asked, [create, part("v2", "s1", 2)]).missing[0]


def test_one_choice_of_events_for_the_names_suffices() -> None:
    asked = rule(FOLLOWING)
    events = [
        made("v1", 1),
        made("v2", 2),
        part("v1", "s1", 3),
        part("v2", "s2", 4),
        tagged("s2", "v2"),
    ]
    assert evaluated(asked, events).met
    result = evaluated(asked, [*events, event("DeleteVpc", at=50, request={"VpcId": "v1"})])
    assert result.met, "what was made in vain may be deleted"
    assert not evaluated(asked, [*events, event("DeleteVpc", at=50, request={"VpcId": "v2"})]).met


def test_without_a_named_event_what_refers_to_it_is_missing_and_nothing_is_forbidden_by_it() -> (
    None
):
    result = evaluated(
        rule(FOLLOWING), [part("v1", "s1", 2), event("DeleteVpc", request={"VpcId": "v1"})]
    )
    assert len(result.missing) == 3
    assert "a value of an event that is not there" in result.missing[1]
    assert not result.violations


def test_order_holds_for_the_event_that_has_the_name() -> None:
    asked = rule(
        "all: [{as: a, event: CreateVpc}, {event: CreateVSwitch, where: [[request.VpcId, eq,"
        " $event.a.response.VpcId]]}]\norder: true"
    )
    assert evaluated(asked, [made("v1", 1), part("v1", "s", 5)]).met
    assert not evaluated(asked, [made("v0", 1), made("v1", 9), part("v1", "s", 5)]).met


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), max_size=6),
    st.lists(st.sampled_from("ab"), max_size=4),
)
def test_the_bounded_search_finds_a_choice_exactly_when_there_is_one(
    creates: list[Any], used: list[str]
) -> None:
    asked = rule(
        "all: [{as: c, event: CreateVpc}, {event: CreateVSwitch, where: [[request.VpcId, eq,"
        " $event.c.response.VpcId]]}]"
    )
    events = [made(vpc, at) for vpc, at in creates] + [part(vpc, "s", 20) for vpc in used]
    assert evaluated(asked, events).met is bool({vpc for vpc, _ in creates} & set(used))
