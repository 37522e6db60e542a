"""Resource Access Management in real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = """
resource "alicloud_ram_user" "alice" {
  name         = "pw-alice"
  display_name = "Alice"
  email        = "alice@example.com"
}
resource "alicloud_ram_user" "bob" {
  name  = "pw-bob"
  force = true
}
resource "alicloud_ram_login_profile" "alice" {
  user_name = alicloud_ram_user.alice.name
  password  = "Sup3rSecret!"
}
resource "alicloud_ram_access_key" "alice" {
  user_name = alicloud_ram_user.alice.name
}
resource "alicloud_ram_group" "ops" {
  group_name = "pw-ops"
  comments   = "on call"
}
resource "alicloud_ram_group_membership" "ops" {
  group_name = alicloud_ram_group.ops.group_name
  user_names = [alicloud_ram_user.alice.name]
}
resource "alicloud_ram_role" "jobs" {
  name     = "pw-jobs"
  services = ["ecs.aliyuncs.com"]
}
resource "alicloud_ram_policy" "look" {
  policy_name     = "pw-look"
  policy_document = jsonencode({ Version = "1", Statement = [{ Effect = "Allow", Action = "ecs:Describe*", Resource = "*" }] })
}
resource "alicloud_ram_user_policy_attachment" "alice" {
  user_name   = alicloud_ram_user.alice.name
  policy_name = alicloud_ram_policy.look.policy_name
  policy_type = "Custom"
}
resource "alicloud_ram_group_policy_attachment" "ops" {
  group_name  = alicloud_ram_group.ops.group_name
  policy_name = "ReadOnlyAccess"
  policy_type = "System"
}
resource "alicloud_ram_role_policy_attachment" "jobs" {
  role_name   = alicloud_ram_role.jobs.name
  policy_name = alicloud_ram_policy.look.policy_name
  policy_type = "Custom"
}
"""


async def test_identities_come_change_and_go(devcloud_world: World, tmp_path: Path) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", EVERYTHING))
    await work.must("init", "-no-color")
    assert "11 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_ram_access_key.alice"]["secret"]
    assert made["alicloud_ram_role.jobs"]["arn"].endswith(":role/pw-jobs")
    assert made["alicloud_ram_user_policy_attachment.alice"]["id"] == "user:pw-look:Custom:pw-alice"
    assert not await work.has_changes()

    changed = (
        EVERYTHING.replace("ecs:Describe", "vpc:Describe")
        .replace("alice@example", "al@example")
        .replace("on call", "day shift")
    )
    changed = changed.replace(
        "[alicloud_ram_user.alice.name]",
        "[alicloud_ram_user.alice.name, alicloud_ram_user.bob.name]",
    )
    changed = changed.replace('["ecs.aliyuncs.com"]', '["fc.aliyuncs.com"]')
    work.write(changed)
    assert "0 added, 5 changed, 0 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_ram_policy.look"]["default_version"] == "v2"
    assert after["alicloud_ram_group_membership.ops"]["user_names"] == ["pw-alice", "pw-bob"]
    assert not await work.has_changes()

    work.write(changed.replace('"ReadOnlyAccess"', '"AliyunECSReadOnlyAccess"'))
    assert "1 added, 0 changed, 1 destroyed" in await work.apply()
    key = after["alicloud_ram_group.ops"]["id"]
    await work.must("state", "rm", "alicloud_ram_group.ops")
    await work.must("import", "-no-color", "alicloud_ram_group.ops", key)
    assert not await work.has_changes()
    assert "11 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
