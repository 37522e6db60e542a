"""A META record out of a document: what it makes, checks and binds."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from proofwalk.authoring.mending import mended
from proofwalk.authoring.provider import pairs, snake
from proofwalk.authoring.records import Draft, draft, needs_of
from proofwalk.authoring.resources import Tried
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.resource_provisioner.meta import read_kept
from tests.authoring.waterworks import CONSOLE, OTHERWISE, TYPES, WORLD

DRAIN = "2. Find the tank that you want to drain and click **Drain**.\n"


def drafted(steps: str, *, told: str = "", tried: Tried | None = None) -> Draft:
    prerequisites = f"## Prerequisites\n\n- {told}\n\n" if told else ""
    text = (
        f"# Tanks\n\n{prerequisites}## Procedure\n\n"
        "1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.\n"
        f"{steps}"
    )
    document = load("tanks.md", text.encode(), None)
    things = needs_of(document, select(document, None), WORLD.catalogue)
    return draft(things, WORLD, meta_id="tanks", tried=tried)


def record(steps: str, **more: Any) -> dict[str, Any]:
    members: dict[str, Any] = yaml.safe_load(drafted(steps, **more).yaml)
    return members


def test_a_kind_is_made_by_the_type_that_has_its_parameters() -> None:
    found = pairs(CONSOLE, TYPES, OTHERWISE)
    assert {kind: one.type.name for kind, one in found.items()} == {
        "water.yard": "alicloud_yard",
        "water.tank": "alicloud_water_tank",
        "water.pump": "alicloud_water_pump",
    }
    assert found["water.tank"].attribute("size") == "tank_type"


@pytest.mark.parametrize(
    ("parameter", "attribute"),
    [
        ("VSwitchId", "vswitch_id"),
        ("DBInstanceClass", "db_instance_class"),
        ("Escalations.Critical.Times", "escalations_critical_times"),
        ("RemovalPolicies.1", "removal_policies"),
    ],
)
def test_a_parameter_is_spelled_as_in_a_schema(parameter: str, attribute: str) -> None:
    assert snake(parameter) == attribute


def test_a_record_makes_what_the_document_needs_and_what_that_stands_in() -> None:
    made = record(DRAIN)
    assert made["attributes"] == {"resources": ["water.yard", "water.tank"]}
    assert "yard_id       = alicloud_yard.yard.id" in made["create"]
    assert "tank_cidr     = cidrsubnet(alicloud_yard.yard.cidr_block, 8, 1)" in made["create"]
    assert 'zone_id       = "${var.region}-h"' in made["create"]
    assert 'tank_type     = "t.small"' in made["create"]
    assert "force_destroy = true" in made["create"]
    assert "status" not in made["create"]
    assert made["verify"] == [
        {"product": "water", "type": "yard", "id": "${output.yard_id}"},
        {"product": "water", "type": "tank", "id": "${output.tank_id}", "state": "Full"},
    ]
    assert made["binds"] == {"the tank that you want to drain": "${output.tank_name}"}


def test_a_record_is_one_that_the_role_reads() -> None:
    assert read_kept(drafted(DRAIN).yaml).id == "tanks"


def test_a_state_that_does_not_come_by_itself_is_asked_for() -> None:
    made = record("2. Find the tank that you want to fill and click **Refill**.\n")
    assert 'status        = "Drained"' in made["create"]
    assert made["verify"][1]["state"] == "Drained"


def test_a_state_between_two_things_is_made_by_what_joins_them() -> None:
    made = record(
        "2. Find the tank that you want to manage and click its name.\n"
        "3. Click the **Flow** tab. Find the pump that leaks and click **Uncouple**.\n"
    )
    assert 'resource "alicloud_pump_coupling" "coupling" {' in made["create"]
    assert "pump = alicloud_water_pump.pump.id" in made["create"]


def test_what_the_document_sets_is_otherwise_before() -> None:
    assert (
        'tank_type     = "t.large"'
        in record(
            "2. Find the tank that is too large and click **Resize**.\n"
            "3. Select **Small** for **Size** and click **OK**.\n"
        )["create"]
    )


def test_what_the_document_says_of_a_thing_is_set() -> None:
    assert (
        "lid_lock      = true"
        in record(
            "2. Find the tank that you want to open and click **Change Lock**.\n"
            "3. Turn off **Lid Lock** and click **OK**.\n",
            told="A tank for which Lid Lock is enabled exists.",
        )["create"]
    )


def test_a_name_of_the_document_is_given_and_stands_for_itself() -> None:
    made = record("2. Find the tank `south-9` and click **Drain**.\n")
    assert 'tank_name     = "south-9"' in made["create"]
    assert made["binds"] == {"the tank south-9": "south-9"}


def test_a_procedure_that_makes_all_it_needs_has_a_record_that_makes_nothing() -> None:
    made = drafted("2. Wait until the water is calm.\n")
    assert made.resources == ()
    assert yaml.safe_load(made.yaml)["create"] == ""


@pytest.mark.parametrize(
    ("steps", "told", "why"),
    [
        ("2. Wait.\n", "A gauge is available.", "no type of the provider makes one"),
        (
            "2. Find the tank that you want to manage and click its name.\n"
            "3. Click the **Flow** tab. Find the pump that leaks and click **Mend**.\n",
            "",
            "nothing brings one into the state Burst",
        ),
    ],
)
def test_what_nobody_can_make_is_refused_by_name(steps: str, told: str, why: str) -> None:
    with pytest.raises(ProofwalkError, match=why) as caught:
        drafted(steps, told=told)
    assert caught.value.code == "author.cannot_make"


@pytest.mark.parametrize(
    ("said", "tried"),
    [
        ("InvalidTankType.ValueNotSupported", {("water.tank", "size"): 1}),
        ("OperationDenied.NoStock", {("water.tank", "zone"): 1}),
        ("TankName.Duplicate", {("water.tank", "name"): 1}),
        ("QuotaExceeded.Tank", None),
    ],
)
def test_a_refusal_names_the_value_that_is_to_blame(said: str, tried: Tried | None) -> None:
    message = (
        "terraform could not create the resources: alicloud_water_tank.tank line 9:"
        f" CreateTank failed: {said}: code: 400, no. request id: 1"
    )
    assert mended(message, drafted(DRAIN).resources, {}) == tried


def test_the_next_value_takes_the_place_of_one_that_was_refused() -> None:
    tried = {("water.tank", "size"): 1, ("water.tank", "zone"): 1}
    made = record(DRAIN, tried=tried)["create"]
    assert 'tank_type     = "t.large"' in made
    assert 'zone_id       = "${var.region}-i"' in made


def test_when_every_value_was_refused_there_is_no_record() -> None:
    with pytest.raises(ProofwalkError, match="no value of size is accepted") as caught:
        drafted(DRAIN, tried={("water.tank", "size"): 2})
    assert caught.value.code == "author.cannot_make"
