"""A bucket's pages as a website."""

from __future__ import annotations

from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.objects.rows import Rows
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi


def put_website(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    if not rows:
        cloud.remove("oss", "DeleteBucketWebsite", BucketName=bucket)
        return
    pages = {
        "IndexDocument.Suffix": rows[0]["index_document"],
        "ErrorDocument.Key": rows[0].get("error_document") or None,
    }
    cloud.write("oss", "PutBucketWebsite", BucketName=bucket, **pages)


def website_rows(cloud: CloudApi, bucket: str) -> list[dict[str, Any]]:
    answer = cloud.read("oss", "GetBucketWebsite", BucketName=bucket)
    index = (answer.get("IndexDocument") or {}).get("Suffix")
    error = (answer.get("ErrorDocument") or {}).get("Key")
    return [{"index_document": index, "error_document": error or None}] if index else []
