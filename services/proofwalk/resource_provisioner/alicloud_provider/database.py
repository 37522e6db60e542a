"""RDS instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    update_tags,
)

_DEFAULT_LIST = "127.0.0.1"
"""What the cloud puts into a whitelist that was left empty."""


class DbInstance(Resource):
    """`alicloud_db_instance`."""

    type_name = "alicloud_db_instance"
    replaced_by = frozenset(
        {
            "engine",
            "engine_version",
            "zone_id",
            "vpc_id",
            "vswitch_id",
            "category",
            "db_instance_storage_type",
            "instance_type",
        }
        | {"instance_storage", "instance_charge_type"}
    )
    defaults = {"instance_charge_type": "Postpaid"}  # noqa: RUF012 -- declared ClassVar by the base
    needed = ("vswitch_id",)
    choices = {  # noqa: RUF012
        "engine": ("MySQL", "SQLServer", "PostgreSQL", "MariaDB"),
        "instance_charge_type": ("Prepaid", "Postpaid", "Serverless"),
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        prepaid = planned.get("instance_charge_type") == "Prepaid"
        months = given(planned, "period")
        answer = cloud.write(
            "rds",
            "CreateDBInstance",
            Engine=planned["engine"],
            EngineVersion=planned["engine_version"],
            DBInstanceClass=planned["instance_type"],
            DBInstanceStorage=planned["instance_storage"],
            DBInstanceStorageType=given(planned, "db_instance_storage_type"),
            DBInstanceNetType="Intranet",
            DBInstanceDescription=given(planned, "instance_name"),
            Category=given(planned, "category"),
            PayType=planned["instance_charge_type"],
            Period="Month" if prepaid else None,
            UsedTime=str(months) if prepaid and months else None,
            AutoRenew=_word(given(planned, "auto_renew")) if prepaid else None,
            InstanceNetworkType="VPC",
            VPCId=given(planned, "vpc_id"),
            VSwitchId=planned["vswitch_id"],
            ZoneId=given(planned, "zone_id"),
            Port=given(planned, "port"),
            SecurityIPList=",".join(sorted(given(planned, "security_ips") or [])) or _DEFAULT_LIST,
            DeletionProtection=given(planned, "deletion_protection"),
        )
        return str(answer["DBInstanceId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        limit = self.timeout(state, "create", 1800)
        cloud.wait(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            lambda row: row.get("DBInstanceStatus") == "Running",
            timeout_s=limit,
        )
        if state.get("tags"):
            update_tags(cloud, "rds", "INSTANCE", state["id"], {}, state)
        if state.get("parameters"):
            self._set_parameters(cloud, state["id"], state)

    def _set_parameters(self, cloud: CloudApi, id_: str, state: State) -> None:
        wanted = {entry["name"]: entry["value"] for entry in state.get("parameters") or []}
        pairs = ", ".join(f'"{name}": "{value}"' for name, value in sorted(wanted.items()))
        cloud.write(
            "rds",
            "ModifyParameter",
            DBInstanceId=id_,
            Parameters=f"{{{pairs}}}",
            Forcerestart=bool(state.get("force_restart")),
        )

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        try:
            answer = cloud.read("rds", "DescribeDBInstanceAttribute", DBInstanceId=id_)
        except ApiError as error:
            if error.not_found:
                return None
            raise
        rows = (answer.get("Items") or {}).get("DBInstanceAttribute") or []
        return rows[0] if rows else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        listed = cloud.read(
            "rds", "ListTagResources", ResourceType="INSTANCE", ResourceId=[state["id"]]
        )
        tags = {
            entry["TagKey"]: entry["TagValue"]
            for entry in (listed.get("TagResources") or {}).get("TagResource") or []
        }
        addresses = [text for text in str(row.get("SecurityIPList") or "").split(",") if text]
        return self.merged(
            state,
            {
                "engine": row.get("Engine"),
                "engine_version": row.get("EngineVersion"),
                "instance_type": row.get("DBInstanceClass"),
                "instance_storage": row.get("DBInstanceStorage"),
                "instance_name": row.get("DBInstanceDescription") or None,
                "db_instance_storage_type": row.get("DBInstanceStorageType"),
                "db_instance_type": row.get("DBInstanceType"),
                "category": row.get("Category"),
                "instance_charge_type": row.get("PayType"),
                "status": row.get("DBInstanceStatus"),
                "zone_id": row.get("ZoneId"),
                "vpc_id": row.get("VpcId"),
                "vswitch_id": row.get("VSwitchId"),
                "connection_string": row.get("ConnectionString"),
                "port": row.get("Port"),
                "security_ips": addresses,
                "deletion_protection": row.get("DeletionProtection"),
                "create_time": row.get("CreationTime"),
                "maintain_time": row.get("MaintainTime"),
                "resource_group_id": row.get("ResourceGroupId"),
                "tags": tags or None,
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        id_ = prior["id"]
        if "instance_name" in changed:
            cloud.write(
                "rds",
                "ModifyDBInstanceDescription",
                DBInstanceId=id_,
                DBInstanceDescription=given(planned, "instance_name"),
            )
        if "security_ips" in changed and given(planned, "security_ips") is not None:
            addresses = ",".join(sorted(planned["security_ips"])) or _DEFAULT_LIST
            cloud.write(
                "rds",
                "ModifySecurityIps",
                DBInstanceId=id_,
                SecurityIps=addresses,
                DBInstanceIPArrayName="default",
            )
        if "deletion_protection" in changed:
            protected = bool(planned.get("deletion_protection"))
            cloud.write(
                "rds",
                "ModifyDBInstanceDeletionProtection",
                DBInstanceId=id_,
                DeletionProtection=protected,
            )
        if "parameters" in changed:
            self._set_parameters(cloud, id_, planned)
        if changed & {"auto_renew", "auto_renew_period"}:
            months = given(planned, "auto_renew_period")
            cloud.write(
                "rds",
                "ModifyInstanceAutoRenewalAttribute",
                DBInstanceId=id_,
                AutoRenew="True" if planned.get("auto_renew") else "False",
                Duration=str(months) if months else None,
            )
        if "tags" in changed:
            update_tags(cloud, "rds", "INSTANCE", id_, prior, planned)
        look = lambda: self._look(cloud, id_)  # noqa: E731
        limit = self.timeout(planned, "update", 600)
        cloud.wait(id_, look, lambda row: row.get("DBInstanceStatus") == "Running", timeout_s=limit)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if state.get("instance_charge_type") == "Prepaid":
            raise ApiError(
                "DeleteDBInstance",
                "OperationDenied.PayType",
                "a subscription instance cannot be released before its end",
            )
        cloud.remove("rds", "DeleteDBInstance", DBInstanceId=state["id"])
        cloud.until_gone(
            state["id"],
            lambda: self._look(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 1200),
        )


def _word(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


RESOURCES: Sequence[type[Resource]] = (DbInstance,)
