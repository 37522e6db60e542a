"""Object Storage Service: buckets, objects and their rules through the signed API and
through the console."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import REGION, Backend, Bench, HttpFailure
from tests.devcloud.console_api import events, make, path
from tests.devcloud.products.signed import SignedCaller

RULE = "LifecycleConfiguration.Rule"


class Oss(SignedCaller):
    """The product's operations in RPC form."""

    product = "oss"

    def info(self, bucket: str) -> dict[str, Any]:
        found: dict[str, Any] = self("GetBucketInfo", BucketName=bucket)["Bucket"]
        return found


@pytest.fixture
def oss(backend: Backend, account: dict[str, str]) -> Oss:
    return Oss(backend, account)


@pytest.fixture
def bucket(oss: Oss, backend: Backend, account: dict[str, str]) -> str:
    name = f"web-{account['account_id']}"
    oss("PutBucket", BucketName=name)
    backend.clock.advance(2)
    return name


def test_a_bucket_is_made_configured_and_deleted(
    oss: Oss, backend: Backend, account: dict[str, str], bucket: str
) -> None:
    info = oss.info(bucket)
    assert (info["StorageClass"], info["DataRedundancyType"], info["Location"]) == (
        "Standard",
        "LRS",
        "oss-cn-hangzhou",
    )
    assert (info["AccessControlList"]["Grant"], info["ExtranetEndpoint"]) == (
        "private",
        "oss-cn-hangzhou.aliyuncs.com",
    )
    oss("PutBucketAcl", BucketName=bucket, Acl="public-read")
    oss("PutBucketPublicAccessBlock", BucketName=bucket, BlockPublicAccess=True)
    oss.refuses("AccessDenied", "PutBucketAcl", BucketName=bucket, Acl="public-read-write")
    oss("PutBucketVersioning", BucketName=bucket, Status="Enabled")
    oss.refuses("MalformedXML", "PutBucketVersioning", BucketName=bucket, Status="On")
    oss("PutBucketEncryption", BucketName=bucket, SSEAlgorithm="AES256")
    oss.refuses(
        "InvalidEncryptionKmsMkid",
        "PutBucketEncryption",
        BucketName=bucket,
        SSEAlgorithm="KMS",
        KMSMasterKeyID="key-none",
    )
    oss(
        "PutBucketWebsite",
        BucketName=bucket,
        **{"IndexDocument.Suffix": "index.html", "ErrorDocument.Key": "404.html"},
    )
    oss(
        "PutBucketReferer",
        BucketName=bucket,
        AllowEmptyReferer=False,
        RefererList="https://a.example.com,https://b.example.com",
    )
    oss("PutBucketTags", BucketName=bucket, Tag=[{"Key": "team", "Value": "web"}])
    assert oss("GetBucketWebsite", BucketName=bucket)["ErrorDocument"] == {"Key": "404.html"}
    assert len(oss("GetBucketReferer", BucketName=bucket)["RefererList"]["Referer"]) == 2
    assert oss("GetBucketTags", BucketName=bucket)["TagSet"]["Tag"] == [
        {"Key": "team", "Value": "web"}
    ]
    oss("DeleteBucketTags", BucketName=bucket)
    assert oss("GetBucketTags", BucketName=bucket)["TagSet"]["Tag"] == []
    oss("PutBucketTransferAcceleration", BucketName=bucket, Enabled=True)
    assert oss.info(bucket)["Status"] == "Configuring"
    oss.refuses("OperationNotSupported", "DeleteBucket", BucketName=bucket)
    backend.clock.advance(3)
    info = oss.info(bucket)
    assert (info["TransferAcceleration"], info["Versioning"], info["BlockPublicAccess"]) == (
        "Enabled",
        "Enabled",
        True,
    )
    assert info["ServerSideEncryptionRule"]["SSEAlgorithm"] == "AES256"
    oss("DeleteBucketEncryption", BucketName=bucket)
    oss.refuses("NoSuchServerSideEncryptionRule", "DeleteBucketEncryption", BucketName=bucket)
    oss("PutObject", BucketName=bucket, Key="index.html", Content="<p>Hello</p>")
    oss.refuses("BucketNotEmpty", "DeleteBucket", BucketName=bucket)
    oss("DeleteObject", BucketName=bucket, Key="index.html")
    oss("DeleteBucket", BucketName=bucket)
    oss.refuses("NoSuchBucket", "GetBucketInfo", BucketName=bucket)
    assert backend.inventory(account) == []


def test_names_and_places_of_buckets_are_checked(oss: Oss, bucket: str) -> None:
    assert "owned by you" in oss.refuses("BucketAlreadyExists", "PutBucket", BucketName=bucket)
    oss.refuses("InvalidBucketName", "PutBucket", BucketName="-wrong-")
    oss.refuses(
        "InvalidLocationConstraint",
        "PutBucket",
        BucketName="far-away",
        LocationConstraint="oss-mars",
    )
    cold = {"StorageClass": "ColdArchive", "DataRedundancyType": "ZRS"}
    oss.refuses("InvalidDataRedundancyType", "PutBucket", BucketName="cold-zrs", **cold)


def test_the_number_of_buckets_is_limited(bench: Bench) -> None:
    for number in range(100):
        bench.call("1", "oss", "PutBucket", BucketName=f"bucket-{number}")
    with pytest.raises(Exception, match="TooManyBuckets"):
        bench.call("1", "oss", "PutBucket", BucketName="one-more")


def test_objects_are_overwritten_moved_to_a_class_and_restored(
    oss: Oss, backend: Backend, bucket: str
) -> None:
    oss("PutObject", BucketName=bucket, Key="a/b.txt", Content="one", ContentType="text/plain")
    first = oss("HeadObject", BucketName=bucket, Key="a/b.txt")
    assert (first["ContentLength"], first["StorageClass"], first["Acl"]) == (
        3,
        "Standard",
        "default",
    )
    oss("PutObject", BucketName=bucket, Key="a/b.txt", Content="three", StorageClass="Archive")
    second = oss("HeadObject", BucketName=bucket, Key="a/b.txt")
    assert (second["ContentLength"], second["StorageClass"], second["ContentType"]) == (
        5,
        "Archive",
        "",
    )
    assert first["ETag"] != second["ETag"]
    assert oss("GetObject", BucketName=bucket, Key="a/b.txt")["Content"] == "three"
    oss.refuses(
        "InvalidObjectState",
        "CopyObject",
        BucketName=bucket,
        Key="a/b.txt",
        StorageClass="Standard",
    )
    oss("PutObjectAcl", BucketName=bucket, Key="a/b.txt", Acl="public-read")
    assert (
        oss("GetObjectAcl", BucketName=bucket, Key="a/b.txt")["AccessControlList"]["Grant"]
        == "public-read"
    )
    oss.refuses("InvalidArgument", "RestoreObject", BucketName=bucket, Key="a/b.txt", Days=8)
    oss("RestoreObject", BucketName=bucket, Key="a/b.txt", Days=2)
    oss.refuses(
        "RestoreAlreadyInProgress", "RestoreObject", BucketName=bucket, Key="a/b.txt", Days=2
    )
    oss.refuses(
        "InvalidObjectState",
        "CopyObject",
        BucketName=bucket,
        Key="a/b.txt",
        StorageClass="Standard",
    )
    backend.clock.advance(3)
    oss("CopyObject", BucketName=bucket, Key="a/b.txt", StorageClass="Standard")
    oss.refuses("OperationNotSupported", "RestoreObject", BucketName=bucket, Key="a/b.txt", Days=2)
    oss.refuses("NoSuchKey", "PutObjectAcl", BucketName=bucket, Key="a/c.txt", Acl="private")
    oss.refuses("NoSuchBucket", "PutObject", BucketName="nobody-has-this", Key="x", Content="y")
    oss.refuses("EntityTooLarge", "PutObject", BucketName=bucket, Key="x", Content="y" * 65537)
    oss("DeleteObject", BucketName=bucket, Key="never-was")
    listed = oss("ListObjectsV2", BucketName=bucket)
    assert [(one["Key"], one["Size"]) for one in listed["Contents"]] == [("a/b.txt", 5)]


def test_lifecycle_rules_are_put_by_id_and_deleted(oss: Oss, bucket: str) -> None:
    def put(rule: str, **members: Any) -> None:
        oss(
            "PutBucketLifecycle",
            BucketName=bucket,
            **{f"{RULE}.ID": rule, **{f"{RULE}.{k}": v for k, v in members.items()}},
        )

    put(
        "logs",
        Status="Enabled",
        Prefix="logs/",
        **{"Expiration.Days": 30, "Transition.StorageClass": "IA", "Transition.Days": 7},
    )
    put("old", Status="Disabled", **{"Expiration.CreatedBeforeDate": "2027-01-31T00:00:00Z"})
    put("logs", Status="Enabled", Prefix="logs/", **{"Expiration.Days": 90})
    rules = oss("GetBucketLifecycle", BucketName=bucket)["LifecycleConfiguration"]["Rule"]
    found = {
        rule["ID"]: (
            rule["Status"],
            rule["Prefix"],
            rule["Expiration"]["Days"],
            rule["Transition"]["Days"],
        )
        for rule in rules
    }
    assert found == {"logs": ("Enabled", "logs/", 90, 0), "old": ("Disabled", "", 0, 0)}
    date = f"{RULE}.Expiration.CreatedBeforeDate"
    oss.refuses(
        "InvalidArgument",
        "PutBucketLifecycle",
        BucketName=bucket,
        **{f"{RULE}.ID": "x", f"{RULE}.Expiration.Days": 0},
    )
    assert (
        "31"
        in next(rule for rule in rules if rule["ID"] == "old")["Expiration"]["CreatedBeforeDate"]
    ), date
    oss("DeleteBucketLifecycle", BucketName=bucket, RuleID="old")
    assert len(oss("GetBucketLifecycle", BucketName=bucket)["LifecycleConfiguration"]["Rule"]) == 1
    oss("DeleteBucketLifecycle", BucketName=bucket)
    assert oss("GetBucketLifecycle", BucketName=bucket)["LifecycleConfiguration"]["Rule"] == []


def test_cors_rules_are_added_changed_and_limited(oss: Oss, bucket: str) -> None:
    def put(origin: str, **more: Any) -> str:
        rule = {
            "CORSRule.AllowedOrigin": origin,
            "CORSRule.AllowedMethod": "GET,PUT",
            "CORSRule.MaxAgeSeconds": 300,
        }
        made: str = oss("PutBucketCors", BucketName=bucket, **rule, **more)["RuleId"]
        return made

    first = put("https://a.example.com")
    assert put("https://b.example.com", RuleId=first) == first
    (rule,) = oss("GetBucketCors", BucketName=bucket)["CORSConfiguration"]["CORSRule"]
    assert (rule["AllowedOrigin"], rule["AllowedMethod"], rule["MaxAgeSeconds"]) == (
        ["https://b.example.com"],
        ["GET", "PUT"],
        300,
    )
    wrong = {"CORSRule.AllowedOrigin": "*", "CORSRule.AllowedMethod": "PATCH"}
    oss.refuses("InvalidArgument", "PutBucketCors", BucketName=bucket, **wrong)
    for number in range(9):
        put(f"https://c{number}.example.com")
    wrong["CORSRule.AllowedMethod"] = "GET"
    oss.refuses("CORSRuleBeyondLimit", "PutBucketCors", BucketName=bucket, **wrong)
    oss("DeleteBucketCors", BucketName=bucket)
    assert oss("GetBucketCors", BucketName=bucket)["CORSConfiguration"]["CORSRule"] == []


def test_logs_go_to_a_bucket_of_the_same_region(oss: Oss, backend: Backend, bucket: str) -> None:
    near, far = f"{bucket}-near", f"{bucket}-far"
    oss("PutBucket", BucketName=near)
    oss("PutBucket", BucketName=far, LocationConstraint="oss-cn-shanghai")
    backend.clock.advance(2)
    oss.refuses("NoSuchBucketLogging", "DeleteBucketLogging", BucketName=bucket)
    oss.refuses(
        "InvalidTargetBucketForLogging", "PutBucketLogging", BucketName=bucket, TargetBucket=far
    )
    oss("PutBucketLogging", BucketName=bucket, TargetBucket=near, TargetPrefix="access/")
    wanted = {"TargetBucket": near, "TargetPrefix": "access/"}
    assert oss("GetBucketLogging", BucketName=bucket)["LoggingEnabled"] == wanted
    oss("DeleteBucket", BucketName=near)
    assert oss("GetBucketLogging", BucketName=bucket)["LoggingEnabled"]["TargetBucket"] == ""


def test_the_console_makes_a_bucket_and_fills_it(
    oss: Oss, backend: Backend, account: dict[str, str]
) -> None:
    browser = backend.browser(account)
    asked = f"region={REGION}&storage_class=ColdArchive&location=oss-cn-hangzhou"
    assert [
        one["value"] for one in browser.get(f"/console/api/options/redundancy_types?{asked}")
    ] == ["LRS"]
    name = f"shop-{account['account_id']}"
    basic = {
        "name": name,
        "location": "oss-cn-hangzhou",
        "storage_class": "Standard",
        "redundancy": "ZRS",
    }
    bucket = make(
        browser, "oss.bucket", **basic, block_public=True, tags=[{"key": "team", "value": "shop"}]
    )
    backend.clock.advance(2)
    row = browser.get(path("oss.bucket", bucket))
    assert (row["acl"], row["block_public"], row["filled"], row["region"]) == (
        "private",
        True,
        False,
        "",
    )
    with pytest.raises(HttpFailure) as caught:
        browser.post(path("oss.bucket", bucket, "acl"), {"acl": "public-read"})
    assert caught.value.body["code"] == "AccessDenied"
    browser.post(path("oss.bucket", bucket, "block_public"), {"block_public": False})
    browser.post(path("oss.bucket", bucket, "acl"), {"acl": "public-read"})
    made = make(
        browser, "oss.object", bucket=bucket, key="docs/read me.txt", content="hello", acl="default"
    )
    browser.post(path("oss.object", made.replace(" ", "%20"), "acl"), {"acl": "private"})
    policy = {"expire_by": "days", "days": 30, "transition_class": "IA", "transition_days": 7}
    rule = make(
        browser,
        "oss.lifecycle_rule",
        bucket=bucket,
        rule="logs",
        enabled="Enabled",
        scope="prefix",
        prefix="logs/",
        **policy,
    )
    edit = {
        "rule": "logs",
        "enabled": "Disabled",
        "scope": "prefix",
        "prefix": "logs/",
        "expire_by": "days",
        "days": 60,
    }
    browser.post(path("oss.lifecycle_rule", rule, "edit"), edit)
    (kept,) = browser.get(path("oss.lifecycle_rule", **{"where.bucket": bucket}))["rows"]
    assert (kept["enabled"], kept["days"], kept.get("transition_days"), kept["scope"]) == (
        "Disabled",
        60,
        None,
        "prefix",
    )
    cors = make(browser, "oss.cors_rule", bucket=bucket, origins=["*"], methods=["GET"], max_age=60)
    browser.post(
        path("oss.cors_rule", cors, "edit"),
        {"origins": ["*"], "methods": ["GET", "PUT"], "max_age": 120},
    )
    browser.post(path("oss.cors_rule", cors, "delete"))
    assert browser.get(path("oss.cors_rule", **{"where.bucket": bucket}))["rows"] == []
    written = [
        (e["eventName"], e["requestParameters"], e["isGlobal"]) for e in events(backend, account)
    ]
    upload = {"BucketName": bucket, "Key": "docs/read me.txt", "Content": "hello", "Acl": "default"}
    assert ("PutObject", upload, True) in written
    last_put = next(params for name, params, _ in reversed(written) if name == "PutBucketLifecycle")
    assert last_put == {
        "BucketName": bucket,
        f"{RULE}.ID": "logs",
        f"{RULE}.Status": "Disabled",
        f"{RULE}.Prefix": "logs/",
        f"{RULE}.Expiration.Days": "60",
    }
