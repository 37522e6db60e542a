"""Tair (Redis OSS-compatible): instances, accounts, whitelists, backups and
parameters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import REGION, Backend, HttpFailure
from tests.devcloud.console_api import events, make, path
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
    wanted = {
        "InstanceClass": SMALL,
        "EngineVersion": "7.0",
        "VpcId": vpc_id,
        "VSwitchId": vswitch_id,
        "Password": PASSWORD,
    }
    made = redis("CreateInstance", InstanceName="session-cache", **{**wanted, **more})
    backend.clock.advance(4)
    return str(made["InstanceId"])


def shown(redis: Redis, instance: str) -> dict[str, Any]:
    (found,) = redis("DescribeInstanceAttribute", InstanceId=instance)["Instances"][
        "DBInstanceAttribute"
    ]
    return dict(found)


def test_an_instance_lives_from_order_to_release(
    redis: Redis, backend: Backend, account: dict[str, str]
) -> None:
    instance = make_instance(backend, account, redis, Tag=[{"Key": "team", "Value": "web"}])
    assert instance.startswith("r-bp1")
    found = shown(redis, instance)
    assert (found["InstanceStatus"], found["Capacity"], found["ArchitectureType"]) == (
        "Normal",
        1024,
        "standard",
    )
    assert (found["ChargeType"], found["Port"], found["ZoneId"]) == (
        "PostPaid",
        6379,
        "cn-hangzhou-h",
    )
    assert found["ConnectionDomain"] == f"{instance}.redis.rds.aliyuncs.com"
    assert found["Tags"] == {"Tag": [{"Key": "team", "Value": "web"}]}
    redis(
        "ModifyInstanceAttribute",
        InstanceId=instance,
        InstanceName="cart-cache",
        InstanceReleaseProtection=True,
    )
    redis.refuses(
        "OperationDenied.InstanceReleaseProtection", "DeleteInstance", InstanceId=instance
    )
    redis("ModifyInstanceSpec", InstanceId=instance, InstanceClass="redis.master.mid.default")
    redis.refuses("IncorrectDBInstanceState", "RestartInstance", InstanceId=instance)
    backend.clock.advance(3)
    found = shown(redis, instance)
    assert (found["InstanceClass"], found["Capacity"], found["InstanceName"]) == (
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
    for action, state in (("RestartInstance", "Rebooting"), ("FlushInstance", "Flushing")):
        redis(action, InstanceId=instance)
        assert shown(redis, instance)["InstanceStatus"] == state
        backend.clock.advance(3)
    redis(
        "AllocateInstancePublicConnection",
        InstanceId=instance,
        ConnectionStringPrefix="pubcache1",
        Port=6380,
    )
    backend.clock.advance(2)
    redis.refuses(
        "NetTypeExists",
        "AllocateInstancePublicConnection",
        InstanceId=instance,
        ConnectionStringPrefix="pubcache2",
        Port=1,
    )
    net = redis("DescribeDBInstanceNetInfo", InstanceId=instance)["NetInfoItems"]["InstanceNetInfo"]
    assert [item["ConnectionString"].split(".")[0] for item in net] == [instance, "pubcache1"]
    redis(
        "ReleaseInstancePublicConnection",
        InstanceId=instance,
        CurrentConnectionString=net[1]["ConnectionString"],
    )
    backend.clock.advance(2)
    assert (
        len(
            redis("DescribeDBInstanceNetInfo", InstanceId=instance)["NetInfoItems"][
                "InstanceNetInfo"
            ]
        )
        == 1
    )
    redis.refuses(
        "InvalidOrderCharge.NotSupport",
        "ModifyInstanceAutoRenewalAttribute",
        DBInstanceId=instance,
        AutoRenew="true",
    )
    redis(
        "ModifyInstanceMaintainTime",
        InstanceId=instance,
        MaintainStartTime="20:00Z",
        MaintainEndTime="23:00Z",
    )
    assert shown(redis, instance)["MaintainEndTime"] == "23:00Z"
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
    assert shown(redis, made)["ShardCount"] == 8
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
    assert shown(redis, instance)["ChargeType"] == "PrePaid"
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


def test_whitelists_parameters_and_backups(
    redis: Redis, backend: Backend, account: dict[str, str]
) -> None:
    instance = make_instance(backend, account, redis)
    redis(
        "ModifySecurityIps",
        InstanceId=instance,
        SecurityIps="10.0.0.0/8,10.1.1.1",
        SecurityIpGroupName="office",
    )
    redis(
        "ModifySecurityIps",
        InstanceId=instance,
        SecurityIps="10.1.1.1",
        SecurityIpGroupName="office",
        ModifyMode="Delete",
    )
    redis.refuses(
        "InvalidSecurityIps.Format",
        "ModifySecurityIps",
        InstanceId=instance,
        SecurityIps="10.0.0.300",
    )
    groups = redis("DescribeSecurityIps", InstanceId=instance)["SecurityIpGroups"][
        "SecurityIpGroup"
    ]
    assert {g["SecurityIpGroupName"]: g["SecurityIpList"] for g in groups} == {
        "default": "127.0.0.1",
        "office": "10.0.0.0/8",
    }
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
    redis("ModifyInstanceConfig", InstanceId=instance, Config='{"cluster_compat_enable": "0"}')
    assert shown(redis, instance)["InstanceStatus"] == "Rebooting"
    backend.clock.advance(3)

    redis(
        "ModifyBackupPolicy",
        InstanceId=instance,
        PreferredBackupPeriod="Monday,Friday",
        PreferredBackupTime="20:00Z-21:00Z",
    )
    policy = redis("DescribeBackupPolicy", InstanceId=instance)
    assert (policy["PreferredBackupPeriod"], policy["PreferredBackupTime"]) == (
        "Monday,Friday",
        "20:00Z-21:00Z",
    )
    wrong = {"PreferredBackupPeriod": "Someday", "PreferredBackupTime": "20:00Z-21:00Z"}
    redis.refuses(
        "InvalidPreferredBackupPeriod.Malformed", "ModifyBackupPolicy", InstanceId=instance, **wrong
    )
    backup = redis("CreateBackup", InstanceId=instance)["BackupJobID"]
    redis.refuses("InvalidBackupStatus", "RestoreInstance", InstanceId=instance, BackupId=backup)
    backend.clock.advance(3)
    redis("RestoreInstance", InstanceId=instance, BackupId=backup)
    assert shown(redis, instance)["InstanceStatus"] == "BackupRecovering"
    backend.clock.advance(3)
    (listed,) = redis("DescribeBackups", InstanceId=instance)["Backups"]["Backup"]
    assert (listed["BackupId"], listed["BackupStatus"], listed["BackupMode"]) == (
        backup,
        "Success",
        "Manual",
    )
    redis("DeleteBackup", InstanceId=instance, BackupId=backup)
    assert redis("DescribeBackups", InstanceId=instance)["TotalCount"] == 0


def test_the_console_orders_and_changes_an_instance(
    backend: Backend, account: dict[str, str], redis: Redis
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    browser = backend.browser(account)
    options = browser.get(
        f"/console/api/options/redis_classes?region={REGION}&architecture=cluster&version=7.0"
    )
    assert [o["value"] for o in options] == ["redis.shard.small.2.ce", "redis.shard.mid.2.ce"]
    wanted: dict[str, Any] = {
        "billing": "PostPaid", "zone": "cn-hangzhou-h", "version": "7.0", "architecture": "cluster", "class": "redis.shard.mid.2.ce",
        "shards": 4, "vpc_id": vpc_id, "vswitch_id": vswitch_id, "name": "session", "password_setting": "now",
        "password": PASSWORD, "confirm_password": PASSWORD, "tags": [{"key": "team", "value": "web"}], "agree": True,
    }  # fmt: skip
    with pytest.raises(HttpFailure) as caught:
        browser.post(path("redis.instance"), {**wanted, "confirm_password": "other"})
    assert caught.value.body["field"] == "confirm_password"
    instance = make(browser, "redis.instance", **wanted)
    backend.clock.advance(4)
    assert browser.get(path("redis.instance", instance))["status"] == "Normal"
    make(
        browser,
        "redis.account",
        instance_id=instance,
        name="app",
        privilege="RoleReadWrite",
        password=PASSWORD,
        confirm_password=PASSWORD,
    )
    backend.clock.advance(2)
    browser.post(
        path("redis.account", f"{instance}/app", "permission"), {"privilege": "RoleReadOnly"}
    )
    make(browser, "redis.whitelist", instance_id=instance, name="office", addresses=["10.0.0.0/8"])
    rows = browser.get(path("redis.parameter", **{"where.instance_id": instance}))["rows"]
    timeout = next(row for row in rows if row["name"] == "timeout")
    browser.post(path("redis.parameter", timeout["id"], "edit"), {"value": "60"})
    browser.post(
        path("redis.instance", instance, "backup_policy"),
        {"backup_days": ["Sunday"], "backup_time": "19:00Z-20:00Z"},
    )
    backup = make(browser, "redis.backup", instance_id=instance)
    backend.clock.advance(3)
    browser.post(path("redis.backup", backup, "restore"))
    backend.clock.advance(3)
    browser.post(path("redis.instance", instance, "release"))
    said = [
        (e["eventName"], e["serviceName"], e["requestParameters"])
        for e in events(backend, account)
        if e["eventType"] == "ConsoleOperation"
    ]
    assert {service for _, service, _ in said} == {"R-kvstore"}
    asked = {name: params for name, _, params in said}
    assert asked["CreateInstance"]["ShardCount"] == "4"
    assert asked["GrantAccountPrivilege"] == {
        "InstanceId": instance, "AccountName": "app", "AccountPrivilege": "RoleReadOnly", "RegionId": REGION,
    }  # fmt: skip
    assert json.loads(asked["ModifyInstanceConfig"]["Config"]) == {"timeout": "60"}
    assert asked["ModifyBackupPolicy"]["PreferredBackupPeriod"] == "Sunday"
    assert (asked["RestoreInstance"]["InstanceId"], asked["RestoreInstance"]["BackupId"]) == (
        instance,
        backup,
    )
