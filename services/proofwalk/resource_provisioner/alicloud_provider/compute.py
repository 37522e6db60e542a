"""ECS instances."""

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
from proofwalk.resource_provisioner.alicloud_provider.values import UNKNOWN


class Instance(Resource):
    """`alicloud_instance`; `status` is a wish: `Running` or `Stopped`."""

    type_name = "alicloud_instance"
    replaced_by = frozenset(
        {
            *(
                "availability_zone",
                "image_id",
                "instance_type",
                "vswitch_id",
                "subnet_id",
                "private_ip",
                "key_name",
            ),
            *(
                "system_disk_category",
                "system_disk_size",
                "data_disks",
                "instance_charge_type",
                "internet_max_bandwidth_out",
            ),
            *("security_groups", "role_name", "spot_strategy"),
        }
    )
    follows = {name: frozenset({"status"}) for name in ("stopped_mode", "public_ip")}  # noqa: RUF012
    aliases = {"subnet_id": "vswitch_id"}  # noqa: RUF012 -- declared ClassVar by the base
    needed = ("image_id", "instance_type", "vswitch_id", "security_groups")
    choices = {  # noqa: RUF012
        "status": ("Running", "Stopped"),
        "instance_charge_type": ("PrePaid", "PostPaid"),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        groups = sorted(planned["security_groups"])
        answer = cloud.write(
            "ecs",
            "RunInstances",
            ImageId=planned["image_id"],
            InstanceType=planned["instance_type"],
            VSwitchId=planned["vswitch_id"],
            SecurityGroupId=groups[0] if len(groups) == 1 else None,
            SecurityGroupIds=groups if len(groups) > 1 else None,
            ZoneId=given(planned, "availability_zone"),
            InstanceName=given(planned, "instance_name"),
            HostName=given(planned, "host_name"),
            Description=given(planned, "description"),
            Password=given(planned, "password"),
            InstanceChargeType=given(planned, "instance_charge_type"),
            Period=(
                given(planned, "period")
                if planned.get("instance_charge_type") == "PrePaid"
                else None
            ),
            InternetMaxBandwidthOut=given(planned, "internet_max_bandwidth_out"),
            PrivateIpAddress=given(planned, "private_ip"),
            UserData=given(planned, "user_data"),
            KeyPairName=given(planned, "key_name"),
            DeletionProtection=given(planned, "deletion_protection"),
            SystemDisk={
                name: value
                for name, value in (
                    ("Category", given(planned, "system_disk_category")),
                    ("Size", _text(given(planned, "system_disk_size"))),
                    ("DiskName", given(planned, "system_disk_name")),
                )
                if value is not None
            },
            DataDisk=[_data_disk(disk) for disk in planned.get("data_disks") or []] or None,
            Tag=tag_params(planned.get("tags")),
            Amount=1,
        )
        return str(answer["InstanceIdSets"]["InstanceIdSet"][0])

    def settle(self, cloud: CloudApi, state: State) -> None:
        limit = self.timeout(state, "create", 600)
        cloud.wait(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            lambda row: row.get("Status") == "Running",
            timeout_s=limit,
        )
        if state.get("status") == "Stopped":
            self._stop(cloud, state)

    def _stop(self, cloud: CloudApi, state: State) -> None:
        mode = given(state, "stopped_mode")
        cloud.write(
            "ecs",
            "StopInstance",
            InstanceId=state["id"],
            StoppedMode=mode if mode != "Not-applicable" else None,
        )
        self._reach(cloud, state, "Stopped", self.timeout(state, "update", 600))

    def _reach(self, cloud: CloudApi, state: State, status: str, limit: float) -> None:
        cloud.wait(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            lambda row: row.get("Status") == status,
            timeout_s=limit,
        )

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        answer = cloud.read("ecs", "DescribeInstances", InstanceIds=json.dumps([id_]))
        rows = (answer.get("Instances") or {}).get("Instance") or []
        return rows[0] if rows else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        network = row.get("VpcAttributes") or {}
        disks = (cloud.read("ecs", "DescribeDisks", InstanceId=state["id"]).get("Disks") or {}).get(
            "Disk"
        ) or []
        system: dict[str, Any] = next((disk for disk in disks if disk.get("Type") == "system"), {})
        interfaces = (row.get("NetworkInterfaces") or {}).get("NetworkInterface") or [{}]
        private = ((network.get("PrivateIpAddress") or {}).get("IpAddress") or [""])[0]
        return self.merged(
            state,
            {
                "instance_name": row.get("InstanceName"),
                "host_name": row.get("HostName"),
                "description": row.get("Description") or None,
                "image_id": row.get("ImageId"),
                "instance_type": row.get("InstanceType"),
                "status": row.get("Status"),
                "stopped_mode": row.get("StoppedMode"),
                "availability_zone": row.get("ZoneId"),
                "vpc_id": network.get("VpcId"),
                "vswitch_id": network.get("VSwitchId"),
                "private_ip": private,
                "primary_ip_address": private,
                "public_ip": ((row.get("PublicIpAddress") or {}).get("IpAddress") or [""])[0],
                "security_groups": (row.get("SecurityGroupIds") or {}).get("SecurityGroupId") or [],
                "cpu": row.get("Cpu"),
                "memory": row.get("Memory"),
                "instance_charge_type": row.get("InstanceChargeType"),
                "internet_charge_type": row.get("InternetChargeType"),
                "internet_max_bandwidth_out": row.get("InternetMaxBandwidthOut"),
                "deletion_protection": row.get("DeletionProtection"),
                "create_time": row.get("CreationTime"),
                "start_time": row.get("StartTime"),
                "expired_time": row.get("ExpiredTime"),
                "os_name": row.get("OSName"),
                "os_type": row.get("OSType"),
                "network_interface_id": interfaces[0].get("NetworkInterfaceId"),
                "resource_group_id": row.get("ResourceGroupId"),
                "key_name": row.get("KeyPairName"),
                "spot_strategy": row.get("SpotStrategy"),
                "system_disk_id": system.get("DiskId"),
                "system_disk_category": system.get("Category"),
                "system_disk_size": system.get("Size"),
                "system_disk_name": system.get("DiskName"),
                "tags": tags_of(row),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        modified = {
            "InstanceName": ("instance_name", given(planned, "instance_name")),
            "HostName": ("host_name", given(planned, "host_name")),
            "Description": ("description", given(planned, "description")),
            "Password": ("password", given(planned, "password")),
            "UserData": ("user_data", given(planned, "user_data")),
            "DeletionProtection": ("deletion_protection", bool(planned.get("deletion_protection"))),
        }
        sent = {
            param: value
            for param, (name, value) in modified.items()
            if name in changed and value is not None
        }
        if sent:
            cloud.write("ecs", "ModifyInstanceAttribute", InstanceId=prior["id"], **sent)
        if "tags" in changed:
            update_tags(cloud, "ecs", "instance", prior["id"], prior, planned)
        wanted = planned.get("status")
        if "status" in changed and wanted is not UNKNOWN and wanted is not None:
            if wanted == "Stopped":
                self._stop(cloud, planned | {"id": prior["id"]})
            else:
                cloud.write("ecs", "StartInstance", InstanceId=prior["id"])
                self._reach(cloud, prior, "Running", self.timeout(planned, "update", 600))

    def delete(self, cloud: CloudApi, state: State) -> None:
        if state.get("instance_charge_type") == "PrePaid" and not state.get("force_delete"):
            raise ApiError(
                "DeleteInstance",
                "ChargeTypeViolation",
                "a subscription instance is only released with force_delete",
            )
        if state.get("instance_charge_type") == "PrePaid":
            row = self._look(cloud, state["id"])
            if row is not None and row.get("InstanceChargeType") == "PrePaid":
                ids = json.dumps([state["id"]])
                cloud.write(
                    "ecs",
                    "ModifyInstanceChargeType",
                    InstanceIds=ids,
                    InstanceChargeType="PostPaid",
                )
        cloud.remove("ecs", "DeleteInstance", InstanceId=state["id"], Force=True)
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 600),
        )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _data_disk(disk: dict[str, Any]) -> dict[str, Any]:
    params = {
        "Size": _text(disk.get("size")),
        "Category": given(disk, "category"),
        "DiskName": given(disk, "name"),
        "Description": given(disk, "description"),
        "DeleteWithInstance": given(disk, "delete_with_instance"),
    }
    return {name: value for name, value in params.items() if value is not None}


RESOURCES: Sequence[type[Resource]] = (Instance,)
