"""Real Terraform, the embedded provider, the embedded cloud: create, no change, change,
replace, import, drift, destroy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import INSTANCE, NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = (
    NETWORK
    + INSTANCE.replace("instance_name ", 'status = "Stopped"\n  instance_name ')
    + """
data "alicloud_zones" "z" { available_resource_creation = "VSwitch" }
data "alicloud_images" "i" {
  owners     = "system"
  name_regex = "^ubuntu_24"
}
data "alicloud_instance_types" "t" {
  cpu_core_count = 2
  memory_size    = 8
}
resource "alicloud_security_group_rule" "many" {
  count             = 12
  type              = count.index % 2 == 0 ? "ingress" : "egress"
  ip_protocol       = "tcp"
  port_range        = "${8000 + count.index}/${8000 + count.index}"
  security_group_id = alicloud_security_group.main.id
  cidr_ip           = "10.0.0.0/8"
}
resource "alicloud_ecs_disk" "d" {
  zone_id   = alicloud_vswitch.main.zone_id
  size      = 40
  category  = "cloud_essd"
  disk_name = "pw-disk"
  tags      = { keep = "yes" }
}
resource "alicloud_ecs_disk_attachment" "a" {
  disk_id     = alicloud_ecs_disk.d.id
  instance_id = alicloud_instance.main.id
}
resource "alicloud_ecs_snapshot" "s" {
  disk_id       = alicloud_ecs_disk_attachment.a.disk_id
  snapshot_name = "pw-snap"
}
resource "alicloud_db_instance" "db" {
  engine                   = "MySQL"
  engine_version           = "8.0"
  instance_type            = "mysql.n2.medium.1"
  category                 = "Basic"
  instance_storage         = 20
  db_instance_storage_type = "cloud_essd"
  vswitch_id               = alicloud_vswitch.main.id
  instance_name            = "pw-db"
  security_ips             = ["10.0.0.0/8"]
  tags                     = { keep = "yes" }
}
output "found" {
  value = [data.alicloud_zones.z.zones[0].id, data.alicloud_images.i.ids[0], data.alicloud_instance_types.t.ids[0]]
}
"""
)


async def test_twenty_resources_of_every_type_come_change_and_go(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "all", EVERYTHING))
    await work.must("init", "-no-color")
    said = await work.apply()
    assert "20 added, 0 changed, 0 destroyed" in said
    made = work.resources()
    assert made["alicloud_instance.main"]["status"] == "Stopped"
    assert made["alicloud_instance.main"]["private_ip"].startswith("10.0.1.")
    assert made["alicloud_db_instance.db"]["status"] == "Running"
    there = {(item.product, item.type): item for item in await devcloud_world.inventory()}
    assert there["ecs", "snapshot"].state == "accomplished"
    assert there["rds", "instance"].tags == {"keep": "yes"}
    assert not await work.has_changes()

    changed = EVERYTHING.replace('status = "Stopped"', 'status = "Running"').replace(
        '"pw-disk"', '"pw-disk-2"'
    )
    changed = (
        changed.replace('["10.0.0.0/8"]', '["10.1.0.0/16", "10.2.0.0/16"]')
        .replace("keep ", "kept ")
        .replace("9999", "1")
    )
    work.write(changed.replace('"pw-snap"', '"pw-snap-2"').replace('"pw-vpc"', '"pw-vpc-2"'))
    said = await work.apply()
    assert "0 added, 5 changed, 0 destroyed" in said
    after = work.resources()
    assert after["alicloud_instance.main"]["id"] == made["alicloud_instance.main"]["id"]
    assert after["alicloud_instance.main"]["status"] == "Running"
    assert after["alicloud_db_instance.db"]["security_ips"] == ["10.1.0.0/16", "10.2.0.0/16"]
    assert not await work.has_changes()

    said = await work.must("destroy", "-auto-approve", "-no-color")
    assert "20 destroyed" in said
    assert list(await devcloud_world.inventory()) == []


async def test_a_change_that_cannot_be_made_in_place_replaces(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", NETWORK))
    await work.must("init")
    await work.apply()
    before = work.resources()
    work.write(NETWORK.replace('"10.0.1.0/24"', '"10.0.2.0/24"'))
    assert "1 added, 0 changed, 1 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_vswitch.main"]["id"] != before["alicloud_vswitch.main"]["id"]
    assert after["alicloud_vpc.main"]["id"] == before["alicloud_vpc.main"]["id"]


async def test_what_was_deleted_elsewhere_is_drift_and_comes_back(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", NETWORK))
    await work.must("init")
    await work.apply()
    gone = work.resources()["alicloud_vswitch.main"]["id"]
    await devcloud_world.delete(gone)
    assert await work.has_changes()
    assert "1 added, 0 changed, 0 destroyed" in await work.apply()
    assert work.resources()["alicloud_vswitch.main"]["id"] != gone


async def test_what_exists_is_imported_and_then_needs_no_change(
    devcloud_world: World, tmp_path: Path
) -> None:
    maker = await devcloud_world.attach(devcloud_world.work(tmp_path / "maker", NETWORK))
    await maker.must("init")
    await maker.apply()
    vpc = maker.resources()["alicloud_vpc.main"]["id"]
    only_vpc = NETWORK.split('resource "alicloud_vswitch"')[0]
    other = await devcloud_world.attach(devcloud_world.work(tmp_path / "other", only_vpc))
    await other.must("init")
    await other.must("import", "-no-color", "alicloud_vpc.main", vpc)
    assert not await other.has_changes()
    missing = await other.run("import", "-no-color", "alicloud_vpc.other", "vpc-does-not-exist")
    assert missing.code == 1
