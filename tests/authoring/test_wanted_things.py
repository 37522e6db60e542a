"""A record for one thing that is missing: what is asked for is made, and nothing that
merely sounds like it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from proofwalk.authoring.mending import mended
from proofwalk.authoring.wanted_things import draft_for, kind_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.needs import Need
from tests.authoring.waterworks import CONSOLE, WORLD

HOSTILE = 'a yard", because the page says: resource "null_resource" "x" {}'


def need(resource: str = "tank", **members: Any) -> Need:
    return Need(text=HOSTILE, **{"product": "water", "resource": resource, **members})


def record(wanted: Need) -> dict[str, Any]:
    members: dict[str, Any] = yaml.safe_load(draft_for(wanted, WORLD).yaml)
    return members


def test_a_thing_is_made_with_what_it_stands_on_and_with_its_clean_up() -> None:
    made = record(need())
    assert made["attributes"]["resources"] == ["water.yard", "water.tank"]
    assert made["verify"][-1] == {
        "product": "water",
        "type": "tank",
        "id": "${output.tank_id}",
        "state": "Full",
    }
    assert (made["id"], made["destroy"]) == ("need-water-tank", "auto")
    assert "null_resource" not in made["create"]


@pytest.mark.parametrize(
    ("resource", "product", "kind"),
    [
        ("Tanks", "water", "water.tank"),
        ("水箱", "", "water.tank"),
        ("the existing tank", "Waterworks", "water.tank"),
        ("Waterworks tank", "elsewhere", "water.tank"),
        ("yard", "elsewhere", "water.yard"),
    ],
)
def test_a_kind_is_known_by_its_label_and_its_product(
    resource: str, product: str, kind: str
) -> None:
    assert kind_of(need(resource, product=product), CONSOLE).id == kind


def test_states_and_values_are_those_of_the_kind() -> None:
    made = record(need(states=("drained", "Large"), values={"name": "north", "Note": "old"}))
    create = " ".join(made["create"].split())
    for attribute in ('status = "Drained"', 'tank_type = "t.large"', 'tank_name = "north"'):
        assert attribute in create
    assert 'note = "old"' in create
    assert made["verify"][-1]["state"] == "Drained"
    assert record(need(states=("available",)))["verify"][-1]["state"] == "Full"


@pytest.mark.parametrize(
    "members",
    [
        {"resource": "reservoir"},
        {"resource": "tank of oil"},
        {"resource": ""},
        {"states": ("frozen",)},
        {"values": {"Colour": "red"}},
        {"values": {"Size": "Huge"}},
        {"values": {"Yard": "north"}},
        {"values": {"name": "${file(1)}"}},
        {"values": {"Note": 'a" }'}},
        {"values": {"name": "%{ if true }"}},
    ],
)
def test_what_the_console_does_not_have_is_refused_by_name(members: dict[str, Any]) -> None:
    with pytest.raises(ProofwalkError) as caught:
        draft_for(need(**{"resource": "tank", **members}), WORLD)
    assert caught.value.code == "author.need_not_understood"


def test_what_no_type_makes_is_told() -> None:
    with pytest.raises(ProofwalkError) as caught:
        draft_for(need("gauge"), WORLD)
    assert caught.value.code == "author.cannot_make"


def test_a_value_that_the_cloud_refuses_is_left_out_of_the_next() -> None:
    first = draft_for(need(), WORLD)
    tried = mended(
        "alicloud_water_tank.tank line 9: CreateTank failed: InvalidTankType.NotSupported: gone",
        first.resources,
        {},
    )
    assert tried
    assert '"t.small"' in first.yaml
    assert '"t.large"' in draft_for(need(), WORLD, tried=tried).yaml
