"""Projects, log stores and indexes: made, left alone, changed in place, replaced and
destroyed by real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

LOGS = """
resource "alicloud_log_project" "main" {
  project_name = "pw-logs"
  description  = "web"
  tags         = { keep = "yes" }
}
resource "alicloud_log_store" "main" {
  project_name          = alicloud_log_project.main.project_name
  logstore_name         = "access"
  retention_period      = 60
  shard_count           = 3
  auto_split            = true
  max_split_shard_count = 16
}
resource "alicloud_log_store_index" "main" {
  project  = alicloud_log_project.main.project_name
  logstore = alicloud_log_store.main.logstore_name
  full_text {
    case_sensitive = true
    token          = ","
  }
  field_search {
    name = "status"
    type = "long"
  }
  field_search {
    name  = "uri"
    type  = "text"
    token = "/"
    alias = "path"
  }
}
"""


async def test_projects_log_stores_and_indexes_come_change_and_go(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "logs", LOGS))
    await work.must("init", "-no-color")
    assert "3 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_log_store.main"]["id"] == "pw-logs:access"
    assert len(made["alicloud_log_store.main"]["shards"]) == 3
    assert made["alicloud_log_store.main"]["mode"] == "standard"
    assert not await work.has_changes()

    changed = (
        LOGS.replace('"web"', '"shop"')
        .replace("= 60", "= 90")
        .replace('type = "long"', 'type = "double"')
        .replace("keep", "kept")
    )
    work.write(
        changed.replace("max_split_shard_count = 16", 'metering_mode = "ChargeByDataIngest"')
    )
    assert "0 added, 3 changed, 0 destroyed" in await work.apply()
    after = work.resources()
    assert (
        after["alicloud_log_project.main"]["description"],
        after["alicloud_log_project.main"]["tags"],
    ) == (
        "shop",
        {"kept": "yes"},
    )
    assert (
        after["alicloud_log_store.main"]["retention_period"],
        after["alicloud_log_store.main"]["metering_mode"],
    ) == (
        90,
        "ChargeByDataIngest",
    )
    types = {
        field["name"]: field["type"]
        for field in after["alicloud_log_store_index.main"]["field_search"]
    }
    assert types == {"status": "double", "uri": "text"}
    assert not await work.has_changes()

    work.write(LOGS.replace('"access"', '"orders"'))
    assert "2 added, 1 changed, 2 destroyed" in await work.apply()
    await work.must("state", "rm", "alicloud_log_store_index.main")
    await work.must("import", "-no-color", "alicloud_log_store_index.main", "pw-logs:orders")
    assert not await work.has_changes()
    assert "3 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
