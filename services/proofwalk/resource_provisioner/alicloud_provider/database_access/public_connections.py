"""An instance's endpoint on the Internet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.database_access.identifiers import id_parts
from proofwalk.resource_provisioner.alicloud_provider.database_access.instances import (
    running,
    when_running,
)
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


class PublicConnection(Resource):
    """`alicloud_db_connection`: the public endpoint; its id is `instance:prefix`."""

    type_name = "alicloud_db_connection"
    replaced_by = frozenset({"instance_id", "connection_prefix", "port"})
    defaults = {"port": "3306"}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        prefix = given(planned, "connection_prefix") or f"{planned['instance_id']}tf"
        when_running(
            cloud,
            "AllocateInstancePublicConnection",
            planned["instance_id"],
            ConnectionStringPrefix=prefix,
            Port=given(planned, "port"),
        )
        return f"{planned['instance_id']}:{prefix}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        running(cloud, id_parts(state["id"], 2, "instance:prefix")[0])

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        instance, prefix = id_parts(id_, 2, "instance:prefix")
        try:
            answer = cloud.read("rds", "DescribeDBInstanceNetInfo", DBInstanceId=instance)
        except ApiError as error:
            if error.not_found:
                return None
            raise
        rows = (answer.get("DBInstanceNetInfos") or {}).get("DBInstanceNetInfo") or []
        public = (row for row in rows if row.get("IPType") == "Public")
        return next(
            (row for row in public if str(row.get("ConnectionString")).split(".")[0] == prefix),
            None,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        instance, prefix = id_parts(state["id"], 2, "instance:prefix")
        return self.merged(
            state,
            {
                "instance_id": instance,
                "connection_prefix": prefix,
                "connection_string": row.get("ConnectionString"),
                "port": row.get("Port"),
                "ip_address": row.get("IPAddress"),
            },
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        row = self._look(cloud, state["id"])
        if row is None:
            return
        instance = id_parts(state["id"], 2, "instance:prefix")[0]
        running(cloud, instance)
        cloud.remove(
            "rds",
            "ReleaseInstancePublicConnection",
            DBInstanceId=instance,
            CurrentConnectionString=row.get("ConnectionString"),
        )
        running(cloud, instance)


RESOURCES: Sequence[type[Resource]] = (PublicConnection,)
