"""Near misses: all that a rule constrains is missed once, and the judge rejects every
one of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.reward_service.bindings import bindings_of
from proofwalk.reward_service.evaluation import evaluate
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.documents import Clause, RuleDocument
from proofwalk.suites.rules.near_misses import NearMiss, near_misses

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def event(
    name: str, at: float, *, service: str = "Vpc", ok: bool = True, **more: Any
) -> AuditEvent:
    moment = START + timedelta(seconds=at)
    return AuditEvent(
        id=f"{name}-{at}",
        time=moment,
        service=service,
        name=name,
        kind="ConsoleOperation",
        write=True,
        ok=ok,
        **more,
    )


RULE = """
id: r
version: 1
delta_s: 5
doc: {cidr: 10.0.0.0/8}
all:
  - {as: create, service: Vpc, event: CreateVpc, where: [[request.VpcName, eq, web], [request.CidrBlock, cidr_in, $doc.cidr]], max: 1}
  - service: Vpc
    event: CreateVSwitch
    where:
      - [request.VpcId, eq, $event.create.response.VpcId]
      - [request.ZoneId, in, [cn-hangzhou-h, cn-hangzhou-i]]
      - [request.Description, exists, false]
      - [request.Size, ge, 20]
      - [request.Tag.1.Key, eq, owner]
      - [request.Ids, contains, i-1]
      - [request.Name, matches, '^part-[0-9]+$']
      - [request.Owner, ne, root]
      - [request.Instance, eq, $meta.instance_id]
      - [request.Policy.Statement.0.Action, eq, 'log:Get*']
none:
  - {service: Vpc, event: DeleteVpc}
  - {service: Vpc, event: CreateVSwitch, where: [[request.VpcId, ne, $event.create.response.VpcId]]}
order: true
"""
PASSING = Recording(
    start=START,
    end=START + timedelta(seconds=60),
    outputs={"instance_id": "i-9"},
    events=(
        event("DescribeVpcs", 1),
        event(
            "CreateVpc",
            10,
            request={"VpcName": "web", "CidrBlock": "10.1.0.0/16"},
            response={"VpcId": "vpc-1"},
        ),
        event(
            "CreateVSwitch",
            20,
            request={
                "VpcId": "vpc-1",
                "ZoneId": "cn-hangzhou-h",
                "Size": 40,
                "Tag.1.Key": "owner",
                "Ids": '["i-1"]',
                "Name": "part-1",
                "Instance": "i-9",
                "Policy": '{"Version": "1", "Statement": [{"Action": "log:Get*"}]}',
            },
        ),
    ),
)


def met(rule: str, recording: Recording, events: tuple[AuditEvent, ...]) -> bool:
    parsed = parse_rule(rule)
    end = recording.end + timedelta(seconds=parsed.delta_s)
    seen = [one for one in events if recording.start <= one.time <= end]
    return evaluate(
        parsed, seen, bindings_of(parsed, start=recording.start, outputs=recording.outputs)
    ).met


def made(rule: str = RULE, recording: Recording = PASSING) -> tuple[NearMiss, ...]:
    assert met(rule, recording, tuple(recording.events)), "the recording itself passes"
    return near_misses(yaml.safe_load(rule), recording)


def test_every_near_miss_is_rejected() -> None:
    accepted = [
        (miss.kind, miss.place, miss.why) for miss in made() if met(RULE, PASSING, miss.events)
    ]
    assert accepted == []


def test_everything_that_the_rule_says_is_missed_once() -> None:
    misses = made()
    kinds = {(miss.kind, miss.place) for miss in misses}
    for place in ("all.0", "all.1"):
        for kind in (
            "dropped",
            "failed",
            "other_service",
            "other_operation",
            "outside_window",
            "parameter",
        ):
            assert (kind, place) in kinds
    assert {
        ("surplus", "all.0"),
        ("order", "all.0"),
        ("forbidden", "none.0"),
        ("forbidden", "none.1"),
    } <= kinds
    assert sum(miss.kind == "parameter" and miss.place == "all.1" for miss in misses) == 10
    assert all(miss.why for miss in misses)


def test_alternatives_are_missed_together() -> None:
    rule = "{id: r, version: 1, delta_s: 0, any: [{event: CreateVpc}, {event: CreateVSwitch}]}"
    misses = made(rule)
    assert {miss.kind for miss in misses} == {"dropped", "failed"}
    assert not any(met(rule, PASSING, miss.events) for miss in misses)


def test_what_a_rule_asks_of_the_record_itself_is_missed_too() -> None:
    rule = (
        "{id: r, version: 1, delta_s: 0, all: [{event: CreateVpc, where: [[raw.zone, eq, h],"
        " [raw.by.user, ne, root]]}]}"
    )
    made_by = replace(PASSING.events[1], raw={"zone": "h", "by": {"user": "ada"}})
    misses = made(rule, replace(PASSING, events=(made_by,)))
    assert {miss.why for miss in misses if miss.kind == "parameter"} == {
        "CreateVpc: not raw.zone eq 'h'",
        "CreateVpc: not raw.by.user ne 'root'",
    }


def test_another_event_that_fits_does_not_save_a_near_miss() -> None:
    rule = (
        "{id: r, version: 1, delta_s: 0, all: [{event: CreateVpc, where: [[request.VpcName, eq,"
        " web]]}]}"
    )
    again = replace(PASSING.events[1], id="again", time=START + timedelta(seconds=30))
    recording = replace(PASSING, events=(*PASSING.events, again))
    misses = made(rule, recording)
    assert len(misses) >= 5
    assert not any(met(rule, recording, miss.events) for miss in misses)


def test_what_cannot_be_made_for_certain_is_left_out() -> None:
    rule = (
        "{id: r, version: 1, delta_s: 0, all: [{event: CreateVpc}], none: [{event: X, where:"
        " [[request.A, matches, '^a+$']]}]}"
    )
    assert not [miss for miss in made(rule) if miss.place == "none.0"]


operations = st.sampled_from(["A", "B", "C"])
clauses = st.builds(
    lambda name, value, least, most: (
        {"event": name, "where": [["request.X", "eq", value]], "min": least}
        | ({"max": least + most} if most is not None else {})
    ),
    operations,
    st.integers(0, 2),
    st.integers(1, 2),
    st.none() | st.integers(0, 1),
)
recorded = st.lists(st.tuples(operations, st.integers(0, 2), st.booleans()), max_size=8)


@settings(deadline=None)
@given(
    st.lists(clauses, min_size=1, max_size=3),
    st.lists(clauses, max_size=1),
    recorded,
    st.booleans(),
)
def test_near_misses_of_any_rule_that_passes_are_rejected(
    required: list[Any], forbidden: list[Any], happened: list[Any], order: bool
) -> None:
    none: list[Clause] = [
        {"event": clause["event"], "where": clause["where"]} for clause in forbidden
    ]
    rule: RuleDocument = {
        "id": "r",
        "version": 1,
        "delta_s": 1,
        "all": required,
        "none": none,
        "order": order,
    }
    events = tuple(
        event(name, at * 3, ok=ok, request={"X": str(value)})
        for at, (name, value, ok) in enumerate(happened)
    )
    recording = Recording(start=START, end=START + timedelta(seconds=60), outputs={}, events=events)
    text = yaml.safe_dump(rule)
    if met(text, recording, events):
        assert [
            miss for miss in near_misses(rule, recording) if met(text, recording, miss.events)
        ] == []


@pytest.mark.parametrize("outputs", [{}, {"instance_id": "i-8"}])
def test_references_that_stand_for_nothing_here_make_no_false_near_miss(
    outputs: dict[str, str],
) -> None:
    recording = replace(PASSING, outputs=outputs)
    assert all(
        miss.events != tuple(PASSING.events)
        for miss in near_misses(yaml.safe_load(RULE), recording)
    )
