"""What an account may do with databases."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider.database_access.accounts import account_row
from proofwalk.resource_provisioner.alicloud_provider.database_access.identifiers import id_parts
from proofwalk.resource_provisioner.alicloud_provider.database_access.instances import when_running
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State


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
        instance, account, privilege = id_parts(state["id"], 3, "instance:account:privilege")
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
        instance, account, privilege = id_parts(prior["id"], 3, "instance:account:privilege")
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
        instance, account, _ = id_parts(state["id"], 3, "instance:account:privilege")
        for database in sorted(state.get("db_names") or ()):
            cloud.remove(
                "rds",
                "RevokeAccountPrivilege",
                DBInstanceId=instance,
                AccountName=account,
                DBName=database,
            )


RESOURCES: Sequence[type[Resource]] = (AccountPrivilege,)
