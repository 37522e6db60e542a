"""A bucket's rules for the life of its objects."""

from __future__ import annotations

from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.objects.rows import Rows, first_row
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi

_RULE = "LifecycleConfiguration.Rule"


def put_lifecycle(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    cloud.remove("oss", "DeleteBucketLifecycle", BucketName=bucket)
    for number, rule in enumerate(rows, start=1):
        transitions = rule.get("transitions") or []
        if len(transitions) > 1:
            raise ApiError("PutBucketLifecycle", "NotSupported", "a rule may have one transition")
        expiration, transition = first_row(rule.get("expiration")), first_row(transitions)
        members = {
            "ID": rule.get("id") or f"rule-{number}",
            "Status": "Enabled" if rule["enabled"] else "Disabled",
            "Prefix": rule.get("prefix") or None,
            "Expiration.Days": expiration.get("days") or None,
            "Expiration.CreatedBeforeDate": (
                expiration.get("created_before_date") or expiration.get("date") or None
            ),
            "Transition.Days": transition.get("days") or None,
            "Transition.StorageClass": transition.get("storage_class"),
            "AbortMultipartUpload.Days": (
                first_row(rule.get("abort_multipart_upload")).get("days") or None
            ),
        }
        cloud.write(
            "oss",
            "PutBucketLifecycle",
            BucketName=bucket,
            **{f"{_RULE}.{name}": v for name, v in members.items()},
        )


def lifecycle_rows(cloud: CloudApi, bucket: str) -> list[dict[str, Any]]:
    answer = cloud.read("oss", "GetBucketLifecycle", BucketName=bucket, PageSize=100)
    rules = []
    for row in (answer.get("LifecycleConfiguration") or {}).get("Rule") or []:
        expiration, transition = row.get("Expiration") or {}, row.get("Transition") or {}
        abort = (row.get("AbortMultipartUpload") or {}).get("Days")
        before = str(expiration.get("CreatedBeforeDate") or "")[:10]
        days = {"days": expiration.get("Days") or None, "created_before_date": before or None}
        moved = {
            "days": transition.get("Days") or None,
            "storage_class": transition.get("StorageClass"),
        }
        rules.append(
            {
                "id": row["ID"],
                "enabled": row.get("Status") == "Enabled",
                "prefix": row.get("Prefix") or None,
                "expiration": (
                    [{"date": None, "expired_object_delete_marker": None, **days}]
                    if any(days.values())
                    else []
                ),
                "transitions": (
                    [
                        {
                            "created_before_date": None,
                            "is_access_time": None,
                            "return_to_std_when_visit": None,
                            **moved,
                        }
                    ]
                    if moved["storage_class"]
                    else []
                ),
                "abort_multipart_upload": (
                    [{"days": abort, "created_before_date": None}] if abort else []
                ),
            }
        )
    return rules
