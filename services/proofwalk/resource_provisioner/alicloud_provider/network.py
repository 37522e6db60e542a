"""VPCs and vSwitches."""

from __future__ import annotations

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


class Vpc(Resource):
    """`alicloud_vpc`."""

    type_name = "alicloud_vpc"
    replaced_by = frozenset({"cidr_block", "ipv4_ipam_pool_id", "is_default", "ipv4_cidr_mask"})
    aliases = {  # noqa: RUF012
        "name": "vpc_name",
        "router_table_id": "route_table_id",
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "vpc",
            "CreateVpc",
            VpcName=given(planned, "vpc_name") or given(planned, "name"),
            CidrBlock=given(planned, "cidr_block") or "172.16.0.0/12",
            Description=given(planned, "description"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["VpcId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 300),
        )

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        try:
            row = cloud.read("vpc", "DescribeVpcAttribute", VpcId=id_)
        except ApiError as error:
            if error.not_found:
                return None
            raise
        return row if row.get("VpcId") else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        listed = cloud.read("vpc", "DescribeVpcs", VpcId=state["id"]).get("Vpcs", {}).get(
            "Vpc"
        ) or [{}]
        tables = (listed[0].get("RouterTableIds") or {}).get("RouterTableIds") or [""]
        return self.merged(
            state,
            {
                "vpc_name": row.get("VpcName"),
                "cidr_block": row.get("CidrBlock"),
                "description": row.get("Description") or None,
                "status": row.get("Status"),
                "create_time": row.get("CreationTime"),
                "region_id": row.get("RegionId"),
                "resource_group_id": row.get("ResourceGroupId"),
                "router_id": row.get("VRouterId"),
                "route_table_id": tables[0],
                "secondary_cidr_blocks": (
                    (row.get("SecondaryCidrBlocks") or {}).get("SecondaryCidrBlock") or []
                ),
                "user_cidrs": (row.get("UserCidrs") or {}).get("UserCidr") or [],
                "tags": tags_of(row, "Key", "Value"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"vpc_name", "name", "description"}:
            cloud.write(
                "vpc",
                "ModifyVpcAttribute",
                VpcId=prior["id"],
                VpcName=given(planned, "vpc_name"),
                Description=given(planned, "description") or "",
            )
        if "tags" in changed:
            update_tags(cloud, "vpc", "VPC", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("vpc", "DeleteVpc", VpcId=state["id"])
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


class VSwitch(Resource):
    """`alicloud_vswitch`."""

    type_name = "alicloud_vswitch"
    replaced_by = frozenset({"cidr_block", "vpc_id", "zone_id", "availability_zone", "is_default"})
    aliases = {"name": "vswitch_name", "availability_zone": "zone_id"}  # noqa: RUF012
    needed = ("vpc_id", "cidr_block", "zone_id")

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "vpc",
            "CreateVSwitch",
            VpcId=planned["vpc_id"],
            ZoneId=planned["zone_id"],
            CidrBlock=planned["cidr_block"],
            VSwitchName=given(planned, "vswitch_name"),
            Description=given(planned, "description"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["VSwitchId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 300),
        )

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        try:
            row = cloud.read("vpc", "DescribeVSwitchAttributes", VSwitchId=id_)
        except ApiError as error:
            if error.not_found:
                return None
            raise
        # A vSwitch that is gone is answered with an empty one.
        return row if row.get("VSwitchId") else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "vswitch_name": row.get("VSwitchName"),
                "vpc_id": row.get("VpcId"),
                "zone_id": row.get("ZoneId"),
                "cidr_block": row.get("CidrBlock"),
                "description": row.get("Description") or None,
                "status": row.get("Status"),
                "create_time": row.get("CreationTime"),
                "tags": tags_of(row, "Key", "Value"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"vswitch_name", "name", "description"}:
            cloud.write(
                "vpc",
                "ModifyVSwitchAttribute",
                VSwitchId=prior["id"],
                VSwitchName=given(planned, "vswitch_name"),
                Description=given(planned, "description") or "",
            )
        if "tags" in changed:
            update_tags(cloud, "vpc", "VSWITCH", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("vpc", "DeleteVSwitch", VSwitchId=state["id"])
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 300),
        )


RESOURCES: Sequence[type[Resource]] = (Vpc, VSwitch)
