"""Buckets with their settings, and objects: made, left alone, changed in place,
replaced and destroyed by real Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.world import World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]

OBJECTS = """
resource "alicloud_oss_bucket" "logs" {
  bucket = "pw-access-logs"
}
resource "alicloud_oss_bucket" "main" {
  bucket        = "pw-shop"
  storage_class = "IA"
  force_destroy = true
  tags          = { keep = "yes" }
  versioning {
    status = "Enabled"
  }
  server_side_encryption_rule {
    sse_algorithm = "AES256"
  }
  logging {
    target_bucket = alicloud_oss_bucket.logs.id
    target_prefix = "shop/"
  }
  website {
    index_document = "index.html"
  }
  cors_rule {
    allowed_origins = ["https://a.example.com", "https://b.example.com"]
    allowed_methods = ["GET", "PUT"]
    max_age_seconds = 60
  }
  lifecycle_rule {
    id      = "old"
    enabled = true
    prefix  = "tmp/"
    expiration {
      days = 30
    }
    transitions {
      days          = 7
      storage_class = "Archive"
    }
  }
  lifecycle_rule {
    id      = "parts"
    enabled = false
    abort_multipart_upload {
      days = 3
    }
  }
}
resource "alicloud_oss_bucket_acl" "main" {
  bucket = alicloud_oss_bucket.main.bucket
  acl    = "public-read"
}
resource "alicloud_oss_bucket_object" "page" {
  bucket  = alicloud_oss_bucket.main.bucket
  key     = "docs/index.html"
  content = "<p>Hello</p>"
}
"""


async def test_buckets_and_objects_come_change_and_go(
    devcloud_world: World, tmp_path: Path
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "objects", OBJECTS))
    await work.must("init", "-no-color")
    assert "4 added, 0 changed, 0 destroyed" in await work.apply()
    made = work.resources()
    bucket = made["alicloud_oss_bucket.main"]
    assert (bucket["location"], bucket["redundancy_type"], bucket["storage_class"]) == (
        "oss-cn-hangzhou",
        "LRS",
        "IA",
    )
    assert made["alicloud_oss_bucket_object.page"]["content_length"] == "12"
    assert not await work.has_changes()

    changed = (
        OBJECTS.replace("days = 30", "days = 90")
        .replace('["GET", "PUT"]', '["GET"]')
        .replace("Hello", "Good morning")
    )
    changed = (
        changed.replace('"Enabled"', '"Suspended"')
        .replace('"public-read"', '"private"')
        .replace("keep", "kept")
    )
    changed = changed.replace(
        'server_side_encryption_rule {\n    sse_algorithm = "AES256"\n  }', ""
    )
    changed = changed.replace('website {\n    index_document = "index.html"\n  }', "")
    work.write(changed)
    assert "0 added, 3 changed, 0 destroyed" in await work.apply()
    after = work.resources()["alicloud_oss_bucket.main"]
    assert (after["versioning"], after["website"], after["server_side_encryption_rule"]) == (
        [{"status": "Suspended"}],
        [],
        [],
    )
    assert after["lifecycle_rule"][0]["expiration"][0]["days"] == 90
    assert after["tags"] == {"kept": "yes"}
    assert not await work.has_changes()

    work.write(changed.replace('"docs/index.html"', '"docs/start.html"'))
    assert "1 added, 0 changed, 1 destroyed" in await work.apply()
    await work.must("state", "rm", "alicloud_oss_bucket.logs")
    await work.must("import", "-no-color", "alicloud_oss_bucket.logs", "pw-access-logs")
    assert not await work.has_changes()
    assert "4 destroyed" in await work.must("destroy", "-auto-approve", "-no-color")
    assert list(await devcloud_world.inventory()) == []
