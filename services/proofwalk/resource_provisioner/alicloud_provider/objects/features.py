"""What a bucket does with every object and request: versions, encryption, logs,
referers, acceleration."""

from __future__ import annotations

from proofwalk.resource_provisioner.alicloud_provider.objects.rows import Rows, first_row
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi


def put_versioning(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    # What was enabled once can only be suspended.
    cloud.write(
        "oss",
        "PutBucketVersioning",
        BucketName=bucket,
        Status=first_row(rows).get("status") or "Suspended",
    )


def put_encryption(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    if not rows:
        cloud.remove("oss", "DeleteBucketEncryption", BucketName=bucket)
        return
    rule = first_row(rows)
    key = rule.get("kms_master_key_id")
    cloud.write(
        "oss",
        "PutBucketEncryption",
        BucketName=bucket,
        SSEAlgorithm=rule["sse_algorithm"],
        KMSMasterKeyID=key,
    )


def put_logging(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    if not rows:
        cloud.remove("oss", "DeleteBucketLogging", BucketName=bucket)
        return
    target = first_row(rows)
    prefix = target.get("target_prefix") or None
    cloud.write(
        "oss",
        "PutBucketLogging",
        BucketName=bucket,
        TargetBucket=target["target_bucket"],
        TargetPrefix=prefix,
    )


def put_referer(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    rule = first_row(rows)
    allowed = rule.get("allow_empty") is not False
    listed = ",".join(rule.get("referers") or [])
    cloud.write(
        "oss",
        "PutBucketReferer",
        BucketName=bucket,
        AllowEmptyReferer=allowed,
        RefererList=listed or None,
    )


def put_acceleration(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    cloud.write(
        "oss",
        "PutBucketTransferAcceleration",
        BucketName=bucket,
        Enabled=bool(first_row(rows).get("enabled")),
    )
