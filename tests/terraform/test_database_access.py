"""Accounts, databases, permissions, the backup policy and the public endpoint of one
instance through real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(60)]

DATABASES = (
    NETWORK
    + """
resource "alicloud_db_instance" "db" {
  engine           = "MySQL"
  engine_version   = "8.0"
  instance_type    = "mysql.n2.medium.2c"
  instance_storage = 20
  vswitch_id       = alicloud_vswitch.main.id
  instance_name    = "pw-db"
}
resource "alicloud_rds_account" "app" {
  db_instance_id   = alicloud_db_instance.db.id
  account_name     = "app"
  account_password = "Passw0rd12"
}
resource "alicloud_db_account" "old" {
  instance_id = alicloud_db_instance.db.id
  name        = "old_app"
  password    = "Passw0rd12"
}
resource "alicloud_db_database" "d" {
  count       = 2
  instance_id = alicloud_db_instance.db.id
  name        = "orders${count.index}"
  description = "made by a template"
}
resource "alicloud_db_account_privilege" "p" {
  instance_id  = alicloud_db_instance.db.id
  account_name = alicloud_rds_account.app.account_name
  privilege    = "ReadOnly"
  db_names     = alicloud_db_database.d[*].name
}
resource "alicloud_db_backup_policy" "b" {
  instance_id             = alicloud_db_instance.db.id
  preferred_backup_period = ["Monday", "Friday"]
  preferred_backup_time   = "02:00Z-03:00Z"
  backup_retention_period = 14
}
resource "alicloud_db_connection" "c" {
  instance_id       = alicloud_db_instance.db.id
  connection_prefix = "pw-orders"
}
"""
)


async def test_what_an_instance_holds_comes_changes_and_goes(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "db", DATABASES))
    await work.must("init", "-no-color")
    assert "11 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    instance = made["alicloud_db_instance.db"]["id"]
    assert made["alicloud_rds_account.app"]["id"] == f"{instance}:app"
    assert (
        made["alicloud_db_connection.c"]["connection_string"] == "pw-orders.mysql.rds.aliyuncs.com"
    )
    assert made["alicloud_db_backup_policy.b"]["backup_time"] == "02:00Z-03:00Z"
    assert not await work.has_changes()

    changed = (
        DATABASES.replace("made by a template", "changed")
        .replace("= 14", "= 30")
        .replace('"Passw0rd12"', '"An0therWord"', 1)
    )
    changed = changed.replace(
        "alicloud_db_database.d[*].name", "[alicloud_db_database.d[0].name]"
    ).replace('"pw-orders"', '"pw-shop"')
    work.write(changed)
    assert "1 added, 5 changed, 1 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_db_account_privilege.p"]["db_names"] == ["orders0"]
    assert after["alicloud_db_connection.c"]["id"] == f"{instance}:pw-shop"
    assert not await work.has_changes()

    await work.must("destroy", "-auto-approve", "-no-color")
    assert [item for item in await devcloud_world.inventory() if item.product == "rds"] == []
