"""When an instance is backed up, and how long that is kept."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider.database_access.instances import when_running
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


class BackupPolicy(Resource):
    """`alicloud_db_backup_policy`: a part of an instance, which goes when the instance
    goes."""

    type_name = "alicloud_db_backup_policy"
    replaced_by = frozenset({"instance_id"})
    aliases = {  # noqa: RUF012
        "backup_period": "preferred_backup_period",
        "backup_time": "preferred_backup_time",
        "retention_period": "backup_retention_period",
        "log_backup": "enable_backup_log",
        "log_retention_period": "log_backup_retention_period",
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        self._modify(cloud, planned["instance_id"], planned)
        return str(planned["instance_id"])

    def _modify(self, cloud: CloudApi, instance: str, planned: State) -> None:
        days = given(planned, "preferred_backup_period")
        logged = given(planned, "enable_backup_log")
        when_running(
            cloud,
            "ModifyBackupPolicy",
            instance,
            PreferredBackupPeriod=",".join(sorted(days)) if days else None,
            PreferredBackupTime=given(planned, "preferred_backup_time"),
            BackupRetentionPeriod=given(planned, "backup_retention_period"),
            BackupLog=None if logged is None else "Enable" if logged else "Disabled",
            LogBackupRetentionPeriod=given(planned, "log_backup_retention_period"),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        try:
            row = cloud.read("rds", "DescribeBackupPolicy", DBInstanceId=state["id"])
        except ApiError as error:
            if error.not_found:
                return None
            raise
        return self.merged(
            state,
            {
                "instance_id": state["id"],
                "preferred_backup_period": sorted(
                    filter(None, str(row.get("PreferredBackupPeriod") or "").split(","))
                ),
                "preferred_backup_time": row.get("PreferredBackupTime"),
                "backup_retention_period": row.get("BackupRetentionPeriod"),
                "enable_backup_log": row.get("EnableBackupLog") in ("1", 1),
                "log_backup_retention_period": row.get("LogBackupRetentionPeriod"),
                "local_log_retention_hours": row.get("LocalLogRetentionHours"),
                "local_log_retention_space": row.get("LocalLogRetentionSpace"),
                "backup_method": row.get("BackupMethod"),
                "backup_interval": row.get("BackupInterval"),
                "category": row.get("Category"),
                "compress_type": row.get("CompressType"),
                "released_keep_policy": row.get("ReleasedKeepPolicy"),
                "log_backup_frequency": row.get("LogBackupFrequency"),
                "log_backup_local_retention_number": row.get("LogBackupLocalRetentionNumber"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        self._modify(cloud, prior["id"], planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        return


RESOURCES: Sequence[type[Resource]] = (BackupPolicy,)
