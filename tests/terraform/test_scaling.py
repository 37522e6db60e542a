"""Real Terraform on scaling groups, configurations, rules and scheduled tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = (
    NETWORK
    + """
resource "alicloud_ess_scaling_group" "main" {
  scaling_group_name = "pw-asg"
  min_size           = 1
  max_size           = 3
  default_cooldown   = 60
  removal_policies   = ["OldestInstance", "NewestInstance"]
  vswitch_ids        = [alicloud_vswitch.main.id]
}
resource "alicloud_ess_scaling_configuration" "main" {
  scaling_group_id           = alicloud_ess_scaling_group.main.id
  scaling_configuration_name = "pw-conf"
  image_id                   = "ubuntu_24_04_x64_20G_alibase_20250722.vhd"
  instance_type              = "ecs.g7.large"
  security_group_id          = alicloud_security_group.main.id
  system_disk_size           = 40
  active                     = true
  enable                     = true
  force_delete               = true
}
resource "alicloud_ess_scaling_rule" "main" {
  scaling_group_id  = alicloud_ess_scaling_group.main.id
  scaling_rule_name = "pw-rule"
  adjustment_type   = "TotalCapacity"
  adjustment_value  = 2
}
resource "alicloud_ess_scheduled_task" "main" {
  scheduled_task_name = "pw-task"
  scheduled_action    = alicloud_ess_scaling_rule.main.ari
  launch_time         = "2038-01-01T08:00Z"
  task_enabled        = true
}
"""
)


async def test_scaling_groups_come_change_and_go(devcloud_world: World, tmp_path: Path) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "all", EVERYTHING))
    await work.must("init", "-no-color")
    assert "7 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_ess_scaling_configuration.main"]["active"] is True
    assert [item.type for item in await devcloud_world.inventory()].count("instance") == 1
    assert not await work.has_changes()

    changed = (
        EVERYTHING.replace('"pw-asg"', '"pw-asg-new"')
        .replace("= 60", "= 120")
        .replace('"pw-conf"', '"pw-conf-new"')
    )
    work.write(
        changed.replace("adjustment_value  = 2", "adjustment_value  = 3").replace(
            "T08:00Z", "T09:30Z"
        )
    )
    assert "0 added, 4 changed, 0 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_ess_scheduled_task.main"]["launch_time"] == "2038-01-01T09:30Z"
    assert (
        after["alicloud_ess_scaling_rule.main"]["ari"]
        == made["alicloud_ess_scaling_rule.main"]["ari"]
    )
    assert not await work.has_changes()
    rule = after["alicloud_ess_scaling_rule.main"]["id"]
    await work.must("state", "rm", "alicloud_ess_scaling_rule.main")
    await work.must("import", "-no-color", "alicloud_ess_scaling_rule.main", rule)

    assert "7 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
