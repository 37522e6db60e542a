"""A bucket's rules for requests from other origins."""

from __future__ import annotations

from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.objects.rows import Rows
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi


def put_cors(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    cloud.remove("oss", "DeleteBucketCors", BucketName=bucket)
    for rule in rows:
        members = {
            "AllowedOrigin": ",".join(rule["allowed_origins"]),
            "AllowedMethod": ",".join(rule["allowed_methods"]),
            "AllowedHeader": ",".join(rule.get("allowed_headers") or []) or None,
            "ExposeHeader": ",".join(rule.get("expose_headers") or []) or None,
            "MaxAgeSeconds": rule.get("max_age_seconds"),
        }
        cloud.write(
            "oss",
            "PutBucketCors",
            BucketName=bucket,
            **{f"CORSRule.{name}": value for name, value in members.items()},
        )


def cors_rows(cloud: CloudApi, bucket: str) -> list[dict[str, Any]]:
    answer = cloud.read("oss", "GetBucketCors", BucketName=bucket, PageSize=100)
    return [
        {
            "allowed_origins": row.get("AllowedOrigin"),
            "allowed_methods": row.get("AllowedMethod"),
            "allowed_headers": row.get("AllowedHeader") or None,
            "expose_headers": row.get("ExposeHeader") or None,
            "max_age_seconds": row.get("MaxAgeSeconds") or None,
        }
        for row in (answer.get("CORSConfiguration") or {}).get("CORSRule") or []
    ]
