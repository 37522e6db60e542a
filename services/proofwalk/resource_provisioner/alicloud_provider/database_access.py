"""What an RDS instance holds and how it is reached: accounts, databases, permissions,
backup policy, public endpoint.

An instance takes one change at a time. Everything here that is made in parallel on the
same instance waits until the instance is running and tries again when another change
came first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi, Gone
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given

_PATIENCE_S = 300.0


def instance_row(cloud: CloudApi, instance: str) -> dict[str, Any] | None:
    """The instance's attributes; None when it is gone."""
    try:
        answer = cloud.read("rds", "DescribeDBInstanceAttribute", DBInstanceId=instance)
    except ApiError as error:
        if error.not_found:
            return None
        raise
    rows = (answer.get("Items") or {}).get("DBInstanceAttribute") or []
    return rows[0] if rows else None


def when_running(cloud: CloudApi, action: str, instance: str, **params: Any) -> dict[str, Any]:
    """A change of an instance that is running; again if another change was under way.
    Raises `ApiError`."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        running(cloud, instance)
        try:
            return cloud.write("rds", action, DBInstanceId=instance, **params)
        except ApiError as error:
            if not error.conflict or time.monotonic() > end or cloud.stopping.is_set():
                raise


def running(cloud: CloudApi, instance: str) -> None:
    """Wait until the instance is running. Raises `ApiError` when there is no such
    instance."""
    try:
        cloud.wait(
            instance,
            lambda: instance_row(cloud, instance),
            lambda row: row.get("DBInstanceStatus") == "Running",
            timeout_s=_PATIENCE_S,
        )
    except Gone:
        raise ApiError(
            "Wait", "InvalidDBInstanceId.NotFound", f"the instance {instance} does not exist"
        ) from None


def _parts(id_: str, number: int, form: str) -> list[str]:
    parts = id_.split(":", number - 1)
    if len(parts) != number or not all(parts):
        raise ApiError("Import", "InvalidId", f"the id is {form}")
    return parts


class Account(Resource):
    """`alicloud_rds_account`; its id is `instance:account`."""

    type_name = "alicloud_rds_account"
    replaced_by = frozenset(
        {"db_instance_id", "instance_id", "account_name", "name", "account_type", "type"}
    )
    aliases = {  # noqa: RUF012 -- declared ClassVar by the base
        "instance_id": "db_instance_id",
        "name": "account_name",
        "password": "account_password",
        "type": "account_type",
        "description": "account_description",
    }
    needed = ("db_instance_id", "account_name")
    defaults = {"account_type": "Normal"}  # noqa: RUF012
    choices = {"account_type": ("Normal", "Super", "Sysadmin")}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        when_running(
            cloud,
            "CreateAccount",
            planned["db_instance_id"],
            AccountName=planned["account_name"],
            AccountPassword=given(planned, "account_password"),
            AccountType=given(planned, "account_type"),
            AccountDescription=given(planned, "account_description"),
        )
        return f"{planned['db_instance_id']}:{planned['account_name']}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: account_row(cloud, state["id"])  # noqa: E731
        limit = self.timeout(state, "create", 300)
        cloud.wait(
            state["id"], look, lambda row: row.get("AccountStatus") == "Available", timeout_s=limit
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = account_row(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "db_instance_id": row.get("DBInstanceId"),
                "account_name": row.get("AccountName"),
                "account_type": row.get("AccountType"),
                "account_description": row.get("AccountDescription") or None,
                "status": row.get("AccountStatus"),
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        instance, name = _parts(prior["id"], 2, "instance:account")
        if changed & {"account_password", "password"}:
            password = given(planned, "account_password")
            when_running(
                cloud, "ResetAccountPassword", instance, AccountName=name, AccountPassword=password
            )
        if changed & {"account_description", "description"}:
            text = given(planned, "account_description")
            when_running(
                cloud,
                "ModifyAccountDescription",
                instance,
                AccountName=name,
                AccountDescription=text,
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        instance, name = _parts(state["id"], 2, "instance:account")
        cloud.remove("rds", "DeleteAccount", DBInstanceId=instance, AccountName=name)


class DbAccount(Account):
    """`alicloud_db_account`: the same under its former name."""

    type_name = "alicloud_db_account"


def account_row(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """An account with its permissions; None when it or its instance is gone."""
    instance, name = _parts(id_, 2, "instance:account")
    try:
        answer = cloud.read("rds", "DescribeAccounts", DBInstanceId=instance, AccountName=name)
    except ApiError as error:
        if error.not_found:
            return None
        raise
    rows = (answer.get("Accounts") or {}).get("DBInstanceAccount") or []
    return rows[0] if rows else None


class Database(Resource):
    """`alicloud_db_database`; its id is `instance:name`."""

    type_name = "alicloud_db_database"
    replaced_by = frozenset({"instance_id", "name", "character_set"})
    defaults = {"character_set": "utf8mb4"}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        when_running(
            cloud,
            "CreateDatabase",
            planned["instance_id"],
            DBName=planned["name"],
            CharacterSetName=planned["character_set"],
            DBDescription=given(planned, "description"),
        )
        return f"{planned['instance_id']}:{planned['name']}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        cloud.wait(state["id"], look, lambda row: row.get("DBStatus") == "Running", timeout_s=300)

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        instance, name = _parts(id_, 2, "instance:name")
        try:
            answer = cloud.read("rds", "DescribeDatabases", DBInstanceId=instance, DBName=name)
        except ApiError as error:
            if error.not_found:
                return None
            raise
        rows = (answer.get("Databases") or {}).get("Database") or []
        return rows[0] if rows else None

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        return self.merged(
            state,
            {
                "instance_id": row.get("DBInstanceId"),
                "name": row.get("DBName"),
                "character_set": row.get("CharacterSetName"),
                "description": row.get("DBDescription") or None,
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        instance, name = _parts(prior["id"], 2, "instance:name")
        if "description" in changed:
            when_running(
                cloud,
                "ModifyDBDescription",
                instance,
                DBName=name,
                DBDescription=given(planned, "description"),
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        instance, name = _parts(state["id"], 2, "instance:name")
        cloud.remove("rds", "DeleteDatabase", DBInstanceId=instance, DBName=name)
        cloud.until_gone(state["id"], lambda: self._look(cloud, state["id"]), timeout_s=300)


class AccountPrivilege(Resource):
    """`alicloud_db_account_privilege`; its id is `instance:account:privilege`."""

    type_name = "alicloud_db_account_privilege"
    replaced_by = frozenset({"instance_id", "account_name", "privilege"})
    defaults = {"privilege": "ReadOnly"}  # noqa: RUF012
    choices = {"privilege": ("ReadOnly", "ReadWrite", "DDLOnly", "DMLOnly", "DBOwner")}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        for database in sorted(planned["db_names"]):
            self._grant(
                cloud,
                planned["instance_id"],
                planned["account_name"],
                database,
                planned["privilege"],
            )
        return f"{planned['instance_id']}:{planned['account_name']}:{planned['privilege']}"

    def _grant(
        self, cloud: CloudApi, instance: str, account: str, database: str, privilege: str
    ) -> None:
        when_running(
            cloud,
            "GrantAccountPrivilege",
            instance,
            AccountName=account,
            DBName=database,
            AccountPrivilege=privilege,
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        instance, account, privilege = _parts(state["id"], 3, "instance:account:privilege")
        row = account_row(cloud, f"{instance}:{account}")
        granted = ((row or {}).get("DatabasePrivileges") or {}).get("DatabasePrivilege") or []
        names = sorted(
            str(entry.get("DBName"))
            for entry in granted
            if entry.get("AccountPrivilege") == privilege
        )
        if not names:
            return None
        return self.merged(
            state,
            {
                "instance_id": instance,
                "account_name": account,
                "privilege": privilege,
                "db_names": names,
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        instance, account, privilege = _parts(prior["id"], 3, "instance:account:privilege")
        before, after = set(prior.get("db_names") or ()), set(planned.get("db_names") or ())
        for database in sorted(before - after):
            cloud.remove(
                "rds",
                "RevokeAccountPrivilege",
                DBInstanceId=instance,
                AccountName=account,
                DBName=database,
            )
        for database in sorted(after - before):
            self._grant(cloud, instance, account, database, privilege)

    def delete(self, cloud: CloudApi, state: State) -> None:
        instance, account, _ = _parts(state["id"], 3, "instance:account:privilege")
        for database in sorted(state.get("db_names") or ()):
            cloud.remove(
                "rds",
                "RevokeAccountPrivilege",
                DBInstanceId=instance,
                AccountName=account,
                DBName=database,
            )


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
        running(cloud, _parts(state["id"], 2, "instance:prefix")[0])

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        instance, prefix = _parts(id_, 2, "instance:prefix")
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
        instance, prefix = _parts(state["id"], 2, "instance:prefix")
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
        instance = _parts(state["id"], 2, "instance:prefix")[0]
        running(cloud, instance)
        cloud.remove(
            "rds",
            "ReleaseInstancePublicConnection",
            DBInstanceId=instance,
            CurrentConnectionString=row.get("ConnectionString"),
        )
        running(cloud, instance)


RESOURCES: Sequence[type[Resource]] = (
    Account,
    DbAccount,
    Database,
    AccountPrivilege,
    BackupPolicy,
    PublicConnection,
)
