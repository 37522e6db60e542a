"""Disks, their attachments, and snapshots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
    update_tags,
)


def look_at_disk(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """A disk's row; None when it is gone."""
    rows = (cloud.read("ecs", "DescribeDisks", DiskIds=json.dumps([id_])).get("Disks") or {}).get(
        "Disk"
    ) or []
    return rows[0] if rows else None


class Disk(Resource):
    """`alicloud_ecs_disk`."""

    type_name = "alicloud_ecs_disk"
    replaced_by = frozenset(
        {
            "zone_id",
            "availability_zone",
            "category",
            "snapshot_id",
            "encrypted",
            "kms_key_id",
            "instance_id",
        }
    )
    aliases = {  # noqa: RUF012
        "name": "disk_name",
        "availability_zone": "zone_id",
    }
    defaults = {"category": "cloud_efficiency"}  # noqa: RUF012
    needed = ("zone_id",)

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ecs",
            "CreateDisk",
            ZoneId=planned["zone_id"],
            DiskCategory=given(planned, "category"),
            Size=given(planned, "size"),
            DiskName=given(planned, "disk_name"),
            Description=given(planned, "description"),
            SnapshotId=given(planned, "snapshot_id"),
            PerformanceLevel=given(planned, "performance_level"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["DiskId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        limit = self.timeout(state, "create", 300)
        look = lambda: look_at_disk(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") in ("Available", "In_use"),
            timeout_s=limit,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look_at_disk(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "disk_name": row.get("DiskName"),
                "zone_id": row.get("ZoneId"),
                "region_id": row.get("RegionId"),
                "category": row.get("Category"),
                "size": row.get("Size"),
                "description": row.get("Description") or None,
                "status": row.get("Status"),
                "instance_id": row.get("InstanceId"),
                "delete_with_instance": row.get("DeleteWithInstance"),
                "enable_auto_snapshot": row.get("EnableAutoSnapshot"),
                "encrypted": row.get("Encrypted"),
                "performance_level": row.get("PerformanceLevel"),
                "payment_type": (
                    "Subscription" if row.get("DiskChargeType") == "PrePaid" else "PayAsYouGo"
                ),
                "resource_group_id": row.get("ResourceGroupId"),
                "create_time": row.get("CreationTime"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"disk_name", "name", "description", "delete_with_instance"}:
            cloud.write(
                "ecs",
                "ModifyDiskAttribute",
                DiskId=prior["id"],
                DiskName=given(planned, "disk_name"),
                Description=given(planned, "description"),
                DeleteWithInstance=(
                    given(planned, "delete_with_instance")
                    if "delete_with_instance" in changed
                    else None
                ),
            )
        if "size" in changed:
            cloud.write("ecs", "ResizeDisk", DiskId=prior["id"], NewSize=planned["size"])
        if "tags" in changed:
            update_tags(cloud, "ecs", "disk", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ecs", "DeleteDisk", DiskId=state["id"])
        cloud.until_gone(
            state["id"],
            lambda: look_at_disk(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


class DiskAttachment(Resource):
    """`alicloud_ecs_disk_attachment`; its id is `disk:instance`."""

    type_name = "alicloud_ecs_disk_attachment"
    replaced_by = frozenset(
        {"disk_id", "instance_id", "bootable", "key_pair_name", "password", "delete_with_instance"}
    )

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write(
            "ecs",
            "AttachDisk",
            DiskId=planned["disk_id"],
            InstanceId=planned["instance_id"],
            DeleteWithInstance=given(planned, "delete_with_instance"),
        )
        return f"{planned['disk_id']}:{planned['instance_id']}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        disk = state["id"].partition(":")[0]
        limit = self.timeout(state, "create", 300)
        cloud.wait(
            disk,
            lambda: look_at_disk(cloud, disk),
            lambda row: row.get("Status") == "In_use",
            timeout_s=limit,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        disk, _, instance = state["id"].partition(":")
        if not instance:
            raise ApiError("Import", "InvalidId", "the id is disk:instance")
        row = look_at_disk(cloud, disk)
        if row is None or row.get("InstanceId") != instance:
            return None
        return self.merged(
            state, {"disk_id": disk, "instance_id": instance, "device": row.get("Device")}
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        disk, _, instance = state["id"].partition(":")

        def attached() -> dict[str, Any] | None:
            row = look_at_disk(cloud, disk)
            return (
                row
                if row is not None and row.get("Status") in ("In_use", "Detaching", "Attaching")
                else None
            )

        row = attached()
        if row is None or row.get("InstanceId") not in (instance, ""):
            return
        cloud.remove("ecs", "DetachDisk", DiskId=disk, InstanceId=instance)
        cloud.until_gone(state["id"], attached, timeout_s=self.timeout(state, "delete", 300))


class Snapshot(Resource):
    """`alicloud_ecs_snapshot`."""

    type_name = "alicloud_ecs_snapshot"
    replaced_by = frozenset({"disk_id", "retention_days", "category", "instant_access"})
    aliases = {"name": "snapshot_name"}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "ecs",
            "CreateSnapshot",
            DiskId=planned["disk_id"],
            SnapshotName=given(planned, "snapshot_name"),
            Description=given(planned, "description"),
            RetentionDays=given(planned, "retention_days"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["SnapshotId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        row = cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") in ("accomplished", "failed"),
            timeout_s=self.timeout(state, "create", 300),
        )
        if row.get("Status") == "failed":
            raise ApiError(
                "CreateSnapshot", "SnapshotFailed", "the snapshot ended in the state failed"
            )

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        answer = cloud.read("ecs", "DescribeSnapshots", SnapshotIds=json.dumps([id_]))
        rows = (answer.get("Snapshots") or {}).get("Snapshot") or []
        return rows[0] if rows else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "snapshot_name": row.get("SnapshotName"),
                "disk_id": row.get("SourceDiskId"),
                "description": row.get("Description") or None,
                "status": row.get("Status"),
                "category": row.get("Category"),
                "region_id": row.get("RegionId"),
                "create_time": row.get("CreationTime"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"snapshot_name", "name", "description"}:
            cloud.write(
                "ecs",
                "ModifySnapshotAttribute",
                SnapshotId=prior["id"],
                SnapshotName=given(planned, "snapshot_name"),
                Description=given(planned, "description"),
            )
        if "tags" in changed:
            update_tags(cloud, "ecs", "snapshot", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("ecs", "DeleteSnapshot", SnapshotId=state["id"], Force=given(state, "force"))
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


RESOURCES: Sequence[type[Resource]] = (Disk, DiskAttachment, Snapshot)
