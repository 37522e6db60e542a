"""The console of Object Storage Service: buckets, objects and rules."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import HttpFailure
from tests.devcloud.console_api import Console, events

RULE = "LifecycleConfiguration.Rule"


@pytest.fixture
def bucket(console: Console) -> str:
    bucket = console.make(
        "oss.bucket",
        name=f"shop-{console.account['account_id']}",
        location="oss-cn-hangzhou",
        storage_class="Standard",
        redundancy="ZRS",
        block_public=True,
        tags=[{"key": "team", "value": "shop"}],
    )
    console.backend.clock.advance(2)
    return bucket


def test_the_redundancy_of_a_class_is_offered(console: Console) -> None:
    cold = {"storage_class": "ColdArchive", "location": "oss-cn-hangzhou"}
    assert console.offered("redundancy_types", **cold) == ["LRS"]


def test_a_new_bucket_is_private_and_empty(console: Console, bucket: str) -> None:
    row = console.row("oss.bucket", bucket)
    assert (row["acl"], row["block_public"], row["filled"], row["region"]) == (
        "private",
        True,
        False,
        "",
    )


def test_a_bucket_is_made_public_once_that_is_not_blocked(console: Console, bucket: str) -> None:
    with pytest.raises(HttpFailure) as caught:
        console.act("oss.bucket", bucket, "acl", acl="public-read")
    assert caught.value.body["code"] == "AccessDenied"
    console.act("oss.bucket", bucket, "block_public", block_public=False)
    console.act("oss.bucket", bucket, "acl", acl="public-read")
    assert console.row("oss.bucket", bucket)["acl"] == "public-read"


def test_an_object_is_uploaded_whose_key_has_a_space(console: Console, bucket: str) -> None:
    key = "docs/read me.txt"
    upload = console.make("oss.object", bucket=bucket, key=key, content="hello", acl="default")
    console.act("oss.object", upload.replace(" ", "%20"), "acl", acl="private")
    request = {"BucketName": bucket, "Key": key, "Content": "hello", "Acl": "default"}
    assert ("PutObject", request, True) in [
        (event["eventName"], event["requestParameters"], event["isGlobal"])
        for event in events(console.backend, console.account)
    ]


def test_a_lifecycle_rule_is_edited_as_a_whole(console: Console, bucket: str) -> None:
    logs: dict[str, Any] = {"rule": "logs", "scope": "prefix", "prefix": "logs/"}
    rule = console.make(
        "oss.lifecycle_rule",
        bucket=bucket,
        **logs,
        enabled="Enabled",
        expire_by="days",
        days=30,
        transition_class="IA",
        transition_days=7,
    )
    edit = {**logs, "enabled": "Disabled", "expire_by": "days", "days": 60}
    console.act("oss.lifecycle_rule", rule, "edit", **edit)
    (row,) = console.rows("oss.lifecycle_rule", bucket=bucket)
    assert (row["enabled"], row["days"], row.get("transition_days"), row["scope"]) == (
        "Disabled",
        60,
        None,
        "prefix",
    )
    assert console.logged("PutBucketLifecycle") == {
        "BucketName": bucket,
        f"{RULE}.ID": "logs",
        f"{RULE}.Status": "Disabled",
        f"{RULE}.Prefix": "logs/",
        f"{RULE}.Expiration.Days": "60",
    }


def test_a_cors_rule_is_edited_and_deleted(console: Console, bucket: str) -> None:
    cors = console.make("oss.cors_rule", bucket=bucket, origins=["*"], methods=["GET"], max_age=60)
    edit = {"origins": ["*"], "methods": ["GET", "PUT"], "max_age": 120}
    console.act("oss.cors_rule", cors, "edit", **edit)
    console.act("oss.cors_rule", cors, "delete")
    assert console.rows("oss.cors_rule", bucket=bucket) == []
