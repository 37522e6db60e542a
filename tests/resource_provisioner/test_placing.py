"""A record is placed in the network of its lease as far as it fits, by ids alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from proofwalk.hcl.reading import parse
from proofwalk.hcl.rewriting import print_body
from proofwalk.kernel.needs import Need
from proofwalk.resource_provisioner.coder import CatalogCoder
from proofwalk.resource_provisioner.domain import Form, ProvisioningState
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.resource_provisioner.networks import network_of
from proofwalk.resource_provisioner.placing import forms_of
from proofwalk.resource_provisioner.repository import ProvisioningRow

REGION = "cn-hangzhou"
NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)
VPC = """
  resource "alicloud_vpc" "main" {
    vpc_name   = "${var.name_prefix}-vpc"
    cidr_block = "10.0.0.0/8"
  }
"""
VSWITCH = """
  resource "alicloud_vswitch" "main" {
    vswitch_name = "${var.name_prefix}-vsw"
    vpc_id       = alicloud_vpc.main.id
    cidr_block   = cidrsubnet(alicloud_vpc.main.cidr_block, 8, 1)
    zone_id      = "${var.region}-h"
  }
"""
GATEWAY = """
  resource "alicloud_nat_gateway" "main" {
    vpc_id           = alicloud_vpc.main.id
    vswitch_id       = alicloud_vswitch.main.id
    nat_gateway_name = "${alicloud_vpc.main.vpc_name}-nat"
    depends_on       = [alicloud_vpc.main, alicloud_vswitch.main]
  }
"""
NEED = Need(text="a gateway", resource="NAT gateway")


def record(*parts: str) -> str:
    lines = [f"  {line}" for part in parts for line in part.splitlines()]
    return "\n".join(["id: one", "description: One", "create: |", *lines]) + "\n"


def a_row(
    yaml: str, id_: str = "prov_1", *, made: Mapping[str, str] | None = None
) -> ProvisioningRow:
    ids = {"vpc": "vpc-1", "vswitch": "vsw-1"} if made is None else made
    return ProvisioningRow(
        id=id_,
        request_id=id_,
        lease_id="lease_1",
        lease_epoch=1,
        target="memory",
        region=REGION,
        meta_yaml=yaml,
        name_prefix="pw0a1b2c",
        state=ProvisioningState.READY,
        resources=[
            {"product": "vpc", "type": kind, "id": id_, "name": f"the {kind}"}
            for kind, id_ in ids.items()
        ],
        created_at=NOON,
        updated_at=NOON,
    )


def forms(yaml: str, *rows: ProvisioningRow, need: Need = NEED) -> Sequence[Form]:
    return forms_of(yaml, need, network_of(rows), region=REGION)


def create_of(form: Form) -> str:
    return read_meta(form.yaml).create


def types_in(form: Form) -> list[str]:
    return [one.type for one in read_meta(form.yaml).template.resources]


def test_what_a_record_stands_on_is_referred_to_by_id() -> None:
    yaml = record(VPC, VSWITCH, GATEWAY)
    both, vpc_alone, general = forms(yaml, a_row(record(VPC, VSWITCH)))
    assert types_in(both) == ["alicloud_nat_gateway"]
    assert 'vpc_id = "vpc-1"' in create_of(both)
    assert 'vswitch_id = "vsw-1"' in create_of(both)
    assert '"${"pw0a1b2c-vpc"}-nat"' in create_of(both)
    assert "depends_on" not in create_of(both)
    assert [(one.provisioning_id, one.id, one.name) for one in both.footings] == [
        ("prov_1", "vpc-1", "the vpc"),
        ("prov_1", "vsw-1", "the vswitch"),
    ]
    assert types_in(vpc_alone) == ["alicloud_vswitch", "alicloud_nat_gateway"]
    assert general == Form(yaml=yaml)
    assert {both.general_yaml, vpc_alone.general_yaml} == {yaml}


def test_a_further_vswitch_gets_a_range_that_is_free() -> None:
    first = record(VPC, VSWITCH)
    placed, _ = forms(first, a_row(first), need=Need(text="", resource="vSwitch"))
    assert 'cidr_block = "10.255.255.0/24"' in create_of(placed)
    second = a_row(placed.yaml, "prov_2", made={"vswitch": "vsw-2"})
    third, _ = forms(first, a_row(first), second, need=Need(text="", resource="vSwitch"))
    assert 'cidr_block = "10.255.254.0/24"' in create_of(third)


def test_a_range_that_is_free_stays_as_it_is() -> None:
    other = VSWITCH.replace("cidrsubnet(alicloud_vpc.main.cidr_block, 8, 1)", '"10.7.0.0/24"')
    placed, _ = forms(record(VPC, other), a_row(record(VPC, VSWITCH)))
    assert 'cidr_block = "10.7.0.0/24"' in create_of(placed)


@pytest.mark.parametrize("name", ["vSwitch", "destination VPC", "专有网络"])
def test_what_is_asked_for_itself_is_made(name: str) -> None:
    yaml = record(VPC, VSWITCH)
    for form in forms(yaml, a_row(yaml), need=Need(text="", resource=name)):
        assert "alicloud_vswitch" in types_in(form)
        assert ("alicloud_vpc" in types_in(form)) == (name != "vSwitch" or not form.footings)


@pytest.mark.parametrize(
    ("name", "value"),
    [("IPv4 CIDR block", "192.168.0.0/24"), ("Zone", "cn-hangzhou-k")],
)
def test_a_need_that_says_otherwise_has_a_network_of_its_own(name: str, value: str) -> None:
    asked = VSWITCH.replace("cidrsubnet(alicloud_vpc.main.cidr_block, 8, 1)", '"192.168.0.0/24"')
    asked = asked.replace("${var.region}-h", "cn-hangzhou-k")
    need = Need(text="", resource="NAT gateway", values={name: value})
    for form in forms(record(VPC, asked, GATEWAY), a_row(record(VPC, VSWITCH)), need=need):
        assert value in create_of(form)
        assert "alicloud_vswitch" in types_in(form)


def test_the_rest_of_a_record_follows_into_the_zone_of_the_vswitch() -> None:
    there = VSWITCH.replace("-h", "-k")
    zoned = GATEWAY.replace("vpc_id ", 'zone = "${var.region}-h"\n    vpc_id ')
    both, *_ = forms(record(VPC, VSWITCH, zoned), a_row(record(VPC, there)))
    assert 'zone = "cn-hangzhou-k"' in create_of(both)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [a_row(record(VPC, VSWITCH)), a_row(record(VPC, VSWITCH), "prov_2")],
        [a_row(record(VPC.replace("{\n", "{\n    count = 2\n")))],
        [a_row(record(VPC, VSWITCH), made={})],
        [a_row("id: two\ndescription: Two\n")],
    ],
    ids=["nothing", "two VPCs", "several of one", "no id", "no template"],
)
def test_without_one_network_a_record_makes_its_own(rows: list[ProvisioningRow]) -> None:
    yaml = record(VPC, VSWITCH, GATEWAY)
    assert forms(yaml, *rows) == (Form(yaml=yaml),)


def test_of_two_vswitches_none_is_taken_and_the_vpc_is() -> None:
    rows = [a_row(record(VPC, VSWITCH)), a_row(record(VPC, VSWITCH), "prov_2", made={})]
    further = VSWITCH.replace("alicloud_vpc.main.id", '"vpc-1"').replace(
        "cidrsubnet(alicloud_vpc.main.cidr_block, 8, 1)", '"10.9.0.0/24"'
    )
    rows[1] = a_row(record(further), "prov_2", made={"vswitch": "vsw-2"})
    placed, _ = forms(record(VPC, VSWITCH, GATEWAY), *rows)
    assert types_in(placed) == ["alicloud_vswitch", "alicloud_nat_gateway"]


@pytest.mark.parametrize(
    "part",
    [
        VPC.replace("vpc_name ", "enable_ipv6 = true\n    vpc_name "),
        VPC + VPC.replace('"main"', '"other"'),
        VPC + 'output "route_table" {\n    value = alicloud_vpc.main.route_table_id\n  }\n',
    ],
    ids=["made otherwise", "two of them", "with what is not known"],
)
def test_a_record_that_does_not_fit_makes_its_own(part: str) -> None:
    yaml = record(part, VSWITCH, GATEWAY)
    assert forms(yaml, a_row(record(VPC, VSWITCH))) == (Form(yaml=yaml),)


def test_a_vswitch_of_a_vpc_whose_range_is_not_known_is_made_in_its_own() -> None:
    there = a_row(record(VPC.replace('"10.0.0.0/8"', "null")))
    yaml = record(VPC, VSWITCH)
    assert forms(yaml, there) == (Form(yaml=yaml),)


async def test_templates_of_the_catalogue_are_placed_as_well() -> None:
    coder = CatalogCoder()
    for entry in coder.entries:
        placed, *_ = forms(entry.text, a_row(record(VPC, VSWITCH)), need=Need(text=""))
        assert "alicloud_vpc" not in types_in(placed) or entry.name == "vpc.yaml"


def test_a_template_is_the_same_after_it_was_written_anew() -> None:
    text = """
    locals {
      parts = [for one, two in { "a" = 1 } : "${one}-${two}" if two > 0]
      names = { for one in ["x"] : one => upper(one)... if true }
    }
    resource "alicloud_vpc" "main" {
      vpc_name = "a\\"b$${c}" # a comment
      tags     = { "k" = true ? -1 : 2 * 3 }
      dynamic "user_cidrs" {
        for_each = local.parts[*]
        content {
          cidr = user_cidrs.value["x"]
        }
      }
    }
    """
    once = print_body(parse(text))
    assert print_body(parse(once)) == once
    assert once.count("for ") == 2
    assert "user_cidrs" in once
