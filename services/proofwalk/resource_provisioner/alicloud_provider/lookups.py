"""Data sources: zones, images and instance types, with the filters that templates
use."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.schema import (
    Attribute,
    Block,
    NestedBlock,
    attributes,
)
from proofwalk.resource_provisioner.alicloud_provider.values import known, shaped

_STRINGS = ["list", "string"]


class Lookup(ABC):
    """One data source type."""

    type_name: ClassVar[str]
    block: ClassVar[Block]

    @abstractmethod
    def find(self, cloud: CloudApi, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """The computed attributes for this configuration."""

    def read(self, cloud: CloudApi, config: Mapping[str, Any]) -> dict[str, Any]:
        """The whole state."""
        found = self.find(cloud, known(dict(config)))
        state = self.block.empty() | dict(config)
        for name, value in found.items():
            state[name] = (
                shaped(self.block.attributes[name].type, value)
                if name in self.block.attributes
                else value
            )
        cleaned: dict[str, Any] = known(state)
        return cleaned


def _rows(name: str, /, **fields: Any) -> dict[str, Attribute]:
    """A computed list of objects, as the old plugin SDK declares one."""
    return attributes(**{name: (["list", ["object", dict(fields)]], "c")})


class Zones(Lookup):
    """`alicloud_zones`."""

    type_name = "alicloud_zones"
    block = Block(
        attributes=attributes(
            id=("string", "oc"),
            available_disk_category=("string", "o"),
            available_instance_type=("string", "o"),
            available_resource_creation=("string", "o"),
            available_slb_address_type=("string", "o"),
            available_slb_address_ip_version=("string", "o"),
            instance_charge_type=("string", "o"),
            network_type=("string", "o"),
            spot_strategy=("string", "o"),
            enable_details=("bool", "o"),
            multi=("bool", "o"),
            output_file=("string", "o"),
            ids=(_STRINGS, "c"),
        )
        | _rows(
            "zones",
            id="string",
            local_name="string",
            available_resource_creation=_STRINGS,
            available_disk_categories=_STRINGS,
            available_instance_types=_STRINGS,
            multi_zone_ids=_STRINGS,
            slb_slave_zone_ids=_STRINGS,
        )
    )

    def find(self, cloud: CloudApi, config: Mapping[str, Any]) -> Mapping[str, Any]:
        rows = (cloud.read("ecs", "DescribeZones").get("Zones") or {}).get("Zone") or []
        wanted = {
            "AvailableDiskCategories": ("DiskCategories", config.get("available_disk_category")),
            "AvailableInstanceTypes": ("InstanceTypes", config.get("available_instance_type")),
            "AvailableResourceCreation": (
                "ResourceTypes",
                config.get("available_resource_creation"),
            ),
        }
        zones = []
        for row in rows:
            if all(
                value in (None, "", "Rds") or value in _inner(row, key, inner)
                for key, (inner, value) in wanted.items()
            ):
                zones.append(
                    {
                        "id": row.get("ZoneId"),
                        "local_name": row.get("LocalName"),
                        "available_resource_creation": _inner(
                            row, "AvailableResourceCreation", "ResourceTypes"
                        ),
                        "available_disk_categories": _inner(
                            row, "AvailableDiskCategories", "DiskCategories"
                        ),
                        "available_instance_types": _inner(
                            row, "AvailableInstanceTypes", "InstanceTypes"
                        ),
                        "multi_zone_ids": [],
                        "slb_slave_zone_ids": [],
                    }
                )
        return {"id": cloud.region, "ids": [zone["id"] for zone in zones], "zones": zones}


def _inner(row: Mapping[str, Any], key: str, inner: str) -> Sequence[Any]:
    return (row.get(key) or {}).get(inner) or []


class Images(Lookup):
    """`alicloud_images`."""

    type_name = "alicloud_images"
    block = Block(
        attributes=attributes(
            id=("string", "oc"),
            name_regex=("string", "o"),
            most_recent=("bool", "o"),
            owners=("string", "o"),
            os_type=("string", "o"),
            architecture=("string", "o"),
            image_id=("string", "o"),
            image_family=("string", "o"),
            image_name=("string", "o"),
            instance_type=("string", "o"),
            status=("string", "o"),
            output_file=("string", "o"),
            ids=(_STRINGS, "c"),
        )
        | _rows(
            "images",
            id="string",
            image_id="string",
            name="string",
            os_name="string",
            os_type="string",
            platform="string",
            architecture="string",
            size="number",
            status="string",
            creation_time="string",
            image_owner_alias="string",
        )
    )

    def find(self, cloud: CloudApi, config: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = cloud.read(
            "ecs",
            "DescribeImages",
            ImageOwnerAlias=config.get("owners"),
            OSType=config.get("os_type"),
            ImageId=config.get("image_id"),
            ImageFamily=config.get("image_family"),
            ImageName=config.get("image_name"),
            PageSize=100,
        )
        rows = (answer.get("Images") or {}).get("Image") or []
        pattern = config.get("name_regex")
        found = [
            {
                "id": row.get("ImageId"),
                "image_id": row.get("ImageId"),
                "name": row.get("ImageName"),
                "os_name": row.get("OSName"),
                "os_type": row.get("OSType"),
                "platform": row.get("Platform"),
                "architecture": row.get("Architecture"),
                "size": row.get("Size"),
                "status": row.get("Status"),
                "creation_time": row.get("CreationTime"),
                "image_owner_alias": row.get("ImageOwnerAlias"),
            }
            for row in rows
            if not pattern or re.search(pattern, str(row.get("ImageName", ""))[:256])
        ]
        if config.get("most_recent") and found:
            found = [max(found, key=lambda row: str(row["creation_time"]))]
        return {"id": cloud.region, "ids": [row["id"] for row in found], "images": found}


class InstanceTypes(Lookup):
    """`alicloud_instance_types`."""

    type_name = "alicloud_instance_types"
    block = Block(
        attributes=attributes(
            id=("string", "oc"),
            availability_zone=("string", "o"),
            cpu_core_count=("number", "o"),
            memory_size=("number", "o"),
            instance_type_family=("string", "o"),
            instance_type=("string", "o"),
            instance_charge_type=("string", "o"),
            network_type=("string", "o"),
            image_id=("string", "o"),
            system_disk_category=("string", "o"),
            spot_strategy=("string", "o"),
            kubernetes_node_role=("string", "o"),
            sorted_by=("string", "o"),
            output_file=("string", "o"),
            ids=(_STRINGS, "c"),
        )
        | _rows(
            "instance_types",
            id="string",
            family="string",
            cpu_core_count="number",
            memory_size="number",
            eni_amount="number",
            price="string",
            availability_zones=_STRINGS,
        ),
        blocks={
            "timeouts": NestedBlock(
                name="timeouts",
                nesting="single",
                block=Block(attributes=attributes(read=("string", "o"))),
            ),
        },
    )

    def find(self, cloud: CloudApi, config: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = config.get("instance_type")
        answer = cloud.read(
            "ecs",
            "DescribeInstanceTypes",
            InstanceTypeFamily=config.get("instance_type_family"),
            InstanceTypes=[wanted] if wanted else None,
        )
        rows = (answer.get("InstanceTypes") or {}).get("InstanceType") or []
        found = [
            {
                "id": row.get("InstanceTypeId"),
                "family": row.get("InstanceTypeFamily"),
                "cpu_core_count": row.get("CpuCoreCount"),
                "memory_size": row.get("MemorySize"),
                "eni_amount": row.get("EniQuantity"),
                "price": "",
                "availability_zones": (
                    [config["availability_zone"]] if config.get("availability_zone") else []
                ),
            }
            for row in rows
            if config.get("cpu_core_count") in (None, row.get("CpuCoreCount"))
            and config.get("memory_size") in (None, row.get("MemorySize"))
        ]
        found.sort(
            key=lambda row: (row["cpu_core_count"] or 0, row["memory_size"] or 0, str(row["id"]))
        )
        return {"id": cloud.region, "ids": [row["id"] for row in found], "instance_types": found}
