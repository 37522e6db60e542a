"""Object Storage Service: buckets, objects and their rules through the signed API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import Backend, Bench
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


def test_a_new_bucket_is_private_and_of_the_standard_class(oss: Oss, bucket: str) -> None:
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


def test_public_access_is_blocked(oss: Oss, bucket: str) -> None:
    oss("PutBucketAcl", BucketName=bucket, Acl="public-read")
    oss("PutBucketPublicAccessBlock", BucketName=bucket, BlockPublicAccess=True)
    oss.refuses("AccessDenied", "PutBucketAcl", BucketName=bucket, Acl="public-read-write")
    assert oss.info(bucket)["BlockPublicAccess"] is True


def test_versions_are_enabled(oss: Oss, bucket: str) -> None:
    oss("PutBucketVersioning", BucketName=bucket, Status="Enabled")
    oss.refuses("MalformedXML", "PutBucketVersioning", BucketName=bucket, Status="On")
    assert oss.info(bucket)["Versioning"] == "Enabled"


def test_encryption_is_put_and_deleted_once(oss: Oss, bucket: str) -> None:
    oss("PutBucketEncryption", BucketName=bucket, SSEAlgorithm="AES256")
    oss.refuses(
        "InvalidEncryptionKmsMkid",
        "PutBucketEncryption",
        BucketName=bucket,
        SSEAlgorithm="KMS",
        KMSMasterKeyID="key-none",
    )
    assert oss.info(bucket)["ServerSideEncryptionRule"]["SSEAlgorithm"] == "AES256"
    oss("DeleteBucketEncryption", BucketName=bucket)
    oss.refuses("NoSuchServerSideEncryptionRule", "DeleteBucketEncryption", BucketName=bucket)


def test_a_website_has_pages_and_referers(oss: Oss, bucket: str) -> None:
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
    assert oss("GetBucketWebsite", BucketName=bucket)["ErrorDocument"] == {"Key": "404.html"}
    assert len(oss("GetBucketReferer", BucketName=bucket)["RefererList"]["Referer"]) == 2


def test_tags_are_put_and_deleted(oss: Oss, bucket: str) -> None:
    tags = [{"Key": "team", "Value": "web"}]
    oss("PutBucketTags", BucketName=bucket, Tag=tags)
    assert oss("GetBucketTags", BucketName=bucket)["TagSet"]["Tag"] == tags
    oss("DeleteBucketTags", BucketName=bucket)
    assert oss("GetBucketTags", BucketName=bucket)["TagSet"]["Tag"] == []


def test_a_bucket_is_not_deleted_while_it_is_configured(
    oss: Oss, backend: Backend, bucket: str
) -> None:
    oss("PutBucketTransferAcceleration", BucketName=bucket, Enabled=True)
    assert oss.info(bucket)["Status"] == "Configuring"
    oss.refuses("OperationNotSupported", "DeleteBucket", BucketName=bucket)
    backend.clock.advance(3)
    assert oss.info(bucket)["TransferAcceleration"] == "Enabled"


def test_a_bucket_is_deleted_once_it_is_empty(
    oss: Oss, backend: Backend, account: dict[str, str], bucket: str
) -> None:
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
