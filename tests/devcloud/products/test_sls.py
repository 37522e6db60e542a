"""Simple Log Service: projects, Logstores, indexes, collection and alerts through the
signed API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import Backend
from tests.devcloud.products.signed import SignedCaller


class Sls(SignedCaller):
    """The product's operations in RPC form."""

    product = "log"


@pytest.fixture
def sls(backend: Backend, account: dict[str, str]) -> Sls:
    return Sls(backend, account)


@pytest.fixture
def project(sls: Sls, backend: Backend, account: dict[str, str]) -> str:
    name = f"logs-{account['account_id']}"
    sls("CreateProject", projectName=name, description="web")
    backend.clock.advance(2)
    return name


@pytest.fixture
def place(sls: Sls, backend: Backend, project: str) -> dict[str, str]:
    sls("CreateLogStore", project=project, logstoreName="access")
    backend.clock.advance(2)
    return {"project": project, "logstore": "access"}


def test_a_project_is_made_changed_and_deleted(
    sls: Sls, backend: Backend, account: dict[str, str], project: str
) -> None:
    shown = sls("GetProject", project=project)
    assert (shown["description"], shown["status"], shown["dataRedundancyType"]) == (
        "web",
        "Normal",
        "LRS",
    )
    sls.refuses("ProjectAlreadyExist", "CreateProject", projectName=project)
    sls.refuses("ParameterInvalid", "CreateProject", projectName="Upper")
    sls.refuses("ParameterInvalid", "CreateProject", projectName="fine", description="a <b>")
    sls("UpdateProject", project=project, description="shop")
    assert [one["description"] for one in sls("ListProject")["projects"]] == ["shop"]
    sls("CreateLogStore", project=project, logstoreName="access")
    sls.refuses("ProjectNotEmpty", "DeleteProject", project=project)
    assert {item["resource_type"]: item["id"] for item in backend.inventory(account)} == {
        "project": project,
        "logstore": f"{project}/access",
    }
    backend.clock.advance(2)
    sls("DeleteLogStore", project=project, logstore="access")
    sls("DeleteProject", project=project)
    backend.clock.advance(2)
    sls.refuses("ProjectNotExist", "GetProject", project=project)
    assert backend.inventory(account) == []


def test_a_log_store_keeps_logs_as_long_as_it_is_told(
    sls: Sls, backend: Backend, project: str
) -> None:
    sls.refuses(
        "ProjectNotExist", "CreateLogStore", project="nobody-has-this", logstoreName="access"
    )
    more = {
        "ttl": 90,
        "hot_ttl": 30,
        "shardCount": 3,
        "autoSplit": True,
        "maxSplitShard": 16,
        "mode": "query",
    }
    sls("CreateLogStore", project=project, logstoreName="access", **more)
    shown = sls("GetLogStore", project=project, logstore="access")
    assert {name: shown[name] for name in more} == more
    assert shown["status"] == "Creating"
    sls.refuses("ProjectForbidden", "UpdateLogStore", project=project, logstore="access", ttl=60)
    backend.clock.advance(2)
    sls("UpdateLogStore", project=project, logstore="access", ttl=60, enable_tracking=True)
    shown = sls("GetLogStore", project=project, logstore="access")
    assert (shown["ttl"], shown["enable_tracking"], shown["hot_ttl"]) == (60, True, 30)
    sls.refuses(
        "LogStoreInfoInvalid", "UpdateLogStore", project=project, logstore="access", ttl=4000
    )
    sls.refuses("LogStoreAlreadyExist", "CreateLogStore", project=project, logstoreName="access")
    paid = {"project": project, "meteringMode": "ChargeByDataIngest"}
    sls.refuses("ParameterInvalid", "UpdateLogStoreMeteringMode", logstore="access", **paid)
    sls("CreateLogStore", project=project, logstoreName="orders")
    backend.clock.advance(2)
    sls("UpdateLogStoreMeteringMode", logstore="orders", **paid)
    assert (
        sls("GetLogStoreMeteringMode", project=project, logstore="orders")["meteringMode"]
        == "ChargeByDataIngest"
    )
    assert sls("ListLogStores", project=project)["logstores"] == ["access", "orders"]
    sls("DeleteLogStore", project=project, logstore="orders")
    sls.refuses("LogStoreNotExist", "GetLogStore", project=project, logstore="orders")


def test_shards_are_split_and_merged(sls: Sls, place: dict[str, str]) -> None:
    def shards() -> list[tuple[int, str, str, str]]:
        found = sls("ListShards", **place)["shards"]
        return [
            (s["shardID"], s["status"], s["inclusiveBeginKey"][:2], s["exclusiveEndKey"][:2])
            for s in found
        ]

    assert shards() == [(0, "readwrite", "00", "80"), (1, "readwrite", "80", "ff")]
    sls("SplitShard", **place, shard=0)
    assert shards()[2:] == [(2, "readwrite", "00", "40"), (3, "readwrite", "40", "80")]
    sls.refuses("ParameterInvalid", "SplitShard", **place, shard=0)
    sls("MergeShards", **place, shard=3)
    assert shards()[-1] == (4, "readwrite", "40", "ff")
    assert [number for number, mode, _, _ in shards() if mode == "readwrite"] == [2, 4]
    sls.refuses("ParameterInvalid", "MergeShards", **place, shard=4)
    sls.refuses("ShardNotExist", "SplitShard", **place, shard=9)


def test_an_index_is_enabled_extended_and_disabled(sls: Sls, place: dict[str, str]) -> None:
    sls.refuses("LogStoreNotExist", "CreateIndex", project=place["project"], logstore="none")
    sls.refuses("IndexConfigNotExist", "GetIndex", **place)
    sls.refuses("IndexConfigNotExist", "UpdateIndex", **place, max_text_len=1024)
    keys = [
        {"name": "status", "type": "long"},
        {"name": "uri", "type": "text", "chn": True, "token": "/"},
    ]
    sls("CreateIndex", **place, keys=keys, **{"line.caseSensitive": True, "line.token": ","})
    sls.refuses("IndexAlreadyExist", "CreateIndex", **place)
    shown = sls("GetIndex", **place)
    assert (shown["line"]["caseSensitive"], shown["line"]["token"]) == (True, ",")
    assert [(k["name"], k["type"], k["chn"]) for k in shown["keys"]] == [
        ("status", "long", False),
        ("uri", "text", True),
    ]
    sls(
        "UpdateIndex",
        **place,
        keys=[{"name": "status", "type": "double"}, {"name": "ip", "type": "text"}],
        max_text_len=1024,
    )
    shown = sls("GetIndex", **place)
    assert {k["name"]: k["type"] for k in shown["keys"]} == {
        "status": "double",
        "uri": "text",
        "ip": "text",
    }
    assert (shown["max_text_len"], shown["line"]["caseSensitive"]) == (1024, True)
    sls.refuses("ParameterInvalid", "UpdateIndex", **place, keys=[{"name": "a b", "type": "text"}])
    sls.refuses("ParameterInvalid", "UpdateIndex", **place, keys=[{"name": "a", "type": "date"}])
    sls("DeleteIndex", **place)
    sls.refuses("IndexConfigNotExist", "GetIndex", **place)
    sls("CreateIndex", **place)
    assert sls("GetIndex", **place)["keys"] == []


def test_logs_are_collected_from_a_group_of_machines(
    sls: Sls, project: str, place: dict[str, str]
) -> None:
    sls(
        "CreateMachineGroup",
        project=project,
        groupName="web",
        machineIdentifyType="ip",
        machineList="10.0.0.4,10.0.0.5",
    )
    sls("UpdateMachineGroup", project=project, machineGroup="web", machineList="10.0.0.6")
    assert sls("GetMachineGroup", project=project, machineGroup="web")["machineList"] == [
        "10.0.0.6"
    ]
    detail = {
        "inputDetail.logType": "json_log",
        "inputDetail.logPath": "/var/log/nginx",
        "inputDetail.filePattern": "*.log",
    }
    config: dict[str, Any] = {
        "project": project,
        "configName": "nginx",
        "outputDetail.logstoreName": "access",
        **detail,
    }
    sls.refuses(
        "LogStoreNotExist", "CreateConfig", **{**config, "outputDetail.logstoreName": "none"}
    )
    sls.refuses("ParameterInvalid", "CreateConfig", **{**config, "inputDetail.logType": "syslog"})
    sls.refuses("InvalidParameter", "CreateConfig", **{**config, "inputDetail.logPath": "var/log"})
    sls("CreateConfig", **config)
    sls.refuses("ConfigAlreadyExist", "CreateConfig", **config)
    named = {"project": project, "configName": "nginx"}
    sls.refuses("ConfigNotApplied", "RemoveConfigFromMachineGroup", machineGroup="web", **named)
    sls.refuses("GroupNotExist", "ApplyConfigToMachineGroup", machineGroup="db", **named)
    sls("ApplyConfigToMachineGroup", machineGroup="web", **named)
    sls.refuses("ConfigAlreadyApplied", "ApplyConfigToMachineGroup", machineGroup="web", **named)
    sls.refuses("GroupInUse", "DeleteMachineGroup", project=project, machineGroup="web")
    sls("UpdateConfig", **named, **{"inputDetail.filePattern": "access.log"})
    assert sls("GetConfig", **named)["inputDetail"]["filePattern"] == "access.log"
    sls("RemoveConfigFromMachineGroup", machineGroup="web", **named)
    sls("DeleteMachineGroup", project=project, machineGroup="web")
    sls("DeleteConfig", **named)
    sls.refuses("ConfigNotExist", "GetConfig", **named)


def test_searches_are_saved_and_alerts_raised(
    sls: Sls, project: str, place: dict[str, str]
) -> None:
    search = {
        "savedsearchName": "errors",
        "displayName": "Errors",
        "logstore": "access",
        "searchQuery": "status: 500",
    }
    sls("CreateSavedSearch", project=project, **search)
    sls.refuses("SavedSearchAlreadyExist", "CreateSavedSearch", project=project, **search)
    sls("UpdateSavedSearch", project=project, savedsearchName="errors", searchQuery="status >= 500")
    assert (
        sls("GetSavedSearch", project=project, savedsearchName="errors")["searchQuery"]
        == "status >= 500"
    )
    query = {
        "configuration.queryList.1.store": "access",
        "configuration.queryList.1.query": "status: 500 | select count(*) as n",
    }
    alert = {
        "name": "errors",
        "displayName": "Errors",
        "configuration.conditionConfiguration.condition": "n > 10",
        **query,
    }
    sls("CreateAlert", project=project, **alert, **{"schedule.interval": "5m"})
    sls.refuses("JobAlreadyExist", "CreateAlert", project=project, **alert)
    named = {"project": project, "alertName": "errors"}
    sls.refuses("JobInvalidState", "DeleteAlert", **named)
    sls.refuses("ParameterInvalid", "UpdateAlert", **named, **{"schedule.interval": "2m"})
    sls("UpdateAlert", **named, **{"schedule.interval": "1h", "configuration.threshold": 3})
    sls("MuteAlert", **named, muteUntil="2027-01-31T00:00:00Z")
    shown = sls("GetAlert", **named)
    assert (
        shown["status"],
        shown["schedule"]["interval"],
        shown["configuration"]["threshold"],
    ) == ("ENABLED", "1h", 3)
    sls("DisableAlert", **named)
    sls.refuses("JobInvalidState", "MuteAlert", **named, muteUntil="2027-01-31T00:00:00Z")
    sls("DeleteAlert", **named)
    sls.refuses("JobNotExist", "GetAlert", **named)
    sls("DeleteLogStore", **place)
    sls.refuses("SavedSearchNotExist", "GetSavedSearch", project=project, savedsearchName="errors")
