"""K by resource: read, held against C_create, put into its variables, looked for in the
inventory."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.assertions import lacking
from proofwalk.resource_provisioner.domain import ProvisioningState
from proofwalk.resource_provisioner.key_attributes import variables_of
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.resource_provisioner.repository import ProvisioningRow
from proofwalk.resource_provisioner.terraform_json import written
from tests.resource_provisioner.conftest import META, Stage

RECORD = """
id: one-instance
description: An instance
attributes:
  region: cn-hangzhou
  resources:
  - vpc.vpc
  - type: alicloud_instance
    address: alicloud_instance.web
    state: Running
    values: {type: ecs.n4.large, size: 40, spot: false, vpc_id: "${output.vpc}"}
    variables: {instance_type: type, disk: size, spot: spot}
create: |
  variable "instance_type" {
    type    = string
    default = "ecs.g7.large"
  }
  variable "disk" {
    default = 20
  }
  variable "spot" {
    default = true
  }
  resource "alicloud_vpc" "main" {}
  resource "alicloud_instance" "web" {
    instance_type = var.instance_type
  }
  output "vpc" {
    value = alicloud_vpc.main.id
  }
  output "web" {
    value = alicloud_instance.web.id
  }
"""


def test_the_values_of_k_are_the_variables_of_create() -> None:
    meta = read_meta(RECORD)
    (resource,) = meta.resources
    assert resource.output_in(meta.template) == "web"
    assert resource.facts == {
        "type": "ecs.n4.large",
        "size": "40",
        "spot": "false",
        "vpc_id": "${output.vpc}",
    }
    text = written(meta.template, variables=variables_of(meta.resources)).text
    assert {name: one["default"] for name, one in json.loads(text)["variable"].items()} == {
        "instance_type": "ecs.n4.large",
        "disk": 40,
        "spot": False,
    }
    plain = json.loads(written(meta.template).text)["variable"]
    assert plain["instance_type"] == {"type": "string", "default": "ecs.g7.large"}


def test_another_value_of_k_is_another_record() -> None:
    assert read_meta(RECORD.replace("n4", "n5")).digest != read_meta(RECORD).digest


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("address: alicloud_instance.web", "size: 1"), "Extra inputs are not permitted"),
        (("    address: alicloud_instance.web\n", ""), "either output or address"),
        (("address:", "output: web\n    address:"), "either output or address"),
        (("address: alicloud_instance", "address: alicloud_vpc"), "is of another type"),
        (("address: alicloud_instance.web", "address: alicloud_instance.db"), "makes no alicloud_"),
        (("address: alicloud_instance.web", "output: db"), "there is no output 'db'"),
        (("- type: alicloud_instance", "- type: alicloud_instances"), "is of another type"),
        (
            ("value = alicloud_instance.web.id", "value = 1"),
            "has the value alicloud_instance.web.id",
        ),
        (("disk: size", "disk: sizes"), "takes 'sizes', which has no value"),
        (("disk: size", "disks: size"), "declares no variable 'disks'"),
        (("spot: spot", "spot: vpc_id"), "is known only afterwards"),
        (('"${output.vpc}"', '"${output.net}"'), "there is no output 'net'"),
        (("size: 40", "size: [40]"), "Input should be"),
        (("size: 40", "size: .nan"), "Input should be"),
    ],
)
def test_a_k_that_does_not_fit_is_refused(change: tuple[str, str], complaint: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_meta(RECORD.replace(*change))
    assert caught.value.code == "meta.invalid"
    assert complaint in caught.value.message


def test_a_variable_has_one_value() -> None:
    twice = RECORD.replace(
        "  - vpc.vpc\n",
        "  - {type: alicloud_vpc, output: vpc, values: {a: 1}, variables: {disk: a}}\n",
    )
    with pytest.raises(ProofwalkError, match="two resources give the variable 'disk'"):
        read_meta(twice)


K = """
attributes:
  resources:
  - {type: alicloud_vswitch, output: id, state: Available, values: {zone: h, of: "${var.region}"}}
"""


async def test_what_k_says_is_looked_for_once_it_is_made(stage: Stage) -> None:
    told = META + K
    with pytest.raises(ProofwalkError) as caught:
        await stage.provision("r1", told)
    assert caught.value.code == "provision.verify_failed"
    assert "zone is '', and K says 'h'" in caught.value.message
    assert await stage.inventory() == []
    stage.runner.attributes = {"zone": "h", "of": "local"}
    assert (await stage.provision("r2", told)).state == "ready"
    stage.runner.state = "Pending"
    with pytest.raises(ProofwalkError, match="is Pending, and K says Available"):
        await stage.provision("r3", told.replace("state: Available}\nbinds", "}\nbinds"))


def test_an_id_that_two_things_have_is_the_one_whose_type_is_named() -> None:
    text = """
    id: a-user
    description: A user
    attributes:
      resources:
      - {type: alicloud_ram_user, output: name, values: {comment: it}}
    steps:
    - do: {http: PUT, path: /users}
      outputs: {name: name}
    """
    now = datetime(2026, 11, 27, tzinfo=UTC)
    row = ProvisioningRow(
        id="prov_1",
        request_id="r1",
        lease_id="lease_1",
        lease_epoch=1,
        target="memory",
        region="local",
        meta_yaml=text,
        name_prefix="pw1",
        state=ProvisioningState.VERIFYING,
        outputs={"name": "ops"},
        created_at=now,
        updated_at=now,
    )
    group = ResourceRef(product="ram", type="group", id="ops", attributes={"comment": "them"})
    user = ResourceRef(product="ram", type="user", id="ops", attributes={"comment": "it"})
    meta = read_meta(text)
    assert lacking(meta, [group, user], row) == []
    assert lacking(meta, [group], row) == [
        "alicloud_ram_user ops: comment is 'them', and K says 'it'"
    ]
    assert lacking(meta, [], row) == ["there is no alicloud_ram_user ops"]


@pytest.mark.parametrize("path", sorted(Path("suites/console-278/tasks").rglob("*.meta.yaml"))[:40])
def test_kinds_alone_are_told_and_not_looked_for(path: Path) -> None:
    meta = read_meta(path.read_text())
    assert "resources" in meta.attributes
    assert meta.resources == ()
