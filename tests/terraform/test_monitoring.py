"""CloudMonitor in real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = """
resource "alicloud_cms_alarm_contact" "alice" {
  alarm_contact_name = "pw-alice"
  describe           = "on call"
  channels_mail      = "alice@example.com"
}
resource "alicloud_cms_alarm_contact_group" "ops" {
  alarm_contact_group_name = "pw-ops"
  contacts                 = [alicloud_cms_alarm_contact.alice.alarm_contact_name]
}
resource "alicloud_cms_alarm" "cpu" {
  name           = "pw-cpu"
  project        = "acs_ecs_dashboard"
  metric         = "CPUUtilization"
  period         = 60
  contact_groups = [alicloud_cms_alarm_contact_group.ops.alarm_contact_group_name]
  escalations_critical {
    statistics          = "Average"
    comparison_operator = ">="
    threshold           = "90"
    times               = 3
  }
}
resource "alicloud_cms_monitor_group" "shop" {
  monitor_group_name = "pw-shop"
  contact_groups     = [alicloud_cms_alarm_contact_group.ops.alarm_contact_group_name]
}
"""


async def test_alerting_comes_changes_and_goes(devcloud_world: World, tmp_path: Path) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", EVERYTHING))
    await work.must("init", "-no-color")
    assert "4 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_cms_alarm.cpu"]["metric_dimensions"] == '[{"resource":"_ALL"}]'
    assert not await work.has_changes()

    changed = (
        EVERYTHING.replace('"90"', '"80"')
        .replace("on call", "day shift")
        .replace('"pw-shop"', '"pw-store"')
    )
    changed = changed.replace('= "acs_ecs_dashboard"', '= "acs_ecs_dashboard"\n  enabled = false')
    work.write(changed)
    assert "0 added, 3 changed, 0 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_cms_alarm.cpu"]["id"] == made["alicloud_cms_alarm.cpu"]["id"]
    assert after["alicloud_cms_alarm.cpu"]["escalations_critical"][0]["threshold"] == "80"
    assert not await work.has_changes()

    other = changed.replace("acs_ecs_dashboard", "acs_rds_dashboard").replace(
        '"CPUUtilization"', '"CpuUsage"'
    )
    work.write(other)
    assert "1 added, 0 changed, 1 destroyed" in await work.apply()
    await work.must("state", "rm", "alicloud_cms_alarm_contact.alice")
    await work.must("import", "-no-color", "alicloud_cms_alarm_contact.alice", "pw-alice")
    assert not await work.has_changes()
    assert "4 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
