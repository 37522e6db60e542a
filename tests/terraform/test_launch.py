"""Images, launch templates, key pairs, automatic snapshot policies and subscriptions
through real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import INSTANCE, NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(60)]

LAUNCH = (
    NETWORK
    + INSTANCE.replace(
        "instance_name ",
        'instance_charge_type = "PrePaid"\n  period = 1\n  force_delete = true\n'
        "  key_name = alicloud_ecs_key_pair.mine.key_pair_name\n  instance_name ",
    )
    + """
resource "alicloud_ecs_key_pair" "mine" {
  key_pair_name = "pw-key"
  public_key    = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ"
}
resource "alicloud_ecs_key_pair" "made" {
  key_pair_name = "pw-key-made"
  tags          = { keep = "yes" }
}
resource "alicloud_image" "i" {
  instance_id = alicloud_instance.main.id
  image_name  = "pw-image"
}
resource "alicloud_ecs_auto_snapshot_policy" "p" {
  auto_snapshot_policy_name = "pw-policy"
  repeat_weekdays           = ["1", "5"]
  time_points               = ["2", "14"]
  retention_days            = 30
}
resource "alicloud_ecs_launch_template" "t" {
  launch_template_name = "pw-template"
  image_id             = "ubuntu_24_04_x64_20G_alibase_20250722.vhd"
  instance_type        = "ecs.g7.large"
  vswitch_id           = alicloud_vswitch.main.id
  security_group_id    = alicloud_security_group.main.id
  system_disk {
    category = "cloud_essd"
    size     = 60
  }
}
"""
)


async def test_what_instances_are_launched_from_comes_changes_and_goes(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "launch", LAUNCH))
    await work.must("init", "-no-color")
    assert "9 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_image.i"]["status"] == "Available"
    assert made["alicloud_instance.main"]["instance_charge_type"] == "PrePaid"
    assert made["alicloud_ecs_key_pair.made"]["finger_print"]
    assert not await work.has_changes()

    changed = (
        LAUNCH.replace('"pw-image"', '"pw-image-2"')
        .replace('["2", "14"]', '["4"]')
        .replace("= 30", "= -1")
    )
    changed = changed.replace(
        '"ecs.g7.large"\n  vswitch_id', '"ecs.c7.large"\n  vswitch_id', 1
    ).replace('"pw-key-made"', '"pw-key-2"')
    changed = changed.replace(
        "  launch_template_name", "  update_default_version_number = true\n  launch_template_name"
    )
    changed = changed.replace(
        'image_id             = "ubuntu_24_04',
        'version_description = "second"\n  image_id = "ubuntu_22_04',
    )
    work.write(changed)
    assert "1 added, 3 changed, 1 destroyed" in await work.apply()
    after = work.resources()
    assert (
        after["alicloud_ecs_launch_template.t"]["id"]
        == made["alicloud_ecs_launch_template.t"]["id"]
    )
    assert after["alicloud_ecs_launch_template.t"]["default_version_number"] == 2
    assert after["alicloud_ecs_auto_snapshot_policy.p"]["retention_days"] == -1
    assert after["alicloud_ecs_key_pair.made"]["id"] == "pw-key-2"
    assert not await work.has_changes()

    await work.must("destroy", "-auto-approve", "-no-color")
    assert [item for item in await devcloud_world.inventory() if item.product == "ecs"] == []
