"""Real Terraform on the parts of a VPC: EIPs, NAT gateways, their entries, route tables
and routes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = (
    NETWORK
    + """
resource "alicloud_nat_gateway" "main" {
  vpc_id           = alicloud_vpc.main.id
  vswitch_id       = alicloud_vswitch.main.id
  nat_type         = "Enhanced"
  nat_gateway_name = "pw-nat"
  payment_type     = "PayAsYouGo"
}
resource "alicloud_eip_address" "main" {
  address_name         = "pw-eip"
  bandwidth            = "10"
  internet_charge_type = "PayByTraffic"
  payment_type         = "PayAsYouGo"
  tags                 = { keep = "yes" }
}
resource "alicloud_eip" "other" {
  address_name = "pw-eip-2"
}
resource "alicloud_eip_association" "main" {
  allocation_id = alicloud_eip_address.main.id
  instance_id   = alicloud_nat_gateway.main.id
}
resource "alicloud_snat_entry" "main" {
  snat_table_id     = alicloud_nat_gateway.main.snat_table_ids
  source_vswitch_id = alicloud_vswitch.main.id
  snat_ip           = alicloud_eip_address.main.ip_address
  snat_entry_name   = "pw-snat"
  depends_on        = [alicloud_eip_association.main]
}
resource "alicloud_forward_entry" "main" {
  forward_table_id   = alicloud_nat_gateway.main.forward_table_ids
  external_ip        = alicloud_eip_address.main.ip_address
  external_port      = "8080"
  ip_protocol        = "tcp"
  internal_ip        = "10.0.1.10"
  internal_port      = "80"
  forward_entry_name = "pw-dnat"
  depends_on         = [alicloud_eip_association.main]
}
resource "alicloud_route_table" "main" {
  vpc_id           = alicloud_vpc.main.id
  route_table_name = "pw-rt"
}
resource "alicloud_route_entry" "main" {
  route_table_id        = alicloud_route_table.main.id
  destination_cidrblock = "0.0.0.0/0"
  nexthop_type          = "NatGateway"
  nexthop_id            = alicloud_nat_gateway.main.id
  name                  = "pw-out"
}
resource "alicloud_route_entry" "system" {
  route_table_id        = alicloud_vpc.main.route_table_id
  destination_cidrblock = "172.20.0.0/16"
  nexthop_type          = "NatGateway"
  nexthop_id            = alicloud_nat_gateway.main.id
}
"""
)


async def test_ways_to_the_internet_come_change_and_go(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "all", EVERYTHING))
    await work.must("init", "-no-color")
    assert "12 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_eip_association.main"]["instance_type"] == "Nat"
    assert made["alicloud_snat_entry.main"]["source_cidr"] == "10.0.1.0/24"
    assert made["alicloud_route_table.main"]["status"] == "Available"
    assert not await work.has_changes()

    changed = (
        EVERYTHING.replace('"pw-eip"', '"pw-eip-new"')
        .replace('"10"', '"20"')
        .replace("keep = ", "kept = ")
    )
    changed = (
        changed.replace('"pw-nat"', '"pw-nat-new"')
        .replace('"pw-snat"', '"pw-snat-new"')
        .replace('"80"', '"8000"')
    )
    work.write(
        changed.replace('"pw-rt"', '"pw-rt-new"')
        .replace('"pw-out"', '"pw-way-out"')
        .replace("172.20.", "172.21.")
    )
    assert "1 added, 6 changed, 1 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_eip_address.main"]["id"] == made["alicloud_eip_address.main"]["id"]
    assert after["alicloud_eip_address.main"]["tags"] == {"kept": "yes"}
    assert after["alicloud_forward_entry.main"]["internal_port"] == "8000"
    assert not await work.has_changes()
    entry = after["alicloud_snat_entry.main"]["id"]
    await work.must("state", "rm", "alicloud_snat_entry.main")
    await work.must("import", "-no-color", "alicloud_snat_entry.main", entry)
    assert not await work.has_changes()

    assert "12 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
