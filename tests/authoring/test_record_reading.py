"""What is read of a record that somebody proposes, and what is no record."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from proofwalk.authoring.record_reading import canonical_hcl, read_record
from proofwalk.kernel.errors import ProofwalkError, Status

TANK = (
    'resource "alicloud_water_tank" "tank" {\n  yard_id = alicloud_yard.yard.id\n  note = null\n'
    '  lid {\n    colour = "red"\n  }\n  lid {\n    colour = "blue"\n  }\n}\n'
    'output "tank_id" { value = "${alicloud_water_tank.tank.id}" }\n'
)


def record(**changes: Any) -> str:
    members: dict[str, Any] = {
        "id": "tanks",
        "description": "A tank",
        "attributes": {"resources": ["water.tank"]},
        "create": TANK,
        "verify": [
            {"product": "water", "type": "tank", "id": "${output.tank_id}", "state": "Full"}
        ],
        "destroy": "auto",
        "binds": {"the tank": "${output.tank_id}", "south-9": "south-9"},
        **changes,
    }
    return yaml.safe_dump({name: value for name, value in members.items() if value is not None})


def test_a_record_is_read_as_what_it_makes_looks_for_and_binds() -> None:
    read = read_record(record())
    (tank,) = read.resources
    assert tank.address == "alicloud_water_tank.tank"
    assert set(tank.values) == {"yard_id", "lid.colour", "lid[2].colour"}
    (check,) = read.checks
    assert (check.kind, check.value, check.state) == ("water.tank", tank.address + ".id", "Full")
    assert read.binds == {"the tank": tank.address + ".id", "south-9": '"south-9"'}


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ('"${var.region}"', "var.region"),
        ("8", '"8"'),
        ("true", '"true"'),
        ('["a"]', '[ "a" ]'),
        ('"a${var.region}"', '"a${ var.region }"'),
    ],
)
def test_what_means_the_same_is_spelled_the_same(source: str, same: str) -> None:
    assert canonical_hcl(source) == canonical_hcl(same)


def test_what_differs_is_spelled_otherwise() -> None:
    assert canonical_hcl('"a"') != canonical_hcl("var.a")
    assert canonical_hcl('"${var.a}"') != canonical_hcl('"$${var.a}"')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "a: [",
        "1: 2",
        "x" * 70_000,
        record(steps=[]),
        record(binds=None),
        record(destroy="never"),
        record(create='data "alicloud_zones" "z" {}'),
        record(create='locals {\n  a = "b"\n}'),
        record(create='variable "a" {\n  default = "b"\n}'),
        record(create='a = "b"'),
        record(create='resource "a_b" "c" {'),
        record(create='resource "a_b" "c" {}\nresource "a_b" "c" {}'),
        record(create='resource "a_b" "c" {\n  count = 2\n}'),
        record(create='resource "a_b" "c" {\n  for_each = var.x\n}'),
        record(create='resource "a_b" "c" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}'),
        record(create='resource "a_b" "c" {\n  dynamic "x" {\n  }\n}'),
        record(create='output "a" {\n  value = 1\n  sensitive = true\n}'),
        record(create=["a"]),
        record(attributes={}),
        record(attributes={"resources": [{"type": "a"}]}),
        record(attributes={"resources": ["a"], "more": 1}),
        record(verify={}),
        record(verify=[{"product": "a", "type": "b", "name": "c"}]),
        record(verify=["a"]),
        record(verify=[{"product": "a", "type": "b", "id": "${output.gone}"}]),
        record(verify=[{"product": "a", "type": "b", "id": 3}]),
        record(binds=["a"]),
        record(binds={"a": 1}),
        record(binds={"a": "to ${output.tank_id}"}),
    ],
)
def test_what_is_no_plain_record_is_refused_with_a_place(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_record(text)
    assert (caught.value.code, caught.value.status) == (
        "author.record_form",
        Status.INVALID_ARGUMENT,
    )
    assert "path" in caught.value.details
