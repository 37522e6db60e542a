"""Protection from deletion."""

from __future__ import annotations

from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi


def protect(cloud: CloudApi, kind: str, id_: str, wanted: Any) -> None:
    cloud.write(
        "vpc", "DeletionProtection", InstanceId=id_, Type=kind, ProtectionEnable=bool(wanted)
    )
