"""ApsaraDB RDS inside an instance: accounts, databases, permissions, backups,
endpoints, specifications, renewal."""

from __future__ import annotations

from typing import Any

import pytest
from alibabacloud_rds20140815 import models as r
from alibabacloud_rds20140815.client import Client as Rds

from tests.devcloud.clients.calls import make_network, refused
from tests.devcloud.conftest import REGION, Backend
from tests.devcloud.console_api import make, path

PASSWORD = "Passw0rd12"


@pytest.fixture
def rds(backend: Backend, account: dict[str, str]) -> Rds:
    return Rds(backend.config(account))


@pytest.fixture
def instance_id(backend: Backend, account: dict[str, str], rds: Rds) -> str:
    return make_instance(backend, account, rds)


def make_instance(backend: Backend, account: dict[str, str], rds: Rds, **more: Any) -> str:
    vpc_id, vswitch_id = make_network(backend, account)
    request = r.CreateDBInstanceRequest(
        region_id=REGION,
        engine="MySQL",
        engine_version="8.0",
        dbinstance_class="mysql.n2.medium.2c",
        dbinstance_storage=20,
        vpcid=vpc_id,
        v_switch_id=vswitch_id,
        security_iplist="10.0.0.0/8",
        **{"pay_type": "Postpaid", **more},
    )
    made = rds.create_dbinstance(request).body.dbinstance_id
    backend.clock.advance(4)
    return str(made)


def attribute(rds: Rds, instance_id: str) -> Any:
    asked = r.DescribeDBInstanceAttributeRequest(dbinstance_id=instance_id)
    return rds.describe_dbinstance_attribute(asked).body.items.dbinstance_attribute[0]


@pytest.fixture
def app(backend: Backend, rds: Rds, instance_id: str) -> r.CreateAccountRequest:
    """The order of an account, which stands beside a database `orders`."""
    order = r.CreateAccountRequest(
        dbinstance_id=instance_id, account_name="app", account_password=PASSWORD
    )
    rds.create_account(order)
    rds.create_database(
        r.CreateDatabaseRequest(
            dbinstance_id=instance_id, dbname="orders", character_set_name="utf8mb4"
        )
    )
    backend.clock.advance(2)
    return order


def grant(rds: Rds, instance_id: str, privilege: str, database: str = "orders") -> None:
    rds.grant_account_privilege(
        r.GrantAccountPrivilegeRequest(
            dbinstance_id=instance_id,
            account_name="app",
            dbname=database,
            account_privilege=privilege,
        )
    )


def databases(rds: Rds, instance_id: str) -> list[Any]:
    request = r.DescribeDatabasesRequest(dbinstance_id=instance_id)
    return list(rds.describe_databases(request).body.databases.database)


def test_accounts_have_names_of_their_own_and_strong_passwords(
    rds: Rds, instance_id: str, app: r.CreateAccountRequest
) -> None:
    refused("InvalidAccountName.Duplicate", rds.create_account, app)
    weak = r.CreateAccountRequest(
        dbinstance_id=instance_id, account_name="weak", account_password="short"
    )
    refused("InvalidAccountPassword.Malformed", rds.create_account, weak)


@pytest.mark.usefixtures("app")
def test_an_account_has_the_permission_granted_last(rds: Rds, instance_id: str) -> None:
    grant(rds, instance_id, "ReadWrite")
    grant(rds, instance_id, "ReadOnly")
    refused("InvalidDBName.NotFound", grant, rds, instance_id, "ReadOnly", "nothing")
    (row,) = rds.describe_accounts(
        r.DescribeAccountsRequest(dbinstance_id=instance_id)
    ).body.accounts.dbinstance_account
    assert (row.account_status, row.account_type) == ("Available", "Normal")
    assert [
        (p.dbname, p.account_privilege) for p in row.database_privileges.database_privilege
    ] == [("orders", "ReadOnly")]


@pytest.mark.usefixtures("app")
def test_a_permission_is_revoked(rds: Rds, instance_id: str) -> None:
    grant(rds, instance_id, "ReadOnly")
    rds.revoke_account_privilege(
        r.RevokeAccountPrivilegeRequest(
            dbinstance_id=instance_id, account_name="app", dbname="orders"
        )
    )
    (database,) = databases(rds, instance_id)
    assert (database.dbname, database.dbstatus, database.accounts.account_privilege_info) == (
        "orders",
        "Running",
        [],
    )


@pytest.mark.usefixtures("app")
def test_an_account_and_its_database_are_deleted_with_their_permissions(
    backend: Backend, rds: Rds, instance_id: str
) -> None:
    rds.reset_account_password(
        r.ResetAccountPasswordRequest(
            dbinstance_id=instance_id, account_name="app", account_password="Another1Word"
        )
    )
    grant(rds, instance_id, "ReadOnly")
    delete = r.DeleteAccountRequest(dbinstance_id=instance_id, account_name="app")
    rds.delete_account(delete)
    refused("InvalidAccountName.NotFound", rds.delete_account, delete)
    rds.delete_database(r.DeleteDatabaseRequest(dbinstance_id=instance_id, dbname="orders"))
    backend.clock.advance(2)
    assert databases(rds, instance_id) == []


def test_an_instance_has_one_privileged_account(
    backend: Backend, rds: Rds, instance_id: str
) -> None:
    def privileged(name: str) -> r.CreateAccountRequest:
        return r.CreateAccountRequest(
            dbinstance_id=instance_id,
            account_name=name,
            account_password=PASSWORD,
            account_type="Super",
        )

    rds.create_account(privileged("root_one"))
    refused("OperationDenied.SuperAccountExist", rds.create_account, privileged("root_two"))
    rds.create_database(
        r.CreateDatabaseRequest(
            dbinstance_id=instance_id, dbname="orders", character_set_name="utf8mb4"
        )
    )
    backend.clock.advance(2)
    grant = r.GrantAccountPrivilegeRequest(
        dbinstance_id=instance_id,
        account_name="root_one",
        dbname="orders",
        account_privilege="ReadOnly",
    )
    refused("OperationDenied.AccountType", rds.grant_account_privilege, grant)


def test_backups_follow_the_policy_and_are_made_by_hand(
    backend: Backend, rds: Rds, instance_id: str
) -> None:
    def policy() -> Any:
        return rds.describe_backup_policy(
            r.DescribeBackupPolicyRequest(dbinstance_id=instance_id)
        ).body

    assert (policy().preferred_backup_period, policy().backup_retention_period) == (
        "Tuesday,Thursday,Saturday",
        7,
    )
    rds.modify_backup_policy(
        r.ModifyBackupPolicyRequest(
            dbinstance_id=instance_id,
            preferred_backup_period="Monday,Friday",
            preferred_backup_time="02:00Z-03:00Z",
            backup_retention_period="30",
        )
    )
    assert (policy().preferred_backup_period, policy().preferred_backup_time) == (
        "Monday,Friday",
        "02:00Z-03:00Z",
    )
    short = r.ModifyBackupPolicyRequest(dbinstance_id=instance_id, backup_retention_period="3")
    refused("InvalidBackupRetentionPeriod.Malformed", rds.modify_backup_policy, short)
    backup_id = rds.create_backup(
        r.CreateBackupRequest(dbinstance_id=instance_id, backup_method="Physical")
    ).body.backup_job_id
    delete = r.DeleteBackupRequest(dbinstance_id=instance_id, backup_id=backup_id)
    refused("OperationDenied.BackupStatus", rds.delete_backup, delete)
    backend.clock.advance(3)
    asked = r.DescribeBackupsRequest(
        dbinstance_id=instance_id, start_time="2020-01-01T00:00Z", end_time="2099-01-01T00:00Z"
    )
    (backup,) = rds.describe_backups(asked).body.items.backup
    assert (backup.backup_id, backup.backup_status, backup.backup_mode) == (
        backup_id,
        "Success",
        "Manual",
    )
    rds.delete_backup(delete)
    assert rds.describe_backups(asked).body.items.backup == []


def test_a_public_endpoint_is_given_once_and_taken_back(
    backend: Backend, rds: Rds, instance_id: str
) -> None:
    request = r.AllocateInstancePublicConnectionRequest(
        dbinstance_id=instance_id, connection_string_prefix="shop-orders", port="3307"
    )
    rds.allocate_instance_public_connection(request)
    refused("OperationDenied.DBInstanceStatus", rds.allocate_instance_public_connection, request)
    backend.clock.advance(3)
    refused("NetTypeExists", rds.allocate_instance_public_connection, request)

    def endpoints() -> list[tuple[str, str, str]]:
        asked = r.DescribeDBInstanceNetInfoRequest(dbinstance_id=instance_id)
        rows = rds.describe_dbinstance_net_info(asked).body.dbinstance_net_infos.dbinstance_net_info
        return [(row.iptype, row.connection_string, row.port) for row in rows]

    public = "shop-orders.mysql.rds.aliyuncs.com"
    assert endpoints()[1] == ("Public", public, "3307")
    other = r.ReleaseInstancePublicConnectionRequest(
        dbinstance_id=instance_id, current_connection_string="other"
    )
    refused(
        "InvalidCurrentConnectionString.NotFound", rds.release_instance_public_connection, other
    )
    other.current_connection_string = public
    rds.release_instance_public_connection(other)
    backend.clock.advance(3)
    assert len(endpoints()) == 1


def test_specifications_and_maintenance_window_change(
    backend: Backend, rds: Rds, instance_id: str
) -> None:
    less = r.ModifyDBInstanceSpecRequest(dbinstance_id=instance_id, dbinstance_storage=15)
    refused("InvalidStorage.Malformed", rds.modify_dbinstance_spec, less)
    rds.modify_dbinstance_spec(
        r.ModifyDBInstanceSpecRequest(
            dbinstance_id=instance_id, dbinstance_class="mysql.n2.large.2c", dbinstance_storage=100
        )
    )
    assert attribute(rds, instance_id).dbinstance_status == "DBInstanceClassChanging"
    backend.clock.advance(4)
    shown = attribute(rds, instance_id)
    assert (shown.dbinstance_class, shown.dbinstance_storage, shown.dbinstance_status) == (
        "mysql.n2.large.2c",
        100,
        "Running",
    )
    less.dbinstance_storage = 50
    refused("InvalidStorage.LessThanCurrent", rds.modify_dbinstance_spec, less)
    rds.modify_dbinstance_maintain_time(
        r.ModifyDBInstanceMaintainTimeRequest(
            dbinstance_id=instance_id, maintain_time="20:00Z-21:00Z"
        )
    )
    assert attribute(rds, instance_id).maintain_time == "20:00Z-21:00Z"
    renew = r.RenewInstanceRequest(dbinstance_id=instance_id, period=1)
    refused("InvalidDBInstanceChargeType.NotSupport", rds.renew_instance, renew)


def test_a_subscription_is_renewed(backend: Backend, account: dict[str, str], rds: Rds) -> None:
    instance_id = make_instance(
        backend, account, rds, pay_type="Prepaid", period="Month", used_time="1"
    )
    before = attribute(rds, instance_id).expire_time
    rds.renew_instance(r.RenewInstanceRequest(dbinstance_id=instance_id, period=6))
    assert attribute(rds, instance_id).expire_time > before


def test_the_console_makes_an_account_a_database_and_a_permission(
    backend: Backend, account: dict[str, str], rds: Rds, instance_id: str
) -> None:
    browser = backend.browser(account)
    owner = {"instance_id": instance_id}
    made = make(
        browser,
        "rds.account",
        **owner,
        name="app",
        type="Normal",
        password=PASSWORD,
        confirm_password=PASSWORD,
    )
    assert made == f"{instance_id}/app"
    make(browser, "rds.database", **owner, name="orders", charset="utf8mb4")
    backend.clock.advance(2)
    offered = browser.get(
        f"/console/api/options/db_accounts?region={REGION}&instance_id={instance_id}"
    )
    assert offered == [{"value": "app", "label": "app"}]
    make(browser, "rds.privilege", **owner, account="app", database="orders", privilege="DMLOnly")
    (row,) = browser.get(path("rds.privilege", **{"where.instance_id": instance_id}))["rows"]
    assert (row["account"], row["database"], row["privilege"]) == ("app", "orders", "DMLOnly")
    browser.post(path("rds.privilege", row["id"].replace("/", "%2F"), "revoke"), {})
    assert browser.get(path("rds.privilege", **{"where.instance_id": instance_id}))["rows"] == []
    browser.post(path("rds.account", made.replace("/", "%2F"), "delete"), {})
    browser.post(
        path("rds.instance", instance_id, "backup_policy"),
        {"backup_days": ["Sunday"], "backup_retention": 14},
    )
    policy = rds.describe_backup_policy(
        r.DescribeBackupPolicyRequest(dbinstance_id=instance_id)
    ).body
    assert (policy.preferred_backup_period, policy.backup_retention_period) == ("Sunday", 14)
