"""Real Terraform on load balancers, their listeners, servers and access control
lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import INSTANCE, NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = (
    NETWORK
    + INSTANCE
    + """
resource "alicloud_slb_load_balancer" "main" {
  load_balancer_name = "pw-lb"
  address_type       = "intranet"
  vswitch_id         = alicloud_vswitch.main.id
  load_balancer_spec = "slb.s1.small"
  delete_protection  = "off"
  tags               = { keep = "yes" }
}
resource "alicloud_slb_server_group" "main" {
  load_balancer_id = alicloud_slb_load_balancer.main.id
  name             = "pw-group"
  servers {
    server_ids = [alicloud_instance.main.id]
    port       = 80
    weight     = 100
  }
}
resource "alicloud_slb_backend_server" "main" {
  load_balancer_id = alicloud_slb_load_balancer.main.id
  backend_servers {
    server_id = alicloud_instance.main.id
    weight    = 100
  }
}
resource "alicloud_slb_acl" "main" {
  name = "pw-acl"
  entry_list {
    entry   = "10.0.0.0/8"
    comment = "lan"
  }
}
resource "alicloud_slb_listener" "http" {
  load_balancer_id = alicloud_slb_load_balancer.main.id
  frontend_port    = 80
  protocol         = "http"
  bandwidth        = 10
  server_group_id  = alicloud_slb_server_group.main.id
  health_check     = "on"
  health_check_uri = "/live"
  sticky_session   = "off"
  acl_status       = "on"
  acl_type         = "white"
  acl_id           = alicloud_slb_acl.main.id
}
resource "alicloud_slb_listener" "tcp" {
  load_balancer_id = alicloud_slb_load_balancer.main.id
  frontend_port    = 8080
  backend_port     = 8080
  protocol         = "tcp"
  bandwidth        = -1
}
"""
)


async def test_load_balancers_come_change_and_go(devcloud_world: World, tmp_path: Path) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "all", EVERYTHING))
    await work.must("init", "-no-color")
    assert "10 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_slb_load_balancer.main"]["address"].startswith("10.0.1.")
    assert made["alicloud_slb_load_balancer.main"]["status"] == "active"
    assert made["alicloud_slb_listener.http"]["id"].endswith(":http:80")
    assert not await work.has_changes()

    changed = (
        EVERYTHING.replace('"pw-lb"', '"pw-lb-new"')
        .replace("keep = ", "kept = ")
        .replace('"/live"', '"/ready"')
    )
    changed = changed.replace(
        "port       = 80\n    weight     = 100", "port       = 81\n    weight     = 50"
    )
    work.write(
        changed.replace(
            '"10.0.0.0/8"\n    comment = "lan"', '"192.0.2.0/24"\n    comment = "office"'
        ).replace(" 8080", " 8081")
    )
    assert "1 added, 4 changed, 1 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_slb_server_group.main"]["servers"][0]["port"] == 81
    assert after["alicloud_slb_listener.http"]["health_check_uri"] == "/ready"
    assert not await work.has_changes()
    listener = after["alicloud_slb_listener.tcp"]["id"]
    await work.must("state", "rm", "alicloud_slb_listener.tcp")
    await work.must("import", "-no-color", "alicloud_slb_listener.tcp", listener)

    assert "10 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
