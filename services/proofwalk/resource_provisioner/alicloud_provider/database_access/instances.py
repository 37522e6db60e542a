"""An instance whose parts change: its attributes, and the wait until it runs."""

from __future__ import annotations

import time
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi, Gone

_PATIENCE_S = 300.0


def instance_row(cloud: CloudApi, instance: str) -> dict[str, Any] | None:
    """The instance's attributes; None when it is gone."""
    try:
        answer = cloud.read("rds", "DescribeDBInstanceAttribute", DBInstanceId=instance)
    except ApiError as error:
        if error.not_found:
            return None
        raise
    rows = (answer.get("Items") or {}).get("DBInstanceAttribute") or []
    return rows[0] if rows else None


def when_running(cloud: CloudApi, action: str, instance: str, **params: Any) -> dict[str, Any]:
    """A change of an instance that is running; again if another change was under way.
    Raises `ApiError`."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        running(cloud, instance)
        try:
            return cloud.write("rds", action, DBInstanceId=instance, **params)
        except ApiError as error:
            if not error.conflict or time.monotonic() > end or cloud.stopping.is_set():
                raise


def running(cloud: CloudApi, instance: str) -> None:
    """Wait until the instance is running. Raises `ApiError` when there is no such
    instance."""
    try:
        cloud.wait(
            instance,
            lambda: instance_row(cloud, instance),
            lambda row: row.get("DBInstanceStatus") == "Running",
            timeout_s=_PATIENCE_S,
        )
    except Gone:
        raise ApiError(
            "Wait", "InvalidDBInstanceId.NotFound", f"the instance {instance} does not exist"
        ) from None
