"""Route tables and their entries."""

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


def look_at_route_table(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """A route table as it is; None when it is gone."""
    answer = cloud.read("vpc", "DescribeRouteTableList", RouteTableId=id_)
    rows = (answer.get("RouterTableList") or {}).get("RouterTableListType") or []
    return rows[0] if rows else None


class RouteTable(Resource):
    """`alicloud_route_table`."""

    type_name = "alicloud_route_table"
    replaced_by = frozenset({"vpc_id", "associate_type"})
    aliases = {"name": "route_table_name"}  # noqa: RUF012 -- declared ClassVar by the base

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "vpc",
            "CreateRouteTable",
            VpcId=planned["vpc_id"],
            RouteTableName=given(planned, "route_table_name"),
            Description=given(planned, "description"),
            AssociateType=given(planned, "associate_type"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["RouteTableId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: look_at_route_table(cloud, state["id"])  # noqa: E731
        cloud.wait(
            state["id"],
            look,
            lambda row: row.get("Status") == "Available",
            timeout_s=self.timeout(state, "create", 600),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = look_at_route_table(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "vpc_id": row.get("VpcId"),
                "route_table_name": row.get("RouteTableName"),
                "description": row.get("Description") or None,
                "associate_type": row.get("AssociateType"),
                "create_time": row.get("CreationTime"),
                "resource_group_id": row.get("ResourceGroupId"),
                "route_propagation_enable": row.get("RoutePropagationEnable"),
                "status": row.get("Status"),
                "tags": tags_of(row, "Key", "Value"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed & {"route_table_name", "name", "description"}:
            cloud.write(
                "vpc",
                "ModifyRouteTableAttributes",
                RouteTableId=prior["id"],
                RouteTableName=given(planned, "route_table_name"),
                Description=given(planned, "description") or "",
            )
        if "tags" in changed:
            update_tags(cloud, "vpc", "ROUTETABLE", prior["id"], prior, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("vpc", "DeleteRouteTable", RouteTableId=state["id"])
        limit = self.timeout(state, "delete", 600)
        cloud.until_gone(
            state["id"], lambda: look_at_route_table(cloud, state["id"]), timeout_s=limit
        )


class RouteEntry(Resource):
    """`alicloud_route_entry`; its id is `table:router:destination:type:next hop`."""

    type_name = "alicloud_route_entry"
    replaced_by = frozenset(
        {"route_table_id", "destination_cidrblock", "nexthop_type", "nexthop_id"}
    )
    needed = ("destination_cidrblock", "nexthop_type", "nexthop_id")

    def create(self, cloud: CloudApi, planned: State) -> str:
        table = look_at_route_table(cloud, planned["route_table_id"]) or {}
        cloud.write(
            "vpc",
            "CreateRouteEntry",
            RouteTableId=planned["route_table_id"],
            DestinationCidrBlock=planned["destination_cidrblock"],
            NextHopType=planned["nexthop_type"],
            NextHopId=planned["nexthop_id"],
            RouteEntryName=given(planned, "name"),
            Description=given(planned, "description"),
        )
        parts = (
            planned["route_table_id"],
            table.get("RouterId", ""),
            planned["destination_cidrblock"],
        )
        return ":".join((*parts, planned["nexthop_type"], planned["nexthop_id"]))

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        parts = id_.split(":")
        if len(parts) != 5:
            raise ApiError(
                "Import", "InvalidId", "the id is table:router:destination:type:next hop"
            )
        table, _, destination, _, hop = parts
        answer = cloud.read(
            "vpc",
            "DescribeRouteEntryList",
            RouteTableId=table,
            DestinationCidrBlock=destination,
            NextHopId=hop,
        )
        rows = (answer.get("RouteEntrys") or {}).get("RouteEntry") or []
        return rows[0] if rows else None

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(state["id"], look, lambda row: row.get("Status") == "Available", timeout_s=300)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        table, router, destination, kind, hop = state["id"].split(":")
        return self.merged(
            state,
            {
                "route_table_id": table,
                "router_id": router,
                "destination_cidrblock": destination,
                "nexthop_type": kind,
                "nexthop_id": hop,
                "name": row.get("RouteEntryName") or None,
                "description": row.get("Description") or None,
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        row = self._look(cloud, prior["id"]) or {}
        cloud.write(
            "vpc",
            "ModifyRouteEntry",
            RouteEntryId=row.get("RouteEntryId"),
            RouteEntryName=given(planned, "name"),
            Description=given(planned, "description"),
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        table, _, destination, _, hop = state["id"].split(":")
        cloud.remove(
            "vpc",
            "DeleteRouteEntry",
            RouteTableId=table,
            DestinationCidrBlock=destination,
            NextHopId=hop,
        )
        cloud.until_gone(state["id"], lambda: self._look(cloud, state["id"]), timeout_s=300)


RESOURCES: Sequence[type[Resource]] = (RouteTable, RouteEntry)
