"""Tair (Redis OSS-compatible): instances, accounts, whitelists, backups and
parameters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import Backend
from tests.devcloud.console_api import events
from tests.devcloud.products.signed import SignedCaller

PASSWORD = "Sup3rSecret!"
SMALL = "redis.master.small.default"


class Redis(SignedCaller):
    product = "kvstore"


@pytest.fixture
def redis(backend: Backend, account: dict[str, str]) -> Redis:
    return Redis(backend, account)


def make_instance(backend: Backend, account: dict[str, str], redis: Redis, **more: Any) -> str:
    vpc_id, vswitch_id = make_network(backend, account)
    order = {
        "InstanceClass": SMALL,
        "EngineVersion": "7.0",
        "VpcId": vpc_id,
        "VSwitchId": vswitch_id,
        "Password": PASSWORD,
    }
    answer = redis("CreateInstance", InstanceName="session-cache", **{**order, **more})
    backend.clock.advance(4)
    return str(answer["InstanceId"])


def describe(redis: Redis, instance: str) -> dict[str, Any]:
    (row,) = redis("DescribeInstanceAttribute", InstanceId=instance)["Instances"][
        "DBInstanceAttribute"
    ]
    return dict(row)


@pytest.fixture
def instance(redis: Redis, backend: Backend, account: dict[str, str]) -> str:
    return make_instance(backend, account, redis, Tag=[{"Key": "team", "Value": "web"}])


def endpoints(redis: Redis, instance: str) -> list[str]:
    """Connection strings of an instance."""
    answer = redis("DescribeDBInstanceNetInfo", InstanceId=instance)
    return [item["ConnectionString"] for item in answer["NetInfoItems"]["InstanceNetInfo"]]


def test_an_instance_is_as_it_was_ordered(redis: Redis, instance: str) -> None:
    assert instance.startswith("r-bp1")
    row = describe(redis, instance)
    assert (row["InstanceStatus"], row["Capacity"], row["ArchitectureType"]) == (
        "Normal",
        1024,
        "standard",
    )
    assert (row["ChargeType"], row["Port"], row["ZoneId"]) == ("PostPaid", 6379, "cn-hangzhou-h")
    assert row["ConnectionDomain"] == f"{instance}.redis.rds.aliyuncs.com"
    assert row["Tags"] == {"Tag": [{"Key": "team", "Value": "web"}]}


def test_an_instance_grows_within_its_architecture(
    redis: Redis, backend: Backend, instance: str
) -> None:
    redis("ModifyInstanceAttribute", InstanceId=instance, InstanceName="cart-cache")
    redis("ModifyInstanceSpec", InstanceId=instance, InstanceClass="redis.master.mid.default")
    redis.refuses("IncorrectDBInstanceState", "RestartInstance", InstanceId=instance)
    backend.clock.advance(3)
    row = describe(redis, instance)
    assert (row["InstanceClass"], row["Capacity"], row["InstanceName"]) == (
        "redis.master.mid.default",
        2048,
        "cart-cache",
    )
    redis.refuses(
        "InvalidInstanceClass.NotFound",
        "ModifyInstanceSpec",
        InstanceId=instance,
        InstanceClass="redis.shard.mid.2.ce",
    )


@pytest.mark.parametrize(
    ("action", "state"), [("RestartInstance", "Rebooting"), ("FlushInstance", "Flushing")]
)
def test_an_instance_is_restarted_and_flushed(
    redis: Redis, backend: Backend, instance: str, action: str, state: str
) -> None:
    redis(action, InstanceId=instance)
    assert describe(redis, instance)["InstanceStatus"] == state
    backend.clock.advance(3)
    assert describe(redis, instance)["InstanceStatus"] == "Normal"


def test_a_public_endpoint_is_allocated_once_and_released(
    redis: Redis, backend: Backend, instance: str
) -> None:
    allocate = "AllocateInstancePublicConnection"
    owner = {"InstanceId": instance}
    redis(allocate, **owner, ConnectionStringPrefix="pubcache1", Port=6380)
    backend.clock.advance(2)
    redis.refuses("NetTypeExists", allocate, **owner, ConnectionStringPrefix="pubcache2", Port=1)
    _, public = endpoints(redis, instance)
    assert [one.split(".")[0] for one in endpoints(redis, instance)] == [instance, "pubcache1"]
    redis("ReleaseInstancePublicConnection", **owner, CurrentConnectionString=public)
    backend.clock.advance(2)
    assert len(endpoints(redis, instance)) == 1


def test_only_a_subscription_renews_itself(redis: Redis, instance: str) -> None:
    redis.refuses(
        "InvalidOrderCharge.NotSupport",
        "ModifyInstanceAutoRenewalAttribute",
        DBInstanceId=instance,
        AutoRenew="true",
    )


def test_the_maintenance_window_changes(redis: Redis, instance: str) -> None:
    redis(
        "ModifyInstanceMaintainTime",
        InstanceId=instance,
        MaintainStartTime="20:00Z",
        MaintainEndTime="23:00Z",
    )
    assert describe(redis, instance)["MaintainEndTime"] == "23:00Z"


def test_a_protected_instance_is_not_released(
    redis: Redis, backend: Backend, account: dict[str, str], instance: str
) -> None:
    redis("ModifyInstanceAttribute", InstanceId=instance, InstanceReleaseProtection=True)
    redis.refuses(
        "OperationDenied.InstanceReleaseProtection", "DeleteInstance", InstanceId=instance
    )
    redis("ModifyInstanceAttribute", InstanceId=instance, InstanceReleaseProtection=False)
    redis("DeleteInstance", InstanceId=instance)
    backend.clock.advance(2)
    redis.refuses("InvalidInstanceId.NotFound", "DescribeInstanceAttribute", InstanceId=instance)
    assert {item["product"] for item in backend.inventory(account)} == {"vpc"}


def test_what_an_order_refuses(redis: Redis, backend: Backend, account: dict[str, str]) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    good = {
        "InstanceClass": SMALL,
        "EngineVersion": "7.0",
        "VpcId": vpc_id,
        "VSwitchId": vswitch_id,
    }
    redis.refuses("MissingParameter", "CreateInstance", EngineVersion="7.0", VSwitchId=vswitch_id)
    redis.refuses(
        "InvalidInstanceClass.NotFound",
        "CreateInstance",
        **{**good, "InstanceClass": "redis.master.2xlarge.default"},
    )
    redis.refuses("InvalidPassword.Format", "CreateInstance", **good, Password="simple")
    redis.refuses("InvalidvSwitchId", "CreateInstance", **good, ZoneId="cn-hangzhou-i")
    cluster = {**good, "InstanceClass": "redis.shard.mid.2.ce"}
    redis.refuses("InvalidShardCount.Malformed", "CreateInstance", **cluster, ShardCount=64)
    made = redis("CreateInstance", **cluster, ShardCount=8)["InstanceId"]
    assert describe(redis, made)["ShardCount"] == 8
    backend.clock.advance(4)
    code = "InvalidArchitectureType.NotSupport"
    redis.refuses(
        code, "ModifyInstanceSpec", InstanceId=made, InstanceClass="redis.shard.large.2.ce"
    )


def test_a_subscription_renews_itself_and_cannot_be_released(
    redis: Redis, backend: Backend, account: dict[str, str]
) -> None:
    instance = make_instance(backend, account, redis)
    redis("TransformToPrePaid", InstanceId=instance, Period=3)
    assert describe(redis, instance)["ChargeType"] == "PrePaid"
    redis.refuses(
        "InvalidChargeType.NotSupport", "TransformToPrePaid", InstanceId=instance, Period=1
    )
    redis("ModifyInstanceAutoRenewalAttribute", DBInstanceId=instance, AutoRenew="true", Duration=2)
    (row,) = redis("DescribeInstanceAutoRenewalAttribute", DBInstanceId=instance)["Items"]["Item"]
    assert (row["AutoRenew"], row["Duration"]) == ("true", 2)
    redis.refuses("InvalidOperation.ChargeType", "DeleteInstance", InstanceId=instance)


def test_accounts(redis: Redis, backend: Backend, account: dict[str, str]) -> None:
    instance = make_instance(backend, account, redis)
    here = {"InstanceId": instance, "AccountName": "reader"}

    def accounts() -> dict[str, tuple[str, str]]:
        found = redis("DescribeAccounts", InstanceId=instance)["Accounts"]["Account"]
        return {
            a["AccountName"]: (
                a["AccountStatus"],
                a["DatabasePrivileges"]["DatabasePrivilege"][0]["AccountPrivilege"],
            )
            for a in found
        }

    redis("CreateAccount", **here, AccountPassword=PASSWORD, AccountPrivilege="RoleReadOnly")
    redis.refuses("InvalidAccountName.Duplicate", "CreateAccount", **here, AccountPassword=PASSWORD)
    redis.refuses(
        "IncorrectAccountStatus", "GrantAccountPrivilege", **here, AccountPrivilege="RoleReadWrite"
    )
    backend.clock.advance(2)
    assert accounts() == {
        instance: ("Available", "RoleReadWrite"),
        "reader": ("Available", "RoleReadOnly"),
    }
    redis("GrantAccountPrivilege", **here, AccountPrivilege="RoleReadWrite")
    redis("ResetAccountPassword", **here, AccountPassword="An0ther-Secret")
    redis("ModifyAccountDescription", **here, AccountDescription="reports")
    assert accounts()["reader"] == ("Available", "RoleReadWrite")
    redis.refuses(
        "InvalidAccountName.Format",
        "CreateAccount",
        InstanceId=instance,
        AccountName="Bad-Name",
        AccountPassword=PASSWORD,
    )
    redis.refuses(
        "InvalidAccountName.NotSupport", "DeleteAccount", InstanceId=instance, AccountName=instance
    )
    redis("DeleteAccount", **here)
    assert list(accounts()) == [instance]
    logged = json.dumps(
        [
            e
            for e in events(backend, account)
            if e["eventName"] in ("CreateAccount", "ResetAccountPassword")
        ]
    )
    assert PASSWORD not in logged
    assert "An0ther-Secret" not in logged


def test_whitelists_are_added_to_and_taken_from(redis: Redis, instance: str) -> None:
    owner = {"InstanceId": instance}
    office = {**owner, "SecurityIpGroupName": "office"}
    redis("ModifySecurityIps", **office, SecurityIps="10.0.0.0/8,10.1.1.1")
    redis("ModifySecurityIps", **office, SecurityIps="10.1.1.1", ModifyMode="Delete")
    redis.refuses(
        "InvalidSecurityIps.Format", "ModifySecurityIps", **owner, SecurityIps="10.0.0.300"
    )
    groups = redis("DescribeSecurityIps", **owner)["SecurityIpGroups"]["SecurityIpGroup"]
    assert {g["SecurityIpGroupName"]: g["SecurityIpList"] for g in groups} == {
        "default": "127.0.0.1",
        "office": "10.0.0.0/8",
    }


def test_a_parameter_takes_a_value_of_its_kind(redis: Redis, instance: str) -> None:
    redis(
        "ModifyInstanceConfig",
        InstanceId=instance,
        Config='{"timeout": "300", "maxmemory-policy": "allkeys-lru"}',
    )
    redis.refuses(
        "InvalidParameterValue",
        "ModifyInstanceConfig",
        InstanceId=instance,
        Config='{"appendonly": "maybe"}',
    )
    rows = redis("DescribeParameters", DBInstanceId=instance)["RunningParameters"]["Parameter"]
    values = {row["ParameterName"]: row["ParameterValue"] for row in rows}
    assert (values["timeout"], values["maxmemory-policy"], values["appendonly"]) == (
        "300",
        "allkeys-lru",
        "yes",
    )


def test_a_parameter_that_needs_it_restarts_the_instance(redis: Redis, instance: str) -> None:
    redis("ModifyInstanceConfig", InstanceId=instance, Config='{"cluster_compat_enable": "0"}')
    assert describe(redis, instance)["InstanceStatus"] == "Rebooting"


def test_backups_are_made_by_a_policy(redis: Redis, instance: str) -> None:
    owner = {"InstanceId": instance}
    times = {"PreferredBackupPeriod": "Monday,Friday", "PreferredBackupTime": "20:00Z-21:00Z"}
    redis("ModifyBackupPolicy", **owner, **times)
    policy = redis("DescribeBackupPolicy", **owner)
    assert {name: policy[name] for name in times} == times
    no_day = {**times, "PreferredBackupPeriod": "Someday"}
    redis.refuses("InvalidPreferredBackupPeriod.Malformed", "ModifyBackupPolicy", **owner, **no_day)


def test_an_instance_is_restored_from_a_finished_backup(
    redis: Redis, backend: Backend, instance: str
) -> None:
    owner = {"InstanceId": instance}
    backup = redis("CreateBackup", **owner)["BackupJobID"]
    redis.refuses("InvalidBackupStatus", "RestoreInstance", **owner, BackupId=backup)
    backend.clock.advance(3)
    redis("RestoreInstance", **owner, BackupId=backup)
    assert describe(redis, instance)["InstanceStatus"] == "BackupRecovering"
    backend.clock.advance(3)
    (row,) = redis("DescribeBackups", **owner)["Backups"]["Backup"]
    assert (row["BackupId"], row["BackupStatus"], row["BackupMode"]) == (
        backup,
        "Success",
        "Manual",
    )
    redis("DeleteBackup", **owner, BackupId=backup)
    assert redis("DescribeBackups", **owner)["TotalCount"] == 0
