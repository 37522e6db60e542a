"""What the balancer's service says of its things."""

from __future__ import annotations

from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi


def look(cloud: CloudApi, action: str, **named: str) -> dict[str, Any] | None:
    """What a describing call answers; None when the thing is gone."""
    try:
        return cloud.read("slb", action, **named)
    except ApiError as error:
        if error.not_found or error.code in ("AclNotExist",):
            return None
        raise
