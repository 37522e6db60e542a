"""The console of Tair (Redis OSS-compatible): an order, and what is changed in an
instance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import REGION, Backend, HttpFailure
from tests.devcloud.console_api import Console, events

PASSWORD = "Sup3rSecret!"


@pytest.fixture
def form(backend: Backend, account: dict[str, str]) -> dict[str, Any]:
    """A filled order of a cluster."""
    vpc_id, vswitch_id = make_network(backend, account)
    return {
        "billing": "PostPaid",
        "zone": "cn-hangzhou-h",
        "version": "7.0",
        "architecture": "cluster",
        "class": "redis.shard.mid.2.ce",
        "shards": 4,
        "vpc_id": vpc_id,
        "vswitch_id": vswitch_id,
        "name": "session",
        "password_setting": "now",
        "password": PASSWORD,
        "confirm_password": PASSWORD,
        "tags": [{"key": "team", "value": "web"}],
        "agree": True,
    }


@pytest.fixture
def instance(console: Console, form: dict[str, Any]) -> str:
    instance = console.make("redis.instance", **form)
    console.backend.clock.advance(4)
    return instance


@pytest.fixture(autouse=True)
def the_log_names_the_product(console: Console) -> Iterator[None]:
    """Whatever the console of a test did, it is logged as a call of the product."""
    yield
    services = {
        event["serviceName"]
        for event in events(console.backend, console.account)
        if event["eventType"] == "ConsoleOperation"
    }
    assert services <= {"R-kvstore"}


def test_the_classes_of_an_architecture_are_offered(console: Console) -> None:
    assert console.offered("redis_classes", architecture="cluster", version="7.0") == [
        "redis.shard.small.2.ce",
        "redis.shard.mid.2.ce",
    ]


def test_an_instance_is_ordered_with_a_password_typed_twice(
    console: Console, form: dict[str, Any]
) -> None:
    with pytest.raises(HttpFailure) as caught:
        console.make("redis.instance", **{**form, "confirm_password": "other"})
    assert caught.value.body["field"] == "confirm_password"
    instance = console.make("redis.instance", **form)
    console.backend.clock.advance(4)
    assert console.row("redis.instance", instance)["status"] == "Normal"
    assert console.logged("CreateInstance")["ShardCount"] == "4"


def test_an_account_gets_another_permission(console: Console, instance: str) -> None:
    console.make(
        "redis.account",
        instance_id=instance,
        name="app",
        privilege="RoleReadWrite",
        password=PASSWORD,
        confirm_password=PASSWORD,
    )
    console.backend.clock.advance(2)
    console.act("redis.account", f"{instance}/app", "permission", privilege="RoleReadOnly")
    assert console.logged("GrantAccountPrivilege") == {
        "InstanceId": instance,
        "AccountName": "app",
        "AccountPrivilege": "RoleReadOnly",
        "RegionId": REGION,
    }


def test_a_whitelist_is_made_and_a_parameter_edited(console: Console, instance: str) -> None:
    console.make("redis.whitelist", instance_id=instance, name="office", addresses=["10.0.0.0/8"])
    rows = console.rows("redis.parameter", instance_id=instance)
    timeout = next(row for row in rows if row["name"] == "timeout")
    console.act("redis.parameter", timeout["id"], "edit", value="60")
    assert json.loads(console.logged("ModifyInstanceConfig")["Config"]) == {"timeout": "60"}


def test_a_backup_is_restored(console: Console, instance: str) -> None:
    console.act(
        "redis.instance",
        instance,
        "backup_policy",
        backup_days=["Sunday"],
        backup_time="19:00Z-20:00Z",
    )
    assert console.logged("ModifyBackupPolicy")["PreferredBackupPeriod"] == "Sunday"
    backup = console.make("redis.backup", instance_id=instance)
    console.backend.clock.advance(3)
    console.act("redis.backup", backup, "restore")
    restored = console.logged("RestoreInstance")
    assert (restored["InstanceId"], restored["BackupId"]) == (instance, backup)


def test_an_instance_is_released(console: Console, instance: str) -> None:
    console.act("redis.instance", instance, "release")
    assert console.logged("DeleteInstance")["InstanceId"] == instance
