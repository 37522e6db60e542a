"""Accounts of an instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.database_access.identifiers import id_parts
from proofwalk.resource_provisioner.alicloud_provider.database_access.instances import when_running
from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


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
        instance, name = id_parts(prior["id"], 2, "instance:account")
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
        instance, name = id_parts(state["id"], 2, "instance:account")
        cloud.remove("rds", "DeleteAccount", DBInstanceId=instance, AccountName=name)


class DbAccount(Account):
    """`alicloud_db_account`: the same under its former name."""

    type_name = "alicloud_db_account"


def account_row(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    """An account with its permissions; None when it or its instance is gone."""
    instance, name = id_parts(id_, 2, "instance:account")
    try:
        answer = cloud.read("rds", "DescribeAccounts", DBInstanceId=instance, AccountName=name)
    except ApiError as error:
        if error.not_found:
            return None
        raise
    rows = (answer.get("Accounts") or {}).get("DBInstanceAccount") or []
    return rows[0] if rows else None


RESOURCES: Sequence[type[Resource]] = (
    Account,
    DbAccount,
)
