"""Tair (Redis OSS-compatible) in real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = (
    NETWORK
    + """
resource "alicloud_kvstore_instance" "cache" {
  db_instance_name            = "pw-cache"
  instance_class              = "redis.master.small.default"
  engine_version              = "6.0"
  vswitch_id                  = alicloud_vswitch.main.id
  security_ips                = ["10.0.0.0/8"]
  config                      = { timeout = "300" }
  instance_release_protection = true
  tags                        = { keep = "yes" }
}
resource "alicloud_kvstore_instance" "plain" {
  instance_class = "redis.master.stand.default"
  vswitch_id     = alicloud_vswitch.main.id
}
resource "alicloud_kvstore_account" "app" {
  instance_id      = alicloud_kvstore_instance.cache.id
  account_name     = "app"
  account_password = "Sup3rSecret!"
}
resource "alicloud_kvstore_backup_policy" "policy" {
  instance_id   = alicloud_kvstore_instance.cache.id
  backup_period = ["Monday", "Friday"]
  backup_time   = "20:00Z-21:00Z"
}
"""
)


async def test_a_cache_comes_changes_is_replaced_and_goes(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", EVERYTHING))
    await work.must("init", "-no-color")
    assert "7 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    cache = made["alicloud_kvstore_instance.cache"]
    assert (cache["status"], cache["capacity"], cache["config"]) == (
        "Normal",
        1024,
        {"timeout": "300"},
    )
    assert made["alicloud_kvstore_account.app"]["id"] == f"{cache['id']}:app"
    assert not await work.has_changes()

    changed = (
        EVERYTHING.replace("master.small", "master.mid")
        .replace('"10.0.0.0/8"]\n', '"10.1.0.0/16"]\n')
        .replace('"Friday"', '"Sunday"')
    )
    changed = changed.replace(
        '= "app"\n', '= "app"\n  account_privilege = "RoleReadOnly"\n'
    ).replace("= true", "= false")
    work.write(changed)
    assert "0 added, 3 changed, 0 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_kvstore_instance.cache"]["capacity"] == 2048
    assert after["alicloud_kvstore_instance.cache"]["id"] == cache["id"]
    assert after["alicloud_kvstore_backup_policy.policy"]["backup_period"] == ["Monday", "Sunday"]
    assert not await work.has_changes()

    work.write(changed.replace('"6.0"', '"7.0"'))
    assert "3 added, 0 changed, 3 destroyed" in await work.apply()
    assert "7 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
