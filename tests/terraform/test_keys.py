"""Keys, aliases and secrets: made, left alone, changed in place, replaced and destroyed
by real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

KEYS = """
resource "alicloud_kms_key" "main" {
  description            = "pw-key"
  pending_window_in_days = 7
  automatic_rotation     = "Enabled"
  rotation_interval      = "90d"
  deletion_protection    = "Enabled"
  tags                   = { keep = "yes" }
}
resource "alicloud_kms_key" "off" {
  description            = "pw-off"
  status                 = "Disabled"
  pending_window_in_days = 7
}
resource "alicloud_kms_alias" "main" {
  alias_name = "alias/pw-orders"
  key_id     = alicloud_kms_key.main.id
}
resource "alicloud_kms_secret" "main" {
  secret_name                   = "pw-token"
  secret_data                   = "t0ken"
  version_id                    = "v1"
  description                   = "first"
  encryption_key_id             = alicloud_kms_key.main.id
  force_delete_without_recovery = true
}
"""


async def test_keys_aliases_and_secrets_come_change_and_go(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "keys", KEYS))
    await work.must("init", "-no-color")
    assert "4 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert (
        made["alicloud_kms_key.main"]["status"],
        made["alicloud_kms_key.off"]["is_enabled"],
    ) == ("Enabled", False)
    assert made["alicloud_kms_secret.main"]["version_stages"] == ["ACSCurrent"]
    states = {
        item.id: item.state for item in await devcloud_world.inventory() if item.type == "key"
    }
    assert sorted(states.values()) == ["Disabled", "Enabled"]
    assert not await work.has_changes()

    changed = (
        KEYS.replace('"90d"', '"180d"')
        .replace('"t0ken"', '"t1ken"')
        .replace('"v1"', '"v2"')
        .replace('"first"', '"second"')
    )
    changed = changed.replace('"Disabled"', '"Enabled"').replace(
        'deletion_protection    = "Enabled"', 'deletion_protection = "Disabled"'
    )
    changed = changed.replace(
        "key_id     = alicloud_kms_key.main.id", "key_id     = alicloud_kms_key.off.id"
    ).replace("keep", "kept")
    work.write(changed)
    assert "0 added, 4 changed, 0 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_kms_alias.main"]["key_id"] == made["alicloud_kms_key.off"]["id"]
    assert (
        after["alicloud_kms_secret.main"]["version_id"],
        after["alicloud_kms_secret.main"]["description"],
    ) == ("v2", "second")
    assert (
        after["alicloud_kms_key.main"]["rotation_interval"],
        after["alicloud_kms_key.main"]["tags"],
    ) == (
        "180d",
        {"kept": "yes"},
    )
    assert not await work.has_changes()

    work.write(changed.replace('"alias/pw-orders"', '"alias/pw-shop"'))
    assert "1 added, 0 changed, 1 destroyed" in await work.apply()
    await work.must("state", "rm", "alicloud_kms_key.off")
    await work.must(
        "import", "-no-color", "alicloud_kms_key.off", made["alicloud_kms_key.off"]["id"]
    )
    assert "4 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    left = {item.type: item.state for item in await devcloud_world.inventory()}
    # a key is gone only when its waiting period has passed
    assert left == {"key": "PendingDeletion"}
