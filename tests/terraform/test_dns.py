"""Alibaba Cloud DNS in real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

EVERYTHING = """
resource "alicloud_alidns_domain_group" "shops" {
  domain_group_name = "pw-shops"
}
resource "alicloud_alidns_domain" "shop" {
  domain_name = "pw-shop.com"
  group_id    = alicloud_alidns_domain_group.shops.id
  remark      = "front"
  tags        = { keep = "yes" }
}
resource "alicloud_alidns_record" "www" {
  domain_name = alicloud_alidns_domain.shop.domain_name
  rr          = "www"
  type        = "A"
  value       = "203.0.113.7"
  remark      = "web"
}
resource "alicloud_alidns_record" "mail" {
  domain_name = alicloud_alidns_domain.shop.domain_name
  rr          = "@"
  type        = "MX"
  value       = "mx1.example.net"
  priority    = 5
  status      = "DISABLE"
}
"""


async def test_a_zone_comes_changes_is_imported_and_goes(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", EVERYTHING))
    await work.must("init", "-no-color")
    assert "4 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    assert made["alicloud_alidns_domain.shop"]["group_name"] == "pw-shops"
    assert made["alicloud_alidns_record.mail"]["status"] == "DISABLE"
    assert not await work.has_changes()

    changed = (
        EVERYTHING.replace("203.0.113.7", "203.0.113.8")
        .replace('"DISABLE"', '"ENABLE"')
        .replace('"front"', '"back"')
    )
    work.write(changed.replace('"pw-shops"', '"pw-stores"'))
    assert "0 added, 4 changed, 0 destroyed" in await work.apply()
    after = work.resources()
    assert after["alicloud_alidns_record.www"]["id"] == made["alicloud_alidns_record.www"]["id"]
    assert (
        after["alicloud_alidns_record.www"]["value"],
        after["alicloud_alidns_record.mail"]["status"],
    ) == (
        "203.0.113.8",
        "ENABLE",
    )
    assert not await work.has_changes()

    record = after["alicloud_alidns_record.www"]["id"]
    await work.must("state", "rm", "alicloud_alidns_record.www")
    await work.must("import", "-no-color", "alicloud_alidns_record.www", record)
    assert not await work.has_changes()
    work.write(
        changed.replace('"pw-shops"', '"pw-stores"').replace('"pw-shop.com"', '"pw-store.com"')
    )
    assert "3 added, 0 changed, 3 destroyed" in await work.apply()
    assert "4 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
