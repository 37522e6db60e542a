"""Parsing: what is a rule, and what the author of a broken one is told."""

from __future__ import annotations

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.reward_service.rules import Rule, parse_rule

GOOD = """
id: ecs-stop
version: 3
title: Stopping an instance
delta_s: 30
doc: {region: cn-hangzhou, ports: [22, 80]}
all:
  - service: Ecs
    event: StopInstance|StopInstances
    ok: true
    where:
      - [request.InstanceId, in, $meta.ids]
      - [request.RegionId, eq, $doc.region]
      - {path: response.RequestId, op: exists, value: true}
      - [request.ForceStop, exists]
    min: 1
    max: 2
    within: [0, 600]
any:
  - {event: DescribeInstances, ok: null}
none:
  - {event: DeleteInstance}
order: true
"""


def broken(change: str, instead: str) -> ProofwalkError:
    assert change in GOOD
    with pytest.raises(ProofwalkError) as caught:
        parse_rule(GOOD.replace(change, instead, 1))
    assert caught.value.code == "rule.invalid"
    return caught.value


def test_a_full_rule_is_read_as_written() -> None:
    rule = parse_rule(GOOD)
    assert rule.name == "ecs-stop@3"
    assert rule.delta_s == 30
    assert rule.meta_names == {"ids"}
    assert rule.all[0].events == {"StopInstance", "StopInstances"}
    assert [condition.op for condition in rule.all[0].where] == ["in", "eq", "exists", "exists"]
    assert rule.all[0].where[3].value is True
    assert rule.any[0].ok is None
    assert rule.none[0].ok is True
    assert rule.order


def test_a_json_rule_is_read_too() -> None:
    rule = parse_rule(
        '{"id": "x", "version": 1, "delta_s": 300, "all": [{"event": "StopInstance", "where":'
        ' [["name", "eq", "$meta.a"]]}]}'
    )
    assert isinstance(rule, Rule)
    assert rule.meta_names == {"a"}


@pytest.mark.parametrize(
    ("change", "instead", "path", "word"),
    [
        ("version: 3", "version: 0", "version", "greater"),
        ("version: 3\n", "", "version", "missing"),
        ("delta_s: 30", "delta_s: 90000", "delta_s", "less"),
        ("order: true", "orderly: true", "orderly", "no such key"),
        ("min: 1", "mim: 1", "all.0.mim", "no such key"),
        ("in, $meta.ids", "inn, $meta.ids", "all.0.where.0.op", "'eq'"),
        (
            "request.InstanceId,",
            "requests.InstanceId,",
            "all.0.where.0.path",
            "begins with none of",
        ),
        (
            "[request.InstanceId, in, $meta.ids]",
            "[request.InstanceId, in]",
            "all.0.where.0",
            "[path, op, value]",
        ),
        ("$meta.ids", "i-1", "all.0.where.0", "takes a list"),
        ("$doc.region", "$doc.regoin", "", "$doc.regoin is not under doc"),
        ("within: [0, 600]", "within: [600, 0]", "all.0", "from, to"),
        ("max: 2", "max: 0", "all.0", "less than min"),
        ("eq, $doc.region", "matches, '['", "all.0.where.1", "regular expression"),
        ("eq, $doc.region", "gt, much", "all.0.where.1", "takes a number"),
        ("eq, $doc.region", "cidr_in, everywhere", "all.0.where.1", "no network"),
        ("DeleteInstance}", "DeleteInstance, max: 3}", "", "forbidden event"),
        ("id: ecs-stop", "id: Ecs Stop", "id", "pattern"),
    ],
)
def test_a_broken_rule_names_its_place(change: str, instead: str, path: str, word: str) -> None:
    error = broken(change, instead)
    assert error.details["path"] == path
    assert word in error.message
    assert error.hint


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "just words",
        "a: [1",
        "id: x\nversion: 1\ndelta_s: 1\nnone: [{event: A}]",
        "{" * 50,
        "x" * 70_000,
        "\x00",
    ],
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        parse_rule(text)
    assert caught.value.code == "rule.invalid"


def test_a_rule_that_an_empty_log_would_confirm_is_refused() -> None:
    with pytest.raises(ProofwalkError, match="an empty log"):
        parse_rule("{id: x, version: 1, delta_s: 1, all: [{event: A, min: 0, max: 2}]}")


NAMED = """
id: x
version: 1
delta_s: 0
all:
  - {as: create, event: CreateVpc}
  - {event: CreateVSwitch, where: [[request.VpcId, eq, $event.create.response.VpcId]]}
none:
  - {event: DeleteVpc, where: [[request.VpcId, eq, "$event.create.response.VpcId"]]}
"""


def test_a_clause_names_its_event_and_later_clauses_use_the_name() -> None:
    rule = parse_rule(NAMED)
    assert rule.all[0].as_ == "create"
    assert rule.all[1].event_names == {"create"}
    assert rule.follows_events
    assert rule.meta_names == frozenset()


@pytest.mark.parametrize(
    ("change", "instead", "word"),
    [
        (
            "$event.create.response.VpcId",
            "$event.made.response.VpcId",
            "$event.made is no name under `as`",
        ),
        (
            "{as: create, event: CreateVpc}",
            "{as: create, event: A, where: [[name, eq, $event.create.request.X]]}",
            "same clause or of a later",
        ),
        ("  - {as: create, event: CreateVpc}\n", "", "no name under `as`"),
        (
            "{event: CreateVSwitch,",
            "{as: create, event: CreateVSwitch,",
            "another clause has the name",
        ),
        ("{event: DeleteVpc,", "{as: gone, event: DeleteVpc,", "only clauses of `all`"),
        (
            "{as: create, event: CreateVpc}",
            "{as: create, min: 2, event: CreateVpc}",
            "names one event",
        ),
        ("{as: create,", "{as: 1st,", "pattern"),
        ("$event.create.response.VpcId", "$event.create", "refers to no value of an event"),
        (
            "$event.create.response.VpcId",
            "$event.create.answer.VpcId",
            "refers to no value of an event",
        ),
        ('"$event.create.response.VpcId"', "[$event.create]", "refers to no value of an event"),
    ],
)
def test_a_wrong_name_is_refused(change: str, instead: str, word: str) -> None:
    assert change in NAMED
    with pytest.raises(ProofwalkError) as caught:
        parse_rule(NAMED.replace(change, instead, 1))
    assert caught.value.code == "rule.invalid"
    assert word in caught.value.message


def test_a_reference_to_a_later_clause_is_refused() -> None:
    with pytest.raises(ProofwalkError, match="of a later one"):
        parse_rule(
            "{id: x, version: 1, delta_s: 1, all: [{event: A, where: [[name, eq,"
            " $event.b.request.X]]}, {as: b, event: B}]}"
        )
