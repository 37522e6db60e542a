"""Ids that name an instance and one thing of it."""

from __future__ import annotations

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError


def id_parts(id_: str, number: int, form: str) -> list[str]:
    parts = id_.split(":", number - 1)
    if len(parts) != number or not all(parts):
        raise ApiError("Import", "InvalidId", f"the id is {form}")
    return parts
